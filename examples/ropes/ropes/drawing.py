"""Draws ropes: antialiased cords with a light middle; at a crossing the lower one has a gap."""

import cv2
import numpy as np

from planimeter.rendering.png import IndexedImage
from planimeter.rendering.strokes import BLACK, LEVELS, shades, stroke
from ropes.tangle import SIDE
from ropes.words import LETTERS, NUMBERS

#: sRGB; each is apart from the others, and dark enough to stand out.
COLOURS = np.array([(178, 24, 43), (33, 102, 172), (27, 120, 55), (118, 42, 131), (190, 90, 0), (70, 70, 70)])
#: Width of a rope, of its light middle, and of the gap on each side of the upper rope, px.
WIDTH, MIDDLE, GAP = 10.0, 3.0, 5.0
#: Distance of a label from its end of the rope, px; its font, size and thickness.
LABEL, FONT = 44, (cv2.FONT_HERSHEY_SIMPLEX, 0.9)

_LIGHT = COLOURS[:, None] + (255 - COLOURS[:, None]) * 0.45 * np.arange(1, LEVELS + 1)[:, None] / LEVELS
#: White, the shades of each colour on white, of each light middle on its colour, and of black on white.
PALETTE = np.vstack([shades(COLOURS), np.rint(_LIGHT).astype(np.uint8).reshape(-1, 3), shades(BLACK)[1:]])


def render(tangle, colours):
    """Return the picture, each rope in the colour of that number."""
    edge, middle, owner, labels = np.zeros((4, SIDE, SIDE), np.uint8)
    for rope, colour in zip(tangle.ropes, colours, strict=True):
        _lay(edge, middle, owner, rope, colour)
    for crossing in tangle.crossings:
        over = tangle.ropes[crossing.over]
        at = round(crossing.place * (len(over) - 1))
        gap = np.zeros_like(edge)
        stroke(gap, over[max(at - 5, 0) : at + 6], WIDTH + 2 * GAP, LEVELS, closed=False)
        for ink in (edge, middle):
            np.minimum(ink, LEVELS - gap, out=ink)
        _lay(edge, middle, owner, over[max(at - 8, 0) : at + 9], colours[crossing.over])
    for rope, letter, rank in zip(tangle.ropes, LETTERS, tangle.ends(), strict=False):
        _write(labels, letter, rope[0] - (LABEL, 0))
        _write(labels, NUMBERS[rank], rope[-1] + (LABEL, 0))
    labels = np.rint(labels / 255 * LEVELS).astype(np.uint8)
    cord = np.where((middle > 0) & (edge == LEVELS), len(COLOURS) * LEVELS + middle, edge) + owner * LEVELS
    indices = np.where(labels > 0, 2 * len(COLOURS) * LEVELS + labels, np.where(edge > 0, cord, 0))
    return IndexedImage(indices.astype(np.uint8), PALETTE)


def _lay(edge, middle, owner, rope, colour):
    """Draw ``rope`` over the picture."""
    for ink, width in ((edge, WIDTH), (middle, MIDDLE)):
        drawn = np.zeros_like(ink)
        stroke(drawn, rope, width, LEVELS, closed=False)
        if ink is edge:
            owner[drawn > edge] = colour
        np.maximum(ink, drawn, out=ink)


def _write(ink, text, centre):
    (width, height), _ = cv2.getTextSize(text, *FONT, 2)
    corner = (round(float(centre[0]) - width / 2), round(float(centre[1]) + height / 2))
    cv2.putText(ink, text, corner, *FONT, 255, 2, cv2.LINE_AA)
