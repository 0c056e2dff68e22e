"""The protocol: right answers score 1, wrong trees do not, and every malformed reply has its reason."""

import itertools
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals import curves as protocol
from evals import curves_metrics as metrics
from evals.answers import Parsed
from generators.curves import trees

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
    assert (result.reward, result.tree_only, result.parent_f1, result.ancestor_f1) == (1.0, 1.0, 1.0, 1.0)
    assert result.edit_distance == 0.0 and result.depth_correct and not result.parse_failure


@given(parents_lists, st.randoms(use_true_random=False))
def test_labels_and_order_of_lines_are_free(parents, random):
    labels = random.sample(range(-50, 50), len(parents) + 1)
    lines = [f"{labels[i]} {labels[p]}" for i, p in enumerate(parents, start=1)]
    random.shuffle(lines)
    body = "\n".join([str(len(parents)), *lines])
    assert score(reply(body), protocol.answer(trees.canonical_parents(parents))).reward == 1.0


def test_an_unrooted_match_is_not_enough():
    # The path 0-1-2 hung up at its middle: one graph, two rooted trees. The released matcher accepts it.
    result = score(reply("2\n1 0\n2 0"), "2\n1 0\n2 1")
    assert result.reward == pytest.approx(0.3)
    assert not result.tree_correct and result.count_correct


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("3\n1 0", "no answer tags"),
        ("<answer></answer>", "empty answer"),
        ("<answer>two\n1 0\n2 0</answer>", "first line is no count"),
        ("<answer>1\n1 -> 0</answer>", "line is not two integers"),
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
    assert result.reward == 0.0 and result.parse_failure == reason and result.edit_distance == 1.0


def test_the_last_answer_counts_and_fences_do_not():
    assert parse("<answer>1\n1 0</answer> no: <answer>\n```\n2\n1 0\n2 1\n```\n</answer>").value == (0, 1)


def test_an_answer_weighed_while_thinking_is_no_answer():
    assert parse("<think><answer>1\n1 0</answer></think>\n<answer>2\n1 0\n2 1</answer>").value == (0, 1)
    assert parse("<think><answer>1\n1 0</answer></think> I do not know.").reason == "no answer tags"


def test_gold_scores_one_by_the_seam_of_the_verifier():
    assert protocol.score_gold("curriculum", {"answer": "2\n1 0\n2 1"}) == 1.0
    with pytest.raises(ValueError, match="gold answer cannot be read"):
        protocol.score_gold("easy", {"answer": "2\n1 0"})
    with pytest.raises(LookupError, match="no config 'hard'"):
        protocol.parse("hard", "")


def test_the_example_of_the_prompt_can_be_read():
    assert parse(protocol.prompt()).value == (0, 0, 1)
    assert protocol.ARCS_NOTE in protocol.prompt(arcs=True)


def brute_common(a, b):
    """Best (parent pairs, ancestor pairs) over all root-anchored matchings, by trying them all."""

    def inner(parents, node):
        return [c for c, p in enumerate(parents, start=1) if p == node]

    def options(u, v):
        left, right = inner(a, u), inner(b, v)
        if len(left) > len(right):
            pairings = [list(zip(some, right, strict=True)) for some in itertools.permutations(left, len(right))]
        else:
            pairings = [list(zip(left, some, strict=True)) for some in itertools.permutations(right, len(left))]
        for pairing in pairings:
            yield [
                (1 + sum(o[0] for o in chosen), [0] + [d + 1 for o in chosen for d in o[1]])
                for chosen in itertools.product(*(list(flat(x, y)) for x, y in pairing))
            ]

    def flat(u, v):
        for batch in options(u, v):
            yield from batch

    found = list(flat(0, 0))
    return max(n - 1 for n, _ in found), max(sum(d) for _, d in found)


small = st.integers(0, 6).flatmap(lambda n: st.tuples(*(st.integers(0, node) for node in range(n))))


@given(small, small)
def test_best_matching_is_exact(a, b):
    assert metrics.common_subtree(a, b) == brute_common(a, b)


def brute_ordered_distance(a, b):
    """Edit distance of ordered forests by its definition (roots kept), trees as nested tuples."""
    from functools import cache

    @cache
    def size(forest):
        return sum(1 + size(t) for t in forest)

    @cache
    def distance(f, g):
        if not f or not g:
            return size(f) + size(g)
        s, t = f[-1], g[-1]
        return min(
            distance(f[:-1] + s, g) + 1,
            distance(f, g[:-1] + t) + 1,
            distance(f[:-1], g[:-1]) + distance(s, t),
        )

    return distance(a, b)


def nested(parents):
    """Children ordered as the metric orders them: larger subtrees first."""
    ranks, sizes = metrics._ranks((parents, parents))[0], metrics._subtree_weights(parents)[0]
    children = metrics._children(parents)

    def build(node):
        return tuple(build(c) for c in sorted(children[node], key=lambda c: (-sizes[c], ranks[c])))

    return build(0)


@given(small)
def test_edit_distance_to_itself_is_zero_and_to_nothing_is_its_size(a):
    assert metrics.tree_edit_distance(a, a) == 0
    assert metrics.tree_edit_distance(a, ()) == len(a)


def test_edit_distance_is_zhang_shashas():
    # Children's order does not depend on the other tree where sizes differ.
    pairs = [((0, 1, 1, 0), (0, 1, 2, 0, 4, 5)), ((0, 1, 2), (0, 0, 0)), ((0, 1, 1, 1, 0), (0, 1, 1))]
    for a, b in pairs:
        assert metrics.tree_edit_distance(a, b) == brute_ordered_distance(nested(a), nested(b))


def test_one_missing_curve_costs_one_edit():
    gold = protocol.answer(trees.path(6))
    result = score(reply(protocol.answer(trees.path(5))), gold)
    assert result.edit_distance == pytest.approx(1 / 11)
    assert result.parent_f1 == pytest.approx(2 * 5 / 11)
    assert result.ancestor_f1 == pytest.approx(2 * 15 / 36)


def test_a_hundred_nodes_are_scored_fast():
    rng = np.random.default_rng(0)
    pairs = [(trees.sample_tree(120, rng), protocol.answer(trees.sample_tree(120, rng))) for _ in range(10)]
    score(Parsed(value=pairs[0][0]), pairs[0][1])
    start = time.process_time()
    for found, gold in pairs:
        score(Parsed(value=found), gold)
    assert (time.process_time() - start) / 10 < 0.1


def test_report_is_stratified_by_size_depth_and_category():
    gold = protocol.answer(trees.path(3))
    right, wrong = score(reply(gold), gold), score(parse("?"), gold)
    easy, maze = ({"answer": gold, "category": name} for name in ("easy", "maze"))
    rows = protocol.report("easy", [(easy, right), (maze, wrong)])
    table = {line.name: line for line in rows}
    assert table["all"].rows == 2 and table["all"].reward == 0.5 and table["all"].parse_failures == 0.5
    assert table["category easy"].tree_accuracy == 1.0 and table["category maze"].tree_accuracy == 0.0
    assert table["size 3-5"].rows == 2 and table["depth 3-4"].rows == 2
