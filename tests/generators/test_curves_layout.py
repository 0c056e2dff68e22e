"""Drawings: every style keeps its promises on every tree, and says why where it does not."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
import shapely
from curves_drawings import digest, first_good
from hypothesis import given
from hypothesis import strategies as st

from planimeter.evals.curves import protocol
from planimeter.filters.certify.curves import read
from planimeter.filters.curves.rules import CurvesLimits, judge
from planimeter.generators import registry
from planimeter.generators.curves import trees
from planimeter.generators.curves.arcs import draw_arcs
from planimeter.generators.curves.clearance import measure
from planimeter.generators.curves.config import CurvesConfig, LayoutError
from planimeter.generators.curves.curriculum import LEVELS, level_config
from planimeter.generators.curves.growth import Energy, grow, smooth_fields
from planimeter.generators.curves.nesting import nest
from planimeter.generators.curves.outlines import resample, trace
from planimeter.generators.curves.packing import least_side, seed_labels
from planimeter.generators.curves.snug import snug_labels
from planimeter.generators.curves.style import STYLES_PACKAGE, candidates, style
from planimeter.generators.seeding import item_seed
from planimeter.items import CURVE_CATEGORIES, CurvesItem
from planimeter.recipes.loading import load
from planimeter.rendering.curves import render
from planimeter.rendering.png import encode

STYLES = registry.names(STYLES_PACKAGE)
RECIPE = load("curves")
EASY = RECIPE.categories()["easy"]
DENSE = CurvesConfig(nodes=(1, 120), gap_px=7.0, stroke_px=(4.0, 5.0), margin_px=12.0)


def read_back(item):
    return read(encode(render(item)), item.look).answer == protocol.answer(item.parents)


@pytest.mark.parametrize("name", STYLES)
def test_items_keep_the_rules_and_are_read_back_from_pixels(name):
    assert set(STYLES) == set(CURVE_CATEGORIES)
    for index in range(4):
        item = first_good(name, seed=item_seed(5, ("layout", name, index)))
        assert read_back(item)
        low, high = style(name).defaults.nodes
        assert low <= len(item.parents) <= high
        assert item.canonical == trees.canonical(item.parents)
        assert item.depth == trees.depth(item.parents)


@pytest.mark.parametrize("name", STYLES)
@pytest.mark.parametrize(
    "tree",
    [trees.path(15), trees.star(50), trees.caterpillar(24), trees.sample_tree(100, np.random.default_rng(8))],
    ids=["path-15", "star-50", "caterpillar-24", "any-100"],
)
def test_extreme_trees_are_laid_out(name, tree):
    item = first_good(name, replace(DENSE, parents=tree), item_seed(2, ("extreme", name, len(tree))))
    assert item.canonical == trees.canonical(tree)
    assert read_back(item)


@pytest.mark.parametrize("size", [10, 20, 50, 100])
@pytest.mark.parametrize("name", STYLES)
def test_uniform_trees_are_laid_out_at_the_lengths_of_the_recipe(name, size):
    table, rng = RECIPE.categories()[name], np.random.default_rng(size)
    sampled = [trees.sample_tree(size, rng) for _ in range(3)]
    fitting = [(k, tree) for k, tree in enumerate(sampled) if table.config((1, size)).fits(tree)]
    assert len(fitting) >= 2
    for index, tree in fitting:
        assert read_back(first_good(name, table.config((size, size), tree), item_seed(6, ("any", name, size, index))))


def test_each_of_the_36_trees_is_drawn_in_easy_and_seeds_side_by_side_share_nothing():
    for n in range(1, 6):
        for index, tree in enumerate(trees.enumerate_trees(n)):
            config = replace(style("easy").defaults, parents=tree)
            assert first_good("easy", config, item_seed(4, ("all", n, index))).parents == tree
    assert len({digest(first_good("easy", seed=item_seed(root, ("n", i)))) for root in (0, 1) for i in range(8)}) == 16


def test_growth_changes_neither_the_tree_nor_the_border():
    rng = np.random.default_rng(6)
    for tension in (-1.0, 0.0, 1.0):
        tree = trees.sample_tree(25, rng)
        labels = seed_labels(tree, 70, (1, 3), 0.9, rng)
        energy = Energy(tension=tension, pressure=5.0, relief=1.0, noise=4.0, sweeps=60.0)
        grown = grow(labels, tree, np.full(26, 150.0), smooth_fields(2, 70, 3.0, rng), energy, rng)
        assert (grown != labels).mean() > 0.05
        assert nest(trace(grown, tree))[0] == tree
    labels = seed_labels((0,), 20, (10, 18), 1.0, rng)
    energy = Energy(tension=-1.0, pressure=0.0, relief=0.0, noise=9.0, sweeps=50.0)
    grown = grow(labels, (0,), np.array([10.0, 390.0]), smooth_fields(1, 20, 2.0, rng), energy, rng)
    assert not grown[[0, -1]].any() and not grown[:, [0, -1]].any()


def test_a_neck_is_seen_and_a_sharp_corner_is_not_taken_for_one():
    hourglass = np.array([[0, 0], [100, 0], [52, 50], [100, 100], [0, 100], [48, 50]], float)
    spike = np.array([[0, 0], [100, 0], [100, 80], [55, 80], [50, 160], [45, 80], [0, 80]], float)
    wedge = np.array([[0, 0], [200, 0], [100, 100]], float)
    assert measure([hourglass], 12.0).within[0] == pytest.approx(4.0, abs=0.4)
    assert measure([wedge], 12.0).within[0] == 12.0
    assert measure([spike], 12.0).within[0] < 12.0


def rejected(item):
    return {v.check for v in judge(item, CurvesLimits()) if not v.kept}


def test_rules_catch_what_they_name():
    item = first_good("easy", replace(style("easy").defaults, parents=(0, 1)), 512)
    outer, inner = item.curves
    left = (5.0 - float(outer[:, 0].min()), 0.0)
    bow = np.array([[300, 300], [700, 700], [700, 300], [300, 700]], float)
    dot = inner.mean(axis=0) + 2.5 * np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
    assert rejected(item) == set()
    assert rejected(replace(item, curves=(outer + left, inner + left))) == {"border"}
    for rule, change in (
        ("nesting", {"curves": (outer, inner + np.array([900.0, 0.0]))}),
        ("nesting", {"curves": (inner, outer)}),
        ("simple", {"curves": (outer, bow)}),
        ("opening", {"curves": (outer, dot)}),
        ("stroke", {"stroke_px": 2.0}),
        ("gap", {"stroke_px": 200.0}),
    ):
        assert rule in rejected(replace(item, **change))
    assert "stroke" not in rejected(replace(item, stroke_px=CurvesLimits().stroke_px)), "the limit itself is allowed"


def box(low, high):
    return np.array([[low, low], [high, low], [high, high], [low, high]], float)


def nested(gap_px, arcs=()):
    """Two squares, 10 px apart, with a stroke that leaves 5.8 px of paper."""
    look = style("easy").defaults.look
    return CurvesItem(
        category="easy", parents=(0, 1), depth=2, canonical="((()))", curves=(box(100, 400), box(110, 390)),
        arcs=tuple(arcs), canvas_px=512, stroke_px=4.2, gap_px=gap_px, look=look, seed=0,
    )  # fmt: skip


def test_the_gap_of_the_recipe_is_kept_by_curves_and_arcs_not_only_paper():
    def ring(opening):
        turn = np.linspace(0.0, 2 * np.pi - opening / 30.0, 39)
        return 250.0 + 30.0 * np.stack([np.cos(turn), np.sin(turn)], axis=1)

    straight = np.stack([np.linspace(200.0, 300.0, 21), np.full(21, 200.0)], axis=1)
    for kept in (nested(9.0), nested(10.0), nested(9.0, [straight, ring(12.0)])):
        assert rejected(kept) == set()
    for wrong in (
        nested(16.0),
        nested(9.0, [ring(6.0)]),  # nearly meets itself
        nested(9.0, [straight - [0.0, 84.0]]),  # lies 6 px from a curve
        nested(9.0, [straight, straight + np.array([20.0, 6.0])]),  # lies 6 px from another arc
    ):
        assert rejected(wrong) == {"gap"}


def test_impossible_recipes_are_refused_with_the_limit():
    for wrong, message in (
        ({"gap_px": 5.0}, "px of paper"),
        ({"stroke_px": (2.0, 3.0)}, "lost in extraction"),
        ({"nodes": (1, 5000)}, "larger canvas"),
        ({"parents": trees.path(60)}, "take a canvas of 1292 px"),
        ({"nodes": (60, 90), "depth": (60, 90)}, "need depth <="),
        ({"nodes": (5, 2)}, "low <= high"),
    ):
        with pytest.raises(ValueError, match=message):
            CurvesConfig(**{"gap_px": 9.0, **wrong})


def test_the_canvas_that_a_refusal_asks_for_is_the_smallest_that_is_taken():
    for tree in (trees.path(60), trees.sample_tree(150, np.random.default_rng(4))):
        with pytest.raises(ValueError) as refused:
            CurvesConfig(parents=tree, gap_px=14.0)
        wanted = int(re.search(r"canvas of (\d+) px or", str(refused.value))[1])
        assert CurvesConfig(parents=tree, gap_px=14.0, canvas_px=wanted).parents == tree
        with pytest.raises(ValueError):
            CurvesConfig(parents=tree, gap_px=14.0, canvas_px=wanted - 2)


def test_what_does_not_fit_is_reported_and_the_deepest_tree_that_does_is_laid_out():
    outcome = next(candidates(style("counting"), CurvesConfig(nodes=(200, 200), gap_px=14.0), 256))
    assert isinstance(outcome, LayoutError)
    assert outcome.reason == "tree does not fit the canvas"
    with pytest.raises(ValueError, match="36 deep"):
        EASY.config((36, 36), trees.path(36))
    assert first_good("easy", EASY.config((35, 35), trees.path(35)), 5).depth == 35


@given(n=st.integers(1, 40), seed=st.integers(0, 999), leaf=st.sampled_from([1, 2]))
def test_snug_seeds_show_their_tree_a_cell_apart_and_keep_to_the_bound(n, seed, leaf):
    rng = np.random.default_rng(seed)
    tree = trees.sample_tree(n, rng)
    labels = snug_labels(tree, 110, leaf, 0.0, rng)
    curves = trace(labels, tree)
    assert nest(curves)[0] == tree
    assert measure(curves, 2.0).between.min() >= 1 - 1e-9
    drawn = np.argwhere(labels)
    assert max(np.ptp(drawn, axis=0)) + 1 >= least_side(tree, leaf) - 1e-9


def test_snug_seeds_fit_where_rectangles_do_not():
    tree, rng = trees.sample_tree(100, np.random.default_rng(8)), np.random.default_rng(1)
    side = next(side for side in range(40, 120) if snug_labels(tree, side, 1, 1.0, rng) is not None)
    assert side - 2 < 1.3 * least_side(tree)
    assert all(seed_labels(tree, side, (1, 1), 1.0, rng) is None for _ in range(50))


def test_levels_rise_in_every_respect_and_draw_longer_boundaries_and_more_curves():
    for low, high in itertools.pairwise(LEVELS):
        assert low.nodes[0] <= high.nodes[0] and low.nodes[1] < high.nodes[1]
        assert low.depth[1] <= high.depth[1]
        assert low.gap_px >= high.gap_px
        assert low.convolution <= high.convolution
    lengths, counts = [], []
    for number in (0, 3, 6):
        items = []
        for index in range(5):
            categories, weights = zip(*LEVELS[number].weights, strict=True)
            drawn = np.random.default_rng(index).random() * sum(weights)
            name = categories[int(np.searchsorted(np.cumsum(weights), drawn, side="right"))]
            items.append(first_good(name, level_config(LEVELS[number]), item_seed(3, ("level", number, index))))
        lengths.append(np.mean([sum(shapely.LinearRing(c).length for c in item.curves) for item in items]))
        counts.append(np.mean([len(item.parents) for item in items]))
    assert lengths == sorted(lengths) and counts == sorted(counts)


def test_distracting_arcs_keep_clear_and_do_not_count():
    config = replace(style("easy").defaults, arcs=(3, 6))
    item = first_good("easy", config, item_seed(9, ("arcs",)))
    assert len(item.arcs) >= 3
    rings = shapely.union_all([shapely.LinearRing(c) for c in item.curves])
    assert all(shapely.LineString(arc).distance(rings) >= config.gap_px for arc in item.arcs)
    assert read_back(item)


@pytest.mark.parametrize("gap_px", [20.0, 26.0, 27.0, 60.0])
def test_arcs_are_drawn_at_any_gap_and_keep_it_to_themselves_too(gap_px):
    config = CurvesConfig(gap_px=gap_px, arcs=(4, 4))
    rng = np.random.default_rng(3)
    drawn = [arc for _ in range(30) for arc in draw_arcs([box(480, 540)], config, rng)]
    assert len(drawn) > 100
    ring = shapely.LinearRing(box(480, 540))
    assert min(shapely.LineString(arc).distance(ring) for arc in drawn) >= gap_px
    for arc in drawn:
        ways = shapely.line_locate_point(shapely.LineString(arc), shapely.points(arc))
        apart = np.sqrt(((arc[:, None] - arc[None]) ** 2).sum(axis=2))
        facing = np.abs(ways[:, None] - ways[None]) > 5 * apart
        assert apart[facing].min(initial=gap_px) >= gap_px


def test_lines_are_resampled_as_numpy_interpolates_also_where_two_vertices_are_one():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        curve = np.round(rng.uniform(0, 300, (int(rng.integers(3, 60)), 2)), 1)
        curve[seed % 3] = curve[0]
        closed = np.vstack([curve, curve[:1]])
        ends = np.concatenate([[0.0], np.cumsum(np.sqrt((np.diff(closed, axis=0) ** 2).sum(axis=1)))])
        count = max(24, round(ends[-1] / 7.0))
        at = np.arange(count) * (ends[-1] / count)
        plain = np.stack([np.interp(at, ends, closed[:, axis]) for axis in (0, 1)], axis=1)
        assert np.array_equal(resample(curve, 7.0), plain)
