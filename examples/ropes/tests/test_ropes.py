"""Ropes: what the pictures show is what the answers say, and what leads astray is found."""

import json
from itertools import pairwise

import cv2
import numpy as np
import pytest
import shapely
from ropes import drawing, making
from ropes.certifier import certify
from ropes.rows import answer_of
from ropes.tangle import SIDE, Tangle, draw

from planimeter import evals
from planimeter.flows import gate
from planimeter.flows.suites import suite_of
from planimeter.recipes.loading import load
from planimeter.rendering.png import encode
from planimeter.streams import levels, stream

RECIPE = load("ropes")


def tangles(number=24):
    """Return tangles of all sizes."""
    drawn = (draw(2 + k % 5, 1 + k % 7, 2 * (k % 2), np.random.default_rng(k)) for k in range(number))
    return [tangle for tangle in drawn if tangle]


def png_of(tangle, colours=(0,) * 6):
    return encode(drawing.render(tangle, colours))


def crossings_of(ropes):
    lines = [shapely.LineString(rope) for rope in ropes]
    return sum(shapely.get_num_coordinates(a.intersection(b)) for i, a in enumerate(lines) for b in lines[i + 1 :])


def test_ropes_cross_as_often_as_they_say_stay_on_the_picture_and_keep_apart():
    assert len(tangles()) > 20
    for tangle in tangles():
        assert crossings_of(tangle.ropes) == len(tangle.crossings)
        assert all(rope.min() > 0 and rope.max() < SIDE for rope in tangle.ropes)
        assert all(a[0, 1] + 30 < b[0, 1] for a, b in pairwise(tangle.ropes)), "letters go down"


def test_the_certifier_follows_pixels_whatever_their_colour_contrast_or_code():
    for tangle in tangles():
        for colours in ([0] * 6, [5, 4, 3, 2, 1, 0]):
            assert certify(png_of(tangle, colours), "").answer == answer_of(tangle)
        pixels = cv2.imdecode(np.frombuffer(png_of(tangle), np.uint8), cv2.IMREAD_GRAYSCALE)
        paler = cv2.imencode(".png", np.maximum(pixels, 60))[1].tobytes()
        assert certify(paler, "").answer == answer_of(tangle)


def test_an_upside_down_picture_is_not_read_as_if_it_were_upright():
    tangle = tangles()[3]
    pixels = cv2.imdecode(np.frombuffer(png_of(tangle), np.uint8), cv2.IMREAD_COLOR)
    turned = cv2.imencode(".png", cv2.flip(pixels, 0))[1].tobytes()
    assert certify(turned, "").answer != certify(png_of(tangle), "").answer


@pytest.mark.parametrize("fault", ["a gap too few", "labels swapped", "a rope cut"])
def test_a_planted_fault_of_the_drawing_is_never_certified_with_the_answer(monkeypatch, fault):
    tangle = draw(3, 3, 0, np.random.default_rng(4))
    if fault == "a gap too few":
        png = png_of(Tangle(ropes=tangle.ropes, crossings=tangle.crossings[1:]))
    elif fault == "labels swapped":
        monkeypatch.setattr(drawing, "NUMBERS", "213456")
        png = png_of(tangle)
    else:
        pixels = drawing.render(tangle, [0] * 6).rgb().copy()
        pixels[:, 130:150] = 255
        png = cv2.imencode(".png", pixels)[1].tobytes()
    assert certify(png, "").answer != answer_of(tangle)


def test_a_rope_on_top_is_whole_and_one_below_has_a_gap():
    tangle = draw(2, 1, 0, np.random.default_rng(1))
    crossing, ink = tangle.crossings[0], drawing.render(tangle, [0, 1]).rgb().min(axis=2) < 200
    for rope, gaps in ((crossing.over, 0), (crossing.under, 2)):
        seen = [ink[int(y), int(x)] for x, y in shapely.segmentize(shapely.LineString(tangle.ropes[rope]), 1.0).coords]
        assert sum(a and not b for a, b in pairwise(seen)) == gaps


def test_both_pictures_of_a_tangle_have_its_answer_and_are_one_question():
    cell = suite_of(RECIPE).plan(RECIPE)[7]
    (made, *_) = suite_of(RECIPE).make(RECIPE, cell).items
    (coloured,), (twin,) = made["coloured"], made["one_colour"]
    assert (coloured["answer"], coloured["id"]) == (twin["answer"], twin["coloured_id"])
    assert coloured["image"]["bytes"] != twin["image"]["bytes"]
    assert evals.question(coloured) == evals.question(twin)
    assert len(made) == 2 and suite_of(RECIPE).again(RECIPE, twin) == twin


def test_levels_get_harder_and_replies_are_read():
    rows = [next(iter(stream("ropes", level=level))) for level in range(1, levels("ropes") + 1)]
    assert rows[0]["crossings"] <= 3 and rows[-1]["crossings"] > 6 and rows[-1]["folds"] == 2
    row = {"id": "x", "answer": "A2 B1", "folds": 0, "ropes": 2}
    for reply, right in (("A ends at 2 and B ends at 1.", 1), ("<answer>A2 B1</answer>", 1), ("A1, B2", 0), ("A2", 0)):
        assert evals.grade(row, reply).value == right, reply
    assert evals.grade(row, "A2 B2", suite="ropes", config="coloured").metrics["ropes_right"] == 0.5
    assert json.dumps(sorted(evals.strata(row))) == '["folds", "ropes"]'


def test_the_gate_finds_nothing():
    assert gate.faults("ropes") == []
    assert making.BUILD.levels["train"] == 5
