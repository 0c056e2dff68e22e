"""Reads the tree of nested curves off the PNG alone: strokes and regions as connected components, and who touches whom.

Ink falls apart into strokes and paper into regions. A stroke that touches two regions is a closed curve between them;
one that touches a single region is an open arc and bounds nothing; one that touches three is two curves run together,
and the picture does not decide. Regions and curves form a tree, which is walked from the corner of the canvas.

CurveBench's own extraction (Otsu, a 3 x 3 erosion, ``findContours`` with its hierarchy) erases strokes of 3.3 px and
less and takes both edges of a stroke for curves unless the nesting parity is right; nothing here erodes.
"""

from collections.abc import Iterator, Sequence

import cv2
import numba
import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.png import greys
from planimeter.filters.certify.union_find import root_of
from planimeter.items import CurvesLook, Reading

CERTIFIER = "curves-components"

#: Paper enclosed in fewer pixels is a speck at an acute corner, not a region.
SPECK_PX = 12

#: Black ink is darker than this grey, white paper is not.
MIDDLE = 128

Mask = npt.NDArray[np.uint8]


def read(png: bytes, look: CurvesLook | None = None) -> Reading:
    """Return the answer that the picture shows: the number of curves, then ``u v`` lines, canonically numbered.

    ``look``: what kind of picture the recipe promises (not what it shows); plain black on white if not given. The
    margin of the reading is the area (px) of its smallest region.
    """
    look = look or CurvesLook()
    known = _has_known_ink(look)
    seen = greys(png, below=MIDDLE if known else None)
    if seen is None:
        return Reading(certifier=CERTIFIER, answer=None, reason="no picture")
    return _tree(_whole(seen, look) if known else _ink(seen, look, known))


def read_shrunk(gray: Mask, look: CurvesLook) -> Iterator[str | None]:
    """Yield the answers that a picture shows which was made smaller and enlarged again: ``gray`` (height, width).

    The first takes the ink as in the native size, the other whatever is darker than the middle between ink and paper:
    thin strokes are grey then, and narrow gaps too.
    """
    for known in (True, False) if _has_known_ink(look) else (False,):
        yield _tree(_ink(gray, look, known)).answer


def _has_known_ink(look: CurvesLook) -> bool:
    """Return whether black is ink and white is paper."""
    return look.paper == "plain" and look.artefact == "none" and look.ink != "coloured"


def _tree(ink: Mask) -> Reading:
    areas, sides, torn = _components(ink)
    if torn:
        return Reading(certifier=CERTIFIER, answer=None, reason="strokes run together")
    neighbours: list[list[int]] = [[] for _ in range(len(areas))]
    for a, b in sides.tolist():
        neighbours[a].append(b)
        neighbours[b].append(a)
    solid = areas >= SPECK_PX
    parents = _walk(neighbours, 0)
    if parents is None or len(parents) + 1 != int(solid.sum()):
        return Reading(certifier=CERTIFIER, answer=None, reason="regions form no tree")
    return Reading(certifier=CERTIFIER, answer=_answer(parents), margin=float(areas[solid].min()))


def _ink(gray: Mask, look: CurvesLook, known: bool) -> Mask:
    """Return 1 where there is ink, else 0; ``known``: it is what is darker than the middle grey."""
    if look.artefact != "none":
        gray = np.asarray(cv2.medianBlur(gray, 3), np.uint8)
    return _whole((gray < (MIDDLE if known else _otsu(gray))).astype(np.uint8), look)


def _whole(ink: Mask, look: CurvesLook) -> Mask:
    """Return ``ink`` without noise, and its dashes joined."""
    if look.artefact != "none":
        ink = _without_specks(ink)
    if look.ink == "dashed":
        reach = int(np.ceil(look.dash_px[1] / 2)) + 1
        disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
        ink = np.asarray(cv2.dilate(ink, disc), np.uint8)
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


def _components(ink: Mask) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], bool]:
    """Return the areas of all regions, the pair of regions beside each closed stroke, and whether any has three.

    Region 0 is the one in the upper left corner. Strokes are 8-connected, regions 4-connected; specks count as nothing.
    """
    areas, sides, torn = _scan(np.ascontiguousarray(ink), SPECK_PX)
    return areas, sides, bool(torn)


@numba.njit(cache=True)
def _scan(ink, speck):  # type: ignore[no-untyped-def]
    """Connected components by union-find over the runs of each row: thousands of runs instead of a million pixels."""
    start, first = _runs(ink)
    link, touch = _joined(ink, start, first)
    number, areas, strokes = _numbered(ink, start, first, link)
    beside = np.full((strokes, 2), -1)
    torn = False
    for inked, bare in touch:
        stroke, region = number[inked], number[bare]
        if areas[region] < speck or region == beside[stroke, 0] or region == beside[stroke, 1]:
            continue
        if beside[stroke, 0] < 0:
            beside[stroke, 0] = region
        elif beside[stroke, 1] < 0:
            beside[stroke, 1] = region
        else:
            torn = True
    return areas, beside[beside[:, 1] >= 0], torn


@numba.njit(cache=True)
def _runs(ink):  # type: ignore[no-untyped-def]
    """Return the first column of each run of equal pixels, and the index of each row's first run."""
    height, width = ink.shape
    # Eight equal pixels at once, as most are, where rows are made of whole words.
    whole = width // 8 if width % 8 == 0 else 0
    words = ink.reshape(-1)[: 8 * whole * height].view(np.uint64)
    start = np.empty(ink.size, np.int64)
    first = np.empty(height + 1, np.int64)
    run = 0
    for y in range(height):
        last = ink[y, 0]
        first[y], start[run] = run, 0
        run += 1
        for word in range(whole):
            if words[y * whole + word] == last * np.uint64(0x0101010101010101):
                continue
            for x in range(8 * word, 8 * word + 8):
                if ink[y, x] != last:
                    last, start[run] = ink[y, x], x
                    run += 1
        for x in range(8 * whole, width):
            if ink[y, x] != last:
                last, start[run] = ink[y, x], x
                run += 1
    first[height] = run
    return start[:run].copy(), first


@numba.njit(cache=True)
def _joined(ink, start, first):  # type: ignore[no-untyped-def]
    """Return the union-find links of all runs, and the pairs of runs that share a pixel edge, of ink and of paper."""
    height, width = ink.shape
    link = np.arange(len(start))
    touch = np.empty((4 * len(start), 2), np.int64)
    touches = 0
    for y in range(height):
        k = first[y - 1] if y else 0
        for r in range(first[y], first[y + 1]):
            left, right = start[r], start[r + 1] if r + 1 < first[y + 1] else width
            inked = int(ink[y, left] != 0)
            if r > first[y]:
                touch[touches, inked], touch[touches, 1 - inked] = r - 1, r
                touches += 1
            if y == 0:
                continue
            # The run above that holds column left - 1: diagonal neighbours count for ink.
            while k > first[y - 1] and start[k] > left - 1:
                k -= 1
            while k + 1 < first[y] and start[k + 1] <= left - 1:
                k += 1
            while k < first[y] and start[k] <= right:
                end = start[k + 1] if k + 1 < first[y] else width
                edge = start[k] < right and end > left
                if ink[y - 1, start[k]] != ink[y, left]:
                    if edge:
                        touch[touches, inked], touch[touches, 1 - inked] = k, r
                        touches += 1
                elif edge or ink[y, left]:
                    a, b = root_of(link, k), root_of(link, r)
                    link[max(a, b)] = min(a, b)
                k += 1
            k -= 1
    return link, touch[:touches]


@numba.njit(cache=True)
def _numbered(ink, start, first, link):  # type: ignore[no-untyped-def]
    """Return each run's region or stroke (numbered by first runs), the regions' areas, and the number of strokes."""
    height, width = ink.shape
    number = np.full(len(start), -1)
    areas = np.zeros(len(start), np.int64)
    regions = strokes = 0
    for y in range(height):
        for r in range(first[y], first[y + 1]):
            paper = ink[y, start[r]] == 0
            root = root_of(link, r)
            if number[root] < 0:
                number[root] = regions if paper else strokes
                regions += paper
                strokes += not paper
            number[r] = number[root]
            if paper:
                areas[number[r]] += (start[r + 1] if r + 1 < first[y + 1] else width) - start[r]
    return number, areas[:regions], strokes


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
