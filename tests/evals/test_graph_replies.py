"""Replies about nested and crossing curves: the asked form, its JSON, and what is no map."""

import pytest
from listed import listed, valued

from planimeter.evals.curves import grader as curves
from planimeter.evals.curves_maps import grader as maps

TREE = "3\n1 0\n2 1\n3 0"
MAP = "3\n0 1\n0 2\n1 3\n2 3"
MAPS = """
3⏎0 1⏎0 2⏎1 3⏎2 3 ¦ <answer>[[0, 1], [0, 2], [3, 1], [2, 3]]</answer> ¦ <answer>⏎3⏎1 0⏎2 0⏎3 1⏎3 2⏎</answer>
I see a lens.⏎⏎```⏎3⏎0 1⏎0 2⏎1 3⏎2 3⏎``` ¦ <answer>⏎3 faces⏎0 1⏎0 2⏎1 3 # the lens⏎2 3⏎2 3⏎</answer>
"""
NO_MAP = """
unmarked:: There are 3 faces. ¦ 0 touches 1 and 2. ¦ The lens (3) borders 1 and 2.
no such pair of faces:: <answer>⏎2⏎0 1⏎0 3⏎</answer> ¦ <answer>⏎2⏎0 1⏎1 1⏎0 2⏎</answer>
fewer pairs than faces:: <answer>⏎3⏎0 1⏎0 2⏎</answer> ¦ <answer>⏎3⏎</answer>
no count, and a number left out:: <answer>[[0, 1], [1, 3]]</answer>
too many faces:: <answer>⏎999⏎0 1⏎</answer>
line is not two integers:: <answer>⏎1⏎0 touches 1⏎</answer> ¦ <answer>{"0": [1, 2]}</answer>
"""


def read(reply: str) -> str:
    """Return the map that is read, as the dataset writes it, or the reason of the refusal."""
    parsed = maps.parse(maps.CONFIG, reply)
    return parsed.reason if parsed.value is None else maps.written(parsed.value)


def test_a_map_is_read_in_the_forms_of_prompt_and_json() -> None:
    assert [reply for reply in listed(MAPS) if read(reply) != MAP] == []


def test_what_is_no_map_is_refused_with_its_reason() -> None:
    assert [(reply, read(reply)) for reply, _ in valued(NO_MAP)] == valued(NO_MAP)


@pytest.mark.parametrize(("suite", "answer"), [(curves, TREE), (maps, MAP)], ids=["trees", "maps"])
def test_strictly_nothing_stands_beside_the_tags(suite, answer: str) -> None:
    config = suite.CONFIGS[0]
    asked = f"<answer>\n{answer}\n</answer>"
    for reply in (asked, f"<think>1 0</think>\n\n{asked}\n", asked.replace("\n", "\r\n"), f"<answer>{answer}</answer>"):
        assert suite.read(config, {}, reply, strict=True).value is not None
    beside = (f"Answer: {asked}", f"{asked}.", f"{asked}\n{asked}", f"{asked}<|im_end|>")
    for reply in (*beside, asked.replace(" ", "  "), answer):
        assert suite.read(config, {}, reply, strict=True).reason == "not the asked format"
        assert suite.read(config, {}, reply, strict=False).value is not None
