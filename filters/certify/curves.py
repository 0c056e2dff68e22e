"""Reads the nesting tree of curves from the PNG alone, by the hierarchy of outlines (Suzuki and Abe, 1985).

A stroke is a connected region of ink. A stroke that encloses one region of paper is a closed curve, one that encloses
none is an open arc and is ignored; if a stroke encloses two, it is two touching curves, and the picture is rejected.
Strokes in the region that a curve encloses are nested in it. Strokes are 8-connected, regions 4-connected.

CurveBench's own extraction (Otsu, a 3 x 3 erosion, ``findContours`` with its hierarchy) erases strokes of 3.3 px and
less. This module does not erode.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.png import greys
from planimeter.items import CurvesLook, Reading

CERTIFIER = "curves-components"

#: Paper enclosed in fewer pixels is a speck at an acute corner, not a region.
SPECK_PX = 12

#: Black ink is darker than this grey, white paper is not.
MIDDLE = 128

Mask = npt.NDArray[np.uint8]


def read(png: bytes, look: CurvesLook | None = None) -> Reading:
    """Return the nesting tree of the curves in ``png``, or a reading without an answer if the picture is rejected.

    The answer is the number of curves and, for each curve, a line with its number and that of the curve around it,
    0 for the exterior. The numbers depend on the tree alone. ``look`` is the recipe's drawing style, by default
    plain black on white. ``margin`` is the number of pixels inside the smallest curve.
    """
    look = look or CurvesLook()
    known = _has_known_ink(look)
    picture = greys(png, below=MIDDLE if known else None)
    if picture is None:
        return Reading(certifier=CERTIFIER, answer=None, reason="no picture")
    return _tree(_cleaned(picture, look) if known else _ink(picture, look, known))


def read_shrunk(gray: Mask, look: CurvesLook) -> Iterator[str | None]:
    """Yield the answer read from a shrunk and re-enlarged picture, or None, once for each ink threshold.

    ``gray`` is uint8 (height, width), ``look`` the drawing style. Otsu's threshold is used, because thin strokes and
    narrow gaps turn grey; for black ink on white paper, the fixed threshold of unshrunk pictures is used first.
    """
    for known in (True, False) if _has_known_ink(look) else (False,):
        yield _tree(_ink(gray, look, known)).answer


def _has_known_ink(look: CurvesLook) -> bool:
    """Return True if ink is black and paper is white, so that a fixed threshold separates them."""
    return look.paper == "plain" and look.artefact == "none" and look.ink != "coloured"


def _tree(ink: Mask) -> Reading:
    """Return the nesting tree of the curves in ``ink`` (1 on ink), or the reason for a rejection."""
    if ink[[0, -1]].any() or ink[:, [0, -1]].any():
        return Reading(certifier=CERTIFIER, answer=None, reason="a stroke leaves the canvas")
    contours, hierarchy = cv2.findContours(ink, cv2.RETR_TREE, cv2.CHAIN_APPROX_NONE)
    within: defaultdict[int, list[int]] = defaultdict(list)
    for contour, around in enumerate(hierarchy[0, :, 3].tolist() if contours else ()):
        within[around].append(contour)
    parents: list[int] = []
    smallest = float(ink.size)
    # Of each region, the canvas first: the hole that bounds it, and the number of its curve.
    regions = [(-1, 0)]
    for hole, number in regions:
        for outline in within[hole]:
            inner = [inside for inside in within[outline] if _pixels_within(contours[inside]) >= SPECK_PX]
            if len(inner) > 1:
                return Reading(certifier=CERTIFIER, answer=None, reason="strokes run together")
            if inner:
                parents.append(number)
                regions.append((inner[0], len(parents)))
                smallest = min(smallest, _pixels_within(contours[inner[0]]))
    return Reading(certifier=CERTIFIER, answer=_answer(parents), margin=smallest)


def _pixels_within(hole: cv2.typing.MatLike) -> float:
    """Return the number of pixels strictly inside the contour of a hole (Pick's theorem)."""
    return cv2.contourArea(hole) - len(hole) / 2 + 1


def _ink(gray: Mask, look: CurvesLook, known: bool) -> Mask:
    """Return a mask, 1 on ink: darker than ``MIDDLE`` if the ink is ``known`` to be black, else by Otsu's threshold."""
    if look.artefact != "none":
        gray = np.asarray(cv2.medianBlur(gray, 3), np.uint8)
    return _cleaned((gray < (MIDDLE if known else _otsu(gray))).astype(np.uint8), look)


def _cleaned(ink: Mask, look: CurvesLook) -> Mask:
    """Return ``ink`` without the specks of a noisy style, and with the dashes of a dashed style joined to lines."""
    if look.artefact != "none":
        ink = _without_specks(ink)
    if look.ink == "dashed":
        reach = int(np.ceil(look.dash_px[1] / 2)) + 1
        disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
        ink = np.asarray(cv2.dilate(ink, disc), np.uint8)
    return ink


def _otsu(gray: Mask) -> float:
    """Return the grey below which pixels are ink, by Otsu's method."""
    limit, _ = cv2.threshold(gray, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    return limit + 1.0


def _without_specks(ink: Mask) -> Mask:
    """Return ``ink`` without specks: groups of fewer than ``SPECK_PX`` pixels, of ink or of paper, are inverted."""
    for value in (1, 0):
        count, label = cv2.connectedComponents((ink == value).astype(np.uint8), connectivity=8 if value else 4)
        small = np.bincount(label.ravel(), minlength=count) < SPECK_PX
        small[0] = False
        ink = np.where(small[label], np.uint8(1 - value), ink)
    return ink


def _answer(parents: Sequence[int]) -> str:
    """Return the answer text for the tree in which node ``i + 1`` has the parent ``parents[i]`` (0 is the exterior).

    Parents have smaller numbers than their children. So that the numbering depends on the tree alone, each subtree is
    written as a bracket string, and siblings are visited in descending order of these strings.
    """
    inner: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for node, parent in enumerate(parents, start=1):
        inner[parent].append(node)
    brackets = [""] * len(inner)
    for node in range(len(parents), -1, -1):
        inner[node].sort(key=lambda c: brackets[c])
        brackets[node] = "(" + "".join(brackets[c] for c in reversed(inner[node])) + ")"
    lines = [str(len(parents))]
    stack = [(0, -1)]
    visited = 0
    while stack:
        node, parent = stack.pop()
        if parent >= 0:
            lines.append(f"{visited} {parent}")
        stack.extend((child, visited) for child in inner[node])
        visited += 1
    return "\n".join(lines)
