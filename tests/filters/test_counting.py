"""Counting questions: every way in which a count could differ from what a person sees must be turned down."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from surfaces import bell as wide_bell
from surfaces import family_of

from planimeter.filters.certify.marvl_qa.summits import persistences
from planimeter.filters.marvl_qa import extrema
from planimeter.filters.marvl_qa.extrema import CurationLimits, curate
from planimeter.filters.marvl_qa.prominence import peaks
from planimeter.generators.marvl_qa import plan
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, sample
from planimeter.generators.seeding import rng_of

LIMITS = CurationLimits()


def bell(x, y, cx=0.0, cy=0.0, sx=0.6, sy=0.6):
    return wide_bell(x, y, cx, cy, sx, sy)


def curated(height, feature="maxima", limits=LIMITS):
    family = family_of(height)
    return curate(family, family.surface({}), feature, limits)


def four(x, y):
    return bell(x, y, -2, 2) + 0.8 * bell(x, y, 1.5, 2.25) + 0.9 * bell(x, y, 2, -2) + bell(x, y, -2.5, -1)


def test_four_bells_are_four_maxima_at_their_centres():
    verdict, maxima = curated(four)
    assert verdict.kept and verdict.measured == 4
    places = [(round(e.x, 2), round(e.y, 2)) for e in maxima]
    assert places == [(-2.5, -1.0), (-2.0, 2.0), (1.5, 2.25), (2.0, -2.0)]
    assert all(e.x == round(e.x, 4) and e.y == round(e.y, 4) for e in maxima)
    for e in maxima:
        assert e.z == pytest.approx(float(four(np.array([e.x]), np.array([e.y]))[0]), abs=1e-4)
    for reason, height in BAD.items():
        verdict, extrema = curated(height, limits=STEEP if "degenerate" in reason else LIMITS)
        assert (verdict.kept, verdict.reason, extrema) == (False, reason, ()), "people would dispute the count"
    verdict, minima = curated(lambda x, y: -four(x, y), "minima")
    assert verdict.kept and [e.z < 0 for e in minima] == [True] * 4


BAD = {
    "count depends on prominence": lambda x, y: four(x, y) + 0.05 * bell(x, y, 4, 0, 0.3, 0.3),
    "extremum at the border": lambda x, y: four(x, y) + 0.8 * bell(x, y, 4.95, 0),
    "extrema too near each other": lambda x, y: bell(x, y, -0.3, 0, 0.2, 0.2) + bell(x, y, 0.3, 0, 0.2, 0.2),
    "part of a plateau or ridge": lambda x, y: np.minimum(bell(x, y, 0, 0, 2, 2), 0.8),
    "degenerate extremum": lambda x, y: -((x / 5) ** 2) - (y / 2) ** 4 + 0 * x,
    "nothing to see": lambda x, y: 0 * x * y,
}
STEEP = replace(LIMITS, ring_drop=1e-6)


def test_a_flat_floor_seeds_no_extremum():
    def tunnels(x, y):
        return -np.exp(-(((x - 1) / 0.5) ** 2)) - np.exp(-(((y + 1) / 0.5) ** 2))

    def faded(x, y):
        return np.maximum(0, 1 - (x**2 + y**2) / 9) ** 2 * np.cos(1.5 * x) + 0 * y

    for height, feature in ((tunnels, "minima"), (faded, "maxima")):
        verdict, extrema = curated(height, feature)
        assert verdict.kept and len(extrema) == 1, verdict


COUNTED = [(f.name, feature) for f in plan.families() for feature in f.counts]


@pytest.mark.parametrize(("name", "feature"), COUNTED)
def test_a_glance_misses_no_extremum_of_any_family(name, feature):
    family, sign = plan.family(name), 1.0 if feature == "maxima" else -1.0
    decided = 0
    for seed in range(3):
        surface = family.surface(family.draw(rng_of(seed)))
        drawn = sign * sample(family, surface.parameters, surface.domain, RENDER_POINTS)
        clear = peaks(drawn).at_least(LIMITS.prominence * np.ptp(drawn))
        glance = extrema._count_at_a_glance(family, surface, sign, LIMITS)
        decided += glance is not None
        assert glance in (None, len(clear))
    assert decided or name not in ("beaded_rings", "gaussian_mixture"), "a glance never decides"


GRIDS = arrays(np.float64, st.tuples(st.integers(2, 7), st.integers(2, 7)), elements=st.integers(0, 6).map(float))


def brute(z):
    """Persistence by adding one cell after the other, highest first, and merging by the elder rule."""
    order = sorted(np.ndindex(z.shape), key=lambda i: (z[i], i), reverse=True)
    component, born, dead = {}, {}, {}
    for cell in order:
        beside = ((cell[0] + down, cell[1] + right) for down in (-1, 0, 1) for right in (-1, 0, 1))
        around = {component[place] for place in beside if place in component}
        if not around:
            born[cell] = z[cell]
        eldest = max(around, key=lambda i: (z[i], i), default=cell)
        component[cell] = eldest
        for other in around - {eldest}:
            dead[other] = born[other] - z[cell]
            component = {k: eldest if v == other else v for k, v in component.items()}
    dead[order[0]] = z.max() - z.min()
    return sorted(dead.values(), reverse=True)


@given(GRIDS)
def test_basins_and_passes_lose_no_peak_of_the_filtration(z):
    ours = [p for p in peaks(z).persistence if p > 0]
    assert ours == [p for p in brute(z) if p > 0]


def test_border_ends_and_marks_summits():
    row = np.float32([5, 1, 5, 2, 4, 0])
    assert sorted(persistences(np.stack([row * 0, row, row * 0]), np.arange(6.0))) == [2.0, 5.0]
    assert persistences(np.float32(np.ones((4, 4))), np.arange(2.0)).tolist() == []
    z = np.zeros((50, 50))
    z[0, 25] = z[25, 25] = 1
    clear = peaks(z).at_least(0.5)
    assert dict(zip(clear.rows.tolist(), clear.near_border((50, 50), 0.02), strict=True)) == {0: True, 25: False}
