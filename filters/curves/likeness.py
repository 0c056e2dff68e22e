"""Which drawings look alike: an exact search that compares few of them in full.

What likeness is, a correlation of blurred grids, is defined by ``generators.curves.signatures`` and shared: a second
program could only copy its constants.

Two drawings have 8 * 9216 products to add, for each symmetry of the square. So the lowest frequencies of their grids
are compared first: a turn by a right angle or a mirror image only swaps them or turns their signs, and what they leave
of the similarity is at most the product of what they leave of the two lengths (Cauchy and Schwarz). Only pairs that may
be similar enough are compared in full, so that the answer is that of comparing all. The number of pairs grows with the
square of the drawings even so, each at a fiftieth of the work.
"""

import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Self

import numpy as np
import numpy.typing as npt

from planimeter.generators.curves.signatures import SIDE, unpacked, views_of

Floats = npt.NDArray[np.float32]

#: Drawings that are compared with all earlier ones at once.
_AT_ONCE = 64

#: Drawings that those are compared with at once.
_CHUNK = 4096

#: Half waves to a side: those of at most so many in both directions together are compared first. They hold some 0.85 of
#: the square of a length.
_REACH = 28

#: More than the bound errs by, in float32.
_SLACK = 1e-4

#: By how many half waves there are along the two axes: both even, both odd, even and odd, odd and even. The last two
#: are in one order, so that swapping the axes swaps them.
_LOW = [(v, u) for v in range(_REACH + 1) for u in range(_REACH + 1) if v * v + u * u <= _REACH * _REACH]
_PARITIES = [np.array([pair for pair in _LOW if (pair[0] % 2, pair[1] % 2) == odd]) for odd in ((0, 0), (1, 1), (0, 1))]
_PARITIES.append(_PARITIES[2][:, ::-1])
_CLASSES = np.cumsum([0, *map(len, _PARITIES)]).tolist()
_ROWS, _COLUMNS = np.vstack(_PARITIES).T
#: The number of each frequency with its axes swapped.
_PLACES = {pair: number for number, pair in enumerate(zip(_ROWS.tolist(), _COLUMNS.tolist(), strict=True))}
_SWAPPED = np.array([_PLACES[column, row] for row, column in _PLACES])

#: The cosine transform, (half waves, cells).
_WAVES = np.sqrt(2 / SIDE) * np.cos(np.pi / SIDE * np.outer(np.arange(_REACH + 1), np.arange(SIDE) + 0.5))
_WAVES[0] /= np.sqrt(2)


class Drawings:
    """Drawings in order, some 8 kB each."""

    def __init__(self, packed: Sequence[bytes] = ()) -> None:
        """Hold ``packed`` signatures."""
        self._packed = [zlib.compress(one, 1) for one in packed]
        self._low = np.empty((len(packed), len(_LOW)), np.float32)
        self._rest = np.empty(len(packed), np.float32)
        for number, one in enumerate(packed):
            grid, norm = unpacked(one)
            low = (_WAVES @ (grid.reshape(SIDE, SIDE) / float(norm)) @ _WAVES.T)[_ROWS, _COLUMNS]
            self._low[number], self._rest[number] = low, np.sqrt(max(1.0 - float(low @ low), 0.0))

    def __len__(self) -> int:
        return len(self._packed)

    def like(self, others: Self, least: npt.ArrayLike) -> list[list[tuple[int, float]]]:
        """Return for each of ``others`` the drawings here that are at least so similar to it: place and similarity.

        ``least``: (others,) or one for all, above 0.
        """
        found: list[list[tuple[int, float]]] = [[] for _ in range(len(others))]
        wanted = np.broadcast_to(np.asarray(least, np.float64), len(others))
        for start in range(0, len(self), _CHUNK):
            bound = self._bound(slice(start, min(start + _CHUNK, len(self))), others)
            for here, there in np.argwhere(bound >= wanted - _SLACK).tolist():
                similarity = self._similarity(start + here, others, there)
                if similarity >= wanted[there]:
                    found[there].append((start + here, similarity))
        return found

    def extend(self, others: Self, kept: Sequence[bool]) -> None:
        """Add those of ``others`` that are ``kept``."""
        chosen, held = np.flatnonzero(kept), len(self)
        if held + len(chosen) > len(self._low):
            room = 2 * held + len(others) - len(self._low)
            self._low = np.vstack([self._low, np.empty((room, len(_LOW)), np.float32)])
            self._rest = np.concatenate([self._rest, np.empty(room, np.float32)])
        self._low[held : held + len(chosen)] = others._low[chosen]
        self._rest[held : held + len(chosen)] = others._rest[chosen]
        self._packed += [others._packed[number] for number in chosen]

    def _bound(self, rows: slice, others: Self) -> Floats:
        """Return (rows, others): what no similarity exceeds."""
        low, theirs = self._low[rows], others._low[: len(others)]
        even, odd, across, down = (slice(*ends) for ends in pairwise(_CLASSES))
        # The axes of the others as they are, and swapped.
        swapped = _swapped(theirs)
        best = np.full((len(low), len(theirs)), -np.inf, np.float32)
        for view in (theirs, swapped):
            same = low[:, even] @ view[:, even].T
            both, one, other = (low[:, part] @ view[:, part].T for part in (odd, across, down))
            best = np.maximum(best, same + both + abs(one + other))
            best = np.maximum(best, same - both + abs(one - other))
        return best + np.outer(self._rest[rows], others._rest[: len(others)])

    def _similarity(self, place: int, others: Self, other: int) -> float:
        (here, norm), (there, length) = (
            unpacked(zlib.decompress(packed)) for packed in (self._packed[place], others._packed[other])
        )
        return float((here @ views_of(there).T).max() / (norm * length))


def _swapped(low: Floats) -> Floats:
    """Return ``low`` (drawings, frequencies) of the drawings with their axes swapped."""
    return low[:, _SWAPPED]


def alike_pairs(packed: Sequence[bytes], limits: npt.NDArray[np.float64]) -> list[tuple[int, int, float]]:
    """Return (earlier, later, similarity in [0, 1]) for each drawing that is too similar to an earlier one.

    ``packed`` are the drawings' packed signatures. Two may be less similar than the higher of their ``limits``
    (drawings,). Of the earlier ones that is named which exceeds it the most.
    """
    return list(_alike_pairs(packed, limits))


def _alike_pairs(packed: Sequence[bytes], limits: npt.NDArray[np.float64]) -> Iterator[tuple[int, int, float]]:
    held = Drawings()
    for start in range(0, len(packed), _AT_ONCE):
        block = Drawings(packed[start : start + _AT_ONCE])
        held.extend(block, [True] * len(block))
        for later, found in enumerate(held.like(block, limits[start : start + _AT_ONCE]), start=start):
            excess = {one: similarity - max(limits[one], limits[later]) for one, similarity in found if one < later}
            if excess and max(excess.values()) >= 0:
                worst = max(excess, key=lambda one: (excess[one], -one))
                yield worst, later, dict(found)[worst]
