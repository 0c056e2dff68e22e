"""Simulated annealing on all rules at once: the general search, and the finish of every constructive family.

A state is a path on the lattice; its energy (``kernels``) is 0 exactly when every rule of the cell holds. Moves shift a
vertex, swap two, reverse or shift a stretch. Moving one vertex changes two segments, so a step costs O(n), not O(n^2).
The Metropolis rule is written as ``rise <= temperature * e`` with e drawn from an exponential distribution; e comes
from a rounded table, because ``exp`` and ``log`` differ in the last bit between machines and one bit would change the
path of the search.
"""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from generators.traversal.kernels import (
    BOX_HIGH,
    BOX_LOW,
    Floats,
    count_penalty,
    gap_penalty,
    joint_penalty,
    pair_penalty,
    seam_penalty,
    shape_penalty,
    snap,
    spacing_penalty,
)

_TABLE = 4096
#: Quantiles of the exponential distribution, rounded.
EXPONENTIAL = np.array([round(-math.log((i + 0.5) / _TABLE), 6) for i in range(_TABLE)])


@dataclass(frozen=True, kw_only=True, slots=True)
class Schedule:
    """How long and how hot: ``steps`` moves while the temperature falls from ``hot`` to ``cold``.

    ``whole`` is the share of moves that rearrange stretches of the path; 0 keeps the construction that a family made
    and only shifts its vertices. ``reach`` is the largest shift of a vertex, as a share of the room.
    """

    steps: int
    hot: float
    cold: float
    whole: float
    reach: float

    def __post_init__(self) -> None:
        if not (self.steps > 0 and self.hot >= self.cold > 0 and 0 <= self.whole <= 1 and 0 < self.reach <= 1):
            raise ValueError(f"need steps > 0, hot >= cold > 0, 0 <= whole <= 1 and 0 < reach <= 1, got {self}")

    @property
    def cooling(self) -> float:
        """Factor of the temperature in a step, rounded, because ``pow`` is not the same everywhere."""
        return round((self.cold / self.hot) ** (1 / self.steps), 12)


def anneal(path: Floats, target: Floats, schedule: Schedule, rng: np.random.Generator) -> tuple[Floats | None, int]:
    """Return (a path near ``path`` with energy 0, or None; the steps taken).

    ``path`` is (n, 2) in px; ``target`` as from ``kernels.targets``.
    """
    state = np.ascontiguousarray(path, np.float64).copy()
    reached, steps = _anneal(
        state, target, schedule.steps, schedule.hot, schedule.cooling, schedule.whole, schedule.reach, EXPONENTIAL, rng
    )
    return (state if reached else None), int(steps)


@njit(cache=True)
def _segment_terms(path: Floats, i: int, skip: int, target: Floats, found: Floats, count: int) -> tuple[float, int]:
    """Add up the pairs of segment ``i`` with all others but ``skip``; append their crossings to ``found``."""
    wrong = 0.0
    for j in range(path.shape[0] - 1):
        if j == skip or -2 < i - j < 2:
            continue
        pair, crosses, x, y = pair_penalty(path, min(i, j), max(i, j), target)
        wrong += pair
        if crosses:
            found[count, 0], found[count, 1], found[count, 2], found[count, 3] = x, y, min(i, j), max(i, j)
            count += 1
    return wrong, count


@njit(cache=True)
def around(path: Floats, k: int, target: Floats, found: Floats, count: int) -> tuple[float, int]:
    """Add up every local term that depends on vertex ``k``; append the crossings of its segments to ``found``."""
    n = path.shape[0]
    wrong = 0.0
    for other in range(n):
        if other != k:
            wrong += spacing_penalty(path, k, other, target)
    for joint in range(max(k - 1, 1), min(k + 2, n - 1)):
        wrong += joint_penalty(path, joint, target)
    if k > 0:
        part, count = _segment_terms(path, k - 1, -1, target, found, count)
        wrong += part
    if k < n - 1:
        part, count = _segment_terms(path, k, k - 1, target, found, count)
        wrong += part
    return wrong, count


@njit(cache=True)
def _everything(path: Floats, target: Floats, found: Floats) -> tuple[float, int]:
    n = path.shape[0]
    wrong, count = 0.0, 0
    for i in range(n):
        for j in range(i):
            wrong += spacing_penalty(path, i, j, target)
    for k in range(1, n - 1):
        wrong += joint_penalty(path, k, target)
    for i in range(n - 1):
        for j in range(i + 2, n - 1):
            pair, crosses, x, y = pair_penalty(path, i, j, target)
            wrong += pair
            if crosses:
                found[count, 0], found[count, 1], found[count, 2], found[count, 3] = x, y, i, j
                count += 1
    return wrong, count


@njit(cache=True)
def _rest(path: Floats, target: Floats, found: Floats, count: int) -> float:
    return (
        shape_penalty(path, target)
        + seam_penalty(path, target)
        + count_penalty(count, target)
        + gap_penalty(found[:, 0], found[:, 1], count, target)
    )


@njit(cache=True)
def _rearrange(path: Floats, trial: Floats, low: float, high: float, reach: float, rng: np.random.Generator) -> None:
    """Write into ``trial`` the path with two vertices swapped, or a stretch reversed, shifted or resized."""
    n = path.shape[0]
    trial[:] = path
    kind = int(rng.random() * 4)
    i, j = int(rng.random() * n), int(rng.random() * n)
    if i > j:
        i, j = j, i
    if kind == 0:
        for axis in range(2):
            trial[i, axis], trial[j, axis] = path[j, axis], path[i, axis]
    elif kind == 1:
        for k in range(i, j + 1):
            trial[k] = path[i + j - k]
    else:
        factor = 1.0 if kind == 2 else 0.8 + 0.4 * rng.random()
        for axis in range(2):
            shift = (high - low) * reach * (rng.random() - 0.5) if kind == 2 else 0.0
            for k in range(i, j + 1):
                moved = path[i, axis] + factor * (path[k, axis] - path[i, axis]) + shift
                trial[k, axis] = snap(moved, low, high)


@njit(cache=True)
def _anneal(
    path: Floats,
    target: Floats,
    steps: int,
    hot: float,
    cooling: float,
    whole: float,
    reach: float,
    exponential: Floats,
    rng: np.random.Generator,
) -> tuple[bool, int]:
    n = path.shape[0]
    low, high = target[BOX_LOW], target[BOX_HIGH]
    for k in range(n):
        path[k, 0], path[k, 1] = snap(path[k, 0], low, high), snap(path[k, 1], low, high)
    trial = path.copy()
    found, other = np.empty((n * n, 4)), np.empty((n * n, 4))
    before = np.empty((4 * n, 4))
    local, count = _everything(path, target, found)
    rest = _rest(path, target, found, count)
    temperature = hot
    for step in range(steps):
        if local + rest < 1e-9 and _everything(path, target, other)[0] + rest == 0.0:
            return True, step
        temperature *= cooling
        bar = temperature * exponential[int(rng.random() * exponential.shape[0])]
        if rng.random() < whole:
            _rearrange(path, trial, low, high, reach, rng)
            new_local, new_count = _everything(trial, target, other)
        else:
            k = int(rng.random() * n)
            size = reach * (high - low)
            draw = rng.random()
            size *= 1.0 if draw < 0.15 else 0.3 if draw < 0.4 else 0.1 if draw < 0.75 else 0.03
            trial[k, 0] = snap(path[k, 0] + size * (2.0 * rng.random() - 1.0), low, high)
            trial[k, 1] = snap(path[k, 1] + size * (2.0 * rng.random() - 1.0), low, high)
            was, _ = around(path, k, target, before, 0)
            new_count = 0
            for c in range(count):
                if found[c, 2] != k and found[c, 2] != k - 1 and found[c, 3] != k and found[c, 3] != k - 1:
                    other[new_count] = found[c]
                    new_count += 1
            now, new_count = around(trial, k, target, other, new_count)
            new_local = local - was + now
        if new_local - local - rest <= bar:
            new_rest = _rest(trial, target, other, new_count)
            if new_local + new_rest - local - rest <= bar:
                path[:] = trial
                found, other = other, found
                local, rest, count = new_local, new_rest, new_count
                continue
        trial[:] = path
    return False, steps
