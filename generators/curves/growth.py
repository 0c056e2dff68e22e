"""Grow the curves of a label map: change single cells at random, so that the nesting tree of the curves stays the same.

A label map assigns to each cell of a grid the node whose face contains it (-1: outside the region where curves may
run); the face of a node is the area inside its curve and outside those of its children, and the curve separates the
cells of the node's subtree from all others. A cell may change to a neighbouring face if, before and after, the ring of
its eight neighbours contains only these two faces, each as one contiguous run with at least one edge neighbour of the
cell. Then every face keeps its topology, no two cells of one face meet only at a corner, and two curves stay at least
one cell apart: the tree is the same after any number of changes. (Cellular Potts models, Graner and Glazier 1992, with
simple points, Rosenfeld 1970, as the only moves.)

The shape of the curves depends on the energy only: boundary length costs energy (blobs) or releases it (labyrinths),
the area of each face is drawn towards a target, and smooth random fields form lobes and bays.

Compiled code draws the same numbers as a numpy generator, many at once and equal to the last bit: PCG64 advances a
state of 128 bits by ``state * multiplier + increment``, modulo 2**128, and each number is a hash of the new state
(O'Neill 2014: XSL-RR). ``_LANES`` consecutive numbers are computed at once from as many states (lanes), each of which
then advances by ``_LANES`` steps.
"""

from dataclasses import dataclass, replace
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from planimeter.generators.curves.packing import Labels
from planimeter.generators.curves.trees import Parents

Floats = npt.NDArray[np.float64]

_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
_LANES = 16
_ALL, _HALF = 2**128 - 1, 2**64 - 1
_LOW, _32 = np.uint64(2**32 - 1), np.uint64(32)

#: The state of a stream: upper and lower halves of the state of each lane, of the multiplier, and of the increment.
Stream = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], np.uint64, np.uint64, np.uint64, np.uint64]


def stream_of(rng: np.random.Generator, number: int) -> Stream:
    """Return the state from which ``draw`` computes the next ``number`` random numbers of ``rng``; advance ``rng`` past
    them.

    Raises:
        TypeError: if ``rng`` does not use PCG64, the bit generator of ``numpy.random.default_rng``.
    """
    if not isinstance(rng.bit_generator, np.random.PCG64):
        raise TypeError(f"need a random generator that uses PCG64, got {type(rng.bit_generator).__name__}")
    before: Any = rng.bit_generator.state
    # The unused half of a draw for 32 bits stays: advancing alone drops it.
    after: Any = {**before, "state": rng.bit_generator.advance(number).state["state"]}
    rng.bit_generator.state = after
    state, increment = before["state"]["state"], before["state"]["inc"]
    states, times, plus = [], 1, 0
    for _ in range(_LANES):
        times, plus = times * _MULTIPLIER & _ALL, (plus * _MULTIPLIER + increment) & _ALL
        states.append((times * state + plus) & _ALL)
    halves = np.array([(value >> 64, value & _HALF) for value in states], np.uint64)
    words = (np.uint64(word) for value in (times, plus) for word in (value >> 64, value & _HALF))
    return (halves[:, 0].copy(), halves[:, 1].copy(), *words)  # type: ignore[return-value]


@numba.njit(cache=True, error_model="numpy")
def draw(values, number, upper, lower, times_upper, times_lower, plus_upper, plus_lower):  # type: ignore[no-untyped-def]
    """Write the next ``number`` uniform random numbers from [0, 1) of a ``Stream`` into ``values``, and advance it.

    The other arguments are the fields of the stream. The length of ``values`` is a multiple of ``_LANES``; so is
    ``number``, except in the last call on a stream.
    """
    a, b = times_lower & _LOW, times_lower >> _32
    for first in range(0, number, _LANES):
        line = values[first : first + _LANES]
        for k in range(_LANES):
            high, low = upper[k], lower[k]
            mixed, turn = high ^ low, high >> np.uint64(58)
            mixed = mixed >> turn | mixed << (np.uint64(64) - turn & np.uint64(63))
            line[k] = np.int64(mixed >> np.uint64(11)) * 2.0**-53
            # The product of the lower halves, by their own halves.
            c, d = low & _LOW, low >> _32
            crossed = a * d + (a * c >> _32)
            middle = b * c + (crossed & _LOW)
            product = middle << _32 | a * c & _LOW
            lower[k] = product + plus_lower
            carried = b * d + (crossed >> _32) + (middle >> _32) + np.uint64(lower[k] < product)
            upper[k] = carried + high * times_lower + low * times_upper + plus_upper


_DY = np.array([-1, -1, 0, 1, 1, 1, 0, -1], np.int64)
_DX = np.array([0, 1, 1, 1, 0, -1, -1, -1], np.int64)


def _rings() -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Return two tables, indexed by 8 bits: bit n is 1 if neighbour n of a cell is in the same face as the cell.

    The first tells if the cell may change to another face. The second is by how much this would lengthen the boundary,
    where an edge neighbour counts 2 and a corner neighbour 1.
    """
    has_old = (np.arange(256)[:, None] >> np.arange(8)) & 1
    runs = (has_old != np.roll(has_old, 1, axis=1)).sum(axis=1)
    weights = np.where(np.arange(8) % 2 == 0, 2, 1)
    return (runs == 2) & has_old[:, ::2].any(axis=1), ((2 * has_old - 1) * weights).sum(axis=1)


_MOVABLE, _UNLIKE = _rings()

#: For each ring, four bytes, one for each side of the cell: 1 if the cell can change to the face there, else 0.
_OPEN = np.array([[movable and not ring >> 2 * n & 1 for n in range(4)] for ring, movable in enumerate(_MOVABLE)])
_OPEN_TO = _OPEN.astype(np.uint8).view(np.uint32)[:, 0]

#: The number of cells of a ring in the cell's own face.
_OWN = np.array([ring.bit_count() for ring in range(256)], np.int32)

#: Attempts that are drawn together, and those of them that are filtered together.
_BLOCK, _SIFTED = 512, 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Energy:
    """The parameters by which a label map grows: the weights of its energy, without units, and the number of changes.

    ``tension``: positive shortens curves, negative lengthens them; ``pressure``: the pull of faces towards their target
    areas; ``relief``: the pull of the random fields; ``noise``: the largest increase of energy that a random change may
    cause; ``sweeps``: the number of attempted changes, divided by the number of cells of the grid.
    """

    tension: float
    pressure: float
    relief: float
    noise: float
    sweeps: float


def smooth_fields(count: int, cells: int, waves: float, rng: np.random.Generator) -> Floats:
    """Return ``count`` smooth random fields (count, cells, cells) of unit variance, with about ``waves`` waves on a
    side; they form the lobes and bays of curves.

    Each is a sum of eight plane waves. Each cosine is computed from products of a row and a column, which is fast.
    """
    terms = 8
    angle = rng.random((count, terms)) * 2 * np.pi
    wave_number = 2 * np.pi * waves * (0.5 + rng.random((count, terms)))
    phase = rng.random((count, terms)) * 2 * np.pi
    t = np.linspace(0.0, 1.0, cells)
    along_x = wave_number[..., None] * np.cos(angle)[..., None] * t
    along_y = wave_number[..., None] * np.sin(angle)[..., None] * t + phase[..., None]
    cosines = np.einsum("kty,ktx->kyx", np.cos(along_y), np.cos(along_x))
    fields: Floats = cosines - np.einsum("kty,ktx->kyx", np.sin(along_y), np.sin(along_x))
    return fields / np.sqrt(terms / 2)


def grow(
    labels: Labels, parents: Parents, targets: Floats, fields: Floats, energy: Energy, rng: np.random.Generator
) -> Labels:
    """Attempt random changes of single cells of ``labels``; return a new label map with those that the energy allows.

    The outermost ring of cells never changes. ``targets``: the target area (cells) of each face, the exterior's first;
    ``fields``: see ``smooth_fields``.
    """
    grown = labels.copy()
    parent_of = np.array((0, *parents), np.int64)
    tries = int(energy.sweeps * labels.size)
    weights = energy.tension, energy.pressure, energy.relief, energy.noise
    _flip(grown, parent_of, targets, fields, *weights, tries, stream_of(rng, tries))
    return grown


#: Sweeps of one round of folding, and the least relative growth of the boundary for another round.
_ROUND, _LENGTHENS = 50.0, 0.01


def fold(
    labels: Labels, parents: Parents, targets: Floats, fields: Floats, energy: Energy, rng: np.random.Generator
) -> Labels:
    """Grow until the total length of the curves stops increasing, at most ``energy.sweeps`` sweeps; return the new map.

    A sweep is one attempted change per cell. Labyrinths reach their full length after 75 to 150 sweeps; after that
    they only change shape.
    """
    length, done = _boundary(labels), 0.0
    while done < energy.sweeps:
        labels = grow(labels, parents, targets, fields, replace(energy, sweeps=_ROUND), rng)
        before, length, done = length, _boundary(labels), done + _ROUND
        if length < (1 + _LENGTHENS) * before:
            break
    return labels


def _boundary(labels: Labels) -> int:
    """Return the total length of all curves, in cell edges: the pairs of edge neighbours in different faces."""
    return int(np.count_nonzero(labels[1:] != labels[:-1]) + np.count_nonzero(labels[:, 1:] != labels[:, :-1]))


#: Childless faces of fewer cells hardly show paper inside their stroke; the number of attempts to enlarge them.
LEAST_CELLS, _RELIEVED = 5, 6


def relieve(
    labels: Labels, parents: Parents, targets: Floats, fields: Floats, energy: Energy, rng: np.random.Generator
) -> Labels:
    """Return the label map after further growth that enlarges empty curves of fewer than ``LEAST_CELLS`` cells.

    An empty curve often cannot swell, because the curve around it leaves one cell of room and cannot swell either.
    Therefore all curves around it get larger target areas, too, until there is room. Curves that are still small after
    ``_RELIEVED`` rounds remain so.
    """
    childless = np.setdiff1d(np.arange(1, len(parents) + 1), np.array(parents, np.int64))
    targets = targets.copy()
    for _ in range(_RELIEVED):
        areas = np.bincount(labels[labels >= 0], minlength=len(parents) + 1)
        squeezed = childless[areas[childless] < LEAST_CELLS]
        if not len(squeezed):
            break
        for leaf in squeezed.tolist():
            targets[leaf] = max(targets[leaf], 2.0 * LEAST_CELLS)
            node = parents[leaf - 1]
            while node:
                targets[node] = max(targets[node], float(areas[node])) + 8.0
                node = parents[node - 1]
        labels = grow(labels, parents, targets, fields, replace(energy, sweeps=30.0), rng)
    return labels


@numba.njit(cache=True, error_model="numpy")
def _draw(ways, chances, number, height, width, stream):  # type: ignore[no-untyped-def]
    """Choose ``number`` random attempts to change a cell to the face of one of its four edge neighbours.

    For each attempt, ``ways`` gets four times the index of the cell plus the number of the side, and ``chances`` a
    uniform number from [0, 1). Each loop does one kind of work, so that the compiler vectorizes it.
    """
    draw(chances, number, *stream)
    rows, columns, line = float(height - 2), float(width - 2), float(width)
    for k in range(number):
        # One draw of 53 bits contains the row, the column, the side and the chance.
        u = chances[k] * rows
        y = np.floor(u)
        u = (u - y) * columns
        x = np.floor(u)
        u = (u - x) * 4.0
        side = np.floor(u)
        ways[k], chances[k] = np.int32(((y + 1.0) * line + x + 1.0) * 4.0 + side), u - side


@numba.njit(cache=True, error_model="numpy", inline="always")
def _sift(is_open, ways, first, last, open_tries):  # type: ignore[no-untyped-def]
    """Write into ``open_tries`` which of the attempts ``first`` to ``last`` - 1 preserve the tree; return their number.

    ``is_open``: for each value of ``ways``, 1 if the change preserves the tree, else 0. The loop has no branch, because
    processors would mispredict it: one attempt in ten preserves the tree.
    """
    collected = np.uint64(0)
    for k in range(np.uint64(first), np.uint64(last)):
        open_tries[collected] = k
        collected += np.uint64(is_open[np.uint64(ways[k])])
    return np.int64(collected)


@numba.njit(cache=True, error_model="numpy")
def _flip(labels, parent_of, targets, fields, tension, pressure, relief, noise, tries, stream):  # type: ignore[no-untyped-def]
    """Try ``tries`` random changes of single cells of ``labels``, and make, in place, those that the energy allows."""
    height, width = labels.shape
    # Flat, and indexed by unsigned numbers, which saves a test at each access: this loop takes half of the time of a
    # labyrinth.
    cells, heights = labels.reshape(-1), fields.reshape(-1)
    around = _DY * width + _DX
    # For each face: its area, the change of energy for a cell more and a cell less, and the offset of its random field.
    areas, more, less = np.zeros(len(parent_of)), np.empty(len(parent_of)), np.empty(len(parent_of))
    for label in cells:
        if label >= 0:
            areas[label] += 1.0
    for face in range(len(areas)):
        _press(areas, targets, pressure, face, more, less)
    field = np.arange(len(parent_of)) % len(fields) * len(cells)
    # For each cell: its ring, the sums of the labels there and of their squares, and the sides to which it can change.
    rings, sums, squares = (
        np.zeros(len(cells), np.uint8),
        np.zeros(len(cells), np.int32),
        np.zeros(len(cells), np.int32),
    )
    sides = np.zeros(len(cells), np.uint32)
    for cell in range(np.uint64(width + 1), np.uint64(len(cells) - width - 1)):
        ring, total, square = 0, np.int32(0), np.int32(0)
        for n in range(8):
            there = np.int32(cells[np.uint64(np.int64(cell) + around[n])])
            ring |= int(there == cells[cell]) << n
            total += there
            square += there * there
        rings[cell], sums[cell], squares[cell] = ring, total, square
        sides[cell] = _sides(cells, rings, sums, squares, cell)
    is_open, ways, chances = sides.view(np.uint8), np.empty(_BLOCK, np.int32), np.empty(_BLOCK)
    open_tries = np.empty(_SIFTED + 1, np.uint64)
    for tried in range(0, tries, _BLOCK):
        number = min(_BLOCK, tries - tried)
        _draw(ways, chances, number, height, width, stream)
        first = 0
        while first < number:
            last = min(first + _SIFTED, number)
            for n in range(_sift(is_open, ways, first, last, open_tries)):
                k = open_tries[n]
                at = np.uint64(ways[k] >> 2)
                old, new = cells[at], cells[np.uint64(np.int64(at) + around[np.uint64(2 * (ways[k] & 3))])]
                grows = parent_of[np.uint64(new)] == old
                height_here = heights[np.uint64(field[np.uint64(new if grows else old)] + np.int64(at))]
                change = tension * _UNLIKE[np.uint64(rings[at])] + relief * (-height_here if grows else height_here)
                change += more[np.uint64(new)]
                change -= less[np.uint64(old)]
                if change < noise * (2.0 * chances[k] - 1.0):
                    cells[at] = new
                    areas[np.uint64(new)] += 1.0
                    areas[np.uint64(old)] -= 1.0
                    _press(areas, targets, pressure, new, more, less)
                    _press(areas, targets, pressure, old, more, less)
                    rings[at] ^= np.uint8(255)
                    sides[at] = _sides(cells, rings, sums, squares, at)
                    for j in range(8):
                        neighbour = np.uint64(np.int64(at) + around[np.uint64(j)])
                        back = np.uint8(1 << (j ^ 4))
                        rings[neighbour] = rings[neighbour] & ~back | (back if cells[neighbour] == new else np.uint8(0))
                        sums[neighbour] += np.int32(new) - np.int32(old)
                        squares[neighbour] += np.int32(new) * np.int32(new) - np.int32(old) * np.int32(old)
                        sides[neighbour] = _sides(cells, rings, sums, squares, neighbour)
                    # This change made some of the remaining attempts impossible, and others possible.
                    last = np.int64(k) + 1
                    break
            first = last


@numba.njit(cache=True, error_model="numpy", inline="always")
def _press(areas, targets, pressure, face, more, less):  # type: ignore[no-untyped-def]
    area, wanted = areas[np.uint64(face)], targets[np.uint64(face)]
    more[np.uint64(face)] = pressure * (2.0 * (area - wanted) + 1.0) / wanted
    less[np.uint64(face)] = pressure * (2.0 * (area - wanted) - 1.0) / wanted


@numba.njit(cache=True, error_model="numpy", inline="always")
def _sides(cells, rings, sums, squares, at):  # type: ignore[no-untyped-def]
    """Return to which edge neighbours' faces cell ``at`` may change: an integer of four bytes, 1 or 0 for each side.

    A cell may change only if all its neighbours outside its face are in the same face. The labels of n neighbours are
    equal exactly if n times the sum of the squared labels is the square of the sum of the labels.
    """
    label, ring = np.int32(cells[at]), rings[at]
    others = 8 - _OWN[np.uint64(ring)]
    total, square = sums[at] - (8 - others) * label, squares[at] - (8 - others) * label * label
    shut = label < 0 or total < 0 or others * square != total * total
    return np.uint32(0) if shut else _OPEN_TO[np.uint64(ring)]
