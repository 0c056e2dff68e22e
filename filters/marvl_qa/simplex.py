"""Nelder and Mead's search from many starts at once, in the plane.

Each search takes the steps of scipy's ``minimize(method="Nelder-Mead")`` from the same first simplex. The searches know
nothing of one another, but the heights that they ask for are computed together: one height alone costs as much as many.
"""

from collections.abc import Callable, Generator
from typing import Final

import numpy as np

from planimeter.generators.marvl_qa.sampling import Grid

#: Heights that a search may ask for.
MOST: Final = 400

_Point = tuple[float, float]
_Corner = tuple[float, _Point]


class _EnoughError(Exception):
    """A search has asked for as many heights as it may."""


def lowest(heights: Callable[[Grid], Grid], simplices: Grid, tolerance: float) -> Grid:
    """Return where the search from each of ``simplices`` (n, 3, 2) ends, (n, 2).

    ``heights`` of points (k, 2) are (k,). A search ends where the corners of its simplex differ by ``tolerance`` at
    most, in both coordinates and in height, or after ``MOST`` heights.
    """
    searches = [_search([(x, y) for x, y in simplex], tolerance) for simplex in simplices.tolist()]
    asked = {number: next(search) for number, search in enumerate(searches)}
    found = np.empty((len(searches), 2))
    for calls in range(1, MOST + 1):
        if not asked:
            break
        answers = heights(np.array([*asked.values()])).tolist()
        for number, answer in zip([*asked], answers, strict=True):
            try:
                asked[number] = searches[number].send(answer)
                if calls == MOST:
                    searches[number].throw(_EnoughError)
            except StopIteration as ended:
                found[number] = ended.value
                del asked[number]
    return found


def _search(simplex: list[_Point], tolerance: float) -> Generator[_Point, float, _Point]:
    """Yield the points whose heights are to be sent, and return the lowest."""
    a, b, c = simplex
    corners: list[_Corner] = [((yield a), a), ((yield b), b), ((yield c), c)]
    try:
        while True:
            corners.sort(key=lambda corner: corner[0])
            (low, best), (middle, other), (high, worst) = corners
            width = max(abs(p[k] - best[k]) for p in (other, worst) for k in (0, 1))
            if width <= tolerance and max(abs(low - middle), abs(low - high)) <= tolerance:
                break
            centre = (best[0] + other[0]) / 2, (best[1] + other[1]) / 2
            reflected = _mix(2.0, centre, -1.0, worst)
            here = yield reflected
            if here < low:
                further = _mix(3.0, centre, -2.0, worst)
                there = yield further
                corners[2] = (there, further) if there < here else (here, reflected)
            elif here < middle:
                corners[2] = here, reflected
            else:
                outside = here < high
                nearer = _mix(1.5, centre, -0.5, worst) if outside else _mix(0.5, centre, 0.5, worst)
                there = yield nearer
                if there <= here if outside else there < high:
                    corners[2] = there, nearer
                else:
                    for k, point in ((1, other), (2, worst)):
                        shrunk = best[0] + 0.5 * (point[0] - best[0]), best[1] + 0.5 * (point[1] - best[1])
                        corners[k] = (yield shrunk), shrunk
    except _EnoughError:
        pass
    return min(corners, key=lambda corner: corner[0])[1]


def _mix(a: float, p: _Point, b: float, q: _Point) -> _Point:
    return a * p[0] + b * q[0], a * p[1] + b * q[1]
