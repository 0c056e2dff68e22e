"""The similarity of drawings of curves to published test items: their correlation on a small grid.

It approximates the similarity in ``generators.curves.signatures`` on a grid of half as many cells a side, each one of
15 integers, so that a drawing takes 0.6 kB instead of 4 kB. For 705 drawings and distorted copies of them, the
approximation was 0.02 higher on average, and never lower where the exact similarity is below 0.85. So at the limits of
published datasets, 0.6 and 0.8, it rejects each drawing that the exact similarity rejects, and a few more. A drawing is
compared with the test items of all configs; the limit is that of the test item's config.
"""

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from planimeter.filters.verdict import Verdict
from planimeter.generators.curves.signatures import SIDE, Signature, pack, signature
from planimeter.items.values import Row
from planimeter.suites.base import Recipe
from planimeter.suites.editions import Likeness, refusal

HALF = SIDE // 2
#: Levels on either side of zero, and levels per standard deviation.
STEPS, SCALE = 7, 2.5
#: Cells on a side of a block, and a tolerance for the rounding of similarities.
_BLOCK, _SLACK = 2, 1e-9

Grids = npt.NDArray[np.int16]
Floats = npt.NDArray[np.float64]


def likeness(config: str, row: Row) -> Likeness:
    """Return the part of a row that is compared with test items: ``config``, and the drawing's packed signature."""
    return Likeness(config, packed(signature([np.asarray(curve) for curve in row["curves"]])))


def packed(drawing: Signature) -> bytes:
    """Return ``drawing``, reduced to a grid of ``HALF * HALF`` integers from -``STEPS`` to ``STEPS``, as int8 bytes."""
    # Whole numbers: their sums do not depend on the order.
    cells = np.frombuffer(pack(drawing), np.int8).astype(np.int64).reshape(HALF, 2, HALF, 2).sum(axis=(1, 3))
    deviation = math.sqrt(max(int((cells * cells).sum()), 1) / cells.size)
    return np.clip(np.rint(cells * (SCALE / deviation)), -STEPS, STEPS).astype(np.int8).tobytes()


class Alike:
    """A judge that rejects a drawing if its similarity to a stored test item reaches the limit of that item.

    ``limits``: config of a test item -> limit. As in ``filters.curves.likeness``, an upper bound of the
    dot product of two grids excludes nearly all test items. For grids split into block means and remainders, it is the
    dot product of the means plus the product of the norms of the remainders.
    """

    def __init__(self, items: Iterable[Likeness], limits: Mapping[str, float]) -> None:
        held = list(items)
        self._limits = np.array([limits[pool] for pool, _ in held])
        self._grids = _grids(drawing for _, drawing in held)
        self._norms = _norm(self._grids)
        #: As float32, for speed: each drawing is compared with all of them.
        self._sums = _sums(self._grids).astype(np.float32)
        self._left = _left(self._norms, self._sums)

    def judge(self, item: Likeness) -> Verdict:
        """Return a verdict that accepts ``item`` if its similarity to each test item is below that item's limit.

        ``measured`` is the similarity that exceeds its limit most or is nearest to it; 0 if the bound excludes all.
        """
        grid = _grids([item.signature])
        norm, sums = _norm(grid), _sums(grid)
        most = _greatest_products(self._sums, _views(sums)) / _BLOCK**2 + self._left * _left(norm, sums)
        near = np.flatnonzero(most >= (self._limits - _SLACK) * self._norms * norm)
        if not len(near):
            return refusal(0.0, float(self._limits.min()), refused=False)
        similarities = _greatest_products(self._grids[near].astype(np.float32), _views(grid)) / (
            self._norms[near] * norm
        )
        worst = int((similarities - self._limits[near]).argmax())
        measured, limit = float(similarities[worst]), float(self._limits[near[worst]])
        return refusal(measured, limit, refused=measured >= limit)


def _grids(drawings: Iterable[bytes]) -> Grids:
    return np.frombuffer(b"".join(drawings), np.int8).astype(np.int16).reshape(-1, HALF * HALF)


def _norm(grids: Grids) -> Floats:
    return np.maximum(np.sqrt((grids.astype(np.float64) ** 2).sum(axis=1)), 1.0)


def _sums(grids: Grids) -> Grids:
    """Return the sums over the blocks of each of the n ``grids``, (n, blocks)."""
    blocks = grids.reshape(-1, HALF // _BLOCK, _BLOCK, HALF // _BLOCK, _BLOCK)
    return blocks.sum(axis=(2, 4), dtype=np.int16).reshape(len(grids), -1)


def _left(norms: Floats, sums: npt.NDArray[Any]) -> Floats:
    """Return the norm of each grid minus its block means, from ``norms`` (of the grids) and ``sums`` (of blocks)."""
    squares: Floats = norms**2 - (sums.astype(np.float64) ** 2).sum(axis=1) / _BLOCK**2
    return np.sqrt(np.maximum(squares, 0.0))


def _views(grid: Grids) -> Grids:
    """Return one square grid under each of the eight symmetries of the square, (8, cells)."""
    return grid[0, _symmetries(grid.size)]


@lru_cache
def _symmetries(cells: int) -> npt.NDArray[np.intp]:
    square = np.arange(cells).reshape(-1, math.isqrt(cells))
    views = [np.rot90(view, turns) for view in (square, square[:, ::-1]) for turns in range(4)]
    return np.stack(views).reshape(8, -1)


def _greatest_products(held: npt.NDArray[np.float32], views: Grids) -> Floats:
    """Return, for each row of ``held`` (n, cells), its greatest dot product with one of ``views`` (8, cells).

    All products are integers below 2**24, which float32 represents exactly.
    """
    # Not "@": BLAS would start threads for each call.
    products = np.vecdot(held[:, None], views.astype(np.float32))
    return products.max(axis=1).astype(np.float64)


def judge_of(items: Iterable[Likeness], recipe: Recipe) -> Alike:
    """Return the judge that rejects drawings similar to one of ``items``, the published test items.

    The limit of an item is ``similarity`` in the table of its config in ``recipe``.
    """
    held = list(items)
    return Alike(held, {pool: getattr(recipe, pool).similarity for pool, _ in held})
