"""Figures have the same bytes each time and follow the reader's colours; what is drawn beside a reply proves it."""

import itertools
import re
import xml.etree.ElementTree as ElementTree

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from sample_folder import ROWS

from planimeter.evals.curves.prompt import answer as tree_answer
from planimeter.evals.scores import drawing
from planimeter.evals.scores.evidence import Evidence, evidence, in_picture, tree
from planimeter.evals.scores.figures import draw
from planimeter.evals.scores.forms import Plot, Table
from planimeter.items import STYLES, Domain
from planimeter.rendering.heights import scale_of_heights
from planimeter.rendering.marvl_qa import render_panel

SVG = "{http://www.w3.org/2000/svg}"


def painted():
    with drawing.sheet(5, columns=2) as page:
        lines, bars, heat, stacked, upright = page.panels
        drawing.line(lines, range(3), [0.2, np.nan, 0.6], [0.1, np.nan, 0.5], [0.3, np.nan, 0.7], label="$a$ & <b>")
        drawing.bars(bars, ["one", "two"], {"x": ([0.5, 1.0], [0.4, 0.9], [0.6, 1.0]), "y": ([0.1, 0.2], None, None)})
        drawing.heat(heat, [[0.25, np.nan], [-1.0, 0.0]], ["r", "s"], ["short", "a longer name"])
        drawing.stacked(stacked, ["one"], {"a": [0.25], "b": [0.75]})
        drawing.bars(upright, ["+1"], {"a": ([0.2], None, None)}, across=False)
        drawing.percent(lines, "y")
        drawing.percent(bars, "x", signed=True)
        page.title(bars, "vendor/" + "long-" * 12 + "name")
        page.legend()
    return page.svg


def contrast(one, other):
    def luminance(colour):
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        light = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.fixture(scope="module")
def svg():
    return painted()


def test_a_figure_has_the_same_bytes_whatever_is_set_and_leaves_the_settings_of_the_process_alone(svg):
    matplotlib.rcParams["font.size"] = 17
    try:
        before = dict(matplotlib.rcParams)
        again = painted()
        with pytest.raises(ValueError, match="planted"), drawing.sheet():
            raise ValueError("planted")
        assert dict(matplotlib.rcParams) == before
    finally:
        matplotlib.rcdefaults()
    assert again == svg
    assert not re.search(r"<dc:date>|20\d\d-\d\d", svg)


def test_text_is_text_dollar_signs_are_no_formulas_and_long_titles_are_broken(svg):
    texts = [node.text for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert {"$a$ & <b>", "one", "a longer name", "+25.0", "-100.0", "+0.0", "+1"} <= set(texts)
    lines = [text for text in texts if "long-" in text]
    assert len(lines) > 1 and "".join(lines) == "vendor/" + "long-" * 12 + "name"


def test_ink_follows_the_colour_scheme_and_the_ground_is_clear(svg):
    assert drawing._INK not in svg
    assert "currentColor" in svg and "prefers-color-scheme:dark" in svg
    assert set(re.findall(r"#[0-9a-f]{6}", svg.split("</style>", 1)[1])) <= {*drawing.COLOURS}


def test_twenty_models_differ_and_colours_stand_out_on_white_and_on_dark_ground():
    styles = {(drawing.colour(k), drawing.MARKERS[k % len(drawing.MARKERS)]) for k in range(20)}
    assert len(styles) == 20
    for colour in drawing.COLOURS:
        assert contrast(colour, "#ffffff") > 3 < contrast(colour, "#14171a"), colour


@pytest.mark.parametrize(("low", "high", "whiskers"), [([0.4], [0.6], 1), ([0.4], None, 0), (None, [0.6], 0)])
def test_a_bar_has_whiskers_only_where_both_bounds_are_known(low, high, whiskers):
    panel = Figure().subplots()
    drawing.bars(panel, ["model"], {"": ([0.5], low, high)})
    assert len([drawn for drawn in panel.containers if isinstance(drawn, ErrorbarContainer)]) == whiskers


def test_a_plot_has_its_values_in_their_order_dashes_what_it_says_and_crosses_out_what_is_not_there(monkeypatch):
    calls = []
    monkeypatch.setattr(drawing, "line", lambda panel, x, y, *_, **how: calls.append((list(x), list(y), how)))
    monkeypatch.setattr(drawing, "heat", lambda panel, values, *names: calls.append((values.tolist(), *names)))
    columns = {
        "model": "m",
        "at": [10, -1, 2],
        "kind": ["b", "a", "b"],
        "rate": [0.1, 0.2, 0.3],
        "other": [0.4, 0.5, 0.6],
    }
    table = Table(name="t", title="T", frame=pd.DataFrame(columns), units={"rate": "share", "other": "share"})
    dashed = ("metric", "other", "others")
    figure = draw(table, Plot(kind="lines", x="at", metrics=("rate", "other"), dashed=dashed, name="f"))
    assert (figure.name, "others" in figure.svg) == ("f", True)
    assert [(x, y, how["label"], how["dashed"]) for x, y, how in calls] == [
        ([-1, 2, 10], [0.2, 0.3, 0.1], "m", False),
        ([-1, 2, 10], [0.5, 0.6, 0.4], None, True),
    ]
    labels = {"kind": {"b": "second", "c": "third"}}
    draw(table, Plot(kind="heat", x="kind", series=("model", "at"), metrics=("rate",), labels=labels, where="at > 0"))
    ((cells, rows, names),) = calls[2:]
    assert (rows, names) == (["m, 2", "m, 10"], ["second", "third"])
    assert np.isnan(cells).tolist() == [[False, True]] * 2 and [cells[0][0], cells[1][0]] == [0.3, 0.1]


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
