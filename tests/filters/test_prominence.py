"""Topological persistence against a brute-force filtration, and the peaks that must not be counted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from planimeter.filters.certify.marvl_qa.summits import persistences
from planimeter.filters.marvl_qa.features import cliff_share, prominence_inside, ridge_share
from planimeter.filters.marvl_qa.prominence import peaks

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


@given(GRIDS, st.floats(0.5, 4), st.floats(-5, 5))
def test_persistence_scales_with_amplitude_and_ignores_height(z, amplitude, height):
    before, after = peaks(z), peaks(amplitude * z + height)
    n = np.count_nonzero(before.persistence > 1e-6)
    assert np.allclose(after.persistence[:n], amplitude * before.persistence[:n])


def test_plateaus_hills_and_passes_have_the_textbook_prominence_and_peaks_at_the_frame_are_known():
    assert list(peaks(np.ones((9, 9))).persistence) == [0.0]
    plateau = np.zeros((20, 20))
    plateau[5:12, 4:9] = 1
    assert len(peaks(plateau).at_least(0.5)) == 1
    profile = np.array([0, 2, 5, 3, 1, 2, 4, 1, 0.0])
    hills = peaks(np.vstack([profile - 10, profile, profile - 10]))
    assert list(hills.persistence[:2]) == [15.0, 3.0]
    assert list(hills.columns[:2]) == [2, 6]
    z = np.zeros((50, 50))
    z[0, 25] = z[25, 25] = 1
    clear = peaks(z).at_least(0.5)
    assert dict(zip(clear.rows.tolist(), clear.near_border((50, 50), 0.02), strict=True)) == {0: True, 25: False}


X, Y = np.meshgrid(np.linspace(-1, 1, 80), np.linspace(1, -1, 80))


FOLLOWED = {
    "plane": (X + 0.3 * Y, False, False, False),
    "hill": (np.exp(-8 * (X**2 + Y**2)), True, None, False),
    "hollow": (-np.exp(-8 * (X**2 + Y**2)), True, None, False),
    "ridge across the move": (1 / (1 + 20 * X**2) + 0 * Y, None, True, False),
    "ridge along the move": (1 / (1 + 20 * Y**2) + 0 * X, None, False, False),
    "step": (np.sign(X + 0.2) + 0.1 * Y, False, False, True),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_a_plane_has_nothing_to_follow_but_hills_ridges_and_steps_do(name):
    heights, inside, ridge, cliff = FOLLOWED[name]
    if inside is not None:
        assert (prominence_inside(heights, 0.02) >= 0.1) == inside
    if ridge is not None:
        assert (ridge_share(heights, 0.1) >= 0.5) == ridge
    assert (cliff_share(heights, 0.1) >= 0.25) == cliff


@given(arrays(np.int8, (12, 15), elements=st.integers(0, 6)))
def test_the_certifier_sweeps_level_sets_to_the_same_persistence(field):
    framed = np.pad(field.astype(np.float32), 1)  # no summit on the border
    swept = persistences(framed, np.arange(7.0))
    assert sorted(p for p in swept if p > 0) == sorted(p for p in peaks(framed).persistence if p > 0)
    assert len(persistences(np.float32(field), np.arange(7.0))) <= len(swept)


def test_a_summit_on_the_border_does_not_lie_inside_and_ends_before_an_equal_one_that_does():
    row = np.float32([5, 1, 5, 2, 4, 0])
    field = np.stack([row * 0, row, row * 0])
    assert sorted(persistences(field, np.arange(6.0))) == [2.0, 5.0]
    assert persistences(np.float32(np.ones((4, 4))), np.arange(2.0)).tolist() == []
