"""Recovers both kinds of answer from the picture; the prompt gives the kind. It imports nothing of the generator."""

import cv2
import numpy as np

from planimeter.items import Reading
from tiles.words import PROMPTS

CERTIFIER = "tile-pixels"


def certify(png, prompt):
    """Return the number of black areas, or the symmetry, of the board within the grey frame."""
    grey = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_GRAYSCALE)
    kind = next((kind for kind, words in PROMPTS.items() if words == prompt), "")
    inside = np.argwhere((grey > 120) & (grey < 180))
    if not kind or not len(inside):
        return Reading(certifier=CERTIFIER, answer=None, reason="no question or no frame", margin=0.0)
    (top, left), (bottom, right) = inside.min(axis=0), inside.max(axis=0) + 1
    black = (grey[top:bottom, left:right] < 60).astype(np.uint8)
    if kind == "areas":
        count, _, boxes, _ = cv2.connectedComponentsWithStats(black, connectivity=4)
        smallest = boxes[1:, cv2.CC_STAT_AREA].min() if count > 1 else 0
        return Reading(certifier=CERTIFIER, answer=str(count - 1), margin=float(smallest))
    across, down = np.array_equal(black, black[:, ::-1]), np.array_equal(black, black[::-1])
    answer = {(True, False): "left-right", (False, True): "top-bottom", (True, True): "both"}
    return Reading(certifier=CERTIFIER, answer=answer.get((across, down), "none"), margin=1.0)
