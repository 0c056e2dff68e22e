"""Trees, and compiled loops of the curves, which do what plain ones do, to the last bit where that decides drawings."""

from collections import Counter
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter1d

from planimeter.generators.curves import trees
from planimeter.generators.curves.clearance import AWAY, keeps, measure
from planimeter.generators.curves.growth import Energy, draw, grow, smooth_fields, stream_of
from planimeter.generators.curves.nesting import canonicalised, nest
from planimeter.generators.curves.outlines import Bend, resample, smooth
from planimeter.generators.curves.packing import seed_labels
from planimeter.generators.curves.planting import arena, target_areas
from planimeter.generators.curves.terrain import GRID, Relief, _levels, _rounded, draw_terrain

RING = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)]


# --- trees: all of them once, sampled evenly, distinguished as rooted trees


def test_every_tree_is_enumerated_once_and_those_of_hundreds_are_counted_within_the_budget_of_a_test():
    by_size = [list(trees.enumerate_trees(n)) for n in range(10)]
    assert [len(trees_of_size) for trees_of_size in by_size] == [1, 1, 2, 4, 9, 20, 48, 115, 286, 719]
    assert [trees.count_trees(n) for n in range(10)] == [len(trees_of_size) for trees_of_size in by_size]
    assert trees._table(8) == (0, 1, 1, 2, 4, 9, 20, 48), "as long as it was asked to be"
    assert all(len({trees.canonical(t) for t in some}) == len(some) for some in by_size)
    # Otter: their number grows 2.9557652857-fold with each node.
    assert trees.count_trees(499) / trees.count_trees(498) == pytest.approx(2.9557652857 * (1 - 1.5 / 500), rel=1e-4)
    assert [trees.depth(t) for t in (trees.path(15), trees.star(50), trees.caterpillar(20))] == [15, 1, 10]
    assert len(trees.caterpillar(21)) == 21


def test_sampling_prefers_no_shape_and_gives_canonical_trees_of_the_wanted_size():
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


def test_a_path_read_from_its_middle_is_another_tree_and_a_child_before_its_parent_is_refused():
    # As unrooted graphs these two are one: the released matcher takes one for the other.
    assert trees.canonical((0, 1, 0)) != trees.canonical((0, 1, 2))
    with pytest.raises(ValueError, match="number parents first"):
        trees.canonical((0, 3, 1))


def test_two_curves_that_share_a_corner_of_their_boxes_have_one_order():
    """One lies around the corner of the other, so both reach as far up and as far left."""
    square = np.array([(100.0, 100.0), (150.0, 100.0), (150.0, 150.0), (100.0, 150.0)])
    around = np.array([(200.0, 100.0), (300.0, 100.0), (300.0, 300.0), (100.0, 300.0), (100.0, 200.0), (200.0, 200.0)])
    (tree, curves), (other, mirrored) = nest([square, around]), nest([around, square])
    assert tree == other == (0, 0)
    assert [c is square for c in curves] == [c is square for c in mirrored] == [True, False]
    # Numbered the other way round, as a layout may do it.
    assert canonicalised((0, 0), [around, square])[1][0] is square


# --- compiled loops


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
            areas[[new, old]] += [1.0, -1.0]
    return labels


@pytest.mark.parametrize("tension", [0.7, -1.0])
def test_growth_that_remembers_what_cannot_move_is_growth(tension):
    rng = np.random.default_rng(5)
    parents = trees.sample_tree(5, rng)
    seed = seed_labels(parents, 22, (2, 4), 0.9, rng)
    seed[8:12, -4:-1] = -1
    fields, targets = smooth_fields(4, 22, 2.0, rng), rng.uniform(10, 120, 6)
    energy = Energy(tension=tension, pressure=20.0, relief=1.0, noise=2.0, sweeps=25.0)
    grown = grow(seed, parents, targets, fields, energy, np.random.default_rng(1))
    assert (grown != seed).sum() > 60
    assert np.array_equal(grown, plainly_grown(seed, parents, targets, fields, energy, np.random.default_rng(1)))


def test_lines_are_smoothed_rounded_and_resampled_as_numpy_and_scipy_do():
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
    for seed in range(20):
        rng = np.random.default_rng(seed)
        curve = np.round(rng.uniform(0, 300, (int(rng.integers(3, 60)), 2)), 1)
        curve[seed % 3] = curve[0]
        closed = np.vstack([curve, curve[:1]])
        ends = np.concatenate([[0.0], np.cumsum(np.sqrt((np.diff(closed, axis=0) ** 2).sum(axis=1)))])
        count = max(24, round(ends[-1] / 7.0))
        at = np.arange(count) * (ends[-1] / count)
        plain = np.stack([np.interp(at, ends, closed[:, axis]) for axis in (0, 1)], axis=1)
        assert np.array_equal(resample(curve, 7.0), plain), "also where two vertices are one"


def test_no_bend_at_all_is_allowed_and_leaves_a_drawing_as_it_is():
    curve = np.array([[0.0, 0.0], [4.0, 0.5], [3.0, 5.0]])
    np.testing.assert_allclose(Bend(5.0, 0.0, np.random.default_rng(1))([curve]), [curve])


@pytest.mark.parametrize("count", [3, 7, 60])
def test_every_curve_needs_its_children_their_lanes_and_room_of_its_own(count):
    parents = trees.sample_tree(count, np.random.default_rng(count))
    areas = target_areas(parents, 98, 0.6, 0.5, np.random.default_rng(2))
    own = np.random.default_rng(2).gamma(4.0, 0.25, count + 1) + 0.15
    units = []
    for node, inner in enumerate(trees.children_of(parents)[1:], start=1):
        inside = sum((areas[child] ** 0.5 + 1.3) ** 2 for child in inner)
        # What is left without the lane: s + 2.6 sqrt(s) = area has the root (sqrt(area + 1.69) - 1.3)^2.
        filled = ((areas[node] + 1.69) ** 0.5 - 1.3) ** 2 if inner else areas[node]
        units.append((filled - inside) / own[node])
    assert units == pytest.approx([units[0]] * count, rel=1e-6)
    total = sum(areas[child] for child in trees.children_of(parents)[0])
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


@pytest.mark.parametrize("seed", range(3))
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
                between[[a, b]] = np.minimum(between[[a, b]], distance.min())
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


def test_necks_and_gaps_are_seen_and_a_sharp_corner_is_not_taken_for_a_neck():
    hourglass = np.array([[0, 0], [100, 0], [52, 50], [100, 100], [0, 100], [48, 50]], float)
    spike = np.array([[0, 0], [100, 0], [100, 80], [55, 80], [50, 160], [45, 80], [0, 80]], float)
    wedge = np.array([[0, 0], [200, 0], [100, 100]], float)
    assert measure([hourglass], 12.0).within[0] == pytest.approx(4.0, abs=0.4)
    assert measure([wedge], 12.0).within[0] == 12.0 > measure([spike], 12.0).within[0]
    square = np.array([[0.0, 0.0], [40.0, 0.0], [40.0, 40.0], [0.0, 40.0]])
    assert [keeps([square, square + np.array([away, 0.0])], 10.0) for away in (60.0, 45.0)] == [True, False]


@pytest.mark.parametrize(("seed", "room"), [(0, 1.4), (2, 3.4), (3, 0.3)])
def test_levels_lie_apart_by_numpys_quantiles_of_numpys_slopes(seed, room):
    heights = draw_terrain(Relief(hills=5 + seed, hollow_share=0.3, roughness=0.6), np.random.default_rng(seed))
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


class Middle:
    """Stands for a random generator: draws the middle of each range, and 0 of what lies between 0 and 1."""

    def uniform(self, low: float, high: float, size: object) -> np.ndarray:
        return np.full(cast(tuple[int, ...], size), (low + high) / 2)

    def random(self, size: int) -> np.ndarray:
        return np.zeros(size)


def test_a_coast_sinks_as_the_cube_of_the_way_from_the_flat_inland():
    rng = cast(np.random.Generator, Middle())
    row = draw_terrain(Relief(hills=2, hollow_share=0.0, roughness=0.0), rng)[GRID // 2]
    off = (np.arange(GRID) + 0.5) / GRID * 2 - 1
    hill = np.exp(-((off / 0.29) ** 2))
    near, far = (int(np.argmin(np.abs(off - place * 0.86))) for place in (0.55, 0.75))
    drop = [hill[k] / hill.max() - row[k] for k in (near, far)]
    way = [np.hypot(off[k], off[GRID // 2]) - 0.35 * 0.86 for k in (near, far)]
    assert np.log(drop[1] / drop[0]) / np.log(way[1] / way[0]) == pytest.approx(3, abs=0.1)
