"""Faults that were planted in ``evals`` and that no other test found."""

import pytest

from planimeter.evals import grade
from planimeter.evals.geogram.statements import concluded
from planimeter.evals.traversal.protocol import parse_leniently


@pytest.mark.parametrize("text", ["When the lines meet, the area is 12.", "Let AB = 12."])
def test_a_last_sentence_that_only_supposes_or_only_sets_out_concludes_nothing(text: str) -> None:
    assert concluded(text) is None
    assert concluded("So the area is 12.") is not None


@pytest.mark.parametrize("reply", ["Each of the 3 rows has 2 local maxima.", "Each of 3 columns contains 2 peaks."])
def test_so_many_in_each_of_several_rows_are_multiplied(reply: str) -> None:
    row = {"answer": "6", "feature": "maxima", "count": 6}
    assert grade(row, reply, suite="marvl_qa", config="counting").metrics["accuracy"] == 1.0


def test_a_second_list_of_half_the_length_leaves_open_which_is_the_path() -> None:
    path, others = "red star, blue tri, green plus, orange circle", "yellow star, brown plus"
    elsewhere = "Elsewhere on this canvas lie"
    assert parse_leniently(f"{path}. {elsewhere} {others}.", 9, "red star").reason == "several lists"
    longer = f"{path}, cyan star"
    assert parse_leniently(f"{longer}. {elsewhere} {others}.", 9, "red star").value == tuple(longer.split(", "))
