"""Replies about paths: the list of markers is read in every plain form, and never guessed."""

import json
from collections.abc import Iterable

import numpy as np
import pytest
from listed import listed, valued

from planimeter.evals import gold_score, grade
from planimeter.evals.traversal import grader
from planimeter.evals.traversal.grader import answer, parse_strictly
from planimeter.generators.traversal.path_record import draw_markers

GOLD = draw_markers(9, np.random.default_rng(1))
ROW = {"answer": answer(GOLD), "markers": GOLD}

LIST = ("orange tri", "red circle", "cyan star", "blue plus", "green square", "brown circle", "purple tri")
OTHER = ", ".join(LIST[::-1])
TEXT = ", ".join(LIST)


def read(reply: str) -> tuple[str, ...] | str:
    """Return the list that is read, or the reason of the refusal."""
    parsed = grader.read("base", {"markers": LIST}, reply, strict=False)
    return parsed.reason if parsed.value is None else parsed.value


def filled(table: str) -> str:
    """Return a table with the right list in place of TEXT, and with another one in place of OTHER."""
    return table.replace("TEXT", TEXT).replace("OTHER", OTHER)


def numbered(items: Iterable[str], mark: str = "{}. ") -> str:
    return "\n".join(mark.format(number) + item for number, item in enumerate(items, 1))


def test_wrong_replies_are_counted_by_position() -> None:
    for config in ("base", "confounded", "reading_order"):
        assert gold_score("traversal", config, {"answer": answer(GOLD[::-1]), "markers": GOLD}) == 0.0
    for strict in (True, False):
        assert grade(ROW, answer(GOLD), strict=strict).metrics == {"exact": 1.0, "token_accuracy": 1.0}
    assert grade(ROW, answer(GOLD[:6])).metrics["token_accuracy"] == pytest.approx(6 / 9)
    assert grade(ROW, answer((*GOLD, "red star"))).metrics == {"exact": 0.0, "token_accuracy": 1.0}
    shifted = grade(ROW, answer((GOLD[1], *GOLD[1:])))
    assert (shifted.metrics["exact"], shifted.correct) == (0.0, (False, *[True] * 8))


STRICTLY_REFUSED = """
I cannot see it ¦ red square; blue star ¦ red square, blue ¦ red square, blue triangle ¦ red square,⏎blue star
red-square, blue star ¦ red square, blue star<|im_end|> ¦ <think>red tri, blue star
"""
TWO = r"""
red tri, blue star ¦ Red Tri, blue star. ¦ 1. red tri⏎2. blue star ¦ ["red tri", "blue star"] ¦ red tri, and blue star
It passes green plus.⏎Path: red tri, blue star ¦ {"answer": ["red tri", "blue star"]} ¦ \boxed{red tri, blue star}
"""
RIGHT = r"""
I follow the line from orange tri to its end.⏎⏎TEXT ¦ OTHER⏎⏎Wait, I went backwards. Correct:⏎TEXT ¦ TEXT⏎⏎TEXT
I see a red plus and a blue tri.⏎⏎**Answer:** TEXT ¦ Markers: OTHER⏎Path: TEXT ¦ The order along the line:⏎⏎TEXT.
"""
REFUSED = """
unmarked:: TEXT or OTHER ¦ I cannot see the path. ¦ The path is not TEXT ¦ In reverse order: TEXT
unmarked:: First I list all markers in the picture: TEXT. Now I follow ¦ For example:⏎TEXT ¦ This would be wrong:⏎TEXT
unmarked:: The line goes from orange tri to purple tri. ¦ orange tri⏎red circle⏎cyan star ¦ TEXT⏎⏎Wait, that is wrong.
unmarked:: orange tri, red circle, cyan star, blue plus, ... ¦ orange tri, red circle, cyan star, blue plus, purple
unmarked:: 1. orange tri⏎2. red circle⏎3. ¦ orange tri -> red circle -> cyan star ¦ orange triangle, red circle
no answer where it is marked:: Answer: TEXT or OTHER ¦ The answer is not TEXT ¦ <answer>orange tri, ?</answer>
"""


def test_strictly_and_leniently_the_same_list_is_read() -> None:
    assert [reply for reply in ("", *listed(STRICTLY_REFUSED)) if parse_strictly(reply) is not None] == []
    assert [reply for reply in listed(TWO) if read(reply) != ("red tri", "blue star")] == []
    thought = "<think>red tri, green plus</think>\u200bred\u200b tri, blue star"
    assert read(thought) == parse_strictly(thought) == ("red tri", "blue star")


def test_a_right_list_counts_where_the_reply_closes_with_it() -> None:
    forms = (numbered(LIST), numbered(LIST, "{}) "), json.dumps(LIST), TEXT.title())
    assert [reply for reply in (*forms, *listed(filled(RIGHT))) if read(reply) != LIST] == []


def test_what_is_no_closing_list_is_refused() -> None:
    expected = valued(filled(REFUSED))
    assert [(reply, read(reply)) for reply, _ in expected] == expected


def test_a_list_of_another_length_keeps_its_positions() -> None:
    for other in (LIST[:4], (*LIST, "red star")):
        assert read(", ".join(other)) == read(numbered(other)) == other
