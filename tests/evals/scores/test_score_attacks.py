"""Replies that once scored by luck or stopped a run: each stays unread."""

import pytest
from graded_rows import EXAMPLES

from planimeter.evals import grade, readings


@pytest.mark.parametrize(
    "answer",
    [
        r"\neq 48", r"\le 48", "> 48", "49 = 48", r"48 \approx 49", r"48 \text{ is wrong}", r"48\%", "48_2", "[48, 48]",
        r"(1+x)^{99}(2+y)^{99}", "(" * 12 + "48" + ")" * 12,
    ],
)  # fmt: skip
def test_a_bound_a_share_or_a_relation_is_no_number(answer):
    row = {"answer": "48", "code": "", "answer_latex": "48"}
    for scores in readings(row, f"\\boxed{{{answer}}}"):
        assert (scores.value, bool(scores.reason)) == (0.0, True)


@pytest.mark.parametrize(
    "answer", ["48", "x = 48", "S_{ABC}=48", r"48\text{ cm}^2", r"2^{4}\cdot 3", r"\sqrt[3]{110592}"]
)
def test_a_number_with_a_name_or_a_unit_is_read(answer):
    assert grade({"answer": "48", "code": "", "answer_latex": "48"}, f"\\boxed{{{answer}}}").value == 1.0


def test_a_label_of_more_digits_than_a_number_may_have_stops_nothing():
    reply = "<answer>\n1\n" + "1" * 5000 + " 0\n</answer>"
    lenient, strict = readings({"parents": [0], "answer": "1\n1 0"}, reply)
    assert (lenient.value, strict.value, strict.reason) == (1.0, 0.0, "not the asked format")


@pytest.mark.parametrize("place", [place for place in sorted(EXAMPLES) if "prompt" in EXAMPLES[place]], ids="-".join)
@pytest.mark.parametrize("again", ["\n> {}", "   {}"])
def test_a_prompt_that_is_quoted_or_wrapped_anew_is_no_answer(place, again):
    row = EXAMPLES[place]
    reply = "\n".join(again.format(line).lstrip("\n") for line in str(row["prompt"]).splitlines())
    scores = grade(row, reply, suite=place[0], config=place[1])
    assert not scores.answered, scores.read


def test_a_list_of_options_chooses_none():
    row = {name: value for name, value in EXAMPLES["marvl_qa", "transformation"].items() if "prompt" not in name}
    assert not grade(row, "1. No change\n2. Rotation by 180 degrees").answered
