"""The compiled loops of traversal pictures and certificates, against OpenCV and against the plain way."""

import itertools
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from planimeter.generators.traversal import kernels
from planimeter.generators.traversal.annealing import targets
from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.limits import Limits
from planimeter.rendering import traversal

seeds = st.integers(0, 2**32 - 1)


def plain_lines(side, spurs, spur_half, spur_level, line, half, level):
    """Every pixel against every segment, in whole pictures of floats."""
    y, x = np.mgrid[:side, :side] + 0.5
    gray = np.zeros((side, side))
    for segments, width, top in [([spur], spur_half, spur_level) for spur in spurs] + [
        (list(itertools.pairwise(line)), half, level)
    ]:
        under = gray.copy()
        for a, b in segments:
            dx, dy = b - a
            square = dx * dx + dy * dy
            share = np.clip(((x - a[0]) * dx + (y - a[1]) * dy) / square, 0, 1) if square else np.zeros_like(x)
            gap = np.sqrt((x - a[0] - share * dx) ** 2 + (y - a[1] - share * dy) ** 2)
            gray = np.maximum(gray, under + (top - under) * np.clip(width + 0.5 - gap, 0, 1))
    return np.floor(gray + 0.5).astype(int)


def test_lines_are_those_of_the_plain_way():
    """Within one shade: which end a segment is measured from decides its last bit."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        spurs, line = rng.uniform(-4, 54, (seed % 4, 2, 2)), rng.uniform(-4, 54, (2 + seed % 5, 2))
        if seed == 5:
            line[1] = line[0]
        drawn = np.zeros((50, 50), np.uint8)
        traversal._lines(drawn, spurs, 1.6, 27.5, line, 1.7, 63.0)
        apart = np.abs(plain_lines(50, spurs, 1.6, 27.5, line, 1.7, 63.0) - drawn)
        assert apart.max() <= 1
        assert (apart > 0).mean() < 0.002


@given(seeds, st.sampled_from(sorted(traversal._SHAPES)), st.floats(4.0, 30.0), st.floats(1.0, 3.0))
def test_glyphs_are_those_of_a_look_at_every_pixel(seed, shape, radius, rim):
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(5, 55, 2)
    outline = traversal._SHAPES[shape] * radius + np.array([x, y])
    ground = rng.integers(0, 64, (60, 60)).astype(np.uint8)
    drawn, plain = ground.copy(), ground.copy()
    traversal._glyph(drawn, outline, x, y, radius + 2, rim, 64)
    for row in range(max(0, int(y - radius - 2)), min(60, int(y + radius + 2) + 2)):
        for column in range(max(0, int(x - radius - 2)), min(60, int(x + radius + 2) + 2)):
            depth = traversal._inside(outline, column + 0.5, row + 0.5)
            fill = min(1.0, max(0.0, depth - rim + 0.5))
            under = float(ground[row, column])
            if fill > 0:
                plain[row, column] = 64 + math.floor(fill * 15.0 + 0.5)
            elif depth > -0.5:
                plain[row, column] = math.floor(under + (63.0 - under) * min(1.0, depth + 0.5) + 0.5)
    assert_array_equal(drawn, plain)


@given(seeds, st.integers(0, 10), st.floats(0.0, 40.0))
def test_a_sum_is_given_up_only_where_it_is_more_than_asked(seed, vertex, most):
    target = targets(Cell(n_points=11, tortuosity_bin=3, crossing_bin=3), Bins(), Limits())
    path = np.round(np.random.default_rng(seed).uniform(60, 600, (11, 2)) * 16) / 16
    sums = [lambda most, crossings: kernels.around(path, vertex, target, crossings, 0, most)]
    sums.append(lambda most, crossings: kernels._everything(path, target, crossings, most))
    for add_up in sums:
        (listed, other) = np.zeros((2, 121, 4))
        whole, crossings = add_up(math.inf, listed)
        part, count = add_up(most, other)
        if whole <= most:
            assert (part, count) == (whole, crossings)
            assert_array_equal(listed, other)
        else:
            assert most - 1e-9 <= part <= whole
