"""Compiled loops of the curves do what plain ones do, to the last bit where that decides what is drawn."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from planimeter.generators.curves.chance import draw, stream_of
from planimeter.generators.curves.clearance import AWAY, measure
from planimeter.generators.curves.growth import Energy, grow, smooth_fields
from planimeter.generators.curves.outlines import resample, smooth
from planimeter.generators.curves.packing import seed_labels
from planimeter.generators.curves.planting import arena, needs
from planimeter.generators.curves.terrain import Relief, _levels, _quantile, _rounded, draw_terrain
from planimeter.generators.curves.trees import children_of, sample_tree

RING = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)]


def plainly_grown(labels, parents, targets, fields, energy, rng):
    """Return the labels after growth as ``growth`` words it, looking at every try anew."""
    labels, parent_of, width = labels.copy(), (0, *parents), len(labels)
    areas = np.array([(labels == node).sum() for node in range(len(parent_of))], float)
    for _ in range(int(energy.sweeps * labels.size)):
        u = rng.random() * (width - 2)
        y, u = int(u) + 1, (u - int(u)) * (width - 2)
        x, u = int(u) + 1, (u - int(u)) * 4
        side, chance = int(u), u - int(u)
        around = [labels[y + dy, x + dx] for dy, dx in RING]
        old, new = labels[y, x], around[2 * side]
        mine = [cell == old for cell in around]
        runs = sum(a != b for a, b in zip(mine, mine[1:] + mine[:1], strict=True))
        if old == new or min(old, new) < 0 or set(around) != {old, new} or runs != 2 or not any(mine[::2]):
            continue
        grows = parent_of[new] == old
        height = fields[(new if grows else old) % len(fields), y, x]
        longer = sum((1 if k % 2 else 2) * (1 if own else -1) for k, own in enumerate(mine))
        change = energy.tension * longer + energy.relief * (-height if grows else height)
        change += energy.pressure * (2.0 * (areas[new] - targets[new]) + 1.0) / targets[new]
        change -= energy.pressure * (2.0 * (areas[old] - targets[old]) - 1.0) / targets[old]
        if change < energy.noise * (2.0 * chance - 1.0):
            labels[y, x] = new
            areas[new] += 1.0
            areas[old] -= 1.0
    return labels


@pytest.mark.parametrize("tension", [0.7, -1.0])
def test_growth_that_remembers_what_cannot_move_is_growth(tension):
    rng = np.random.default_rng(5)
    parents = sample_tree(5, rng)
    seed = seed_labels(parents, 22, (2, 4), 0.9, rng)
    seed[8:12, -4:-1] = -1
    fields, targets = smooth_fields(4, 22, 2.0, rng), rng.uniform(10, 120, 6)
    energy = Energy(tension=tension, pressure=20.0, relief=1.0, noise=2.0, sweeps=25.0)
    grown = grow(seed, parents, targets, fields, energy, np.random.default_rng(1))
    assert (grown != seed).sum() > 60
    assert np.array_equal(grown, plainly_grown(seed, parents, targets, fields, energy, np.random.default_rng(1)))


def test_lines_are_smoothed_and_rounded_as_numpy_and_scipy_do():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        curve = np.cumsum(rng.normal(size=(int(rng.integers(5, 200)), 2)), axis=0)
        sigma = min(float(rng.uniform(0.3, 3.0)), len(curve) / 12)
        once = gaussian_filter1d(curve, sigma, axis=0, mode="wrap", truncate=3.0)
        twice = gaussian_filter1d(once, sigma, axis=0, mode="wrap", truncate=3.0)
        assert np.array_equal(smooth(curve, sigma), 2 * once - twice)
    curve = np.random.default_rng(1).normal(size=(40, 2)) * 50
    even = resample(curve, 7.0)
    for _ in range(2):
        even = 0.5 * even + 0.25 * (np.roll(even, 1, axis=0) + np.roll(even, -1, axis=0))
    assert np.array_equal(_rounded(curve), even)


@pytest.mark.parametrize("count", [3, 7, 60])
def test_every_curve_needs_its_children_their_lanes_and_room_of_its_own(count):
    parents = sample_tree(count, np.random.default_rng(count))
    areas = needs(parents, 98, 0.6, 0.5, np.random.default_rng(2))
    own = np.random.default_rng(2).gamma(4.0, 0.25, count + 1) + 0.15
    units = []
    for node, inner in enumerate(children_of(parents)[1:], start=1):
        inside = sum((areas[child] ** 0.5 + 1.3) ** 2 for child in inner)
        # What is left without the lane: s + 2.6 sqrt(s) = area has the root (sqrt(area + 1.69) - 1.3)^2.
        filled = ((areas[node] + 1.69) ** 0.5 - 1.3) ** 2 if inner else areas[node]
        units.append((filled - inside) / own[node])
    assert units == pytest.approx([units[0]] * count, rel=1e-6)
    total = sum(areas[child] for child in children_of(parents)[0])
    assert areas[0] == 98**2 and (total == pytest.approx(0.6 * 96**2, rel=0.01) or units[0] < 0.51)


@pytest.mark.parametrize("cells", [20, 33, 90])
@pytest.mark.parametrize("squareness", [2.0, 40.0])
def test_an_empty_arena_reaches_to_the_border_and_leaves_it_free(cells, squareness):
    empty = arena(cells, squareness, 1.0, 0.0, np.random.default_rng(0)) == 0
    middle = slice((cells - 1) // 2, cells // 2 + 1)
    assert not any(side.any() for side in (empty[0], empty[-1], empty[:, 0], empty[:, -1]))
    assert all(side[middle].all() for side in (empty[1], empty[-2], empty[:, 1], empty[:, -2]))


@pytest.mark.parametrize("number", [1, 16, 500, 4096])
def test_compiled_draws_are_those_of_the_generator_and_leave_it_as_they_would(number):
    plain, compiled = np.random.default_rng(number), np.random.default_rng(number)
    for rng in (plain, compiled):
        # Takes 32 bits of a draw, the other half waits.
        rng.integers(0, 10)
    drawn, stream = np.empty(-(-number // 16) * 16), stream_of(compiled, number)
    for first in range(0, number, 256):
        draw(drawn[first:], min(256, number - first), *stream)
    assert np.array_equal(drawn[:number], plain.random(number))
    assert plain.bit_generator.state == compiled.bit_generator.state
    with pytest.raises(TypeError, match="PCG64"):
        stream_of(np.random.Generator(np.random.MT19937(1)), 1)


@pytest.mark.parametrize("seed", range(6))
def test_clearance_is_that_of_every_point_from_every_segment(seed):
    rng = np.random.default_rng(seed)
    angle = np.linspace(0.0, 2 * np.pi, 90, endpoint=False)
    waves = rng.normal(size=(5, 3, 1)) * np.cos(np.array([[2], [5], [9]]) * angle + rng.random((5, 3, 1)) * 6)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    radii = 18 + 5 * waves.sum(axis=1)
    curves = [resample(radius[:, None] * circle + rng.uniform(0, 150, 2), 3.0) for radius in radii]
    between, within = np.full(5, np.inf), np.full(5, np.inf)
    for a, ring in enumerate(curves):
        for b, other in enumerate(curves):
            step = np.roll(other, -1, axis=0) - other
            length = np.sqrt((step**2).sum(axis=1))
            way = ring[:, None] - other
            share = np.clip((way * step).sum(axis=2) / length**2, 0, 1)
            distance = np.sqrt(((way - share[..., None] * step) ** 2).sum(axis=2))
            if a != b:
                for one in (a, b):
                    between[one] = min(between[one], distance.min())
                continue
            along = np.cumsum(length) - length
            ahead = abs(along + share * length - along[:, None])
            facing = np.minimum(ahead, length.sum() - ahead) > AWAY * distance + 1e-9
            within[a] = distance[facing].min(initial=np.inf)
    assert np.isfinite(within).any()
    # Vertices are less than half of any reach apart, so that lines are taken as they are.
    for reach in np.arange(7.0, 60.0, 0.5):
        clear = measure(curves, reach)
        assert clear.between == pytest.approx(np.minimum(between, reach), abs=1e-9)
        assert clear.within == pytest.approx(np.minimum(within, reach), abs=1e-9)


@pytest.mark.parametrize(("seed", "room"), [(0, 1.4), (1, 2.4), (2, 3.4), (3, 0.3)])
def test_levels_lie_apart_by_numpys_quantiles_of_numpys_slopes(seed, room):
    relief = Relief(hills=5 + seed, hollow_share=0.3, roughness=0.6)
    heights = draw_terrain(relief, np.random.default_rng(seed))
    if seed == 3:
        # Steps, with no point between two of them, and a corner that is no island's.
        heights = np.round(heights * 3) / 3
        heights[0, 0] = 1.0
    dy, dx = np.gradient(heights)
    slopes = np.sqrt(dx * dx + dy * dy)
    levels = [0.04]
    while levels[-1] < heights.max():
        step = 0.08
        for _ in range(3):
            near = slopes[(heights >= levels[-1] - 0.01) & (heights < levels[-1] + step)]
            lowest = slopes.ravel()[np.where(heights < levels[-1] - 0.01, np.inf, heights).argmin()]
            step = np.quantile(near if len(near) else lowest, 0.97) * room * 1.1 + 1e-4
        levels.append(levels[-1] + step)
    assert len(levels) > 3
    assert _levels(heights, room) == levels[:-1]
    for number in range(1, 400):
        values = heights.ravel()[8000 : 8000 + number]
        assert _quantile(values, 0.97) == np.quantile(values, 0.97)
