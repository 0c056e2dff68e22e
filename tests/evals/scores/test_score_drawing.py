"""Figures have the same bytes each time, are well-formed, keep text as text, and follow the reader's colour scheme."""

import re
import xml.etree.ElementTree as ElementTree

import matplotlib
import numpy as np
import pytest

from planimeter.evals.scores import drawing

SVG = "{http://www.w3.org/2000/svg}"


def drawn():
    with drawing.sheet(5, columns=2) as page:
        lines, bars, heat, stacked, histogram = page.panels
        drawing.line(lines, range(3), [0.2, np.nan, 0.6], [0.1, np.nan, 0.5], [0.3, np.nan, 0.7], label="$a$ & <b>")
        drawing.bars(bars, ["one", "two"], {"x": ([0.5, 1.0], [0.4, 0.9], [0.6, 1.0]), "y": ([0.1, 0.2], None, None)})
        drawing.heat(heat, [[0.25, np.nan], [-1.0, 0.0]], ["r", "s"], ["short", "a longer name"])
        drawing.stacked(stacked, ["one"], {"a": [0.25], "b": [0.75]})
        drawing.histogram(histogram, [-1, 0, 1], {"a": [0.2, 0.5, 0.3]})
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
    return drawn()


def test_a_figure_has_the_same_bytes_whatever_is_set_and_leaves_the_settings_of_the_process_alone(svg):
    matplotlib.rcParams["font.size"] = 17
    try:
        before = dict(matplotlib.rcParams)
        again = drawn()
        with pytest.raises(ValueError, match="planted"), drawing.sheet():
            raise ValueError("planted")
        assert dict(matplotlib.rcParams) == before
    finally:
        matplotlib.rcdefaults()
    assert again == svg
    assert not re.search(r"<dc:date>|20\d\d-\d\d", svg)


def test_text_is_text_dollar_signs_are_no_formulas_and_long_titles_are_broken(svg):
    texts = [node.text for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert {"$a$ & <b>", "one", "a longer name", "25", "-100", "+1", "0"} <= set(texts)
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
