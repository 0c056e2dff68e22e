"""Pack deep and crowded trees as nested polyominoes, for trees whose rectangles (``packing``) do not fit on the grid.

From the leaves up, the children of a curve are placed one by one, largest first. Each is rotated, mirrored and moved to
the position where the union is nearest to a square and as much of the child's boundary as possible is one cell away
from the children placed before. The curve itself is the outline of the union at a distance of one cell. Such an outline
encloses less than a rectangle would: a small child next to a large one is only a bump on it, and further children can
be placed next to the bump.
"""

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
import numpy.typing as npt
from scipy.ndimage import binary_fill_holes

from planimeter.generators.curves.packing import Labels, least_side, stretched
from planimeter.generators.curves.trees import Parents, children_of

Mask = npt.NDArray[np.uint8]

_RING = np.ones((3, 3), np.uint8)

#: Target ratios of height to width of the shapes of a curve.
_ASPECTS = (1.0, 1.6, 2.4)


def snug_labels(parents: Parents, cells: int, leaf_side: int, fill: float, rng: np.random.Generator) -> Labels | None:
    """Return a label map of the tree as nested polyominoes (``cells`` x ``cells``, 0 = exterior), or None if they do
    not fit.

    ``parents``: numbered in preorder; ``leaf_side``: the longer side of an empty curve, cells; ``fill``: see
    ``packing.seed_labels``. The outermost ring of cells is exterior.
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
    """Return ``inner``, a label map of the children of ``node``, with cells of ``node`` around and between them."""
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
    """Return a mask of the 2 x 2 blocks in which exactly two cells are set, diagonally opposite.

    The mask has one row and column less than ``mask``; a block is marked at its top left cell.
    """
    a, b, c, d = mask[:-1, :-1], mask[:-1, 1:], mask[1:, :-1], mask[1:, 1:]
    return ((a == d) & (b == c) & (a != b)).astype(np.uint8)


def _together(pieces: Sequence[Sequence[Labels]], aspect: float, rng: np.random.Generator) -> Labels:
    """Return a small label map of all children of a curve, a cell apart; its height is near ``aspect`` times its width.

    ``pieces``: for each child, its alternative shapes, of which one is used.
    """
    tries = [_beside(start, pieces[1:], aspect, rng) for start in _positions(pieces[0], rng)]
    return min(tries, key=lambda whole: (max(whole.shape[0], aspect * whole.shape[1]), whole.size))


def _beside(whole: Labels, pieces: Sequence[Sequence[Labels]], aspect: float, rng: np.random.Generator) -> Labels:
    """Return ``whole`` with the ``pieces`` added one by one, each in the shape and position of least cost.

    ``pieces``: for each child, its alternative shapes; cost: see ``_site``.
    """
    for shapes in pieces:
        edge = max(max(shape.shape) for shape in shapes) + 1
        ground = np.pad(whole, edge)
        blocked = np.asarray(cv2.dilate((ground > 0).astype(np.uint8), _RING), np.uint8)
        lane = np.asarray(cv2.dilate(blocked, _RING), np.uint8)
        best, chosen = (np.inf, 0, 0), shapes[0]
        for moved in _positions(shapes, rng):
            site = _site(blocked, lane, _rim(moved > 0), (edge, edge, *whole.shape), aspect, float(rng.random()))
            if site[0] < best[0]:
                best, chosen = site, moved
        _, y, x = best
        ground[y : y + chosen.shape[0], x : x + chosen.shape[1]] += chosen
        rows, columns = np.flatnonzero(ground.any(axis=1)), np.flatnonzero(ground.any(axis=0))
        whole = ground[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return whole


def _positions(shapes: Sequence[Labels], rng: np.random.Generator) -> Iterator[Labels]:
    """Yield each alternative shape of a curve, mirrored at random: as it is, and rotated by 90 degrees.

    A shape of a single cell is yielded once.
    """
    for shape in shapes:
        if shape.size == 1:
            yield shape
            return
        mirrored = shape[::-1] if rng.random() < 0.5 else shape
        yield mirrored
        yield np.rot90(mirrored)


def _rim(mask: npt.NDArray[np.bool_]) -> Mask:
    inner = cv2.erode(np.pad(mask, 1).astype(np.uint8), _RING)[1:-1, 1:-1] > 0
    return (mask & ~inner).astype(np.uint8)


def _site(
    blocked: Mask, lane: Mask, rim: Mask, whole: tuple[int, int, int, int], aspect: float, chance: float
) -> tuple[float, int, int]:
    """Return (cost, y, x) of the cheapest position for a shape next to those placed; if there is none, cost is
    infinite.

    ``rim``: the boundary cells of the shape, none of which may cover a cell of ``blocked``, and at least one of which
    must cover a cell of ``lane``: ``blocked`` enlarged by one cell. Cost ranks by the longer side of the union with the
    placed shapes, then by its shorter side, then by the number of boundary cells that cover no cell of ``lane``.
    ``whole``: top, left, height and width of the placed shapes; ``chance``: a random number from 0 to 1 that chooses
    among equal costs.
    """
    contact, overlap = (np.rint(cv2.matchTemplate(mask, rim, cv2.TM_CCORR)) for mask in (lane, blocked))
    top, left, height, width = whole
    y, x = np.arange(contact.shape[0])[:, None], np.arange(contact.shape[1])
    tall = np.maximum(y + rim.shape[0], top + height) - np.minimum(y, top)
    wide = (np.maximum(x + rim.shape[1], left + width) - np.minimum(x, left)) * aspect
    costs = 1e6 * np.maximum(tall, wide) + 1e3 * np.minimum(tall, wide) - contact
    costs[(overlap > 0) | (contact == 0)] = np.inf
    first = int(chance * costs.size)
    at = (first + int(np.roll(costs, -first).argmin())) % costs.size
    return float(costs.flat[at]), *divmod(at, costs.shape[1])
