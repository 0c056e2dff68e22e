"""Trees and maps as replies: which are read, which are refused and why, and what a wrong one is worth."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from listed import listed, valued

from planimeter.evals.curves import grader
from planimeter.evals.curves import grader as curves
from planimeter.evals.curves.metrics import Common, common
from planimeter.evals.curves.prompt import ARCS_NOTE
from planimeter.evals.curves_maps import grader as maps
from planimeter.generators.curves import trees

parents_lists = st.integers(0, 9).flatmap(lambda n: st.tuples(*(st.integers(0, node) for node in range(n))))


def parse(text):
    return grader.parse("easy", text)


def reply(body):
    return parse(f"So I think\n<answer>\n{body}\n</answer>")


def score(parsed, gold):
    return grader.score("easy", {"answer": gold}, parsed)


@given(parents_lists, parents_lists, st.randoms(use_true_random=False))
def test_labels_and_order_of_lines_are_free(parents, other, random):
    labels = random.sample(range(100), len(parents) + 1)
    lines = [f"{labels[i]} {labels[p]}" for i, p in enumerate(parents, start=1)]
    random.shuffle(lines)
    shuffled = reply("\n".join([str(len(parents)), *lines]))
    gold = grader.answer(trees.canonical_parents(parents))
    assert score(shuffled, gold) == {**dict.fromkeys(grader.METRICS, 1.0), "edit_distance": 0.0, "node_error": 0.0}
    wrong = grader.answer(trees.canonical_parents(other))
    assert score(shuffled, wrong) == score(reply(gold), wrong)


def test_wrong_trees_are_scored_by_what_is_missing_or_too_many():
    # The path 0-1-2 hung up at its middle: one graph, two rooted trees. The released matcher accepts it.
    result = score(reply("2\n1 0\n2 0"), "2\n1 0\n2 1")
    assert result["reward"] == pytest.approx(0.3)
    assert (result["tree_accuracy"], result["count_accuracy"]) == (0.0, 1.0)
    gold = grader.answer(trees.path(6))
    results = {nodes: score(reply(grader.answer(trees.path(nodes))), gold) for nodes in (4, 5, 6, 7)}
    for name, value in {"edit_distance": 1 / 11, "parent_f1": 2 * 5 / 11, "ancestor_f1": 2 * 15 / 36}.items():
        assert results[5][name] == pytest.approx(value)
    assert [result["node_error"] for result in results.values()] == [-2.0, -1.0, 0.0, 1.0]


MALFORMED = """
empty reply:: ¦ <think><answer>1⏎1 0</answer></think>
unmarked:: <answer></answer> ¦ I do not know. ¦ There are 2 regions, 1 in 0 and 2 in 1. ¦ 1 0⏎2 0 ¦ 3⏎1 0
count differs from the lines:: <answer>2⏎1 0</answer>
line is not two integers:: <answer>1⏎1 < 0</answer> ¦ <answer>none</answer> ¦ <answer>three⏎1 0⏎2 0</answer>
no count, and a number left out:: <answer>1 0⏎3 0</answer>
node with two parents:: <answer>2⏎1 0⏎1 2</answer>
no root:: <answer>2⏎1 2⏎2 1</answer> ¦ <answer>1⏎1 1</answer>
several roots:: <answer>2⏎1 0⏎2 9</answer>
cycle:: <answer>3⏎1 0⏎2 3⏎3 2</answer>
"""
#: The tree of the prompt's example in the forms that are read.
FORMS = """
3⏎1 0⏎2 1⏎3 0 ¦ <answer>3⏎1 0⏎2 1⏎3 0</answer> ¦ I see three.⏎⏎3⏎1 0⏎2 1⏎3 0 ¦ ```⏎3⏎1 0⏎2 1⏎3 0⏎```
<answer>⏎3 regions⏎1 0  # curve 2 of 3⏎2 1 (inside 1)⏎3 0 - alone⏎</answer> ¦ <answer>[[1, 0], [2, 1], [3, 0]]</answer>
<answer>{"1": 0, "2": 1, "3": 0}</answer> ¦ {"answer": "3\\n1 0\\n2 1\\n3 0"} ¦ <answer>⏎3⏎0 -1⏎7 0⏎2 7⏎5 0⏎</answer>
<answer>⏎3⏎- 1, 0⏎- 2, 1⏎- 3, 0⏎</answer> ¦ **Answer:**⏎**3**⏎(1, 0)⏎(2, 1)⏎(3, 0)
- Row 1: 2⏎⏎<answer>3⏎1 0⏎2 1⏎3 0</answer>
"""


def test_a_tree_is_read_in_the_forms_of_prompt_and_json():
    expected = grader.canonical((0, 0, 1))
    trees_read = {text: parse(text) for text in listed(FORMS)}
    assert [(text, tree) for text, tree in trees_read.items() if grader.canonical(tree.value or ()) != expected] == []


def test_malformed_replies_have_a_reason_and_score_nothing():
    for text, reason in (*valued(MALFORMED), ("<answer>9999\n" + "1 0\n" * 9999 + "</answer>", "too many nodes")):
        parsed = parse(text)
        assert (parsed.value, parsed.reason) == (None, reason)
        result = score(parsed, "1\n1 0")
        assert math.isnan(result.pop("node_error"))
        assert result == {**dict.fromkeys(result, 0.0), "edit_distance": 1.0}


def test_the_prompt_has_its_example_and_names_open_lines():
    assert parse(grader.prompt()).value == (0, 0, 1)
    assert ARCS_NOTE in grader.prompt(arcs=True)


def test_strata_are_category_size_and_depth():
    row = {"answer": grader.answer(trees.path(3)), "category": "maze"}
    assert grader.strata("maze", row) == {"category": "maze", "size": "3-5", "depth": "3-4"}
    assert grader.strata("curriculum", {**row, "level": 4})["level"] == "4"


# --- the best matching of two trees


def ancestors(parents):
    above = [frozenset()]
    for parent in parents:
        above.append(above[parent] | {parent})
    return above


def best_of_all(a, b, *, inside=True):
    """Return the most that a matching keeps which pairs the roots and, with ``inside``, keeps who lies inside whom.

    It tries all. Nodes count from such matchings alone: any pairing at all keeps the smaller tree's.
    """
    above_a, above_b = ancestors(a), ancestors(b)
    kept = [0, 0, 0]

    def extend(node, pairs):
        if node > len(a):
            partner = dict(pairs)
            parents = sum(partner.get(a[u - 1]) == b[v - 1] for u, v in pairs if u)
            inner = sum(partner.get(w) in above_b[v] for u, v in pairs for w in above_a[u] if w in partner)
            kept[:] = map(max, kept, (len(pairs) - 1, parents, inner))
            return
        extend(node + 1, pairs)
        for other in set(range(1, len(b) + 1)) - {v for _, v in pairs}:
            # Numbers grow inwards: nothing that has its partner yet lies inside this node.
            ordered = all((u in above_a[node]) == (v in above_b[other]) and other not in above_b[v] for u, v in pairs)
            if ordered or not inside:
                extend(node + 1, [*pairs, (node, other)])

    extend(1, [(0, 0)])
    return Common(nodes=kept[0], parents=kept[1], ancestors=kept[2])


def test_matchings_of_trees_to_five_nodes_are_the_best():
    """Of six nodes there are pairs whose best matching is not found; see ``metrics``."""
    small = [tree for nodes in range(6) for tree in trees.enumerate_trees(nodes)]
    for a, b in itertools.combinations_with_replacement(small, 2):
        result = common(a, b)
        assert result == best_of_all(a, b), (a, b)
        if max(len(a), len(b)) < 5:
            free = best_of_all(a, b, inside=False)
            assert result.parents <= free.parents and result.ancestors <= free.ancestors, (a, b)


@pytest.mark.parametrize(("moved", "sums"), [(2, [396, 375, 917]), (8, [325, 298, 1024])])
def test_values_of_larger_trees_are_those_of_an_unbounded_search(moved, sums):
    """Sums over 48 pairs, found once by trying all pairs of subtrees without a bound."""
    rng, found = np.random.default_rng(moved), []
    for n in np.repeat([4, 8, 12, 16], 12):
        truth = [int(rng.integers(max(0, node - 1 - n // moved), node)) for node in range(1, n + 1)]
        read = truth[: n - int(rng.integers(2))]
        for node in rng.integers(0, len(read), moved):
            read[node] = int(rng.integers(node + 1))
        found.append(common(truth, read))
    assert [sum(getattr(one, name) for one in found) for name in ("nodes", "parents", "ancestors")] == sums


def test_a_run_that_is_cut_short_counts_as_it_does_whole():
    bent = (*range(25), 4, *range(26, 45), 25)
    assert common((0, 1, 1), bent) == Common(nodes=3, parents=2, ancestors=5)
    assert common((0, 1, 2, 3, 2), bent) == Common(nodes=5, parents=4, ancestors=13)


def test_no_numbering_or_order_of_trees_changes_a_value():
    rng = np.random.default_rng(20)
    for n in (20, 40, 100):
        a, b = (tuple(int(rng.integers(node)) for node in range(1, n + 1)) for _ in range(2))
        # Any order in which parents come before their children.
        order = np.argsort([level + rng.random() / 2 for level in trees.depths(a)[1:]]) + 1
        assert common(a, b) == common(b, a) == common(trees.reorder(a, [int(node) for node in order]), b)


def test_a_curve_too_many_or_missed_costs_itself_alone():
    assert common((0, 1, *(2,) * 10), (0, *(1,) * 10)) == Common(nodes=11, parents=10, ancestors=21)
    # Two curves in the root with ten and four inside: without the first, its ten lie beside the second.
    gold, read = (0, 0, *(1,) * 10, *(2,) * 4), (0, *(0,) * 10, *(1,) * 4)
    assert common(read, gold).nodes == common(gold, read).nodes == 15
    assert common(read, gold).ancestors == 10 + 1 + 2 * 4
    # The tree edit distance of this pair was 4 once, where two are enough.
    assert common((0, 0, 2, 3, 1, 1, 3), (0, 1, 0, 2, 3, 5, 1)).nodes == 6


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
