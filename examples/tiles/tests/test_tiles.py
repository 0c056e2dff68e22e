"""Tiles: the pictures show the answers, the kinds differ, and training rows are unlike test rows."""

import cv2
import numpy as np
import pytest
from tiles import board as boards
from tiles.certifier import certify
from tiles.near import LIMIT, likeness
from tiles.words import PROMPTS

from planimeter import evals
from planimeter.filters.near import Boards
from planimeter.flows import gate
from planimeter.streams import stream
from planimeter.suites.editions import signatures
from planimeter.suites.loading import load
from planimeter.suites.pipeline import suite_of

ROWS = {
    kind: [
        item[kind][0]
        for shard in suite_of(load("tiles")).plan(load("tiles", scale=0.1))
        if shard.config == kind
        for item in suite_of(load("tiles")).make(load("tiles"), shard).items
    ]
    for kind in PROMPTS
}


def test_the_gate_finds_nothing():
    assert gate.faults("tiles") == []


def read(row, change=lambda pixels: pixels):
    pixels = cv2.imdecode(np.frombuffer(row["image"]["bytes"], np.uint8), cv2.IMREAD_COLOR)
    return certify(cv2.imencode(".png", change(pixels))[1].tobytes(), row["prompt"]).answer


def test_the_certifier_follows_pixels():
    turned = {"left-right": "top-bottom", "top-bottom": "left-right"}
    for row in ROWS["mirror"]:
        assert read(row, lambda pixels: cv2.rotate(pixels, 0)) == turned.get(row["answer"], row["answer"])
    for row in ROWS["areas"]:
        assert read(row, lambda pixels: cv2.flip(pixels, 0)) == row["answer"]


def test_a_tile_that_is_drawn_otherwise_is_found():
    row = next(row for row in ROWS["mirror"] if row["answer"] == "both")
    board = np.array(row["board"], np.uint8)
    board[0, 1] = 1 - board[0, 1]
    pixels = boards.PALETTE[boards.render(board, (9, 9)).indices]
    assert read(row, lambda _: pixels) == "none"


@pytest.mark.parametrize("kind", PROMPTS)
def test_a_reply_is_read_by_the_kind_of_its_question(kind):
    row = ROWS[kind][0]
    assert evals.grade(row, f"<answer>{row['answer']}</answer>").value == 1.0
    training = {**row, "kind": kind}
    assert evals.grade(training, f"<answer>{row['answer']}</answer>", suite="tiles", config="train").value == 1.0
    assert not evals.grade(row, "<answer>upside down</answer>").answered


def test_no_training_board_is_like_a_test_board():
    near = Boards(LIMIT)
    for pool, signature in signatures("tiles", "tiles"):
        near.add(pool, signature)
    for row, _ in zip(stream("tiles", level=1), range(30), strict=False):
        assert near.nearest(*likeness("train", row)) < LIMIT
