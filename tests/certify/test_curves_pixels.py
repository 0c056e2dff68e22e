"""Pictures: the certifier reads what is there, agrees with the paper's extraction, and refuses what is unclear."""

import cv2
import numpy as np
import pytest
from curves_drawings import first_good

from planimeter.evals.curves import grader as protocol
from planimeter.filters.certify.curves import read
from planimeter.generators.curves.config import CurvesConfig
from planimeter.generators.curves.trees import canonical_parents
from planimeter.generators.seeding import item_seed
from planimeter.items import CURVE_CATEGORIES, CurvesLook
from planimeter.rendering.curves import render
from planimeter.rendering.png import encode
from planimeter.rendering.strokes import dashes, stroke


def authors_tree(png):
    """The paper's way: Otsu, a 3 x 3 erosion, contours with their hierarchy; every second level is a curve's inside."""
    gray = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_GRAYSCALE)
    _, ink = cv2.threshold(gray, 0, 255, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    ink = cv2.erode(ink, np.ones((3, 3), np.uint8))
    _, hierarchy = cv2.findContours(ink, cv2.RETR_TREE, cv2.CHAIN_APPROX_NONE)
    above = [int(h[3]) for h in hierarchy[0]] if hierarchy is not None else []

    def level(i):
        return 0 if above[i] < 0 else 1 + level(above[i])

    outer = [i for i in range(len(above)) if level(i) % 2 == 0]
    outer.sort(key=level)
    number = {i: k + 1 for k, i in enumerate(outer)}
    return tuple(0 if above[i] < 0 else number[above[above[i]] if level(i) > 1 else above[i]] for i in outer)


def picture(curves, arcs=(), width=5.0):
    ink = np.zeros((256, 256), np.uint8)
    for line, closed in [(line, True) for line in curves] + [(line, False) for line in arcs]:
        stroke(ink, np.array(line, float), width, 15, closed=closed)
    return cv2.imencode(".png", 255 - ink * 17)[1].tobytes()


def square(x, y, side):
    return [[x, y], [x + side, y], [x + side, y + side], [x, y + side]]


@pytest.mark.parametrize("category", CURVE_CATEGORIES)
def test_agrees_with_the_papers_extraction(category):
    for index in range(2):
        item = first_good(category, seed=item_seed(21, ("authors", category, index)))
        png = encode(render(item))
        assert canonical_parents(authors_tree(png)) == item.parents
        assert read(png).answer == protocol.answer(item.parents)


def test_drawn_trees_are_read_and_unclear_ones_refused():
    beside = [square(20, 20, 60), square(110, 20, 120), square(130, 40, 30), square(180, 40, 30)]
    for curves, arcs, answer in (
        ([], [], "0"),
        (beside, [], "4\n1 0\n2 0\n3 2\n4 2"),
        ([square(30, 30, 180)], [[[60, 60], [120, 90], [90, 150]]], "1\n1 0"),
        ([], [[*square(30, 30, 180), [30, 60]]], "0"),  # a curve with a break
    ):
        assert read(picture(curves, arcs=arcs)).answer == answer
    touching = read(picture([square(30, 30, 80), square(111, 30, 80)]))
    assert (touching.answer, touching.reason) == (None, "strokes run together")
    assert read(picture([square(30, 30, 180), square(-50, 60, 180)])).reason == "a stroke leaves the canvas"
    grid = np.zeros((20, 20), np.uint8)
    grid[5:12, 5:12], grid[7:10, 7:11] = 1, 0
    for pixels, answer in ((12, "1\n1 0"), (11, "0")):
        grid[7, 7] = pixels == 11
        assert read(cv2.imencode(".png", 255 * (1 - grid))[1].tobytes()).answer == answer, "specks are no regions"
    assert read(b"").answer is None
    assert read(b"no png").reason == "no picture"
    thin = picture([square(30, 30, 180), square(60, 60, 40)], width=2.0)
    assert read(thin).answer == "2\n1 0\n2 1"
    assert authors_tree(thin) == (), "the paper's extraction loses it"


def test_a_stroke_is_as_wide_as_asked_for():
    with pytest.raises(ValueError, match="twice the space"):
        CurvesConfig(gap_px=9.0, look=CurvesLook(ink="dashed"))
    angle = np.radians(23.0)
    line = np.array([[150, 150]]) + np.outer([-80, 80], [np.cos(angle), np.sin(angle)])
    for width in (4.0, 5.0, 6.5):
        ink = np.zeros((300, 300), np.uint8)
        stroke(ink, line, width, 15, closed=False)
        # Area of a stadium: length times width and two half discs.
        assert ink.sum() / 15 == pytest.approx(160 * width + np.pi * width**2 / 4, rel=0.01)


def test_dashes_divide_a_line_evenly():
    along = [
        np.hypot(*np.diff(dash, axis=0).T).sum() for dash in dashes(np.array(square(0, 0, 25)), 16, 4, closed=True)
    ]
    assert along == pytest.approx([16.0] * 5)
    first, *_, last = dashes(np.array([[0.0, 0.0], [100.0, 0.0]]), 16, 4, closed=False)
    assert (first[0, 0], last[-1, 0]) == pytest.approx((0, 100)), "an open line begins and ends with a dash"
