"""Which drawings look alike: an exact search that compares few of them in full.

What likeness is, a correlation of blurred grids, is defined by ``generators.curves.signatures`` and shared: a second
program could only copy its constants.

In full, two drawings have 9216 products to add for each symmetry of the square. A few numbers of each, the components
of its grid along a few directions, bound their similarity: what the components leave of the two grids adds at most the
product of the two lengths left (Cauchy and Schwarz). Pairs pass three steps, each dearer than the one before:

1. The strongest components, some 300 products for a pair with all its symmetries, by products of matrices.
2. All components that are kept: those of the cosine transform up to ``_REACH``, some 0.85 of the square of a length.
3. The grids. Here alone it is decided what is alike, by sums of whole numbers, which are the same on every machine.

A symmetry of the square turns the signs of components, or swaps those along one axis with those along the other. Sums
and differences of two that are swapped only change their signs, so that six products give all 8 similarities. As more
drawings come, the directions are turned to where these differ the most (principal components), so that fewer will do.

The work still grows with the square of the drawings. No tree over them would leave anything out: to each other, they
are as good as at right angles (their similarity is 0.08, give or take 0.04), so that all are equally far from all.
"""

import math
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Self

import numba
import numpy as np
import numpy.typing as npt

from planimeter.generators.curves.signatures import SIDE, unpacked, views_of

Floats = npt.NDArray[np.float32]
Whole = npt.NDArray[np.int16]

#: Drawings that are compared at once, and the number of earlier ones that they are compared with at once.
_AT_ONCE, _CHUNK = 256, 1024

#: Half waves to a side: components of at most so many in both directions together are kept.
_REACH = 28

#: Components are kept in whole steps, so many to 1; rounding does not take one of 1 out of 16 bits.
_UNIT = 32000

#: Directions are turned when there are so many drawings, and whenever there are so many times as many; by how many.
_TURNED, _AGAIN, _SAMPLE = 1024, 8, 4096

#: More than rounding to steps, five times for four million drawings, moves the components of a drawing, as a length.
_ERROR = 2.5e-3

#: More than it adds to a product of two drawings.
_SLACK = 3 * _ERROR

#: The first step takes more components next time where it leaves more than the one share of the pairs, and fewer below
#: the other; how many fewer, and the least share of them that it takes.
_MANY, _FEW, _STEP, _LEAST = 0.005, 0.001, 15 / 16, 1 / 16


def _half_waves() -> list[npt.NDArray[np.intp]]:
    """Return the half waves of the components along both axes, (2, components), by classes.

    Both even, and both odd: sums of two that are swapped, and differences. Even and odd; odd and even, in one order.
    """
    reach = range(_REACH + 1)
    v, u = low = np.array([(v, u) for v in reach for u in reach if v * v + u * u <= _REACH * _REACH]).T
    both = [(v % 2 == odd) & (u % 2 == odd) for odd in (0, 1)]
    mixed = low[:, (v % 2 == 0) & (u % 2 == 1)]
    return [low[:, odd & half] for odd in both for half in (v <= u, v < u)] + [mixed, mixed[::-1]]


_CLASSES = _half_waves()
_ENDS = np.cumsum([0, *(waves.shape[1] for waves in _CLASSES)])
_PARTS = [slice(*ends) for ends in pairwise(_ENDS.tolist())]
#: How many components there are of each class, and whether it is one of the last two.
_SIZES = [(waves.shape[1], number > 3) for number, waves in enumerate(_CLASSES)]
_STRAIGHT = [np.eye(waves.shape[1]) for waves in _CLASSES]

#: The cosine transform, (half waves, cells).
_WAVES = np.sqrt(2 / SIDE) * np.cos(np.pi / SIDE * np.outer(np.arange(_REACH + 1), np.arange(SIDE) + 0.5))
_WAVES[0] /= np.sqrt(2)


class Drawings:
    """Drawings in order, some 7 kB each."""

    def __init__(self, packed: Iterable[bytes] = ()) -> None:
        """Hold ``packed`` signatures."""
        self._packed = list[bytes]()
        #: Components in steps, and the length that they leave, (_CHUNK, components + 1) each.
        self._chunks = list[Whole]()
        #: The directions of each class: columns, as sums of cosines.
        self._axes = _STRAIGHT
        self._last_turn = 0
        #: The share of the components that the first step compares.
        self._share = 1.0
        for signature in packed:
            self._add(zlib.compress(signature, 1), _components(*unpacked(signature)))

    def __len__(self) -> int:
        return len(self._packed)

    def like(self, others: Self, least: npt.ArrayLike) -> list[list[tuple[int, float]]]:
        """Return for each of ``others`` the drawings here that are at least so similar to it: place and similarity.

        ``least``: (others,) or one for all, above 0. Where ``others`` are these drawings, only earlier ones are named.
        """
        self._turn()
        wanted = np.broadcast_to(np.asarray(least, np.float64), len(others))
        before = np.arange(len(self)) if others is self else np.full(len(others), len(self))
        return self._like(others._packed, self._components_of(others), wanted, before)

    def alike_pairs(self, limits: npt.NDArray[np.float64]) -> list[tuple[int, int, float]]:
        """Return (earlier, later, similarity in [0, 1]) for each drawing that is too similar to an earlier one.

        Two may be less similar than the higher of their ``limits`` (drawings,). Among the
        earlier ones, the one that exceeds it the most is returned.
        """
        self._turn()
        return list(self._alike_pairs(limits))

    def extend(self, others: Self, kept: Sequence[bool]) -> None:
        """Add those of ``others`` that are ``kept``."""
        seen = self._components_of(others)
        for number in np.flatnonzero(kept).tolist():
            self._add(others._packed[number], seen[number])

    def _add(self, packed: bytes, components: Whole) -> None:
        if len(self) % _CHUNK == 0:
            self._chunks.append(np.zeros((_CHUNK, len(components)), np.int16))
        self._chunks[-1][len(self) % _CHUNK] = components
        self._packed.append(packed)

    def _rows(self, start: int, stop: int) -> Whole:
        """Return the components of the drawings of one chunk."""
        return self._chunks[start // _CHUNK][start % _CHUNK :][: stop - start]

    def _alike_pairs(self, limits: npt.NDArray[np.float64]) -> Iterator[tuple[int, int, float]]:
        for start in range(0, len(self), _AT_ONCE):
            rows = slice(start, min(start + _AT_ONCE, len(self)))
            before = np.arange(rows.start, rows.stop)
            block = self._like(self._packed[rows], self._rows(rows.start, rows.stop), limits[rows], before)
            for later, similar in enumerate(block, start=start):
                excess = {earlier: similarity - max(limits[earlier], limits[later]) for earlier, similarity in similar}
                if excess and max(excess.values()) >= 0:
                    worst = max(excess, key=lambda earlier: (excess[earlier], -earlier))
                    yield worst, later, dict(similar)[worst]

    def _like(
        self,
        packed: Sequence[bytes],
        theirs: Whole,
        wanted: npt.NDArray[np.float64],
        before: npt.NDArray[np.intp],
    ) -> list[list[tuple[int, float]]]:
        """Return what ``like`` does for drawings with components ``theirs``, of as many of the first as ``before``."""
        similar: list[list[tuple[int, float]]] = [[] for _ in packed]
        thresholds = (wanted - _SLACK).astype(np.float32)
        # Allocated once: the system takes longer to hand out memory than the products take.
        buffers = [np.empty(_CHUNK * len(theirs) * (1 + mixed), np.float32) for _, mixed in _SIZES]
        for start in range(0, max(before, default=0), _CHUNK):
            ours = self._rows(start, min(start + _CHUNK, max(before)))
            # Half as many of the last two classes, which have twice as many products for each.
            few = [math.ceil(self._share * size / (1 + mixed)) for size, mixed in _SIZES]
            (here, left), (there, their_left) = (_strongest(low, _ENDS, np.array(few)) for low in (ours, theirs))
            ends = np.cumsum(few)[:-1]
            *others, across, down = np.hsplit(there, ends)
            # Even and odd may meet odd and even.
            mixed = np.vstack([across, down])
            of_each = zip(np.hsplit(here, ends), [*others, mixed, mixed], buffers, strict=True)
            products = tuple(np.matmul(one, other.T, out=_shaped(out, one, other)) for one, other, out in of_each)
            bounds = products, left, their_left, thresholds
            pairs, passed = _may_be_alike(*bounds, ours, theirs, before - start, _ENDS)
            share = passed / (len(ours) * len(theirs))
            self._share *= _STEP if share < _FEW and self._share > _LEAST else 1 / _STEP if share > _MANY else 1
            self._share = min(self._share, 1.0)
            for number, query in pairs:
                similarity = _similarity(self._packed[start + number], packed[query])
                if similarity >= wanted[query]:
                    similar[query].append((start + number, similarity))
        return similar

    def _components_of(self, others: Self) -> Whole:
        """Return the components of ``others`` along our directions."""
        components = np.vstack([*others._chunks, np.empty((0, _ENDS[-1] + 1), np.int16)])[: len(others)]
        for part, axes, theirs in zip(_PARTS, self._axes, others._axes, strict=True):
            if axes is not theirs:
                components[:, part] = _turned(components[:, part], theirs.T @ axes)
        return components

    def _turn(self) -> None:
        """Turn the directions to the principal axes of the drawings, where these are many more than the last time."""
        if len(self) < max(_TURNED, _AGAIN * self._last_turn):
            return
        self._last_turn = len(self)
        chosen = range(0, len(self), -(-len(self) // _SAMPLE))
        sample = np.stack([self._chunks[number // _CHUNK][number % _CHUNK] for number in chosen]) / _UNIT
        squares = [sample[:, part].T @ sample[:, part] for part in _PARTS]
        # Symmetries swap the last two classes, which have the same axes therefore.
        squares[4] = squares[5] = squares[4] + squares[5]
        turns = [np.linalg.eigh(square)[1][:, ::-1] for square in squares]
        self._axes = [axes @ turn for axes, turn in zip(self._axes, turns, strict=True)]
        for chunk in self._chunks:
            for part, turn in zip(_PARTS, turns, strict=True):
                chunk[:, part] = _turned(chunk[:, part], turn)


def _components(grid: Floats, norm: np.float32) -> Whole:
    """Return what is kept of a grid (SIDE * SIDE,) with this norm."""
    straight = _WAVES @ (grid.reshape(SIDE, SIDE) / float(norm)) @ _WAVES.T
    sums, differences = (straight + straight.T) / np.sqrt(2), (straight - straight.T) / np.sqrt(2)
    np.fill_diagonal(sums, straight.diagonal())
    kinds = [sums, differences, sums, differences, straight, straight]
    low = np.concatenate([kind[tuple(waves)] for kind, waves in zip(kinds, _CLASSES, strict=True)])
    return np.append(np.rint(low * _UNIT), np.ceil(_left(low @ low) * _UNIT)).astype(np.int16)


def _turned(components: Whole, turn: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    turned: npt.NDArray[np.float32] = np.rint(components @ turn.astype(np.float32))
    return turned


def _shaped(buffer: Floats, one: Floats, other: Floats) -> Floats:
    """Return ``buffer`` in the shape of the products of the rows of two arrays."""
    return buffer[: len(one) * len(other)].reshape(len(one), len(other))


def _left(squares: npt.ArrayLike) -> Floats:
    """Return the norm of the part of a unit vector outside components whose squares add up to ``squares``."""
    return np.sqrt(np.maximum(1 - np.asarray(squares), 0)).astype(np.float32)


@numba.njit(cache=True)
def _strongest(components, ends, few):  # type: ignore[no-untyped-def]
    """Return the first ``few`` components of each class, scaled to 1, and a bound of the norm that they leave."""
    scaled = np.empty((len(components), few.sum()), np.float32)
    left = np.empty(len(components), np.float32)
    for i in range(len(components)):
        squares, column = np.int32(0), 0
        for part in range(len(few)):
            ours = components[i, ends[part] : ends[part] + few[part]]
            strongest = scaled[i, column : column + few[part]]
            for k in range(len(ours)):
                strongest[k] = np.float32(ours[k]) * np.float32(1 / _UNIT)
                squares = np.int32(squares + np.int32(ours[k]) * np.int32(ours[k]))
            column += few[part]
        left[i] = np.sqrt(max(1 + 2 * _ERROR - squares / (_UNIT * _UNIT), 0.0))
    return scaled, left


@numba.njit(cache=True)
def _may_be_alike(products, left, their_left, thresholds, ours, theirs, before, ends):  # type: ignore[no-untyped-def]
    """Return the pairs whose similarity may reach their threshold, and the number of pairs that pass the first step."""
    plus, minus, odd_plus, odd_minus, across, down = products
    n, m = plus.shape
    pairs, passed = [], 0
    may_be = np.empty(m, np.bool_)
    for i in range(n):
        some = 0
        for j in range(m):
            least = thresholds[j] - left[i] * their_left[j]
            # As they are, and with the axes of one swapped.
            even, odd = plus[i, j] + minus[i, j], odd_plus[i, j] + odd_minus[i, j]
            turned, odd_turned = plus[i, j] - minus[i, j], odd_plus[i, j] - odd_minus[i, j]
            aa, ab, ba, bb = across[i, j], across[i, m + j], down[i, j], down[i, m + j]
            may_be[j] = (
                (even + odd + abs(aa + bb) >= least)
                | (even - odd + abs(aa - bb) >= least)
                | (turned + odd_turned + abs(ab + ba) >= least)
                | (turned - odd_turned + abs(ab - ba) >= least)
            )
            some += may_be[j]
        passed += some
        if some:
            near = [j for j in range(m) if may_be[j] and i < before[j]]
            pairs.extend([(i, j) for j in near if _bound(ours[i], theirs[j], ends) >= thresholds[j]])
    return pairs, passed


@numba.njit(cache=True)
def _bound(x, y, ends):  # type: ignore[no-untyped-def]
    """Return what the similarity of two drawings with these components does not exceed by more than ``_SLACK``."""
    plus, minus = _of_classes(x, y, ends, 0, 0), _of_classes(x, y, ends, 1, 1)
    odd_plus, odd_minus = _of_classes(x, y, ends, 2, 2), _of_classes(x, y, ends, 3, 3)
    aa, ab = _of_classes(x, y, ends, 4, 4), _of_classes(x, y, ends, 4, 5)
    ba, bb = _of_classes(x, y, ends, 5, 4), _of_classes(x, y, ends, 5, 5)
    even, odd, turned, odd_turned = plus + minus, odd_plus + odd_minus, plus - minus, odd_plus - odd_minus
    straight = max(even + odd + abs(aa + bb), even - odd + abs(aa - bb))
    swapped = max(turned + odd_turned + abs(ab + ba), turned - odd_turned + abs(ab - ba))
    return (max(straight, swapped) + np.int64(x[-1]) * y[-1]) / (_UNIT * _UNIT)


@numba.njit(cache=True)
def _of_classes(x, y, ends, one, other):  # type: ignore[no-untyped-def]
    """Return the product of the components of a class of ``x`` and of one of ``y``. All squares add to below 2**31."""
    return _product(x[ends[one] : ends[one + 1]], y[ends[other] : ends[other + 1]])


@numba.njit(cache=True)
def greatest_products(held, views):  # type: ignore[no-untyped-def]
    """Return for each drawing of ``held``, in folds, four times its greatest product with a mirror image of a view.

    Folds (drawings, 4, cells) are int16: what is even or odd in y and x. In whole numbers, of which processors add many
    at once; BLAS took a hundred times as long with two views. (In this file, for numba's cache looks at the file of a
    function and not at those of the functions it calls.)
    """
    products = np.zeros(len(held), np.int64)
    for k in range(len(held)):
        greatest = -(2**62)
        for v in range(len(views)):
            a, b = _product(held[k, 0], views[v, 0]), _product(held[k, 1], views[v, 1])
            c, d = _product(held[k, 2], views[v, 2]), _product(held[k, 3], views[v, 3])
            # As it is, upside down, left to right, both.
            greatest = max(greatest, a + b + c + d, a + b - c - d, a - b + c - d, a - b - c + d)
        products[k] = greatest
    return products


@numba.njit(cache=True)
def _product(a, b):  # type: ignore[no-untyped-def]
    total = np.int32(0)
    for i in range(len(a)):
        total = np.int32(total + np.int32(a[i]) * np.int32(b[i]))
    return np.int64(total)


def _similarity(one: bytes, other: bytes) -> float:
    """Return how similar two packed and compressed signatures are."""
    (here, norm), (there, length) = (unpacked(zlib.decompress(packed)) for packed in (one, other))
    return float((here @ views_of(there).T).max() / (norm * length))
