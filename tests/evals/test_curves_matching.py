"""The best matching of two trees: what it is held against, and that only the shapes of the trees decide."""

import itertools

import numpy as np
import pytest

from planimeter.evals.curves.metrics import Common, common
from planimeter.generators.curves import trees


def ancestors(parents):
    above = [frozenset()]
    for parent in parents:
        above.append(above[parent] | {parent})
    return above


def best_of_all(a, b, *, inside=True):
    """The most that a matching keeps which pairs the roots and, with ``inside``, keeps who lies inside whom: by trying.

    Nodes count from such matchings alone: any pairing at all keeps the smaller tree's.
    """
    above_a, above_b = ancestors(a), ancestors(b)
    kept = [0, 0, 0]

    def extend(node, pairs):
        if node > len(a):
            partner = dict(pairs)
            values = (
                len(pairs) - 1,
                sum(partner.get(a[u - 1]) == b[v - 1] for u, v in pairs if u),
                sum(partner.get(w) in above_b[v] for u, v in pairs for w in above_a[u] if w in partner),
            )
            kept[:] = map(max, kept, values)
            return
        extend(node + 1, pairs)
        for other in set(range(1, len(b) + 1)) - {v for _, v in pairs}:
            # Numbers grow inwards: nothing that has its partner yet lies inside this node.
            ordered = all((u in above_a[node]) == (v in above_b[other]) and other not in above_b[v] for u, v in pairs)
            if ordered or not inside:
                extend(node + 1, [*pairs, (node, other)])

    extend(1, [(0, 0)])
    return Common(nodes=kept[0], parents=kept[1], ancestors=kept[2])


def trees_up_to(n):
    return [tree for size in range(n + 1) for tree in trees.enumerate_trees(size)]


def test_matchings_of_all_small_trees_are_the_best_that_keep_who_lies_inside_whom():
    for a, b in itertools.combinations_with_replacement(trees_up_to(5), 2):
        assert common(a, b) == best_of_all(a, b), (a, b)


def test_no_value_is_above_the_best_of_all_matchings_that_keep_the_root():
    for a, b in itertools.combinations_with_replacement(trees_up_to(4), 2):
        found, most = common(a, b), best_of_all(a, b, inside=False)
        assert found.parents <= most.parents and found.ancestors <= most.ancestors, (a, b)


@pytest.mark.parametrize("n", [20, 40, 100])
def test_neither_numbering_nor_the_order_of_the_trees_changes_a_value(n):
    rng = np.random.default_rng(n)
    for _ in range(10):
        a, b = (tuple(int(rng.integers(node)) for node in range(1, n + 1)) for _ in range(2))
        # Any order in which parents come before their children.
        order = np.argsort([level + rng.random() / 2 for level in trees.depths(a)[1:]]) + 1
        assert common(a, b) == common(b, a) == common(trees.reorder(a, [int(node) for node in order]), b)


def test_two_lines_swapped_leave_the_edit_distance():
    gold = (0, 0, 0, 3, 0)
    assert common((0, 0, 1, 3, 2, 2), gold) == common((0, 0, 2, 3, 1, 1), gold)


def test_a_tree_has_all_of_itself_in_common_and_nothing_with_an_empty_one():
    for tree in (
        trees.path(30),
        trees.star(30),
        trees.caterpillar(30),
        trees.sample_tree(60, np.random.default_rng(1)),
    ):
        pairs = sum(trees.depths(tree))
        assert common(tree, tree) == Common(nodes=len(tree), parents=len(tree), ancestors=pairs)
        assert common(tree, ()) == Common(nodes=0, parents=0, ancestors=0)


def test_a_curve_too_many_near_the_root_does_not_cost_what_is_inside():
    truth = (0, *(1,) * 10)
    found = (0, 1, *(2,) * 10)
    assert common(found, truth) == Common(nodes=11, parents=10, ancestors=21)


def test_a_curve_missed_among_others_costs_itself_alone():
    # Two curves in the root with ten and four inside: without the first, its ten lie beside the second.
    truth = (0, 0, *(1,) * 10, *(2,) * 4)
    found = (0, *(0,) * 10, *(1,) * 4)
    assert common(found, truth).nodes == common(truth, found).nodes == 15
    assert common(found, truth).ancestors == 10 + 1 + 2 * 4


def test_structure_respecting_matchings_are_never_better():
    # The tree edit distance of this pair was 4 once, where two are enough.
    found, truth = (0, 0, 2, 3, 1, 1, 3), (0, 1, 0, 2, 3, 5, 1)
    assert len(found) + len(truth) - 2 * common(found, truth).nodes == 2
