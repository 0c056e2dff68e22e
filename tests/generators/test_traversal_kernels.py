"""The compiled loops of traversal pictures and certificates, against OpenCV and against the plain way."""

import itertools
import math

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from planimeter.filters.certify.traversal.kernels import blobs, inked_shares
from planimeter.generators.traversal import kernels
from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.targets import targets
from planimeter.rendering import traversal

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.floats(0.02, 0.7), st.integers(1, 5))
def test_blobs_are_the_components_of_opencv(seed, share, step):
    """All of them with step 1, and with any other all that are too large to lie between the searched lines."""
    rng = np.random.default_rng(seed)
    wanted = np.array([False, True, False, True])
    indices = rng.choice([0, 2, 1, 3], (17, 23), p=[1 - share, 0, share / 2, share / 2]).astype(np.uint8)
    mask = wanted[indices].astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    rows, columns, starts, boxes = blobs(indices, wanted, step)
    assert len(starts) - 1 == len(boxes) and starts[-1] == len(rows) == len(columns)
    sizes = {}
    for (start, end), (top, left, bottom, right) in zip(itertools.pairwise(starts), boxes, strict=True):
        pixels = {*zip(rows[start:end].tolist(), columns[start:end].tolist(), strict=True)}
        (label,) = {labels[pixel] for pixel in pixels}
        assert label > 0
        assert end - start == len(pixels) == stats[label, cv2.CC_STAT_AREA]
        assert (left, top, right - left, bottom - top) == tuple(stats[label, :4])
        sizes[label] = end - start
    assert set(sizes) >= {label for label in range(1, count) if stats[label, cv2.CC_STAT_AREA] > (step - 1) ** 2}
    assert len(sizes) == len(boxes)


def plain_shares(inked, places, widest):
    """As a reader of the docstring would write it."""
    near = cv2.dilate(inked, np.ones((3, 3), np.uint8))
    shares = np.zeros((len(places), len(places)))
    for i, a in enumerate(places):
        for j, b in enumerate(places[:i]):
            step, others = b - a, np.delete(places, [i, j], axis=0) - a
            along = np.clip((others * step).sum(axis=1) / max((step**2).sum(), 1e-9), 0, 1)
            if (((others - along[:, None] * step) ** 2).sum(axis=1) < widest**2).any():
                continue
            length = math.hypot(*step)
            at = np.array([0.5])
            if length > 2 * widest + 2:
                at = np.linspace(widest / length, 1 - widest / length, int(2 * (length - 2 * widest)) + 2)
            rows, columns = np.floor(a[1] + at * step[1]).astype(int), np.floor(a[0] + at * step[0]).astype(int)
            shares[i, j] = shares[j, i] = near[rows, columns].mean()
    return shares


@given(seeds, st.integers(1, 9), st.floats(0.05, 0.6))
def test_shares_of_joins_are_those_of_the_plain_way(seed, number, ink):
    rng = np.random.default_rng(seed)
    inked = (rng.random((120, 140)) < ink).astype(np.uint8)
    places = rng.uniform((0, 0), (139, 119), (number, 2))
    lengths = np.array([[math.hypot(*(b - a)) for b in places] for a in places])
    shares = inked_shares(inked * np.uint8(3), np.array([False, True, False, True]), *places.T.copy(), lengths, 7.5)
    assert_array_equal(shares, plain_shares(inked, places, 7.5))


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
