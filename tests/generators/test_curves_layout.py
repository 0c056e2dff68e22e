"""Drawings: every style keeps its promises on every tree, and says why where it does not."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
import shapely
from curves_drawings import first_good

from planimeter.evals.curves import grader
from planimeter.filters.certify.curves import read
from planimeter.filters.curves.rules import CurvesLimits, judge, least_distance
from planimeter.generators.curves import trees
from planimeter.generators.curves.config import CurvesConfig, LayoutError, check_trees
from planimeter.generators.curves.styles import STYLES, candidates, draw_arcs
from planimeter.generators.seeding import item_seed
from planimeter.items import CURVE_CATEGORIES, CurvesItem
from planimeter.rendering.curves import render
from planimeter.rendering.png import encode
from planimeter.suites.loading import load

TABLES = load("curves").categories()
EASY = STYLES["easy"].defaults
DENSE = CurvesConfig(nodes=(1, 120), gap_px=7.0, stroke_px=(4.0, 5.0), margin_px=12.0)
EXTREME = [trees.path(15), trees.star(50), trees.caterpillar(24), trees.sample_tree(100, np.random.default_rng(8))]


#: Digests of the first drawing of each style, which change with the bytes of datasets only.
PICTURES = {
    "counting": "ae8bfabf",
    "easy": "e7afcdb4",
    "maze": "2f1c16d4",
    "polygon": "804d4ba9",
    "topographical": "7ebae4f6",
}


def read_back(item):
    return read(encode(render(item)), item.look).answer == grader.answer(item.parents)


@pytest.mark.parametrize("indices", [range(1), pytest.param(range(1, 4), marks=pytest.mark.slow)], ids=["1", "more"])
@pytest.mark.parametrize("name", STYLES)
def test_items_keep_the_rules_and_are_read_back_from_pixels(name, indices):
    assert set(STYLES) == set(CURVE_CATEGORIES)
    low, high = STYLES[name].defaults.nodes
    for index in indices:
        item = first_good(name, seed=item_seed(5, ("layout", name, index)))
        picture = encode(render(item))
        assert read(picture, item.look).answer == grader.answer(item.parents) and low <= len(item.parents) <= high
        assert index or hashlib.sha256(picture).hexdigest()[:8] == PICTURES[name]
        assert (item.canonical, item.depth) == (trees.canonical(item.parents), trees.depth(item.parents))


@pytest.mark.parametrize("name", STYLES)
def test_extreme_trees_are_laid_out(name):
    for tree in EXTREME:
        item = first_good(name, replace(DENSE, parents=tree), item_seed(2, ("extreme", name, len(tree))))
        assert item.canonical == trees.canonical(tree) and read_back(item)


def test_each_of_the_36_trees_is_drawn_in_easy():
    for n in range(1, 6):
        for index, tree in enumerate(trees.enumerate_trees(n)):
            assert first_good("easy", replace(EASY, parents=tree), item_seed(4, ("all", n, index))).parents == tree
    others = [first_good("easy", seed=item_seed(root, ("n", i))) for root in (0, 1) for i in range(3)]
    assert len({item.curves[0].tobytes() for item in others}) == 6


# --- the rules


def rejected(item):
    return {v.check for v in judge(item, CurvesLimits()) if not v.kept}


def test_rules_catch_what_they_name():
    item = first_good("easy", replace(EASY, parents=(0, 1)), 512)
    outer, inner = item.curves
    left = (5.0 - float(outer[:, 0].min()), 0.0)
    bow = np.array([[300, 300], [700, 700], [700, 300], [300, 700]], float)
    dot = inner.mean(axis=0) + 2.5 * np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
    strip = dot * np.array([1.0, 0.0]) + np.array([[200, 0], [200, 7], [0, 7], [0, 0]])
    assert rejected(item) == rejected(replace(item, stroke_px=CurvesLimits().stroke_px)) == set()
    assert rejected(replace(item, curves=(outer + left, inner + left))) == {"border"}
    for rule, change in (
        ("nesting", {"curves": (outer, inner + np.array([900.0, 0.0]))}),
        ("nesting", {"curves": (inner, outer)}),
        ("simple", {"curves": (outer, bow)}),
        ("opening", {"curves": (outer, dot)}),
        ("opening", {"curves": (outer, strip)}),
        ("stroke", {"stroke_px": 2.0}),
        ("gap", {"stroke_px": 200.0}),
    ):
        assert rule in rejected(replace(item, **change))


def box(low, high):
    return np.array([[low, low], [high, low], [high, high], [low, high]], float)


def ring(opening):
    turn = np.linspace(0.0, 2 * np.pi - opening / 30.0, 39)
    return 250.0 + 30.0 * np.stack([np.cos(turn), np.sin(turn)], axis=1)


LINE = np.stack([np.linspace(200.0, 300.0, 21), np.full(21, 200.0)], axis=1)


@pytest.mark.parametrize(
    ("gap_px", "arcs", "kept"),
    [
        (9.0, [], True),
        (10.0, [], True),
        (16.0, [], False),
        (9.0, [LINE, ring(12.0)], True),
        (9.0, [ring(6.0)], False),  # nearly meets itself
        (9.0, [LINE - [0.0, 84.0]], False),  # lies 6 px from a curve
        (9.0, [LINE, LINE + np.array([20.0, 6.0])], False),  # lies 6 px from another arc
    ],
)
def test_curves_and_arcs_keep_the_gap_of_the_recipe(gap_px, arcs, kept):
    """Two squares, 10 px apart, with a stroke that leaves 5.8 px of paper."""
    shown = {"category": "easy", "canvas_px": 512, "stroke_px": 4.2, "look": EASY.look, "seed": 0}
    tree = {"parents": (0, 1), "depth": 2, "canonical": "((()))", "curves": (box(100, 400), box(110, 390))}
    item = CurvesItem(**shown, **tree, arcs=tuple(arcs), gap_px=gap_px)
    assert rejected(item) == (set() if kept else {"gap"})


@pytest.mark.parametrize("wide", [3.0, 7.9, 8.1, 15.0])
def test_the_least_distance_is_that_of_two_lines_or_arms(wide):
    """As shapely measures rings and arcs; the width of a hairpin, and the opening of a ring."""
    turn, rng = np.linspace(0.0, 2 * np.pi - wide / 40.0, 40), np.random.default_rng(0)
    circle = 40.0 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    hairpin, far = np.array([[0, 0], [90, 0], [90, wide], [0, wide]], float), circle + 500.0
    for _ in range(60):
        angle, place = rng.uniform(0, 2 * np.pi), rng.uniform(50.0, 60.0, 2)
        turned = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        other = circle + (80.0 + wide) * turned[0]
        for curves, arcs, known in (
            ([circle, other], [], shapely.LinearRing(circle).distance(shapely.LinearRing(other))),
            ([circle], [other[:30]], shapely.LinearRing(circle).distance(shapely.LineString(other[:30]))),
            ([hairpin], [], wide),
            ([far], [hairpin], wide),
            ([far], [circle], float(np.linalg.norm(circle[0] - circle[-1]))),
        ):
            found = least_distance([c @ turned + place for c in curves], 8.0, [a @ turned + place for a in arcs])
            assert found == pytest.approx(min(8.0, known))


# --- what does not fit


def test_the_deepest_tree_that_fits_is_laid_out():
    outcome = next(candidates(STYLES["counting"], CurvesConfig(nodes=(200, 200), gap_px=14.0), 256))
    assert isinstance(outcome, LayoutError) and outcome.reason == "tree does not fit the canvas"
    with pytest.raises(ValueError, match="the tree of 36 curves does not fit on a canvas of 1024 px"):
        check_trees(TABLES["easy"].config((36, 36), trees.path(36)), 0.0)
    assert first_good("easy", TABLES["easy"].config((35, 35), trees.path(35)), 5).depth == 35


# --- arcs


@pytest.mark.parametrize("gap_px", [20.0, 26.0, 27.0, 60.0])
def test_arcs_are_drawn_at_any_gap_and_keep_it_and_the_margin(gap_px):
    config = CurvesConfig(gap_px=gap_px, arcs=(4, 4))
    rng = np.random.default_rng(3)
    drawn = [arc for _ in range(30) for arc in draw_arcs([box(480, 540)], config, rng)]
    around = shapely.LinearRing(box(480, 540))
    assert len(drawn) > 100 and min(shapely.LineString(arc).distance(around) for arc in drawn) >= gap_px
    assert np.vstack(drawn).min() > config.margin_px
    assert np.vstack(drawn).max() < config.canvas_px - config.margin_px
    for arc in drawn:
        ways = shapely.line_locate_point(shapely.LineString(arc), shapely.points(arc))
        apart = np.sqrt(((arc[:, None] - arc[None]) ** 2).sum(axis=2))
        assert apart[np.abs(ways[:, None] - ways[None]) > 5 * apart].min(initial=gap_px) >= gap_px
