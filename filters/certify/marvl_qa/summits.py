"""Persistences of the summits of a height field, found by sinking a threshold and merging components by union-find."""

import numba
import numpy as np
import numpy.typing as npt

#: A pixel is visible at a threshold that it falls short of by this much.
SLACK = 1e-6


def persistences(field: npt.NDArray[np.float32], thresholds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the persistence of each summit of ``field`` that is off the border and above the lowest threshold.

    The persistence is the drop from a summit to the height where it merges with a higher one. ``thresholds`` ascend.
    Pixels are 8-connected. Heights of summits are exact, those of mergers are thresholds. A plateau is one summit, and
    is on the border if any pixel of it is. The highest summit persists down to the lowest threshold.
    """
    counts = np.searchsorted((thresholds - SLACK).astype(field.dtype), field.ravel(), side="right").astype(np.int8)
    ends, inside = _sweep(field, counts, np.argsort(-counts, kind="stable"), thresholds)
    return np.asarray(ends[inside & ~np.isnan(ends)])


@numba.njit(cache=True)
def _lower(heights, inside, one, other):  # type: ignore[no-untyped-def]
    """Return which of two summits ends where their components merge: the lower one.

    Of equal ones it is the one on the border, else the first.
    """
    return one if (heights[one], inside[one], one) < (heights[other], inside[other], other) else other


@numba.njit(cache=True)
def _highest(heights, inside, one, other):  # type: ignore[no-untyped-def]
    """Return the highest pixel of two merged components, of equal ones the first.

    If both are equally high, ``inside`` (summit is off the border) is updated in place for the plateau they form.
    """
    if heights[one] == heights[other]:
        inside[one] = inside[other] = inside[one] and inside[other]
        return min(one, other)
    return one if heights[one] > heights[other] else other


@numba.njit(cache=True)
def _sweep(field, counts, order, thresholds):  # type: ignore[no-untyped-def]
    """Return (persistence, off the border) for each pixel; the persistence is NaN for a pixel that is not a summit.

    ``counts`` contains the number of thresholds at which each pixel is visible, and ``order`` sorts pixels by it, in
    descending order. In the code, a component is identified by its root; ``top`` is the first of its highest pixels,
    and ``lives`` is True if it existed at a higher threshold.
    """
    (rows, columns), heights = field.shape, field.ravel()
    parent, top = np.full(field.size, -1), np.arange(field.size)
    inside, lives = np.zeros((rows, columns), np.bool_), np.zeros(field.size, np.bool_)
    inside[1:-1, 1:-1] = True
    inside = inside.ravel()
    below, ends = 0, np.full(field.size, np.nan)
    for number in range(len(thresholds), 0, -1):
        above = below
        while below < field.size and counts[order[below]] == number:
            below += 1
        for cell in order[above:below]:
            parent[cell] = a = cell
            r, c = cell // columns, cell % columns
            for i in range(max(r - 1, 0), min(r + 2, rows)):
                for j in range(max(c - 1, 0), min(c + 2, columns)):
                    b = _root_of(parent, i * columns + j) if parent[i * columns + j] >= 0 else a
                    if a != b:
                        if lives[a] and lives[b]:
                            ended = _lower(heights, inside, top[a], top[b])
                            ends[ended] = heights[ended] - thresholds[number - 1]
                            top[a] = top[a] + top[b] - ended  # the other one
                        elif lives[b]:
                            top[a], lives[a] = top[b], True
                        elif not lives[a]:
                            top[a] = _highest(heights, inside, top[a], top[b])
                        parent[b] = a
        for cell in order[above:below]:
            root = _root_of(parent, cell)
            if not lives[root]:
                lives[root] = True
                ends[top[root]] = heights[top[root]] - thresholds[0]
    return ends, inside


@numba.njit(cache=True)
def _root_of(link, node):  # type: ignore[no-untyped-def]
    """Return the root of the union-find component of ``node``, and halve the path to it.

    ``link`` leads from each pixel to another one of its component.
    """
    while link[node] != node:
        link[node] = link[link[node]]
        node = link[node]
    return node
