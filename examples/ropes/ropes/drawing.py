"""Draws ropes: antialiased cords with a light middle; at a crossing the lower one has a gap."""

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.rendering.png import IndexedImage
from planimeter.rendering.strokes import LEVELS, stroke
from ropes.tangle import SIDE, Line, Tangle
from ropes.words import LETTERS, NUMBERS

#: sRGB; each is apart from the others, and dark enough to stand out.
COLOURS = np.array([(178, 24, 43), (33, 102, 172), (27, 120, 55), (118, 42, 131), (190, 90, 0), (70, 70, 70)])
#: Width of a rope, of its light middle, and of the gap on each side of the upper rope, px.
WIDTH, MIDDLE, GAP = 10.0, 3.0, 5.0
#: Distance of a label from its end of the rope, px.
LABEL = 44

Levels = npt.NDArray[np.uint8]


def render(tangle: Tangle, colours: Sequence[int]) -> IndexedImage:
    """Return the picture, each rope in the colour of that number."""
    edge, middle, owner = (np.zeros((SIDE, SIDE), np.uint8) for _ in range(3))
    for number, rope in enumerate(tangle.ropes):
        _lay(edge, middle, owner, rope, colours[number])
    for crossing in tangle.crossings:
        over = tangle.ropes[crossing.over]
        at = round(crossing.place * (len(over) - 1))
        gap = np.zeros_like(edge)
        stroke(gap, over[max(at - 5, 0) : at + 6], WIDTH + 2 * GAP, LEVELS, closed=False)
        for ink in (edge, middle):
            np.minimum(ink, LEVELS - gap, out=ink)
        _lay(edge, middle, owner, over[max(at - 8, 0) : at + 9], colours[crossing.over])
    labels = _labels(tangle)
    indices = np.where(middle > 0, len(COLOURS) * LEVELS + owner * LEVELS + middle, owner * LEVELS + edge)
    indices = np.where((edge > 0) & ((middle == 0) | (edge < LEVELS)), owner * LEVELS + edge, indices)
    indices = np.where(labels > 0, 2 * len(COLOURS) * LEVELS + labels, np.where(edge > 0, indices, 0))
    return IndexedImage(indices.astype(np.uint8), palette())


def palette() -> npt.NDArray[np.uint8]:
    """Return white; the shades of each colour on white, of each light middle on its colour, and of black on white."""
    share = np.arange(1, LEVELS + 1)[None, :, None] / LEVELS
    light = COLOURS + (255 - COLOURS) * 0.45
    edges = 255 + (COLOURS[:, None] - 255) * share
    middles = COLOURS[:, None] + (light - COLOURS)[:, None] * share
    black = 255 - 255 * share[0]
    shades = np.vstack([np.full((1, 3), 255.0), edges.reshape(-1, 3), middles.reshape(-1, 3), black.repeat(3, axis=1)])
    return np.rint(shades).astype(np.uint8)


def _lay(edge: Levels, middle: Levels, owner: Levels, rope: Line, colour: int) -> None:
    """Draw ``rope`` over what is there."""
    for ink, width in ((edge, WIDTH), (middle, MIDDLE)):
        drawn = np.zeros_like(ink)
        stroke(drawn, rope, width, LEVELS, closed=False)
        if ink is edge:
            owner[drawn > edge] = colour
        np.maximum(ink, drawn, out=ink)


def _labels(tangle: Tangle) -> Levels:
    ink = np.zeros((SIDE, SIDE), np.uint8)
    for number, rope in enumerate(tangle.ropes):
        _write(ink, LETTERS[number], rope[0] - (LABEL, 0))
    for number, rank in enumerate(tangle.ends()):
        _write(ink, NUMBERS[rank], tangle.ropes[number][-1] + (LABEL, 0))
    return np.rint(ink / 255 * LEVELS).astype(np.uint8)


def _write(ink: Levels, text: str, centre: Line) -> None:
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.9, 2)
    corner = (round(float(centre[0]) - width / 2), round(float(centre[1]) + height / 2))
    cv2.putText(ink, text, corner, cv2.FONT_HERSHEY_SIMPLEX, 0.9, 255, 2, cv2.LINE_AA)
