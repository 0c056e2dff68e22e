"""Cells, spurs, lanes, markers: same items everywhere, every rule kept, nothing relaxed silently."""

import hashlib
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from traversal_paths import confound_cell, generate_cell, generate_lanes

from planimeter.filters.traversal.confounder_rules import judge_spurs
from planimeter.filters.traversal.duplicates import DistinctPaths
from planimeter.filters.traversal.rules import judge, judge_cell, measure
from planimeter.generators import registry, seeding
from planimeter.generators.traversal.annealing import anneal
from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.confounders import SpurLimits
from planimeter.generators.traversal.limits import LATTICE, Limits
from planimeter.generators.traversal.markers import MARKERS, draw_markers
from planimeter.generators.traversal.reading_order import ReadingOrderConfig, runs_in_lanes
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


def digest(items):
    return hashlib.sha256(repr(items).encode()).hexdigest()[:16]


@pytest.fixture(scope="module")
def results():
    return {cell: generate_cell(cell, 6, 5, CONFIG) for cell in CELLS}


def test_no_item_breaks_a_rule_or_lies_in_another_cell(results):
    for cell, result in results.items():
        assert (len(result.items), result.shortfall) == (6, 0)
        for item in result.items:
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


def test_items_do_not_change(results):
    assert digest([result.items for result in results.values()]) == DIGEST


def test_items_are_the_same_in_another_process_under_any_hash_seed(results):
    code = (
        "from planimeter.generators.traversal.cells import Cell;"
        "from planimeter.generators.traversal.search import SearchConfig;"
        "import hashlib, sys; sys.path[:0] = ['tests/support', 'tests/generators'];"
        "from traversal_paths import generate_cell;"
        "items = generate_cell(Cell(n_points=9, tortuosity_bin=0, crossing_bin=3), 6, 5, SearchConfig()).items;"
        "print(hashlib.sha256(repr(items).encode()).hexdigest()[:16])"
    )
    mine = digest(results[CELLS[1]].items)
    for hash_seed in ("0", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": "."},
        )
        assert run.stdout.strip() == mine


def test_a_longer_quota_keeps_the_items_that_were_there(results):
    assert generate_cell(CELLS[3], 3, 5, CONFIG).items == results[CELLS[3]].items[:3]


def test_neighbouring_roots_share_nothing(results):
    other = generate_cell(CELLS[3], 6, 6, CONFIG).items
    assert not {item.points for item in other} & {item.points for item in results[CELLS[3]].items}


def test_an_empty_budget_is_a_shortfall_not_a_relaxed_rule():
    config = SearchConfig(budget=Budget(steps=1), families=("safe_insertion", "annealing_search"))
    result = generate_cell(Cell(n_points=17, tortuosity_bin=0, crossing_bin=3), 5, 1, config)
    assert result.shortfall > 0
    assert len(result.items) + result.shortfall == 5
    assert sum(result.rejected.values()) > 0


def test_the_work_inside_a_proposal_counts_against_the_budget():
    """A family that anneals before it proposes once counted 60 steps for 20,000, and a hopeless cell never ended."""
    hopeless = Cell(n_points=21, tortuosity_bin=0, crossing_bin=3)
    config = SearchConfig(budget=Budget(steps=50_000), families=("safe_insertion",))
    candidates = list(CellSearch(hopeless, config).candidates(1 << 8))
    assert 1 <= len(candidates) <= 3


def test_a_cell_that_no_family_suits_is_left_to_the_general_search():
    bins = Bins(crossing_starts=(*BINS.crossing_starts, 21, 31), crossing_cap=40)
    search = CellSearch(Cell(n_points=21, tortuosity_bin=1, crossing_bin=8), SearchConfig(bins=bins))
    assert [family.name for family in search.families] == ["annealing_search"]


def test_a_cell_that_no_named_family_suits_is_refused():
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


def test_harder_than_the_paper_more_points_crossings_and_tortuosity():
    bins = Bins(
        tortuosity_edges=(*BINS.tortuosity_edges, 14.0),
        crossing_starts=(*BINS.crossing_starts, 21, 31),
        crossing_cap=40,
    )
    cell = Cell(n_points=21, tortuosity_bin=6, crossing_bin=7)
    result = generate_cell(cell, 2, 1, SearchConfig(bins=bins))
    assert [(i.tortuosity_bin, i.self_intersection_bin, i.n_points) for i in result.items] == [(6, 7, 21)] * 2


def test_seam_avoidance_keeps_vertices_off_the_seam():
    limits = Limits(seam_tile=336)
    items = generate_cell(CELLS[3], 3, 1, SearchConfig(limits=limits)).items
    assert len(items) == 3
    assert all(abs(v - 336) >= 18 for item in items for point in item.points for v in point)


def test_the_same_drawing_turned_mirrored_reversed_or_resampled_is_a_duplicate():
    path = np.array([(60, 60), (300, 90), (500, 60), (600, 300), (60, 500)], float)
    turned = (path[::-1] @ np.array([[0, 1], [1, 0]])) * 0.7 + 11
    assert distance(signature(path, 591), signature(turned, 591)) < 1e-9
    split = np.insert(path, 1, (path[0] + path[1]) / 2, axis=0)
    assert distance(signature(path, 591), signature(split, 591)) < 1e-9
    moved = path.copy()
    moved[1] += (0, 50)
    assert distance(signature(path, 591), signature(moved, 591)) > 24


def test_near_duplicates_are_dropped_in_their_pool_whatever_their_point_counts(results):
    judge_next = DistinctPaths(24.0, LIMITS.room)
    item = results[CELLS[3]].items[0]
    split = [*item.points[:1], tuple(np.add(item.points[0], item.points[1]) / 2), *item.points[1:]]
    assert judge_next.judge("a", item.points).kept
    assert judge_next.judge("b", item.points).kept
    again = judge_next.judge("a", split)
    assert (again.kept, again.reason) == (False, "near-duplicate")
    moved = [(x + (30.0 if k == 3 else 0.0), y) for k, (x, y) in enumerate(item.points)]
    assert judge_next.judge("a", moved).kept


def test_an_item_does_not_depend_on_what_was_made_before_it(results):
    for number, cell in enumerate(CELLS[:4]):
        for index in (5, 2):
            seed = results[cell].items[index].seed
            fresh = [c.item for c in CellSearch(cell, CONFIG).candidates(seed) if c.item]
            assert fresh == [results[cell].items[index]], number


def test_spurs_are_paired_nested_and_break_no_rule(results):
    rules = SpurLimits()
    for result in results.values():
        rows = confound_cell(result.items, 4, rules, LIMITS)
        assert [row.condition for row in rows] == ["low", "high"] * (len(rows) // 2)
        assert len(rows) >= 6
        for low, high in zip(rows[::2], rows[1::2], strict=True):
            assert low.source is high.source
            assert set(low.confounders) < set(high.confounders)
            assert seeding.without_variant(low.seed) == low.source.seed != low.seed != high.seed
        for row in rows:
            found = judge_spurs(measure(row.source.points), row.confounders, row.condition, rules, LIMITS)
            assert [v for v in found if not v.kept] == []


def test_a_spur_on_a_glyph_and_on_another_spur_is_caught(results):
    item = results[CELLS[3]].items[0]
    across = (item.points[0], item.points[1])
    found = judge_spurs(measure(item.points), [across, across], "low", SpurLimits(), LIMITS)
    kept = {v.check: v.kept for v in found}
    assert not kept["spur to glyph"]
    assert not kept["spur to spur"]
    assert kept["spur count"]


@pytest.mark.parametrize("regime", REGIMES)
def test_every_lane_runs_in_the_regimes_direction(regime):
    config = ReadingOrderConfig(quota=3)
    for lanes in config.lanes:
        items = generate_lanes(regime, lanes, 11, 1, config)
        assert len(items) == 3
        for item in items:
            path = np.array(item.path.points)
            assert [r for r in REGIMES if runs_in_lanes(path, r, lanes)] == [regime]
            assert all(v.kept for v in judge(measure(item.path.points), LIMITS))


def test_start_markers_vary_over_all_forty_and_are_unique():
    draws = [draw_markers(17, np.random.default_rng(seed)) for seed in range(600)]
    assert all(len(set(markers)) == 17 for markers in draws)
    starts = Counter(markers[0] for markers in draws)
    assert len(starts) == len(MARKERS) == 40
    assert max(starts.values()) < 40
    with pytest.raises(ValueError, match="need 1 to 40"):
        draw_markers(41, np.random.default_rng(0))
