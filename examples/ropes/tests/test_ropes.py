"""Ropes: the pictures show the answers, and planted faults are found."""

from itertools import pairwise

import cv2
import numpy as np
import shapely
from ropes import drawing
from ropes.certifier import certify
from ropes.tangle import SIDE, Tangle, draw
from ropes.words import ranked

from planimeter import evals
from planimeter.evals.places import plain
from planimeter.flows import gate
from planimeter.rendering.png import encode
from planimeter.streams import levels, stream
from planimeter.suites.loading import load
from planimeter.suites.pipeline import suite_of

TANGLES = list(filter(None, (draw(2 + k % 5, 1 + k % 7, 2 * (k % 2), np.random.default_rng(k)) for k in range(24))))


def read(tangle, change=lambda pixels: pixels, colours=(0,) * 6):
    """Return the reading of the picture of ``tangle`` after a ``change``."""
    pixels = cv2.imdecode(np.frombuffer(encode(drawing.render(tangle, colours[: len(tangle.ropes)])), np.uint8), 1)
    return certify(cv2.imencode(".png", change(pixels))[1].tobytes(), "").answer


def test_ropes_cross_as_often_as_they_say_stay_on_the_picture_and_keep_apart():
    assert len(TANGLES) > 20
    for ropes, crossings in TANGLES:
        lines = [shapely.LineString(rope) for rope in ropes]
        met = [a.intersection(b) for i, a in enumerate(lines) for b in lines[i + 1 :]]
        assert sum(map(shapely.get_num_coordinates, met)) == len(crossings)
        assert all(rope.min() > 0 and rope.max() < SIDE for rope in ropes)
        assert all(a[0, 1] + 30 < b[0, 1] for a, b in pairwise(ropes)), "letters go down"


def test_the_certifier_follows_pixels_whatever_their_colour_or_contrast_and_not_a_picture_upside_down():
    for tangle in TANGLES:
        answer = ranked(tangle.ends())
        assert read(tangle) == read(tangle, colours=(5, 4, 3, 2, 1, 0)) == answer
        assert read(tangle, lambda pixels: np.maximum(pixels, 60)) == answer
    assert read(TANGLES[3], lambda pixels: cv2.flip(pixels, 0)) != ranked(TANGLES[3].ends())


def test_a_planted_fault_of_the_drawing_is_never_certified_with_the_answer(monkeypatch):
    tangle = draw(3, 3, 0, np.random.default_rng(4))
    answer = ranked(tangle.ends())
    assert read(tangle) == answer
    assert read(Tangle(tangle.ropes, tangle.crossings[1:])) != answer, "a gap too few"
    assert read(tangle, lambda pixels: cv2.rectangle(pixels, (130, 0), (150, SIDE), (255,) * 3, -1)) != answer, "cut"
    monkeypatch.setattr(drawing, "NUMBERS", "213456")
    assert read(tangle) != answer, "labels swapped"


def test_both_pictures_of_a_tangle_have_its_answer_and_are_one_question():
    recipe = load("ropes")
    suite = suite_of(recipe)
    (made, *_) = suite.make(recipe, suite.plan(recipe)[7]).items
    (coloured,), (twin,) = made["coloured"], made["one_colour"]
    assert (coloured["answer"], coloured["id"]) == (twin["answer"], twin["coloured_id"])
    assert coloured["image"]["bytes"] != twin["image"]["bytes"]
    handed = [plain(coloured, "ropes", "coloured"), plain(twin, "ropes", "one_colour")]
    assert {*map(evals.question, (coloured, twin, *handed))} == {coloured["id"]}, "as scores see them, too"
    assert suite.rebuild(recipe, twin) == twin


def test_marked_replies_are_read_and_scored_by_rope():
    row = {"id": "x", "answer": "A2 B1", "folds": 0, "ropes": 2}
    replies = {"Answer: A ends at 2, B ends at 1": 1, "<answer>A2 B1</answer>": 1, "A1 B2": 0, "Answer: A2": 0}
    replies |= {"A2 B2": 0.5, "I think that A ends at 2, B ends at 1": 0}
    for reply, right in replies.items():
        scores = evals.grade(row, reply)
        assert scores.value == int(right) and scores.metrics["ropes_right"] == right, reply


def test_levels_get_harder_and_the_gate_finds_nothing():
    rows = [next(iter(stream("ropes", level=level))) for level in range(1, levels("ropes") + 1)]
    assert rows[0]["crossings"] <= 3 and rows[-1]["crossings"] > 6 and rows[-1]["folds"] == 2
    assert gate.faults("ropes") == []
