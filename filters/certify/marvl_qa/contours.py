"""Reads a contour plot: finds the two contour levels between which each region lies.

A region is a connected part of the paper between lines. The key of the plot (its legend) gives the grey of the lines of
each level; the middle of a line has this grey. A region between lines of levels k - 1 and k has the interval number k.
A region that touches lines of one level only (a summit, a pit, the plain around a hill) is above or below that level,
opposite to its neighbour across the line, so a neighbour with a known interval decides which. At a cliff, lines merge
into a band, lighter on its low side, which decides the remaining regions.
"""

from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final, TypeVar

import cv2
import numpy as np
import numpy.typing as npt
from cv2.typing import MatLike

from planimeter.filters.certify.png import look_up

#: Paper is lighter than this share of the way from the lightest line to white.
PAPER: Final = 0.6
#: Smaller scraps of paper are gaps between lines that nearly touch.
SCRAP: Final = 9
#: The middle of a line is at most this far (px) from the paper on its nearer side.
REACH: Final = 2.3
#: Levels with a smaller share of the votes of a region's border are blends of two lines.
MINORITY: Final = 0.04
#: A band of merged lines is read along at least this many pixels.
BAND: Final = 8
#: Regions that remain undecided may fill at most this share of the plot.
MOST_UNDECIDED: Final = 0.002

Labels = npt.NDArray[np.int32]
_Value = TypeVar("_Value", np.int32, np.float32)


@dataclass(frozen=True, slots=True)
class _Paper:
    """The regions of paper between contour lines.

    For each pixel, ``labels`` has the number, from 0, of the nearest region, and ``distance`` the distance (px) to it.
    ``areas`` are the numbers of pixels in the regions.
    """

    labels: Labels = field(repr=False)
    distance: npt.NDArray[np.float32] = field(repr=False)
    areas: npt.NDArray[np.intp] = field(repr=False)


def read_intervals(plot: npt.NDArray[np.uint8], greys: npt.NDArray[np.float64]) -> npt.NDArray[np.int32] | None:
    """Return the number of the interval at each pixel, int32 (n, n), or None if the picture does not determine it.

    ``plot`` is uint8 grey (n, n); ``greys`` are the greys of the levels, from the lowest level (lightest) up. Interval
    k is between levels k - 1 and k.
    """
    paper = _regions(plot, greys)
    if paper is None:
        return None
    darkest = np.asarray(cv2.erode(plot, np.ones((3, 3), np.uint8)), np.uint8)
    levels = _levels_of(np.arange(256, dtype=np.uint8), greys)
    intervals = _between_two(_votes(plot, darkest, paper, levels, len(greys)))
    borders = _borders(darkest, paper, levels, len(greys))
    _propagate(intervals, *borders)
    if (intervals < 0).any():
        _order_across_merged_lines(intervals, plot, paper, greys)
        _propagate(intervals, *borders)
    undecided = paper.areas[intervals < 0].sum()
    if undecided > MOST_UNDECIDED * plot.size:
        return None
    per_pixel = look_up(intervals, paper.labels)
    # An undecided pixel takes the interval of the nearest decided one.
    return _spread(per_pixel)[0] if undecided else per_pixel


def _regions(plot: npt.NDArray[np.uint8], greys: npt.NDArray[np.float64]) -> _Paper | None:
    """Return the regions of paper between the lines of ``plot``, or None if there are none."""
    white = (plot > greys[0] + PAPER * (255.0 - greys[0])).astype(np.uint8)
    number, labels = cv2.connectedComponents(white, connectivity=4)
    areas = np.bincount(labels.ravel(), minlength=number)
    areas[0] = 0
    regions = (np.cumsum(areas >= SCRAP) - 1).astype(np.int32)
    if regions[-1] < 0:
        return None
    regions[areas < SCRAP] = -1
    return _Paper(*_spread(look_up(regions, labels)), areas[areas >= SCRAP])


def _spread(kept: Labels) -> tuple[Labels, npt.NDArray[np.float32]]:
    """Return for each pixel the number of the nearest region and its distance in px.

    ``kept`` has for each pixel the number of the region that contains it, or -1 if none does.
    """
    known = (kept >= 0).astype(np.uint8)
    distance, nearest = cv2.distanceTransformWithLabels(1 - known, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    return spread(kept, known, nearest), np.asarray(distance, np.float32)


def spread(values: npt.NDArray[_Value], known: npt.NDArray[np.uint8], nearest: MatLike) -> npt.NDArray[_Value]:
    """Return ``values`` (rows, columns), with each unknown one replaced by that of the nearest known pixel.

    ``known`` is 0 where a value is unknown. ``nearest`` is for each pixel the number of the nearest known pixel; known
    pixels are numbered from 1 in row-major order.
    """
    return values[known > 0].take(np.asarray(nearest, np.intp) - 1)


def _levels_of(values: npt.NDArray[np.uint8], greys: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Return for each of the greys ``values`` the index of the level whose grey is nearest."""
    return np.digitize(values, (greys[1:] + greys[:-1]) / 2.0)


def _votes(
    plot: npt.NDArray[np.uint8], darkest: npt.NDArray[np.uint8], paper: _Paper, levels: npt.NDArray[np.intp], greys: int
) -> npt.NDArray[np.intp]:
    """Return, for each region and level, how much line of that level is next to the region: (regions, levels).

    The unit is pixels in the middle of a line. ``darkest`` is the least grey in the 3 x 3 neighbourhood of each pixel,
    ``levels`` the level of each grey, and ``greys`` the number of levels.
    """
    middle = (plot == darkest) & (paper.distance > 0) & (paper.distance <= np.float32(REACH))
    votes = paper.labels[middle] * greys + levels[plot[middle]]
    return np.bincount(votes, minlength=len(paper.areas) * greys).reshape(-1, greys)


def _between_two(votes: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """Return the interval number of each region that touches lines of exactly two adjacent levels, -1 for others."""
    share = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1)
    touched = (share >= MINORITY) & (votes >= 2)
    both = touched[:, 1:] & touched[:, :-1]
    decided = (touched.sum(axis=1) == 2) & both.any(axis=1)
    return np.where(decided, both.argmax(axis=1) + 1, -1).astype(np.int32)


def _borders(
    darkest: npt.NDArray[np.uint8], paper: _Paper, levels: npt.NDArray[np.intp], greys: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
    """Return the borders between regions, each as (length in px, region, region), and the level of the line there."""
    regions = len(paper.areas)
    keys, lengths = np.unique(_adjacent_pairs(darkest, paper, levels, greys), return_counts=True)
    pair, level = np.divmod(keys, greys)
    return np.stack([lengths, pair // regions, pair % regions]), level


def _adjacent_pairs(
    darkest: npt.NDArray[np.uint8], paper: _Paper, levels: npt.NDArray[np.intp], greys: int
) -> npt.NDArray[np.int64]:
    """Return a number for each pair of adjacent pixels in different regions.

    The number encodes both regions and the level of the line between them.
    """
    met = []
    for here, there in ((np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1], np.s_[1:])):
        at = np.nonzero(paper.labels[here] != paper.labels[there])
        near = paper.distance[here][at] + paper.distance[there][at] <= np.float32(2 * REACH)
        rows, columns = at[0][near], at[1][near]
        one, other = (paper.labels[side][rows, columns].astype(np.int64) for side in (here, there))
        line = levels[np.minimum(darkest[here][rows, columns], darkest[there][rows, columns])]
        met.append((np.minimum(one, other) * len(paper.areas) + np.maximum(one, other)) * greys + line)
    return np.concatenate(met)


def _propagate(intervals: npt.NDArray[np.int32], borders: npt.NDArray[np.int64], levels: npt.NDArray[np.intp]) -> None:
    """Set in place each undecided interval number (-1) that follows from that of a neighbouring region.

    ``intervals`` has the interval number of each region. ``borders`` and ``levels`` are the results of ``_borders``.
    Regions on the two sides of a line of level k have the intervals k and k + 1. The longest borders are used first.
    """
    across: dict[int, list[tuple[int, int, int]]] = {}
    for length, a, b, level in zip(*borders.tolist(), levels.tolist(), strict=True):
        across.setdefault(a, []).append((length, b, level))
        across.setdefault(b, []).append((length, a, level))
    heap: list[tuple[int, int, int]] = []

    def offer(region: int) -> None:
        decided = int(intervals[region])
        for length, other, level in across.get(region, ()):
            if intervals[other] < 0 and decided in (level, level + 1):
                heappush(heap, (-length, other, 2 * level + 1 - decided))

    for region in np.flatnonzero(intervals >= 0).tolist():
        offer(region)
    while heap:
        _, region, interval = heappop(heap)
        if intervals[region] < 0:
            intervals[region] = interval
            offer(region)


def _order_across_merged_lines(
    intervals: npt.NDArray[np.int32], plot: npt.NDArray[np.uint8], paper: _Paper, greys: npt.NDArray[np.float64]
) -> None:
    """Set in place the undecided interval numbers (-1) of regions that border on merged lines, which form a band.

    The surface rises to the darker side of the band. The levels of its outermost lines are read from their greys.
    """
    pairs = []
    for lines, labels, distance in ((plot, paper.labels, paper.distance), (plot.T, paper.labels.T, paper.distance.T)):
        rows, columns = np.nonzero(labels[:, 1:] != labels[:, :-1])
        step = np.round(distance[rows, columns] - 1.5).astype(np.intp).clip(0)
        low = _levels_of(lines[rows, (columns - step).clip(0)], greys)
        high = _levels_of(lines[rows, (columns + 1 + step).clip(max=lines.shape[1] - 1)], greys)
        pairs.append(np.stack([labels[rows, columns], labels[rows, columns + 1], low, high]))
    met = np.concatenate(pairs, axis=1)
    met = np.concatenate([met, met[[1, 0, 3, 2]]], axis=1)
    for region in np.flatnonzero(intervals < 0).tolist():
        this_side, other_side = met[2:, met[0] == region]
        if len(this_side) < BAND:
            continue
        near, far = float(np.median(this_side)), float(np.median(other_side))
        if near < far:
            intervals[region] = int(near)
        elif near > far:
            intervals[region] = int(near) + 1
