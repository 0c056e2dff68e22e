"""Boards: arrays of 0 and 1, 1 a black tile; their properties, and their pictures."""

import numpy as np
from scipy import ndimage

from planimeter.rendering.png import IndexedImage

#: Side of a tile and of the picture, px; the frame is 2 px wide. White, black and the grey of the frame, sRGB.
TILE, SIDE = 32, 400
PALETTE = np.array([(255, 255, 255), (20, 20, 20), (150, 150, 150)], np.uint8)


def areas(board):
    """Return the number of black areas, whose tiles share sides."""
    return int(ndimage.label(board)[1])


def symmetry(board):
    """Return the symmetry of ``board``, as the answers name it."""
    across, down = np.array_equal(board, board[:, ::-1]), np.array_equal(board, board[::-1])
    return "both" if across and down else "left-right" if across else "top-bottom" if down else "none"


def scattered(size, rng):
    """Return a board of which one to seven tenths are black."""
    return (rng.random((size, size)) < rng.uniform(0.1, 0.7)).astype(np.uint8)


def mirrored(size, wanted, rng):
    """Return a board with the symmetry ``wanted``; for none, one of another symmetry in which 1 to 3 tiles differ."""
    kind = wanted if wanted != "none" else ("left-right", "top-bottom", "both")[rng.integers(3)]
    board = scattered(size, rng)
    if kind in ("left-right", "both"):
        board = np.maximum(board, board[:, ::-1])
    if kind in ("top-bottom", "both"):
        board = np.maximum(board, board[::-1])
    if wanted == "none":
        places = rng.choice(size * size, rng.integers(1, 4), replace=False)
        board.flat[places] = 1 - board.flat[places]
    return board


def render(board, corner):
    """Return the picture of ``board`` with its upper left corner at ``corner`` (x, y in px)."""
    length, (x, y) = TILE * len(board), corner
    indices = np.zeros((SIDE, SIDE), np.uint8)
    indices[y - 2 : y + length + 2, x - 2 : x + length + 2] = 2
    indices[y : y + length, x : x + length] = np.kron(board, np.ones((TILE, TILE), np.uint8))
    return IndexedImage(indices, PALETTE)
