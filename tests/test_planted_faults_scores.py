"""Faults that were planted in ``scores`` and that no other test found."""

from planimeter.scores.page.evidence import evidence


def test_one_right_marker_is_no_stretch_of_the_path() -> None:
    row = {
        "points": [[10.0, 10.0], [110.0, 10.0], [110.0, 110.0]],
        "markers": ["red star", "blue tri", "green plus"],
        "glyph_radius": 6.0,
    }
    one = evidence("traversal", "base", row, "red star, green plus", [True, False, False])
    assert [mark.kind for mark in one.marks] == ["path", "truth", "reply"]
    two = evidence("traversal", "base", row, "red star, blue tri", [True, True, False])
    assert [mark.kind for mark in two.marks] == ["path", "done", "truth"]
