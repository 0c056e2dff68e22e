"""The protocol: right answers score 1, wrong trees do not, and every malformed reply has its reason."""

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.evals import gold_score
from planimeter.evals.answers import Parsed
from planimeter.evals.curves import protocol
from planimeter.evals.curves.prompt import ARCS_NOTE
from planimeter.generators.curves import trees

parents_lists = st.integers(0, 9).flatmap(lambda n: st.tuples(*(st.integers(0, node) for node in range(n))))


def parse(text):
    return protocol.parse("easy", text)


def reply(body):
    return parse(f"So I think\n<answer>\n{body}\n</answer>")


def score(parsed, gold):
    return protocol.score("easy", {"answer": gold}, parsed)


@given(parents_lists)
def test_gold_scores_one(parents):
    gold = protocol.answer(trees.canonical_parents(parents))
    result = score(reply(gold), gold)
    assert result == {**dict.fromkeys(protocol.METRICS, 1.0), "edit_distance": 0.0, "node_error": 0.0}


@given(parents_lists, parents_lists, st.randoms(use_true_random=False))
def test_labels_and_order_of_lines_are_free(parents, other, random):
    labels = random.sample(range(-50, 50), len(parents) + 1)
    lines = [f"{labels[i]} {labels[p]}" for i, p in enumerate(parents, start=1)]
    random.shuffle(lines)
    shuffled = reply("\n".join([str(len(parents)), *lines]))
    gold = protocol.answer(trees.canonical_parents(parents))
    assert score(shuffled, gold)["reward"] == 1.0
    wrong = protocol.answer(trees.canonical_parents(other))
    assert score(shuffled, wrong) == score(reply(gold), wrong)


def test_two_lines_that_change_places_change_no_measure():
    gold = "5\n1 0\n2 0\n3 0\n4 3\n5 0"
    lines = ("1 0", "2 0", "3 1", "4 3", "5 2", "6 2")
    swapped = "\n".join(("6", lines[1], lines[0], *lines[2:]))
    assert score(reply("\n".join(("6", *lines))), gold) == score(reply(swapped), gold)


def test_labels_may_be_integers_of_any_length():
    long = "1" + "0" * 5000
    assert reply(f"2\n{long} -0\n+7 00{long}").value == (0, 1)
    assert reply(f"2\n{long} 0\n{long} 1").reason == "node with two parents"
    assert reply(f"{long}\n1 0").reason == "count differs from the lines"
    assert reply("-2\n1 0\n2 0").reason == "first line is no count"


def test_an_unrooted_match_is_not_enough():
    # The path 0-1-2 hung up at its middle: one graph, two rooted trees. The released matcher accepts it.
    result = score(reply("2\n1 0\n2 0"), "2\n1 0\n2 1")
    assert result["reward"] == pytest.approx(0.3)
    assert (result["tree_accuracy"], result["count_accuracy"]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty reply"),
        ("3\n1 0", "count differs from the lines"),
        ("<answer></answer>", "no list of pairs"),
        ("<answer>none</answer>", "no answer where it is marked"),
        ("<answer>three\n1 0\n2 0</answer>", "count differs from the lines"),
        ("<answer>1\n1 < 0</answer>", "line is not two integers"),
        ("<answer>2\n1 0</answer>", "count differs from the lines"),
        ("<answer>2\n1 0\n1 2</answer>", "node with two parents"),
        ("<answer>2\n1 2\n2 1</answer>", "no root"),
        ("<answer>2\n1 0\n2 9</answer>", "several roots"),
        ("<answer>3\n1 0\n2 3\n3 2</answer>", "cycle"),
        ("<answer>1\n1 1</answer>", "no root"),
        ("<answer>9999\n" + "1 0\n" * 9999 + "</answer>", "too many nodes"),
    ],
)
def test_malformed_replies_have_a_reason_and_score_nothing(text, reason):
    parsed = parse(text)
    assert parsed.value is None and parsed.reason == reason
    result = score(parsed, "1\n1 0")
    assert math.isnan(result.pop("node_error"))
    assert result == {**dict.fromkeys(result, 0.0), "edit_distance": 1.0}


def test_the_last_answer_counts_and_fences_do_not():
    assert parse("<answer>1\n1 0</answer> no: <answer>\n```\n2\n1 0\n2 1\n```\n</answer>").value == (0, 1)


def test_an_answer_weighed_while_thinking_is_no_answer():
    assert parse("<think><answer>1\n1 0</answer></think>\n<answer>2\n1 0\n2 1</answer>").value == (0, 1)
    assert parse("<think><answer>1\n1 0</answer></think> I do not know.").reason == "no list of pairs"


def test_gold_scores_one_by_the_seam_of_the_verifier():
    assert gold_score("curves", "curriculum", {"answer": "2\n1 0\n2 1"}) == 1.0
    with pytest.raises(ValueError, match="gold answer cannot be read"):
        gold_score("curves", "easy", {"answer": "2\n1 0"})
    with pytest.raises(LookupError, match="no config 'hard'"):
        protocol.parse("hard", "")


def test_the_example_of_the_prompt_can_be_read():
    assert parse(protocol.prompt()).value == (0, 0, 1)
    assert ARCS_NOTE in protocol.prompt(arcs=True)


def test_one_missing_curve_costs_one_edit():
    gold = protocol.answer(trees.path(6))
    result = score(reply(protocol.answer(trees.path(5))), gold)
    assert result["edit_distance"] == pytest.approx(1 / 11)
    assert result["parent_f1"] == pytest.approx(2 * 5 / 11)
    assert result["ancestor_f1"] == pytest.approx(2 * 15 / 36)


def test_a_node_too_many_and_one_too_few_are_told_apart():
    gold = protocol.answer(trees.path(6))
    errors = {nodes: score(reply(protocol.answer(trees.path(nodes))), gold)["node_error"] for nodes in (4, 6, 7)}
    assert errors == {4: -2.0, 6: 0.0, 7: 1.0}


def test_a_hundred_nodes_are_scored_fast():
    rng = np.random.default_rng(0)
    pairs = [(trees.sample_tree(120, rng), protocol.answer(trees.sample_tree(120, rng))) for _ in range(10)]
    score(Parsed(value=pairs[0][0]), pairs[0][1])
    start = time.process_time()
    for found, gold in pairs:
        score(Parsed(value=found), gold)
    assert (time.process_time() - start) / 10 < 0.1


def test_the_largest_reply_that_is_read_is_scored_soon():
    rng = np.random.default_rng(0)
    gold = protocol.answer(trees.sample_tree(120, rng))
    attached = tuple(int(rng.integers(node)) for node in range(1, 2001))
    for found in (attached, trees.star(2000), (*range(1000), *range(1000))):
        start = time.process_time()
        score(Parsed(value=found), gold)
        assert time.process_time() - start < 20


def test_strata_are_category_size_and_depth():
    gold = protocol.answer(trees.path(3))
    assert protocol.strata("maze", {"answer": gold, "category": "maze"}) == {
        "category": "maze",
        "size": "3-5",
        "depth": "3-4",
    }
    assert protocol.strata("curriculum", {"answer": gold, "level": 4})["level"] == "4"
