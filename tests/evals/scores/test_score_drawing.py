"""Figures have the same bytes each time; what is drawn beside a reply proves its score."""

import itertools
import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest

from planimeter.evals.scores.evidence import evidence, in_picture
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


def test_a_figure_has_its_texts_numbers_and_a_note():
    assert {"$a$ & <b>", "-1", "0"} <= {*words(drawn("lines"))} & {*words(drawn("bars"))}
    figure = drawn("heat")
    assert {"25", "100", "50", "×"} <= set(words(figure))
    assert figure.note == "Crossed out: no reply."
    signed = pd.DataFrame({"model": ["m", "m"], "at": ["a", "b"], "rate": [-0.25, 0.0]})
    assert {"-25.0", "+0.0"} <= set(words(drawn("heat", signed)))
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


#: Rows, what was read of a reply, and the evidence on it: each fault of each suite, and none.
EVIDENCE = Path(__file__).with_name("evidence.jsonl").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("case", map(json.loads, EVIDENCE), ids=lambda case: f"{case['config']}-{case['read'][:20]}")
def test_the_evidence_on_a_reply_is_what_it_was(case):
    found = evidence(case["suite"], case["config"], case["row"], case["read"], case["correct"])
    assert json.loads(json.dumps(asdict(found))) == case["evidence"]
