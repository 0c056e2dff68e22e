"""Figures have the same bytes each time; what is drawn beside a reply proves its score."""

import itertools
import re
import xml.etree.ElementTree as ElementTree

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sample_folder import ROWS

from planimeter.evals.curves.prompt import answer as tree_answer
from planimeter.evals.scores.evidence import Evidence, evidence, in_picture, tree
from planimeter.evals.scores.figures import draw
from planimeter.evals.scores.forms import Plot, Table
from planimeter.items import STYLES, Domain
from planimeter.rendering.heights import scale_of_heights
from planimeter.rendering.marvl_qa import render_panel

SVG = "{http://www.w3.org/2000/svg}"


COLUMNS = {"model": ["$a$ & <b>", "vendor/" + "long-" * 12 + "name"] * 2, "at": ["-1", "-1", "0", "0"]}
RATES = {"rate": [0.25, np.nan, 1.0, 0.5], "rate_low": [0.2, np.nan, 0.9, 0.4], "rate_high": [0.3, np.nan, 1.0, 0.6]}
KINDS = ("lines", "bars", "columns", "stacked", "heat")


def drawn(kind, frame=None, **how):
    table = Table(name="t", title="T", frame=pd.DataFrame(COLUMNS | RATES) if frame is None else frame)
    return draw(table, Plot(kind, **{"x": "at", "metrics": ("rate",), "name": "f", **how}))


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_has_the_same_bytes_whatever_is_set(kind):
    figure = drawn(kind)
    matplotlib.rcParams["font.size"] = 17
    try:
        before = dict(matplotlib.rcParams)
        assert drawn(kind).svg == figure.svg
        assert dict(matplotlib.rcParams) == before
    finally:
        matplotlib.rcdefaults()
    assert not re.search(r"<dc:date>|20\d\d-\d\d", figure.svg)


def words(figure):
    return [node.text for node in ElementTree.fromstring(figure.svg).iter(f"{SVG}text")]


def test_text_is_text_and_dollar_signs_are_no_formulas():
    assert {"$a$ & <b>", "-1", "0", "25%"} <= {*words(drawn("lines")), *words(drawn("bars")), "25%"}


def test_a_heat_map_has_numbers_and_crosses_what_is_missing():
    figure = drawn("heat")
    assert {"25", "100", "50", "×"} <= set(words(figure))
    assert figure.note == "Crossed out: no reply."
    signed = pd.DataFrame({"model": ["m", "m"], "at": ["a", "b"], "rate": [-0.25, 0.0]})
    assert {"-25.0", "+0.0"} <= set(words(drawn("heat", signed)))


def test_bars_have_whiskers_only_where_bounds_are_known():
    bare = pd.DataFrame(COLUMNS | {"rate": RATES["rate"]})
    assert drawn("bars").note.startswith("Whiskers") and not drawn("bars", bare).note


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_marks_of_extrema_are_where_the_picture_shows_them(style):
    """One steep hill off the middle of a window with four different ends, found again in the picture's pixels."""
    row = {"x_min": -3.0, "x_max": 5.0, "y_min": -1.0, "y_max": 7.0}
    domain, side = Domain(**row), 240
    across = domain.x_min + (np.arange(side) + 0.5) / side * 8
    down = domain.y_max - (np.arange(side) + 0.5) / side * 8
    for x, y in itertools.product((-1.7, 3.4), (0.9, 5.2)):
        grid = np.exp(-((across[None, :] - x) ** 2 + (down[:, None] - y) ** 2) / 0.3)
        panel = render_panel(grid, domain, scale_of_heights(grid), style).rgb()[51:529, 87:565].astype(float)
        # What differs from the flat ground: a disc of colour, or circles of ink, round the summit.
        rows, columns = np.nonzero(np.abs(panel - panel[0, 0]).sum(axis=2) > 30)
        shown = (columns.min() + columns.max()) / 2 + 87.5, (rows.min() + rows.max()) / 2 + 51.5
        assert in_picture(row, x, y) == pytest.approx(shown, abs=1.5)


def test_each_counted_extremum_is_ringed_and_options_mark_the_right_one_and_the_chosen_one():
    row = next(row for row in ROWS["counting"] if row["feature"] == "minima")
    drawn = evidence("marvl_qa", "counting", row, "3", ())
    assert drawn.note == "Each minimum is ringed."
    assert [mark.kind for mark in drawn.marks] == ["truth"] * 7
    options = evidence("marvl_qa", "transformation", {**ROWS["transformation"][0], "answer": "2"}, "4", ()).options
    assert [right for _, right, _ in options] == [False, True, False, False, False]
    assert [chosen for _, _, chosen in options] == [False, False, False, True, False]


PATH = {
    "points": [[10.0, 10.0], [110.0, 10.0], [110.0, 110.0], [10.0, 110.0]],
    "markers": ["red star", "blue tri", "blue tri", "green plus"],
    "glyph_radius": 6.0,
}


def walked(*named: str) -> Evidence:
    correct = [k < len(named) and named[k] == marker for k, marker in enumerate(PATH["markers"])]
    return evidence("traversal", "base", PATH, ", ".join(named), correct)


def rings(drawn: Evidence, kind: str) -> list[tuple[float, float]]:
    starts = [re.match(r"M(\S+) (\S+)a(\S+) ", mark.d) for mark in drawn.marks if mark.kind == kind]
    return [(float(m[1]) + float(m[3]), float(m[2])) for m in starts if m]


def test_the_first_wrong_marker_is_ringed_and_what_was_named_instead():
    drawn = walked("red star", "blue tri", "green plus", "blue tri")
    assert rings(drawn, "truth") == [(110.0, 110.0)]
    assert rings(drawn, "reply") == [(10.0, 110.0)]
    assert "First fault at marker 3: it is the blue tri" in drawn.note and "names the green plus" in drawn.note
    assert drawn.facts == (("markers", "4", "4"), ("right from the start", "4", "2"))
    # All markers that bear the name are ringed, and the path leaves the markers free.
    assert rings(walked("blue tri"), "reply") == [(110.0, 10.0), (110.0, 110.0)]
    one, two = walked("red star", "green plus"), walked("red star", "blue tri")
    assert [mark.kind for mark in one.marks] == ["path", "truth", "reply"], "one right marker is no stretch of the path"
    assert [mark.kind for mark in two.marks] == ["path", "done", "truth"]
    (path,) = (mark.d for mark in one.marks if mark.kind == "path")
    assert path == "M18.0 10.0L102.0 10.0M110.0 18.0L110.0 102.0M102.0 110.0L18.0 110.0"


def test_a_reply_that_ends_early_runs_on_or_names_what_is_not_there_is_reported():
    assert walked("red star", "blue tri").note.endswith("ends before it.")
    assert rings(walked("red star", "blue tri"), "truth") == [(110.0, 110.0)]
    assert walked(*PATH["markers"], "red star").note == "All markers are right, and more follow."
    assert walked("red star", "cyan plus").note.endswith("names the cyan plus, which the picture lacks.")
    assert walked(*PATH["markers"]).marks == () == walked().marks


def curves(truth: tuple[int, ...], reply: tuple[int, ...] | None) -> Evidence:
    return evidence("curves", "easy", {"answer": tree_answer(truth)}, tree_answer(reply) if reply else "", ())


def nodes(one) -> tuple[int, int]:
    """How many nodes the other tree has, too, and how many it lacks."""
    there = [alike for _, _, alike in one.nodes]
    return sum(there), len(there) - sum(there)


def test_trees_stand_side_by_side_and_show_what_differs_and_maps_their_faces_and_pairs():
    drawn = curves((0, 1, 1), (0, 1))
    assert drawn.facts == (("curves", "3", "2"), ("depth", "2", "2"))
    assert [(one.title, *nodes(one)) for one in drawn.trees] == [("truth", 1, 3), ("reply", 1, 2)]
    same = curves((0, 1, 1, 0), (0, 0, 2, 2))
    assert [nodes(one) for one in same.trees] == [(5, 0), (5, 0)]
    assert drawn.note and not same.note
    assert [one.title for one in curves((0, 1), None).trees] == ["truth"]
    row = {"answer": "2\n0 1\n0 2\n1 2"}
    drawn = evidence("curves_maps", "planar_map", row, "2\n0 1\n0 2", ())
    assert drawn.facts == (("faces", "2", "2"), ("pairs that touch", "3", "2"))
    assert evidence("curves_maps", "planar_map", row, "", ()).facts[0] == ("faces", "2", "–")


def test_an_outline_has_each_node_below_its_parent_and_a_level_deeper():
    drawn = tree("truth", (0, 0, 1, 1, 1, 2, 6), None)
    expected = [(0, 0), (1, 1), (2, 3), (2, 4), (2, 5), (1, 2), (2, 6), (3, 7)]
    assert [(depth, node) for depth, node, _ in drawn.nodes] == expected
    assert tree("truth", tuple(range(500)), None) is None
