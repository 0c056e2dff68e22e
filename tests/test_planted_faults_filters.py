"""Faults that were planted in ``filters`` and that no other test found."""

from planimeter.filters.geogram.asked import asked_in


def test_what_an_earlier_question_word_is_about_is_not_taken_for_what_is_asked() -> None:
    asked = asked_in("Find the circle of the same area, and compute the length of its longest chord.")
    assert (asked.measure, asked.kind) == ("", "length")
