"""Trees: all of them once, sampled evenly, distinguished as rooted trees; and curves as trees."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.generators.curves import trees
from planimeter.generators.curves.clearance import has_clearance, measure
from planimeter.generators.curves.nesting import nest


def test_every_tree_is_enumerated_once():
    by_size = [list(trees.enumerate_trees(n)) for n in range(10)]
    assert [len(trees_of_size) for trees_of_size in by_size] == [1, 1, 2, 4, 9, 20, 48, 115, 286, 719]
    assert [trees.count_trees(n) for n in range(10)] == [len(trees_of_size) for trees_of_size in by_size]
    assert trees._table(8) == (0, 1, 1, 2, 4, 9, 20, 48), "as long as it was asked to be"
    assert all(len({trees.canonical(t) for t in some}) == len(some) for some in by_size)
    # Otter: their number grows 2.9557652857-fold with each node.
    assert trees.count_trees(499) / trees.count_trees(498) == pytest.approx(2.9557652857 * (1 - 1.5 / 500), rel=1e-4)
    assert [trees.depth(t) for t in (trees.path(15), trees.star(50), trees.caterpillar(20))] == [15, 1, 10]
    assert len(trees.caterpillar(21)) == 21


def test_sampling_prefers_no_shape():
    rng = np.random.default_rng(11)
    counts = Counter(trees.sample_tree(5, rng) for _ in range(8000))
    assert len(counts) == 20
    # 400 expected each; chi-square with 19 degrees of freedom, 99.9% quantile 43.8.
    assert sum((c - 400) ** 2 / 400 for c in counts.values()) < 43.8
    for n in (30, 100):
        tree = trees.sample_tree(n, rng)
        assert len(tree) == n and tree == trees.canonical_parents(tree)


@given(st.integers(0, 12).flatmap(lambda n: st.tuples(*(st.integers(0, k) for k in range(n)))), st.integers(0, 10**6))
def test_numbering_does_not_change_the_canonical_form(parents, seed):
    rng, placed, order = np.random.default_rng(seed), {0}, []
    while len(order) < len(parents):
        ready = [n for n in range(1, len(parents) + 1) if n not in placed and parents[n - 1] in placed]
        order.append(int(rng.choice(ready)))
        placed.add(order[-1])
    other, once = trees.reorder(parents, order), trees.canonical_parents(parents)
    assert trees.canonical(other) == trees.canonical(parents)
    assert trees.canonical_parents(other) == trees.canonical_parents(once) == once
    assert sorted(trees.depths(once)) == sorted(trees.depths(parents))


def test_a_path_read_from_its_middle_is_another_tree():
    # As unrooted graphs these two are one: the released matcher takes one for the other.
    assert trees.canonical((0, 1, 0)) != trees.canonical((0, 1, 2))
    with pytest.raises(ValueError, match="number each parent before its children"):
        trees.canonical((0, 3, 1))


def test_a_sharp_corner_is_not_taken_for_a_neck():
    hourglass = np.array([[0, 0], [100, 0], [52, 50], [100, 100], [0, 100], [48, 50]], float)
    spike = np.array([[0, 0], [100, 0], [100, 80], [55, 80], [50, 160], [45, 80], [0, 80]], float)
    wedge = np.array([[0, 0], [200, 0], [100, 100]], float)
    assert measure([hourglass], 12.0).within[0] == pytest.approx(4.0, abs=0.4)
    assert measure([wedge], 12.0).within[0] == 12.0 > measure([spike], 12.0).within[0]
    square = np.array([[0.0, 0.0], [40.0, 0.0], [40.0, 40.0], [0.0, 40.0]])
    assert [has_clearance([square, square + np.array([away, 0.0])], 10.0) for away in (60.0, 45.0)] == [True, False]


def test_curves_that_share_a_corner_of_their_boxes_have_one_order():
    """One lies around the corner of the other, so both reach as far up and as far left."""
    square = np.array([(100.0, 100.0), (150.0, 100.0), (150.0, 150.0), (100.0, 150.0)])
    around = np.array([(200.0, 100.0), (300.0, 100.0), (300.0, 300.0), (100.0, 300.0), (100.0, 200.0), (200.0, 200.0)])
    (tree, curves), (other, mirrored) = nest([square, around]), nest([around, square])
    assert tree == other == (0, 0)
    assert [c is square for c in curves] == [c is square for c in mirrored] == [True, False]
