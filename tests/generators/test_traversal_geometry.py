"""Exact predicates, the kernel and the rules: what may not be counted, missed or let through."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.filters.exact_geometry import at_least, crosses, orientation, touches
from planimeter.filters.traversal.rules import judge, judge_cell, measure
from planimeter.generators.traversal.cells import Bins, Cell, GridConfig, check_cell
from planimeter.generators.traversal.kernels import energy
from planimeter.generators.traversal.limits import LATTICE, Limits, scaled
from planimeter.generators.traversal.path_record import crossings_of, lattice_points, tortuosity_of
from planimeter.generators.traversal.targets import targets

LIMITS, BINS = Limits(), Bins()
COORDINATE = st.integers(0, 672 * LATTICE).map(lambda v: v / LATTICE)
POINT = st.tuples(COORDINATE, COORDINATE)


def verdicts(points, limits=LIMITS):
    return {v.check: v for v in judge(measure(points), limits)}


@given(a=POINT, b=POINT, c=POINT)
def test_orientation_is_that_of_rational_arithmetic(a, b, c):
    fa, fb, fc = (tuple(map(Fraction, p)) for p in (a, b, c))
    exact = (fa[0] - fc[0]) * (fb[1] - fc[1]) - (fa[1] - fc[1]) * (fb[0] - fc[0])
    assert orientation(a, b, c) == (exact > 0) - (exact < 0)


def test_one_ulp_and_the_last_digit_of_a_length_decide():
    a, b = (0.1, 0.1), (0.3, 0.3)
    up, down = (0.2, float(np.nextafter(0.2, 1))), (0.2, float(np.nextafter(0.2, 0)))
    assert orientation(a, b, (0.2, 0.2)) == 0
    assert orientation(a, b, up) == -orientation(a, b, down) != 0
    assert at_least(24.0, 24.0, lambda: Fraction(24**2))
    assert not at_least(24.0, 24.0, lambda: Fraction(24**2) - Fraction(1, 10**30))


def test_a_line_ending_on_another_touches_and_does_not_cross():
    assert not crosses((0, 0), (4, 0), (2, 0), (2, 3))
    assert touches((0, 0), (4, 0), (2, 0), (2, 3))
    assert not touches((0, 0), (4, 0), (5, 0), (5, 3))
    assert crosses((0, 0), (4, 0), (2, -1), (2, 3))


@given(points=st.lists(POINT, min_size=4, max_size=9))
def test_record_and_rules_agree_on_crossings(points):
    record = crossings_of(lattice_points(np.array(points)))
    second = measure(points)
    assert [(c.first_segment, c.second_segment) for c in record] == list(second.crossings)
    for crossing, (x, y) in zip(record, second.positions, strict=True):
        assert abs(crossing.x - x) < 1e-5
        assert abs(crossing.y - y) < 1e-5


def test_what_the_kernel_accepts_no_rule_rejects():
    rng = np.random.default_rng(8)
    accepted = 0
    for _ in range(1500):
        path = np.round((40.375 + 591 * rng.random((4, 2))) * LATTICE) / LATTICE
        lattice = lattice_points(path)
        t, s = BINS.tortuosity_bin(tortuosity_of(lattice)), BINS.crossing_bin(len(crossings_of(lattice)))
        if t is None or s is None:
            continue
        if energy(path, targets(Cell(n_points=4, tortuosity_bin=t, crossing_bin=s), BINS, LIMITS)) == 0:
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


def test_triple_points_seams_and_wrong_counts_are_caught():
    triple = verdicts([(100, 336), (572, 336), (572, 100), (100, 572), (336, 600), (336, 80)])
    assert triple["triple point"].measured == 3
    assert not triple["crossing gap"].kept
    assert "seam" not in verdicts(GOOD), "judged only where asked"
    assert not verdicts([(60.0, 60.0), (340.0, 90.0), (600.0, 60.0)], Limits(seam_tile=336))["seam"].kept
    broken = judge_cell(measure(GOOD), BINS, tortuosity_bin=5, crossing_bin=1, stored_crossings=14)
    assert [v.check for v in broken if not v.kept] == ["tortuosity bin", "crossing bin", "crossing count"]


def test_impossible_limits_bins_and_cells_are_refused_before_any_search():
    for limits, message in (
        ({"glyph_radius": 60.0}, "glyph on the margin"),
        ({"margin_fraction": 0.2}, "extent cannot hold"),
        ({"view": 4096}, "view"),
        ({"seam_tile": 30}, "seam avoidance cannot hold"),
    ):
        with pytest.raises(ValueError, match=message):
            Limits(**limits)
    for bins in ({"tortuosity_edges": (1.0, 3.0, 2.0)}, {"crossing_starts": (0, 2, 2)}, {"crossing_cap": 5}):
        with pytest.raises(ValueError, match="need"):
            Bins(**bins)
    for (n, t, s), message in (
        ((5, 3, 6), "at most 3 crossings"),
        ((900, 3, 6), "vertex spacing cannot hold"),
        ((120, 0, 0), "give at least"),
        ((9, 8, 0), "no tortuosity bin 8"),
    ):
        with pytest.raises(ValueError, match=message):
            check_cell(Cell(n_points=n, tortuosity_bin=t, crossing_bin=s), BINS, LIMITS)


def test_the_grid_has_195_cells_and_a_wider_view_scales_every_length():
    cells = GridConfig().cells()
    assert len(cells) == len(set(cells)) == 195
    wide = scaled(LIMITS, 1344)
    assert (wide.spacing, wide.clearance, wide.margin) == (80.0, 48.0, 2 * LIMITS.margin)
