"""Near-duplicates of sets, boards and pictures: what is alike is dropped, turned and mirrored too; the rest stays."""

import cv2
import numpy as np
import pytest

from planimeter.filters.near import Boards, NearDuplicates, Pictures, Sets
from planimeter.suites.editions import CHECK, Likeness, Near


def picture(seed: int, mirrored: bool = False) -> bytes:
    pixels = np.full((200, 200), 255, np.uint8)
    for x, y in np.random.default_rng(seed).integers(20, 180, (5, 2)).tolist():
        cv2.circle(pixels, (x, y), 16, 0, -1)
    return cv2.imencode(".png", cv2.flip(pixels, 1) if mirrored else pixels)[1].tobytes()


BOARD = np.random.default_rng(1).integers(0, 3, (6, 6))
ALIKE = {
    "sets": (Sets(0.7), Sets.pack("abcdefgh"), Sets.pack("abcdefgx"), Sets.pack("abcdwxyz")),
    "boards": (Boards(0.9), Boards.pack(BOARD), Boards.pack(BOARD.T), Boards.pack((BOARD + 1) % 3)),
    "pictures": (Pictures(0.95), *(Pictures.pack(picture(*how)) for how in ((1,), (1, True), (2,)))),
}


@pytest.mark.parametrize("kind", ALIKE)
def test_the_first_of_like_items_is_kept_within_a_pool(kind: str) -> None:
    near, first, like, other = ALIKE[kind]
    assert near.judge("a", first).kept
    assert not near.judge("a", like).kept and near.judge("b", like).kept
    verdict = near.judge("a", other)
    assert verdict.kept and verdict.measured < near.limit


def test_training_items_like_test_items_are_refused() -> None:
    near: NearDuplicates[frozenset[bytes]] = Sets(0.7)
    judge = Near([Likeness("maps", Sets.pack("abcdefgh"))], near)
    refused = judge.judge(Likeness("maps", Sets.pack("abcdefgx")))
    assert (refused.check, refused.kept, refused.reason) == (CHECK, False, "is like a published test item")
    assert judge.judge(Likeness("others", Sets.pack("abcdefgx"))).kept
    assert judge.judge(Likeness("maps", Sets.pack("wxyz"))).kept
