"""Trees: all of them once, sampled evenly, distinguished as rooted trees."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.generators.curves import trees
from planimeter.generators.curves.nesting import canonicalised, nest

parents_lists = st.integers(0, 12).flatmap(lambda n: st.tuples(*(st.integers(0, node) for node in range(n))))


def shuffled(parents, seed):
    """The same tree under another numbering that still puts parents first."""
    rng = np.random.default_rng(seed)
    placed, order = {0}, []
    while len(order) < len(parents):
        ready = [n for n in range(1, len(parents) + 1) if n not in placed and parents[n - 1] in placed]
        order.append(int(rng.choice(ready)))
        placed.add(order[-1])
    return trees.reorder(parents, order)


def test_every_tree_is_enumerated_once_and_those_of_hundreds_are_counted_within_the_budget_of_a_test():
    by_size = [list(trees.enumerate_trees(n)) for n in range(10)]
    assert [len(trees_of_size) for trees_of_size in by_size] == [1, 1, 2, 4, 9, 20, 48, 115, 286, 719]
    assert [trees.count_trees(n) for n in range(10)] == [len(trees_of_size) for trees_of_size in by_size]
    for some in by_size:
        assert len({trees.canonical(t) for t in some}) == len(some)
    counts = [trees.count_trees(n) for n in (498, 499)]
    # Otter: their number grows 2.9557652857-fold with each node.
    assert counts[1] / counts[0] == pytest.approx(2.9557652857 * (1 - 1.5 / 500), rel=1e-4)
    assert trees.depth(trees.path(15)) == 15
    assert trees.depth(trees.star(50)) == 1
    assert trees.depth(trees.caterpillar(20)) == 10
    assert len(trees.caterpillar(21)) == 21


def test_sampling_prefers_no_shape_and_gives_canonical_trees_of_the_wanted_size():
    rng = np.random.default_rng(11)
    counts = Counter(trees.sample_tree(5, rng) for _ in range(8000))
    assert len(counts) == 20
    # 400 expected each; chi-square with 19 degrees of freedom, 99.9% quantile 43.8.
    assert sum((c - 400) ** 2 / 400 for c in counts.values()) < 43.8
    for n in (30, 100):
        tree = trees.sample_tree(n, rng)
        assert len(tree) == n
        assert tree == trees.canonical_parents(tree)


@given(parents_lists, st.integers(0, 10**6))
def test_numbering_does_not_change_the_canonical_form(parents, seed):
    other, once = shuffled(parents, seed), trees.canonical_parents(parents)
    assert trees.canonical(other) == trees.canonical(parents)
    assert trees.canonical_parents(other) == once
    assert trees.canonical_parents(once) == once
    assert sorted(trees.depths(once)) == sorted(trees.depths(parents))


def test_a_path_read_from_its_middle_is_another_tree_and_a_child_before_its_parent_is_refused():
    # As unrooted graphs these two are one: the released matcher takes one for the other.
    assert trees.canonical((0, 1, 0)) != trees.canonical((0, 1, 2))
    with pytest.raises(ValueError, match="number parents first"):
        trees.canonical((0, 3, 1))


def test_two_curves_that_share_a_corner_of_their_boxes_have_one_order():
    """One lies around the corner of the other, so both reach as far up and as far left."""
    square = np.array([(100.0, 100.0), (150.0, 100.0), (150.0, 150.0), (100.0, 150.0)])
    around = np.array([(200.0, 100.0), (300.0, 100.0), (300.0, 300.0), (100.0, 300.0), (100.0, 200.0), (200.0, 200.0)])
    (tree, curves), (other, mirrored) = nest([square, around]), nest([around, square])
    assert tree == other == (0, 0)
    assert [c is square for c in curves] == [c is square for c in mirrored] == [True, False]
    # Numbered the other way round, as a layout may do it.
    _, renumbered = canonicalised((0, 0), [around, square])
    assert renumbered[0] is square
