"""Reads the tree of nested curves off the PNG alone: strokes and regions as connected components, and who touches whom.

Ink falls apart into strokes and paper into regions. A stroke that touches two regions is a closed curve between them;
one that touches a single region is an open arc and bounds nothing; one that touches three is two curves run together,
and the picture does not decide. Regions and curves form a tree, which is walked from the corner of the canvas.

CurveBench's own extraction (Otsu, a 3 x 3 erosion, ``findContours`` with its hierarchy) erases strokes of 3.3 px and
less and takes both edges of a stroke for curves unless the nesting parity is right; nothing here erodes.
"""

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from generators.items import CurvesLook, Reading

CERTIFIER = "curves-components"

#: Paper enclosed in fewer pixels is a speck at an acute corner, not a region.
SPECK_PX = 12

Mask = npt.NDArray[np.uint8]


def read(png: bytes, look: CurvesLook | None = None) -> Reading:
    """Return the answer that the picture shows: the number of curves, then ``u v`` lines, canonically numbered.

    ``look``: what kind of picture the recipe promises (not what it shows); plain black on white if not given. The
    margin of the reading is the area (px) of its smallest region.
    """
    ink = _ink(png, look or CurvesLook())
    if ink is None:
        return Reading(certifier=CERTIFIER, answer=None, reason="no picture")
    strokes, stroke_of = cv2.connectedComponents(ink, connectivity=8)
    regions, region_of = cv2.connectedComponents(1 - ink, connectivity=4)
    areas = np.bincount(region_of.ravel(), minlength=regions)
    touching = _touching(ink, stroke_of, region_of, (strokes, regions))
    solid = areas >= SPECK_PX
    neighbours: list[list[int]] = [[] for _ in range(regions)]
    for stroke in range(1, strokes):
        sides = [r for r in touching[stroke] if solid[r]]
        if len(sides) > 2:
            return Reading(certifier=CERTIFIER, answer=None, reason="strokes run together")
        if len(sides) == 2:
            neighbours[sides[0]].append(sides[1])
            neighbours[sides[1]].append(sides[0])
    parents = _walk(neighbours, int(region_of[0, 0]))
    if parents is None or len(parents) + 1 != int(solid[1:].sum()):
        return Reading(certifier=CERTIFIER, answer=None, reason="regions form no tree")
    return Reading(certifier=CERTIFIER, answer=_answer(parents), margin=float(areas[1:][solid[1:]].min()))


def _ink(png: bytes, look: CurvesLook) -> Mask | None:
    """Return 1 where there is ink, else 0."""
    gray = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_GRAYSCALE) if png else None
    if gray is None:
        return None
    if look.artefact != "none":
        gray = cv2.medianBlur(gray, 3)
    limit = 128.0 if look.paper == "plain" and look.artefact == "none" and look.ink != "coloured" else _otsu(gray)
    ink: Mask = (gray < limit).astype(np.uint8)
    if look.artefact != "none":
        ink = _without_specks(ink)
    if look.ink == "dashed":
        reach = int(np.ceil(look.dash_px[1] / 2)) + 1
        ink = cv2.dilate(ink, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1)))
    return ink


def _otsu(gray: Mask) -> float:
    limit, _ = cv2.threshold(gray, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    return limit + 1.0


def _without_specks(ink: Mask) -> Mask:
    """Return ``ink`` without noise: blots in the paper and holes in the strokes of fewer than ``SPECK_PX`` pixels."""
    for value in (1, 0):
        count, label = cv2.connectedComponents((ink == value).astype(np.uint8), connectivity=8 if value else 4)
        small = np.bincount(label.ravel(), minlength=count) < SPECK_PX
        small[0] = False
        ink = np.where(small[label], np.uint8(1 - value), ink)
    return ink


def _touching(
    ink: Mask, stroke_of: npt.NDArray[np.int32], region_of: npt.NDArray[np.int32], counts: tuple[int, int]
) -> list[list[int]]:
    """Return for each stroke the regions with a pixel edge in common, ascending."""
    strokes, regions = counts
    keys = []
    # Both maps are 0 where the other is not: their sums pair up across an edge.
    for near, far in ((np.s_[:, 1:], np.s_[:, :-1]), (np.s_[1:], np.s_[:-1])):
        at = np.flatnonzero((ink[near] != ink[far]).ravel())
        row, column = np.divmod(at, ink[near].shape[1])
        other = (row, column + 1) if ink[near].shape[1] < ink.shape[1] else (row + 1, column)
        stroke = stroke_of[row, column] + stroke_of[other]
        region = region_of[row, column] + region_of[other]
        keys.append(stroke.astype(np.int64) * regions + region)
    touching: list[list[int]] = [[] for _ in range(strokes)]
    for key in np.unique(np.concatenate(keys)).tolist():
        touching[key // regions].append(key % regions)
    return touching


def _walk(neighbours: Sequence[Sequence[int]], exterior: int) -> list[int] | None:
    """Return the parents (node i + 1 under ``parents[i]``, 0 the exterior) of the regions, or None at a cycle."""
    number = {exterior: 0}
    parents: list[int] = []
    queue = [(exterior, -1)]
    for region, origin in queue:
        inner = list(neighbours[region])
        if origin >= 0:
            inner.remove(origin)
        for other in inner:
            if other in number:
                return None
            number[other] = len(number)
            parents.append(number[region])
            queue.append((other, region))
    return parents


def _answer(parents: Sequence[int]) -> str:
    """Return the answer of the tree numbered in preorder, children in descending order of their bracket strings."""
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
