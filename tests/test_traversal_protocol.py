"""The protocol: gold answers score 1.0, sloppy replies are read fairly, analyses find what was planted."""

import re

import numpy as np
import pytest

from planimeter.evals import gold_score, grade
from planimeter.evals.traversal.protocol import SYSTEM_PROMPT, answer, parse_leniently, parse_strictly, prompt
from planimeter.generators.traversal.markers import draw_markers

GOLD = draw_markers(9, np.random.default_rng(1))


ROW = {"answer": answer(GOLD), "markers": GOLD}


def test_the_gold_answer_scores_one_strictly_and_leniently():
    for strict in (True, False):
        assert grade(ROW, answer(GOLD), strict=strict).metrics == {"exact": 1.0, "token_accuracy": 1.0}


@pytest.mark.parametrize("config", ["base", "confounded", "reading_order"])
def test_the_seam_scores_a_rows_own_answer_one_and_a_wrong_one_less(config):
    assert gold_score("traversal", config, ROW) == 1.0
    assert gold_score("traversal", config, {"answer": answer(GOLD[::-1]), "markers": GOLD}) == 0.0
    with pytest.raises(LookupError, match="reading_order"):
        gold_score("traversal", "counting", ROW)


def test_the_prompt_says_start_number_words_and_spurs():
    text = prompt("cyan tri", 13, "confounded")
    for part in ('"cyan tri"', "EXACTLY 13", "brown", "plus", "comma-separated", "Gray spurs", "ignore"):
        assert part in text
    assert "spurs" not in prompt("cyan tri", 13)
    assert "alone" in SYSTEM_PROMPT


def test_the_prompt_gives_no_rule_for_crossings():
    """How to go on there is what is asked; the paper's prompt does not tell it either."""
    for config in ("base", "confounded"):
        assert not re.search(r"\bcross|\bstraight\b", prompt("cyan tri", 13, config))
    assert not re.search(r"\bcross|\bstraight on\b", prompt("cyan tri", 13, "curved"))


@pytest.mark.parametrize(
    "reply", ["", "I cannot see it", "red square; blue star", "red square, blue", "red square, blue triangle"]
)
def test_strict_parsing_refuses_other_formats(reply):
    assert parse_strictly(reply) is None


@pytest.mark.parametrize(
    "reply",
    [
        "red tri, blue star",
        "Red Triangle, blue star.",
        "1. red tri\n2. blue star",
        '["red tri", "blue star"]',
        "I start at red tri and pass green plus.\n\nAnswer: red tri, blue star",
        "red-tri -> blue_star",
    ],
)
def test_lenient_parsing_reads_the_same_list(reply):
    assert parse_leniently(reply) == ("red tri", "blue star")


@pytest.mark.parametrize(
    "reply",
    [
        "<think>The line goes from red tri to blue star, then green plus.</think>\nred tri, blue star",
        "The line goes from green plus to red tri.</think>red tri, blue star",
        "<think>red tri, green plus</think>\u200bred\u200b tri, blue star",
    ],
)
def test_what_is_only_thought_of_is_no_answer(reply):
    assert parse_leniently(reply) == parse_strictly(reply) == ("red tri", "blue star")


def test_a_reply_of_thoughts_alone_has_no_marker():
    assert parse_leniently("<think>red tri, blue star</think> I cannot tell.") == ()
    assert parse_strictly("<think>red tri, blue star") is None


@pytest.mark.parametrize("preamble", ["**Answer**: ", "**Answer:** ", "The `path` is: ", "$\\textbf{Answer}$: "])
def test_a_marked_up_preamble_drops_what_was_said_before(preamble):
    assert parse_leniently(f"It passes green plus first.\n{preamble}**red tri**, `blue star`") == (
        "red tri",
        "blue star",
    )


def test_a_short_and_a_long_reply_are_wrong_but_counted_by_position():
    assert grade(ROW, answer(GOLD[:6])).metrics["token_accuracy"] == pytest.approx(6 / 9)
    longer = grade(ROW, answer((*GOLD, "red star")))
    assert longer.metrics == {"exact": 0.0, "token_accuracy": 1.0}
    shifted = grade(ROW, answer((GOLD[1], *GOLD[1:])))
    assert (shifted.metrics["exact"], shifted.correct) == (0.0, (False, *[True] * 8))
    assert not grade(ROW, "").answered
