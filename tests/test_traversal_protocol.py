"""The protocol: gold answers score 1.0, sloppy replies are read fairly, analyses find what was planted."""

import re

import numpy as np
import pytest

from planimeter.evals.traversal.analysis import (
    around_crossing,
    by_cell,
    by_confounders_passed,
    by_factor,
    by_orientation,
    prefix_before_crossing,
    scored,
)
from planimeter.evals.traversal.protocol import (
    SYSTEM_PROMPT,
    answer,
    grade,
    parse_leniently,
    parse_strictly,
    prompt,
    score_gold,
)
from planimeter.generators.traversal.markers import draw_markers

GOLD = draw_markers(9, np.random.default_rng(1))


def test_the_gold_answer_scores_one_strictly_and_leniently():
    for read in (parse_strictly(answer(GOLD)), parse_leniently(answer(GOLD))):
        result = grade(read, GOLD)
        assert result.exact
        assert result.token_accuracy == 1.0


@pytest.mark.parametrize("config", ["base", "confounded", "reading_order"])
def test_the_seam_scores_a_rows_own_answer_one_and_a_wrong_one_less(config):
    assert score_gold(config, {"answer": answer(GOLD), "markers": GOLD}) == 1.0
    assert score_gold(config, {"answer": answer(GOLD[::-1]), "markers": GOLD}) == 0.0
    with pytest.raises(LookupError, match="reading_order"):
        score_gold("counting", {"answer": answer(GOLD), "markers": GOLD})


def test_the_prompt_says_start_number_words_and_spurs():
    text = prompt("cyan tri", 13, confounded=True)
    for part in ('"cyan tri"', "EXACTLY 13", "brown", "plus", "comma-separated", "Gray spurs", "ignore"):
        assert part in text
    assert "spurs" not in prompt("cyan tri", 13)
    assert "alone" in SYSTEM_PROMPT


def test_the_prompt_gives_no_rule_for_crossings():
    """How to go on there is what is asked; the paper's prompt does not tell it either."""
    for confounded in (False, True):
        assert not re.search(r"\bcross|\bstraight\b", prompt("cyan tri", 13, confounded=confounded))


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
    assert grade(GOLD[:6], GOLD).token_accuracy == pytest.approx(6 / 9)
    longer = grade((*GOLD, "red star"), GOLD)
    assert (longer.exact, longer.token_accuracy) == (False, 1.0)
    shifted = grade((GOLD[1], *GOLD[1:]), GOLD)
    assert (shifted.exact, sum(shifted.correct)) == (False, 8)
    assert not grade(None, GOLD).answered


def row(number, crossings, end=600.0, **columns):
    return {
        "id": f"r{number}",
        "markers": list(GOLD),
        "points": [[60.0 + 10 * k, 60.0 + 30 * k] for k in range(8)] + [[end, 90.0]],
        "crossings": [{"first_segment": a, "second_segment": b} for a, b in crossings],
        "tortuosity_bin": 1,
        "self_intersection_bin": min(len(crossings), 2),
        **columns,
    }


def test_planted_errors_show_in_the_right_analysis():
    rows = [row(0, []), row(1, [(3, 6)]), row(2, [(3, 6), (4, 7)], end=30.0)]
    wrong = [*GOLD[:4], *GOLD[5:], GOLD[4]]
    results = scored(rows, {"r0": answer(GOLD), "r1": answer(wrong), "r2": answer(wrong)})
    cells = by_cell(results)
    assert cells[1, 0][0].value == 1.0
    assert cells[1, 1][0].value == 0.0
    assert by_factor(results, "self_intersection_bin")[0][1].value == 1.0
    around = {local.offset: local for local in around_crossing(results, 1)}
    assert around[-1].crossing.value == 1.0
    assert around[0].crossing.value == 0.0
    assert around[0].control.value == 1.0
    here, control = prefix_before_crossing(results)
    assert (here.value, control.value, here.count) == (1.0, 1.0, 2)
    directions = {o.self_intersection_bin: o for o in by_orientation(results)}
    assert directions[2].right_to_left.count == 1
    assert directions[1].left_to_right.count == 1


def test_markers_past_a_spur_are_set_against_the_same_markers_of_the_source():
    base = scored([row(0, [])], {"r0": answer(GOLD)})
    spur = [[85.0, 135.0], [150.0, 100.0]]
    wrong = (*GOLD[:3], *GOLD[4:], GOLD[3])
    confounded = scored([row(1, [], source_id="r0", confounders=[spur])], {"r1": answer(wrong)})
    passed = by_confounders_passed(confounded, base)
    assert (passed[0][0].value, passed[0][0].count) == (1.0, 3)
    assert (passed[1][0].value, passed[1][1].value) == (0.0, 1.0)


def test_replies_of_another_dataset_are_refused():
    with pytest.raises(ValueError, match="not among the 1 rows"):
        scored([row(0, [])], {"x9": "red tri"})
