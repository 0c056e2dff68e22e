"""Deformed templates: classical curves, opened, sampled at the vertices, stretched and warped."""

import math
from collections.abc import Callable

import numpy as np

from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.family import Family, is_loose
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.shaping import aim, fitted, tuned, warped

Curve = Callable[[Floats, np.random.Generator], tuple[Floats, Floats]]


def _lissajous(u: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    a = int(rng.integers(1, 5))
    b = a + int(rng.integers(1, 3))
    return np.sin(2 * math.pi * a * u + math.pi * rng.random()), np.sin(2 * math.pi * b * u)


def _rose(u: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    petals, base = int(rng.integers(2, 6)), 0.2 + 0.9 * rng.random()
    radius = base + np.cos(2 * math.pi * petals * u)
    return radius * np.cos(2 * math.pi * u), radius * np.sin(2 * math.pi * u)


def _hypotrochoid(u: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    winds, cusps = int(rng.integers(1, 4)), int(rng.integers(3, 8))
    weight = 0.3 + 0.6 * rng.random()
    angle, inner = 2 * math.pi * winds * u, 2 * math.pi * (winds - cusps) * u
    return np.cos(angle) + weight * np.cos(inner), np.sin(angle) + weight * np.sin(inner)


def _spiral(u: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    turns, start = 1.0 + 2.0 * rng.random(), 0.15 + 0.3 * rng.random()
    radius, angle = start + (1 - start) * u, 2 * math.pi * turns * np.sqrt(u)
    return radius * np.cos(angle), radius * np.sin(angle)


def _serpentine(u: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    waves = 0.5 + 2.5 * rng.random()
    angle = 2 * math.pi * waves * u
    return u + 0.12 * np.sin(2 * angle), 0.5 * np.sin(angle + math.pi * rng.random())


_CURVES: tuple[Curve, ...] = (_lissajous, _rose, _hypotrochoid, _spiral, _serpentine)


def _propose(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats:
    tortuosity, _ = aim(cell, bins, rng)
    curve = _CURVES[int(rng.integers(len(_CURVES)))]
    share = 0.4 + 0.58 * rng.random()
    x, y = (
        curve(rng.random() + share * np.linspace(0.0, 1.0, cell.n_points), rng)
        if curve
        not in (
            _spiral,
            _serpentine,
        )
        else curve(np.linspace(0.0, 1.0, cell.n_points), rng)
    )
    path = np.stack([x, y * (0.5 + rng.random())], axis=1)
    if tortuosity < 3:
        path = tuned(path, tortuosity)
    return fitted(warped(path, 0.15, rng), limits, rng)


FAMILY = Family(
    name="template",
    title="Deformed template",
    propose=_propose,
    suits=is_loose,
    proposals=40,
)
