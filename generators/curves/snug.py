"""Snug seeds: deep and crowded trees as nested polyominoes, if ``packing``'s rectangles do not fit the grid.

Bottom up, the children of a curve are placed one by one, largest first, each turned and moved until the whole is
nearest to a square and shares most of its lanes; the curve itself is the outline one cell away from all of them. A
small curve next to a large one costs a rectangle two rows; here it is a bump, and the next one is next to that bump.
"""

from collections.abc import Iterator, Sequence

import cv2
import numba
import numpy as np
import numpy.typing as npt
from scipy.ndimage import binary_fill_holes

from planimeter.generators.curves.packing import Labels, least_side, stretched
from planimeter.generators.curves.trees import Parents, children_of

Mask = npt.NDArray[np.uint8]

_RING = np.ones((3, 3), np.uint8)

#: Target height over width of the shapes of a curve.
_ASPECTS = (1.0, 1.6, 2.4)


def snug_labels(parents: Parents, cells: int, leaf_side: int, fill: float, rng: np.random.Generator) -> Labels | None:
    """Return the label map (``cells`` x ``cells``, 0 = exterior), or None if this packing fails.

    ``leaf_side``: the larger side of an empty curve; ``fill``: see ``packing.seed_labels``. The outermost ring of cells
    is exterior. ``parents`` must be numbered in preorder.
    """
    room = cells - 2
    if least_side(parents, leaf_side * ((leaf_side + 1) // 2)) > room:
        return None
    children = children_of(parents)
    # A few shapes of each curve, from a square to a long one: two squares side by side leave half of a square empty.
    shapes: list[list[Labels]] = [[] for _ in children]
    for node in range(len(parents), -1, -1):
        inner = children[node]
        if not inner:
            side = leaf_side, int(rng.integers((leaf_side + 1) // 2, leaf_side + 1))
            shapes[node] = [np.full(side, node, np.int16)]
        elif len(inner) == 1:
            shapes[node] = shapes[inner[0]]
        else:
            largest_first = sorted(inner, key=lambda c: -np.count_nonzero(shapes[c][0]))
            pieces = [shapes[c] for c in largest_first]
            shapes[node] = [_together(pieces, aspect, rng) for aspect in (_ASPECTS if node else _ASPECTS[:1])]
        if node and inner:
            shapes[node] = [_enclosed(shape, node) for shape in shapes[node]]
        shapes[node] = [shape for shape in shapes[node] if max(shape.shape) <= room]
        if not shapes[node]:
            return None
    smallest = min(shapes[0], key=lambda shape: max(shape.shape))
    return stretched(smallest, cells, round(fill * room), rng)


def _enclosed(inner: Labels, node: int) -> Labels:
    """Return the label map with the cells of ``node`` around and between the curves of ``inner``."""
    whole = cv2.dilate((np.pad(inner, 1) > 0).astype(np.uint8), _RING)
    while True:
        whole = binary_fill_holes(whole).astype(np.uint8)
        crossed = _corner_contacts(whole)
        if not crossed.any():
            break
        whole[:-1, :-1] |= crossed
        whole[1:, :-1] |= crossed
        whole[:-1, 1:] |= crossed
        whole[1:, 1:] |= crossed
    labels = np.pad(inner, 1)
    labels[(whole > 0) & (labels == 0)] = node
    return labels


def _corner_contacts(mask: Mask) -> Mask:
    """Return the places where the 2 x 2 cells from there on are a chequered pattern."""
    a, b, c, d = mask[:-1, :-1], mask[:-1, 1:], mask[1:, :-1], mask[1:, 1:]
    return ((a == d) & (b == c) & (a != b)).astype(np.uint8)


def _together(pieces: Sequence[Sequence[Labels]], aspect: float, rng: np.random.Generator) -> Labels:
    """Return one shape of each piece, all side by side, one cell apart at least; as near to ``aspect`` as possible."""
    tries = [_beside(start, pieces[1:], aspect, rng) for start in _positions(pieces[0], rng)]
    return min(tries, key=lambda whole: (max(whole.shape[0], aspect * whole.shape[1]), whole.size))


def _beside(whole: Labels, pieces: Sequence[Sequence[Labels]], aspect: float, rng: np.random.Generator) -> Labels:
    """Return ``whole`` with one shape of each piece placed next to it, at the least cost."""
    for shapes in pieces:
        edge = max(max(shape.shape) for shape in shapes) + 1
        ground = np.pad(whole, edge)
        blocked = cv2.dilate((ground > 0).astype(np.uint8), _RING)
        lane = cv2.dilate(blocked, _RING)
        best, chosen = (np.inf, 0, 0), shapes[0]
        for moved in _positions(shapes, rng):
            rim = np.argwhere(_rim(moved > 0))
            site = _site(blocked, lane, rim, moved.shape, (edge, edge, *whole.shape), aspect, float(rng.random()))
            if site[0] < best[0]:
                best, chosen = site, moved
        _, y, x = best
        ground[y : y + chosen.shape[0], x : x + chosen.shape[1]] += chosen
        rows, columns = np.flatnonzero(ground.any(axis=1)), np.flatnonzero(ground.any(axis=0))
        whole = ground[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return whole


def _positions(shapes: Sequence[Labels], rng: np.random.Generator) -> Iterator[Labels]:
    """Yield each shape, mirrored or not, in both orientations."""
    for shape in shapes:
        if shape.size == 1:
            yield shape
            return
        mirrored = shape[::-1] if rng.random() < 0.5 else shape
        yield mirrored
        yield np.rot90(mirrored)


def _rim(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    inner: npt.NDArray[np.bool_] = cv2.erode(np.pad(mask, 1).astype(np.uint8), _RING)[1:-1, 1:-1] > 0
    return mask & ~inner


@numba.njit(cache=True)
def _site(blocked, lane, rim, shape, whole, aspect, chance):  # type: ignore[no-untyped-def]
    """Return (cost, y, x) of the cheapest place for a piece: outside ``blocked``, touching ``lane``.

    First comes the longer side of the whole, then the shorter one, then the length of the rim off the existing lanes.
    ``chance``, from 0 to 1, is the start of the search: it decides between equals.
    """
    height, width = blocked.shape[0] - shape[0] + 1, blocked.shape[1] - shape[1] + 1
    best, best_y, best_x = np.inf, 0, 0
    first = int(chance * height * width)
    for step in range(height * width):
        at = (first + step) % (height * width)
        y, x = at // width, at % width
        tall = max(y + shape[0], whole[0] + whole[2]) - min(y, whole[0])
        wide = max(x + shape[1], whole[1] + whole[3]) - min(x, whole[1])
        sides = 1e6 * max(tall, wide * aspect) + 1e3 * min(tall, wide * aspect)
        if sides - len(rim) >= best:
            continue
        contact = 0
        for k in range(len(rim)):
            cell = y + rim[k, 0], x + rim[k, 1]
            if blocked[cell]:
                contact = -1
                break
            contact += lane[cell]
        if contact > 0 and sides - contact < best:
            best, best_y, best_x = sides - contact, y, x
    return best, best_y, best_x
