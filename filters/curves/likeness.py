"""Finds drawings of curves that look alike, whatever their nesting trees; a cheap bound excludes most pairs.

Similarity is the correlation of blurred grids. ``generators.curves.signatures`` computes it; this module does not
implement it again. Its bound: a correlation of grids is at most that of their block means plus the product of the norms
of the remainders (Cauchy-Schwarz inequality). It excludes at least nine tenths of all pairs; only the others are
compared by correlation.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, compress

import numpy as np
import numpy.typing as npt

from planimeter.filters.verdict import Verdict
from planimeter.generators.curves.signatures import SIDE, unpacked, views_of

Floats = npt.NDArray[np.float32]

#: Cells to the side of a block, and blocks to the side of a grid.
_BLOCK, _BLOCKS = 3, SIDE // 3

#: An upper bound of the rounding of a correlation of block means.
_SLACK = 1e-3

#: Drawings of a ``Drawings`` in a large set.
_CHUNK = 256


class Drawings:
    """The packed signatures (blurred grids) of some drawings, with the data for the bound on their similarities.

    The data of each grid, scaled to the norm 1, are its block means (32, 32) and the norm of the remainder.
    """

    def __init__(self, packed: Sequence[bytes]) -> None:
        self.packed = list(packed)
        grids = np.frombuffer(b"".join(packed), np.int8).astype(np.float32).reshape(-1, SIDE, SIDE)
        sums = grids.reshape(-1, _BLOCKS, _BLOCK, _BLOCKS, _BLOCK).sum(axis=(2, 4))
        norms = np.sqrt((grids * grids).sum(axis=(1, 2)))
        self.blocks = sums / (_BLOCK * np.maximum(norms, 1))[:, None, None]
        self.left = np.sqrt(np.maximum(1 - (self.blocks * self.blocks).sum(axis=(1, 2)), 0))

    def like(self, others: "Drawings", least: float) -> Iterator[tuple[int, int, float]]:
        """Yield (index here, index in ``others``, similarity) for each pair whose similarity is ``least`` or more.

        If ``others`` is this object, each pair is yielded once, with the smaller index first.
        """
        bounds = _greatest_products(self.blocks, others.blocks) + np.outer(self.left, others.left)
        if others is self:
            bounds = np.triu(bounds, 1)
        for here, there in np.argwhere(bounds >= least - _SLACK).tolist():
            similarity = _similarity(self.packed[here], others.packed[there])
            if similarity >= least:
                yield here, there, similarity


def alike_pairs(packed: Sequence[bytes], limits: Sequence[float]) -> list[tuple[int, int, float]]:
    """Return (earlier, later, similarity in [0, 1]) for each drawing that is too similar to an earlier one.

    ``packed`` are signatures. Two drawings are too similar if their similarity reaches the higher of their two
    ``limits``, all above 0. If several earlier ones are too similar, the one that exceeds this limit most is returned.
    """
    chunks = [(start, Drawings(packed[start : start + _CHUNK])) for start in range(0, len(packed), _CHUNK)]
    worst: dict[int, tuple[float, int, float]] = {}
    for (first, earlier), (second, later) in combinations_with_replacement(chunks, 2):
        for here, there, similarity in earlier.like(later, min(limits)):
            one, other = first + here, second + there
            excess = similarity - max(limits[one], limits[other])
            if excess >= 0:
                worst[other] = max(worst.get(other, (excess, -one, similarity)), (excess, -one, similarity))
    return [(-one, other, similarity) for other, (_, one, similarity) in sorted(worst.items())]


def _greatest_products(own: Floats, others: Floats) -> Floats:
    """Return (n, m): the greatest scalar product of ``own[i]`` and a rotation or mirror image of ``others[j]``."""
    flat = own.reshape(-1, _BLOCKS * _BLOCKS)
    products = np.full((len(own), len(others)), -np.inf, np.float32)
    for mirrored in (others, others[:, :, ::-1]):
        for turns in range(4):
            view = np.rot90(mirrored, turns, axes=(1, 2)).reshape(-1, _BLOCKS * _BLOCKS)
            np.maximum(products, flat @ view.T, out=products)
    return products


def _similarity(one: bytes, other: bytes) -> float:
    """Return the similarity of two packed signatures, computed from integers that float32 represents exactly."""
    (here, norm), (there, length) = unpacked(one), unpacked(other)
    return float((here @ views_of(there).T).max() / (norm * length))


class NearDuplicates:
    """A filter that judges drawings in order, and rejects each that is too similar to an earlier one that it kept."""

    def __init__(self) -> None:
        self._kept: list[Drawings] = []

    def judge(self, packed: Sequence[bytes], limit: float) -> list[Verdict]:
        """Return the verdicts on the next drawings, ``packed``, compared with all earlier drawings that were kept.

        A drawing is kept if its similarity to each kept one is less than ``limit``. ``measured`` is the greatest
        similarity if that reaches ``limit``, else 0.
        """
        block = Drawings(packed)
        earlier = [(there, similarity) for held in self._kept for _, there, similarity in held.like(block, limit)]
        among = list(block.like(block, limit))
        verdicts: list[Verdict] = []
        for number in range(len(packed)):
            similar = [similarity for there, similarity in earlier if there == number]
            similar += [similarity for here, there, similarity in among if there == number and verdicts[here].kept]
            greatest = max(similar, default=0.0)
            reason = "looks like an earlier row" if greatest else ""
            verdicts.append(
                Verdict(check="near-duplicate", kept=not reason, measured=greatest, limit=limit, reason=reason)
            )
        self._kept.append(Drawings(list(compress(packed, (verdict.kept for verdict in verdicts)))))
        return verdicts
