"""Paths: exact predicates, kernels and rules; cells, spurs, lanes and markers, and nothing relaxed silently."""

import hashlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from traversal_paths import generate_cell

from planimeter.filters.traversal.audit import judge_spurs
from planimeter.filters.traversal.duplicates import DistinctPaths
from planimeter.filters.traversal.rules import judge, judge_cell, measure
from planimeter.generators import seeding
from planimeter.generators.traversal import kernels
from planimeter.generators.traversal.annealing import anneal, targets
from planimeter.generators.traversal.cells import Bins, Cell, check_cell
from planimeter.generators.traversal.confounders import SpurLimits, confound
from planimeter.generators.traversal.families import FAMILIES
from planimeter.generators.traversal.limits import LATTICE, Limits
from planimeter.generators.traversal.path_record import (
    MARKERS,
    crossings_of,
    draw_markers,
    lattice_points,
    tortuosity_of,
)
from planimeter.generators.traversal.reading_order import lane_candidates, runs_in_lanes
from planimeter.generators.traversal.search import CellSearch, SearchConfig
from planimeter.generators.traversal.shaping import _stretch
from planimeter.generators.traversal.signatures import distance, signature
from planimeter.items import REGIMES

LIMITS, BINS = Limits(), Bins()
COORDINATE = st.integers(0, 672 * LATTICE).map(lambda v: v / LATTICE)
POINT = st.tuples(COORDINATE, COORDINATE)


def verdicts(points, limits=LIMITS):
    return {v.check: v for v in judge(measure(points), limits)}


@given(points=st.lists(POINT, min_size=4, max_size=9))
def test_record_and_rules_agree_on_crossings(points):
    record = crossings_of(lattice_points(np.array(points)))
    second = measure(points)
    assert [(c.first_segment, c.second_segment) for c in record] == list(second.crossings)
    for crossing, (x, y) in zip(record, second.positions, strict=True):
        assert max(abs(crossing.x - x), abs(crossing.y - y)) < 1e-5


def test_what_the_kernel_accepts_no_rule_rejects():
    rng = np.random.default_rng(8)
    accepted = 0
    for _ in range(1500):
        path = np.round((40.375 + 591 * rng.random((4, 2))) * LATTICE) / LATTICE
        lattice = lattice_points(path)
        t, s = BINS.tortuosity_bin(tortuosity_of(lattice)), BINS.crossing_bin(len(crossings_of(lattice)))
        if t is None or s is None:
            continue
        target = targets(Cell(n_points=4, tortuosity_bin=t, crossing_bin=s), BINS, LIMITS)
        if kernels.energy(path, target) == 0:
            accepted += 1
            assert all(v.kept for v in judge(measure([tuple(p) for p in path]), LIMITS))
    assert accepted > 30


GOOD = [(60.0, 60.0), (300.0, 90.0), (500.0, 60.0), (600.0, 300.0), (60.0, 500.0)]


def test_a_path_that_breaks_a_rule_is_caught_by_it():
    across = [(60.0, 300.0), (600.0, 300.0)]
    for check, points in (
        ("segment length", [*GOOD, (90.0, 505.0)]),
        ("vertex spacing", [*GOOD, (90.0, 505.0)]),
        ("vertex clearance", [*GOOD, (310.0, 100.0)]),
        ("turn", [*across, (60.0, 345.0)]),
        ("touching", [*across, (600.0, 500.0), (300.0, 300.0)]),
        ("margin", [(20.0, 60.0), *GOOD]),
        ("extent", [(60.0, 60.0), (200.0, 90.0), (300.0, 60.0)]),
        ("crossing angle", [*across, (600.0, 380.0), (60.0, 220.0)]),
        ("crossing clearance", [*across, (600.0, 500.0), (70.0, 500.0), (70.0, 100.0)]),
        ("segment clearance", [*across, (600.0, 500.0), (300.0, 320.0)]),
    ):
        verdict = verdicts(points)[check]
        assert (verdicts(GOOD)[check].kept, verdict.kept, verdict.reason) == (True, False, check)
    triple = verdicts([(100, 336), (572, 336), (572, 100), (100, 572), (336, 600), (336, 80)])
    assert triple["triple point"].measured == 3 and not triple["crossing gap"].kept
    broken = judge_cell(measure(GOOD), BINS, tortuosity_bin=5, crossing_bin=1, stored_crossings=14)
    assert [v.check for v in broken if not v.kept] == ["tortuosity bin", "crossing bin", "crossing count"]


def test_impossible_cells_are_refused_before_any_search():
    LIMITS.check_points(287)
    for (n, t, s), message in (
        ((5, 3, 6), "at most 3 crossings"),
        ((288, 3, 6), "vertex spacing is impossible"),
        ((120, 0, 0), "give at least"),
        ((9, 8, 0), "no tortuosity bin 8"),
    ):
        with pytest.raises(ValueError, match=message):
            check_cell(Cell(n_points=n, tortuosity_bin=t, crossing_bin=s), BINS, LIMITS)


def test_a_path_is_narrowed_to_a_thirtieth_at_most():
    back_and_forth, width = np.array([0.0, 9.0, 1.0, 10.0]), np.array([0.0, 1.0, 0.0, 1.0])
    assert [_stretch(back_and_forth, width, wanted) for wanted in (1.0, 1e3)] == pytest.approx([1 / 30, 30], rel=1e-3)


# --- cells, spurs, lanes, markers

CONFIG = SearchConfig()
CELLS = [
    Cell(n_points=n, tortuosity_bin=t, crossing_bin=s)
    for n, t, s in [(9, 0, 0), (9, 0, 3), (11, 1, 2), (13, 3, 2), (15, 5, 0), (17, 4, 6), (17, 2, 5)]
]
DIGEST = "a31b6a2a6ac85a77"


@pytest.fixture(scope="module")
def items():
    return {cell: generate_cell(cell, 6, 5, CONFIG)[0] for cell in CELLS}


def test_no_item_breaks_a_rule_or_lies_in_another_cell(items):
    for cell, paths in items.items():
        assert len(paths) == 6
        bins = {"tortuosity_bin": cell.tortuosity_bin, "crossing_bin": cell.crossing_bin}
        for item in paths:
            path = measure(item.points)
            own = judge_cell(path, BINS, **bins, stored_crossings=item.self_intersections)
            assert [v for v in (*judge(path, LIMITS), *own) if not v.kept] == []
            assert item.n_points == cell.n_points and abs(item.tortuosity - path.tortuosity) < 1e-8
    # The salt of string hashes is another one in each run.
    assert hashlib.sha256(repr([*items.values()]).encode()).hexdigest()[:16] == DIGEST
    assert generate_cell(CELLS[3], 3, 5, CONFIG)[0] == items[CELLS[3]][:3], "a longer quota keeps them"
    for cell in CELLS[:4]:
        for index in (5, 2):
            candidates = CellSearch(cell, CONFIG).candidates(items[cell][index].seed)
            assert [c.item for c in candidates if c.item] == [items[cell][index]]
    other, _ = generate_cell(CELLS[3], 6, 6, CONFIG)
    assert not {item.points for item in other} & {item.points for item in items[CELLS[3]]}, "of another root"


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_reaches_a_cell_that_it_says_it_suits(name):
    family = FAMILIES[name]
    assert family.name == name
    cells = [Cell(n_points=13, tortuosity_bin=1, crossing_bin=s) for s in (0, 1, 4)]
    cell = next(c for c in cells if family.suits(c, BINS))
    rng, target = np.random.default_rng(3), targets(cell, BINS, LIMITS)
    proposals = (family.propose(cell, BINS, LIMITS, rng) for _ in range(200))
    rounded = (np.round(proposal * LATTICE) / LATTICE for proposal in proposals if proposal is not None)
    assert any(anneal(path, target, family.finish, rng)[0] is not None for path in rounded)


def test_a_turned_or_resampled_path_is_a_duplicate(items):
    path = np.array([(60, 60), (300, 90), (500, 60), (600, 300), (60, 500)], float)
    turned = (path[::-1] @ np.array([[0, 1], [1, 0]])) * 0.7 + 11
    split = np.insert(path, 1, (path[0] + path[1]) / 2, axis=0)
    moved = path + np.outer(np.arange(5) == 1, (0, 50))
    apart = [distance(signature(path, 591), signature(other, 591)) for other in (turned, split, moved)]
    assert max(apart[:2]) < 1e-9 and apart[2] > 24
    points = items[CELLS[3]][0].points
    split = [*points[:1], tuple(np.add(points[0], points[1]) / 2), *points[1:]]
    moved = [(x + (30.0 if k == 3 else 0.0), y) for k, (x, y) in enumerate(points)]
    pools = DistinctPaths(24.0, LIMITS.room)
    verdicts = [pools.judge(pool, path) for pool, path in (("a", points), ("b", points), ("a", split), ("a", moved))]
    assert [v.kept for v in verdicts] == [True, True, False, True]
    assert verdicts[2].reason == "near-duplicate"


def test_spurs_are_paired_and_nested(items):
    rules = SpurLimits()
    for paths in items.values():
        rows = [row for path in paths for row in confound(path, rules, LIMITS) or ()]
        assert len(rows) >= 6 and [row.condition for row in rows] == ["low", "high"] * (len(rows) // 2)
        for low, high in zip(rows[::2], rows[1::2], strict=True):
            assert low.source is high.source and set(low.confounders) < set(high.confounders)
            assert seeding.without_variant(low.seed) == low.source.seed != low.seed != high.seed
        for row in rows:
            verdicts = judge_spurs(measure(row.source.points), row.confounders, row.condition, rules, LIMITS)
            assert [v for v in verdicts if not v.kept] == []
    points = items[CELLS[3]][0].points
    verdicts = judge_spurs(measure(points), [points[:2], points[:2]], "low", rules, LIMITS)
    kept = {v.check: v.kept for v in verdicts}
    assert (kept["spur to glyph"], kept["spur to spur"], kept["spur count"]) == (False, False, True)


@pytest.mark.parametrize("regime", REGIMES)
def test_every_lane_runs_in_the_regimes_direction(regime):
    for lanes in (2, 3, 4):
        seeds = [seeding.item_seed(1, ("traversal", "reading_order", regime, lanes, 11, index)) for index in range(3)]
        candidates = [c for seed in seeds for c in lane_candidates(seed, regime, lanes, 11, BINS, LIMITS)]
        rows = [candidate.item for candidate in candidates if candidate.item is not None]
        assert len(rows) == 3
        for row in rows:
            assert [r for r in REGIMES if runs_in_lanes(np.array(row.path.points), r, lanes)] == [regime]
            assert all(v.kept for v in judge(measure(row.path.points), LIMITS))


def test_start_markers_vary_over_all_forty_and_are_unique():
    draws = [draw_markers(17, np.random.default_rng(seed)) for seed in range(600)]
    assert all(len(set(markers)) == 17 for markers in draws)
    starts = Counter(markers[0] for markers in draws)
    assert len(starts) == len(MARKERS) == 40 > max(starts.values())
    with pytest.raises(ValueError, match="need 1 to 40"):
        draw_markers(41, np.random.default_rng(0))
