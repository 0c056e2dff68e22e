"""Draws the course of ropes: lanes of a band that swap places, on a band that runs straight or in an S."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Line = npt.NDArray[np.float64]

#: Side of the picture, and where ropes begin and end on the left and the right, px.
SIDE, LEFT = 720, 82.0
RIGHT = SIDE - LEFT
#: Distance of lanes without and with folds, px, and the part of it in which two of them swap: about a right angle.
LANES, STEP = ((44.0, 64.0), (36.0, 36.0)), 1.55
#: What the band keeps free above and below, and how far folds go beyond where ropes begin and end, px.
MARGIN, OVER = 45.0, 20.0
#: Distance of the points of a rope, px.
POINT = 4.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Crossing:
    """Ropes ``over`` and ``under`` cross; ``place`` is the part of the way, 0 to 1."""

    over: int
    under: int
    place: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Tangle:
    """``ropes`` from their starts, top to bottom, to their ends (points in px), and their ``crossings``."""

    ropes: tuple[Line, ...]
    crossings: tuple[Crossing, ...]

    def ends(self) -> list[int]:
        """Return for each rope the rank of its end from the top, 0 the uppermost."""
        heights = [float(rope[-1, 1]) for rope in self.ropes]
        return [sorted(heights).index(height) for height in heights]

    def length(self) -> float:
        """Return the mean length of a rope, px."""
        return float(np.mean([np.hypot(*np.diff(rope, axis=0).T).sum() for rope in self.ropes]))


def draw(ropes: int, crossings: int, folds: int, rng: np.random.Generator) -> Tangle | None:
    """Return ``ropes`` that cross so often, on a band with 0 or 2 ``folds``; None if there is no room for the swaps."""
    lane = float(rng.uniform(*LANES[folds > 0]))
    width, length = (ropes - 1) * lane, STEP * lane
    radius = (width + 40) / 2 + float(rng.uniform(0, 2)) if folds else 0.0
    middle, total, straight = _middle(width, radius)
    steps = [start + length * i for start, end in straight for i in range(int((end - start) / length))]
    swaps = _swaps(ropes, crossings, len(steps), rng)
    if swaps is None:
        return None
    along = np.linspace(0.0, total, len(middle))
    lanes = np.repeat(np.arange(ropes, dtype=float)[:, None] - (ropes - 1) / 2, len(along), axis=1)
    order, crossed = list(range(ropes)), []
    for step, at in swaps:
        share = np.clip((along - steps[step]) / length, 0, 1)
        moved = share * share * (3 - 2 * share)
        upper, lower = order[at], order[at + 1]
        lanes[upper] += moved
        lanes[lower] -= moved
        order[at], order[at + 1] = lower, upper
        over, under = (upper, lower) if rng.random() < 0.5 else (lower, upper)
        crossed.append(Crossing(over=over, under=under, place=(steps[step] + length / 2) / total))
    way = np.gradient(middle, axis=0)
    aside = np.column_stack([-way[:, 1], way[:, 0]]) / np.hypot(*way.T)[:, None]
    corner = LEFT, float(rng.uniform(MARGIN, SIDE - MARGIN - width - 4 * radius)) + width / 2
    lines = _waved([middle + place[:, None] * lane * aside + corner for place in lanes], rng)
    if rng.random() < 0.5:
        # Upside down, so that an S may begin below; the lowest rope is A then.
        lines = [np.column_stack([line[:, 0], SIDE - line[:, 1]]) for line in lines[::-1]]
        crossed = [Crossing(over=ropes - 1 - c.over, under=ropes - 1 - c.under, place=c.place) for c in crossed]
    return Tangle(ropes=tuple(np.round(line, 1) for line in lines), crossings=tuple(crossed))


def _middle(width: float, radius: float) -> tuple[Line, float, list[tuple[float, float]]]:
    """Return the middle of the band by points, its length, and where it runs straight, from and to, px."""
    span = RIGHT - LEFT
    # Folds turn where the outermost rope is a little beyond the ends.
    left = radius + width / 2 - OVER if radius else span
    first, turn = span - left, np.pi * radius
    half = np.linspace(0, np.pi, 400)
    arc = radius * np.column_stack([np.sin(half), 1 - np.cos(half)])
    corners = [(0.0, 0.0), *(arc + (first, 0)), *(arc * (-1, 1) + (left, 2 * radius)), (span, 4 * radius)]
    line = np.array(corners if radius else [(0.0, 0.0), (span, 0.0)])
    far = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    along = np.linspace(0.0, far[-1], int(far[-1] / POINT))
    middle = np.column_stack([np.interp(along, far, line[:, 0]), np.interp(along, far, line[:, 1])])
    third = 2 * first - left + turn
    parts = [(0.0, first), (first + turn, third), (third + turn, third + turn + first)]
    return middle, float(far[-1]), parts if radius else [(0.0, span)]


def _swaps(ropes: int, crossings: int, steps: int, rng: np.random.Generator) -> list[tuple[int, int]] | None:
    """Return at which steps which lanes swap with the next, no lane twice in a step; None if they do not fit."""
    places = [(step, at) for step in range(steps) for at in range(ropes - 1)]
    chosen: set[tuple[int, int]] = set()
    for number in rng.permutation(len(places)):
        step, at = places[number]
        if not {(step, at - 1), (step, at + 1)} & chosen:
            chosen.add((step, at))
        if len(chosen) == crossings:
            return sorted(chosen)
    return None


def _waved(lines: list[Line], rng: np.random.Generator) -> list[Line]:
    """Return the lines after a gentle wave of the whole plane, which keeps what crosses what."""
    waves = [(rng.uniform(2, 12), rng.uniform(260, 620), rng.uniform(0, 2 * np.pi)) for _ in range(3)]

    def sway(x: Line) -> Line:
        return sum(size * np.sin(2 * np.pi * x / length + phase) for size, length, phase in waves)

    return [np.column_stack([line[:, 0], line[:, 1] + sway(line[:, 0])]) for line in lines]
