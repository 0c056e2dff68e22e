"""Draws the course of ropes: lanes of a band that swap places, on a band that runs straight or in an S."""

from typing import NamedTuple

import numpy as np

#: Side of the picture, and where ropes begin and end on the left and the right, px.
SIDE, LEFT, RIGHT = 720, 82.0, 638.0
#: Distance of lanes without and with folds, px, and the part of it in which two of them swap: nearly a right angle.
LANES, STEP = ((44.0, 72.0), (36.0, 36.0)), 1.8
#: How high the waves of a band are without and with folds, how long they are, and what is free above and below, px.
WAVES, LONG, MARGIN = ((8.0, 24.0), (2.0, 12.0)), (400.0, 900.0), 8.0
#: How far folds go beyond where ropes begin and end, how far from ends and turns ropes swap, and of points, px.
OVER, APART, POINT = 20.0, 12.0, 4.0


class Crossing(NamedTuple):
    """Ropes ``over`` and ``under`` cross; ``place`` is the part of the way, 0 to 1."""

    over: int
    under: int
    place: float


class Tangle(NamedTuple):
    """``ropes`` from their starts, top to bottom, to their ends (points in px), and their ``crossings``."""

    ropes: tuple[np.ndarray, ...]
    crossings: tuple[Crossing, ...]

    def ends(self):
        """Return for each rope the rank of its end from the top, 0 the uppermost."""
        return np.argsort(np.argsort([rope[-1, 1] for rope in self.ropes])).tolist()

    def length(self):
        """Return the mean length of a rope, px."""
        return round(float(np.mean([np.hypot(*np.diff(rope, axis=0).T).sum() for rope in self.ropes])), 1)


def draw(ropes, crossings, folds, rng):
    """Return ``ropes`` with ``crossings`` on a band with 0 or 2 ``folds``; None if there is no room for the swaps."""
    high, lane = WAVES[folds > 0], float(rng.uniform(*LANES[folds > 0]))
    width, length = (ropes - 1) * lane, STEP * lane
    radius = (width + 40) / 2 + float(rng.uniform(0, 2)) if folds else 0.0
    middle, total, straight = _middle(width, radius)
    steps = []
    for start, end in straight:
        number = int((end - start - 2 * APART) / length)
        steps += [(start + end) / 2 + length * (i - number / 2) for i in range(number)]
    swaps = _swaps(ropes, crossings, len(steps), rng)
    if swaps is None:
        return None
    along = np.linspace(0.0, total, len(middle))
    lanes = np.repeat(np.arange(ropes, dtype=float)[:, None] - (ropes - 1) / 2, len(along), axis=1)
    order, crossed = list(range(ropes)), []
    for step, at in swaps:
        moved = (1 - np.cos(np.pi * np.clip((along - steps[step]) / length, 0, 1))) / 2
        upper, lower = order[at], order[at + 1]
        lanes[upper] += moved
        lanes[lower] -= moved
        order[at], order[at + 1] = lower, upper
        over, under = (upper, lower) if rng.random() < 0.5 else (lower, upper)
        crossed.append(Crossing(over, under, (steps[step] + length / 2) / total))
    way = np.gradient(middle, axis=0)
    aside = np.column_stack([-way[:, 1], way[:, 0]]) / np.hypot(*way.T)[:, None]
    margin = 3 * high[1] + MARGIN
    corner = LEFT, float(rng.uniform(margin, SIDE - margin - width - 4 * radius)) + width / 2
    lines = [middle + place[:, None] * lane * aside + corner for place in lanes]
    # A gentle wave of the whole plane keeps what crosses what.
    waves = [(rng.uniform(*high), 2 * np.pi / rng.uniform(*LONG), rng.uniform(0, 2 * np.pi)) for _ in range(3)]
    for line in lines:
        line[:, 1] += sum(size * np.sin(line[:, 0] * often + phase) for size, often, phase in waves)
    if rng.random() < 0.5:
        # Upside down, so that an S may begin below; the lowest rope is A then.
        lines = [np.column_stack([line[:, 0], SIDE - line[:, 1]]) for line in lines[::-1]]
        crossed = [Crossing(ropes - 1 - over, ropes - 1 - under, place) for over, under, place in crossed]
    return Tangle(tuple(np.round(line, 1) for line in lines), tuple(crossed))


def _middle(width, radius):
    """Return the middle of the band as points, its length, and the start and end of its straight part, px."""
    span = RIGHT - LEFT
    # Folds turn where the outermost rope is a little beyond the ends; without folds the turns shrink to the ends.
    left = radius + width / 2 - OVER if radius else span
    first, turn = span - left, np.pi * radius
    half = np.linspace(0, np.pi, 400)
    arc = radius * np.column_stack([np.sin(half), 1 - np.cos(half)])
    line = np.array([(0.0, 0.0), *(arc + (first, 0)), *(arc * (-1, 1) + (left, 2 * radius)), (span, 4 * radius)])
    far = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    along = np.linspace(0.0, far[-1], int(far[-1] / POINT))
    middle = np.column_stack([np.interp(along, far, values) for values in line.T])
    third = 2 * first - left + turn
    parts = [(0.0, first), (first + turn, third), (third + turn, third + turn + first)]
    return middle, float(far[-1]), parts if radius else [(0.0, span)]


def _swaps(ropes, crossings, steps, rng):
    """Return the lanes that swap with the next at each step, no lane twice in a step; None if they do not fit."""
    places = [(step, at) for step in range(steps) for at in range(ropes - 1)]
    chosen = set()
    for number in rng.permutation(len(places)):
        step, at = places[number]
        if not {(step, at - 1), (step, at + 1)} & chosen:
            chosen.add((step, at))
        if len(chosen) == crossings:
            return sorted(chosen)
    return None
