"""Pictures and their certificates: same bytes, every marker read back, nothing read that is not drawn."""

import hashlib
from dataclasses import replace

import cv2
import numpy as np
import pytest
from traversal_paths import generate_cell

from planimeter.evals.traversal.prompt import answer
from planimeter.filters.certify.traversal.certificate import certify
from planimeter.generators.traversal.cells import Cell
from planimeter.generators.traversal.confounders import SpurLimits, confound
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.path_record import MARKERS
from planimeter.generators.traversal.search import SearchConfig
from planimeter.rendering.png import encode
from planimeter.rendering.traversal import TraversalStyle, render

STYLE, LIMITS = TraversalStyle(), Limits()
DIGEST = "61d18a55675185e2"


def paths(n, t, s, quota, root, limits=LIMITS):
    cell = Cell(n_points=n, tortuosity_bin=t, crossing_bin=s)
    return generate_cell(cell, quota, root, SearchConfig(limits=limits)).items


def picture(item, style=STYLE):
    return encode(render(item, style))


def read(png, item):
    return certify(png, item.markers[0], item.n_points)


def redrawn(item, draw):
    pixels = cv2.imdecode(np.frombuffer(picture(item), np.uint8), cv2.IMREAD_COLOR)
    draw(pixels)
    return cv2.imencode(".png", pixels)[1].tobytes()


@pytest.fixture(scope="module")
def items():
    return [item for cell in [(9, 0, 0), (13, 2, 3), (15, 5, 5), (17, 4, 6)] for item in paths(*cell, 5, 9)]


@pytest.fixture(scope="module")
def confounded(items):
    return [row for item in items for row in confound(item, SpurLimits(), LIMITS) or ()]


def test_every_picture_is_read_back_and_no_byte_changes(items, confounded):
    for item in items:
        reading = read(picture(item), item)
        assert reading.answer == answer(item.markers), reading.reason
        assert reading.margin > 0.1
    assert len(confounded) >= 30
    for row in confounded:
        assert read(picture(row), row.source).answer == answer(row.source.markers)
    pictures = b"".join(picture(item) for item in [*items[:6], *confounded[:6]])
    assert hashlib.sha256(pictures).hexdigest()[:16] == DIGEST


def test_markers_are_named_at_any_lattice_offset(items):
    base, rng = items[0], np.random.default_rng(1)
    for first in range(40):
        names = tuple(MARKERS[(first + 7 * k) % 40] for k in range(base.n_points))
        dx, dy = (int(v) / 16 for v in rng.integers(0, 16, 2))
        moved = replace(base, points=tuple((x + dx, y + dy) for x, y in base.points), markers=names)
        assert read(picture(moved), moved).answer == answer(names)
    points = tuple((60.0 + 65 * k, 300.0 + (0.0 if k < 6 else 90.0 * (k - 5))) for k in range(base.n_points))
    line = replace(base, points=points)
    assert read(picture(line), line).answer == answer(line.markers)


def test_a_missing_stroke_is_not_read_over_nor_a_branch_as_a_path(items):
    (ax, ay), (bx, by) = items[3].points[2:4]
    middle = (int((ax + bx) / 2), int((ay + by) / 2))
    png = redrawn(items[3], lambda pixels: cv2.circle(pixels, middle, 9, (255, 255, 255), -1))
    assert read(png, items[3]).answer is None
    points = tuple((80.0 + 250 * (k % 3) + 20 * (k // 3), 80.0 + 200 * (k // 3) + 7 * k) for k in range(9))
    item = replace(items[2], points=points)
    assert read(picture(item), item).answer == answer(item.markers)
    a, b = np.array(points[1]), np.array(points[4])

    def branch(pixels, gap=0):
        ends, quarter = ([int(v) for v in a + share * (b - a)] for share in (0.08, 0.92)), a + 0.25 * (b - a)
        cv2.line(pixels, *ends, (34, 34, 34), 3, cv2.LINE_AA)
        cv2.circle(pixels, quarter.astype(int).tolist(), gap, (255, 255, 255), -1)

    assert read(redrawn(item, branch), item).reason == "joins are not one path"
    assert read(redrawn(item, lambda pixels: branch(pixels, 8)), item).reason == "doubtful join"


def test_wrong_starts_and_garbage_are_refused(items):
    item, png = items[0], picture(items[0])
    absent = next(marker for marker in MARKERS if marker not in item.markers)
    assert certify(png, absent, item.n_points).reason == "start marker not unique"
    assert certify(png, item.markers[0], item.n_points + 1).reason == "number of glyphs"
    assert {certify(data, item.markers[0], 9).reason for data in (b"", b"not a picture")} == {"not a picture"}
    assert certify(png, item.markers[3], item.n_points).answer is None
    with pytest.raises(ValueError, match="below 1 px"):
        TraversalStyle(line_width=0.5)
