"""Random parameters, rounded as they are printed, so that the printed expression determines the surface exactly."""

from collections.abc import Sequence

import numpy as np

#: Candidates for each point of ``scattered``: enough for an even spread, few enough for an irregular one.
CANDIDATES = 24


def uniform(rng: np.random.Generator, low: float, high: float, decimals: int = 2) -> float:
    """Return a uniform random number in [low, high], rounded to ``decimals``; never a negative zero."""
    return rounded(float(rng.uniform(low, high)), decimals)


def signed(rng: np.random.Generator, low: float, high: float, decimals: int = 2) -> float:
    """Return a random number of random sign with a magnitude in [low, high], rounded to ``decimals``."""
    magnitude = uniform(rng, low, high, decimals)
    return magnitude if rng.random() < 0.5 else -magnitude


def sign(rng: np.random.Generator) -> float:
    """Return 1.0 or -1.0 at random."""
    return 1.0 if rng.random() < 0.5 else -1.0


def slopes(rng: np.random.Generator, low: float, high: float) -> dict[str, float]:
    """Return the random parameters a and b of a plane a*x + b*y, with magnitudes in [low, high], to 3 decimals.

    Families add it to a surface so that it is not symmetric.
    """
    return {"a": signed(rng, low, high, 3), "b": signed(rng, low, high, 3)}


def rounded(value: float, decimals: int) -> float:
    """Return ``value`` rounded to ``decimals``; never a negative zero, which would be printed as ``-0``."""
    return round(float(value), decimals) + 0.0


def integer(rng: np.random.Generator, low: int, high: int) -> int:
    """Return a random integer from ``low`` to ``high``, both included."""
    return int(rng.integers(low, high + 1))


def scattered(rng: np.random.Generator, count: int, half_width: float) -> list[tuple[float, float]]:
    """Return ``count`` random points in [-half_width, half_width]**2, spread evenly, to 2 decimals.

    Best-candidate sampling (Mitchell 1991): each point is the one of ``CANDIDATES`` random ones that is farthest from
    all earlier points. Unlike rejection at a fixed distance it cannot fail.
    """
    points: list[tuple[float, float]] = []
    for _ in range(count):
        candidates = rng.uniform(-half_width, half_width, (CANDIDATES if points else 1, 2)).round(2) + 0.0
        best = max(range(len(candidates)), key=lambda i: nearest(tuple(candidates[i]), points))
        points.append((float(candidates[best][0]), float(candidates[best][1])))
    return points


def nearest(point: tuple[float, float], others: Sequence[tuple[float, float]]) -> float:
    """Return the distance from ``point`` to the nearest of ``others``, infinite if there is none."""
    return min((((point[0] - x) ** 2 + (point[1] - y) ** 2) ** 0.5 for x, y in others), default=float("inf"))
