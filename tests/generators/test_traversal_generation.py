"""Cells, spurs, lanes, markers: same items everywhere, every rule kept, nothing relaxed silently."""

import hashlib
from collections import Counter

import numpy as np
import pytest
from traversal_paths import generate_cell

from planimeter.filters.traversal.confounder_rules import judge_spurs
from planimeter.filters.traversal.duplicates import DistinctPaths
from planimeter.filters.traversal.rules import judge, judge_cell, measure
from planimeter.generators import registry, seeding
from planimeter.generators.traversal.annealing import anneal
from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.confounders import SpurLimits, confound
from planimeter.generators.traversal.limits import LATTICE, Limits
from planimeter.generators.traversal.markers import MARKERS, draw_markers
from planimeter.generators.traversal.reading_order import ReadingOrderConfig, lane_candidates, runs_in_lanes
from planimeter.generators.traversal.search import FAMILIES, Budget, CellSearch, SearchConfig
from planimeter.generators.traversal.signatures import distance, signature
from planimeter.generators.traversal.targets import targets
from planimeter.items import REGIMES

CONFIG, LIMITS, BINS = SearchConfig(), Limits(), Bins()
CELLS = [
    Cell(n_points=n, tortuosity_bin=t, crossing_bin=s)
    for n, t, s in [(9, 0, 0), (9, 0, 3), (11, 1, 2), (13, 3, 2), (15, 5, 0), (17, 4, 6), (17, 2, 5)]
]
DIGEST = "a31b6a2a6ac85a77"


@pytest.fixture(scope="module")
def items():
    return {cell: generate_cell(cell, 6, 5, CONFIG).items for cell in CELLS}


def test_no_item_breaks_a_rule_or_lies_in_another_cell(items):
    for cell, paths in items.items():
        assert len(paths) == 6
        for item in paths:
            path = measure(item.points)
            own = judge_cell(
                path,
                BINS,
                tortuosity_bin=cell.tortuosity_bin,
                crossing_bin=cell.crossing_bin,
                stored_crossings=item.self_intersections,
            )
            assert [v for v in (*judge(path, LIMITS), *own) if not v.kept] == []
            assert item.n_points == cell.n_points
            assert abs(item.tortuosity - path.tortuosity) < 1e-8


def test_items_do_not_change_whatever_was_made_before_them(items):
    """The salt of string hashes is another one in each run."""
    assert hashlib.sha256(repr([*items.values()]).encode()).hexdigest()[:16] == DIGEST
    assert generate_cell(CELLS[3], 3, 5, CONFIG).items == items[CELLS[3]][:3], "a longer quota keeps them"
    for cell in CELLS[:4]:
        for index in (5, 2):
            candidates = CellSearch(cell, CONFIG).candidates(items[cell][index].seed)
            assert [c.item for c in candidates if c.item] == [items[cell][index]]
    other = generate_cell(CELLS[3], 6, 6, CONFIG).items
    assert not {item.points for item in other} & {item.points for item in items[CELLS[3]]}, "of another root"


def test_a_budget_ends_the_search_and_relaxes_no_rule():
    config = SearchConfig(budget=Budget(steps=1), families=("safe_insertion", "annealing_search"))
    result = generate_cell(Cell(n_points=17, tortuosity_bin=0, crossing_bin=3), 5, 1, config)
    assert len(result.items) < 5
    assert result.rejected.total() > 0
    # A family that anneals before it proposes once counted 60 steps for 20,000, and a hopeless cell never ended.
    hopeless = Cell(n_points=21, tortuosity_bin=0, crossing_bin=3)
    config = SearchConfig(budget=Budget(steps=50_000), families=("safe_insertion",))
    candidates = list(CellSearch(hopeless, config).candidates(1 << 8))
    assert 1 <= len(candidates) <= 3


def test_a_cell_that_no_family_suits_is_left_to_the_general_search_and_refused_without_it():
    bins = Bins(crossing_starts=(*BINS.crossing_starts, 21, 31), crossing_cap=40)
    search = CellSearch(Cell(n_points=21, tortuosity_bin=1, crossing_bin=8), SearchConfig(bins=bins))
    assert [family.name for family in search.families] == ["annealing_search"]
    with pytest.raises(ValueError, match="none of the families zigzag suits"):
        generate_cell(CELLS[3], 1, 1, SearchConfig(families=("zigzag",)))


@pytest.mark.parametrize("name", registry.names(FAMILIES))
def test_every_family_reaches_a_cell_that_it_says_it_suits(name):
    family = registry.load(FAMILIES, name).FAMILY
    assert family.name == name
    cells = [Cell(n_points=13, tortuosity_bin=1, crossing_bin=s) for s in (0, 1, 4)]
    cell = next(c for c in cells if family.suits(c, BINS))
    rng, target = np.random.default_rng(3), targets(cell, BINS, LIMITS)
    for _ in range(200):
        proposal = family.propose(cell, BINS, LIMITS, rng)
        if proposal is None:
            continue
        path, _ = anneal(np.round(proposal * LATTICE) / LATTICE, target, family.finish, rng)
        if path is not None:
            return
    pytest.fail(f"{name} never reached {cell}")


def test_harder_bins_and_seams_to_avoid_are_kept():
    starts = (*BINS.crossing_starts, 21, 31)
    bins = Bins(tortuosity_edges=(*BINS.tortuosity_edges, 14.0), crossing_starts=starts, crossing_cap=40)
    cell = Cell(n_points=21, tortuosity_bin=6, crossing_bin=7)
    paths = generate_cell(cell, 2, 1, SearchConfig(bins=bins)).items
    assert [(i.tortuosity_bin, i.self_intersection_bin, i.n_points) for i in paths] == [(6, 7, 21)] * 2
    paths = generate_cell(CELLS[3], 3, 1, SearchConfig(limits=Limits(seam_tile=336))).items
    assert len(paths) == 3
    assert all(abs(v - 336) >= 18 for path in paths for point in path.points for v in point)


def test_a_path_turned_mirrored_reversed_or_resampled_is_a_duplicate_in_its_pool(items):
    path = np.array([(60, 60), (300, 90), (500, 60), (600, 300), (60, 500)], float)
    turned = (path[::-1] @ np.array([[0, 1], [1, 0]])) * 0.7 + 11
    split = np.insert(path, 1, (path[0] + path[1]) / 2, axis=0)
    moved = path + np.outer(np.arange(5) == 1, (0, 50))
    apart = [distance(signature(path, 591), signature(other, 591)) for other in (turned, split, moved)]
    assert max(apart[:2]) < 1e-9
    assert apart[2] > 24
    judge_next = DistinctPaths(24.0, LIMITS.room)
    points = items[CELLS[3]][0].points
    split = [*points[:1], tuple(np.add(points[0], points[1]) / 2), *points[1:]]
    moved = [(x + (30.0 if k == 3 else 0.0), y) for k, (x, y) in enumerate(points)]
    verdicts = [
        judge_next.judge(pool, path) for pool, path in (("a", points), ("b", points), ("a", split), ("a", moved))
    ]
    assert [v.kept for v in verdicts] == [True, True, False, True]
    assert verdicts[2].reason == "near-duplicate"


def test_spurs_are_paired_and_nested_and_one_that_breaks_a_rule_is_caught(items):
    rules = SpurLimits()
    for paths in items.values():
        rows = [row for path in paths for row in confound(path, rules, LIMITS) or ()]
        assert [row.condition for row in rows] == ["low", "high"] * (len(rows) // 2)
        assert len(rows) >= 6
        for low, high in zip(rows[::2], rows[1::2], strict=True):
            assert low.source is high.source
            assert set(low.confounders) < set(high.confounders)
            assert seeding.without_variant(low.seed) == low.source.seed != low.seed != high.seed
        for row in rows:
            verdicts = judge_spurs(measure(row.source.points), row.confounders, row.condition, rules, LIMITS)
            assert [v for v in verdicts if not v.kept] == []
    points = items[CELLS[3]][0].points
    verdicts = judge_spurs(measure(points), [points[:2], points[:2]], "low", SpurLimits(), LIMITS)
    kept = {v.check: v.kept for v in verdicts}
    assert (kept["spur to glyph"], kept["spur to spur"], kept["spur count"]) == (False, False, True)


@pytest.mark.parametrize("regime", REGIMES)
def test_every_lane_runs_in_the_regimes_direction(regime):
    config = ReadingOrderConfig()
    for lanes in config.lanes:
        seeds = [seeding.item_seed(1, ("traversal", "reading_order", regime, lanes, 11, index)) for index in range(3)]
        candidates = [c for seed in seeds for c in lane_candidates(seed, regime, lanes, 11, config)]
        rows = [candidate.item for candidate in candidates if candidate.item is not None]
        assert len(rows) == 3
        for row in rows:
            assert [r for r in REGIMES if runs_in_lanes(np.array(row.path.points), r, lanes)] == [regime]
            assert all(v.kept for v in judge(measure(row.path.points), LIMITS))


def test_start_markers_vary_over_all_forty_and_are_unique():
    draws = [draw_markers(17, np.random.default_rng(seed)) for seed in range(600)]
    assert all(len(set(markers)) == 17 for markers in draws)
    starts = Counter(markers[0] for markers in draws)
    assert len(starts) == len(MARKERS) == 40
    assert max(starts.values()) < 40
    with pytest.raises(ValueError, match="need 1 to 40"):
        draw_markers(41, np.random.default_rng(0))
