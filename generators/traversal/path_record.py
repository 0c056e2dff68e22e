"""Make the item of a path from its coordinates: exact crossings, tortuosity, ranges of difficulty; draw its markers."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from planimeter.generators.traversal.cells import Bins
from planimeter.generators.traversal.kernels import Floats
from planimeter.generators.traversal.limits import LATTICE, Limits
from planimeter.items import MARKER_COLORS, MARKER_SHAPES, Crossing, Point, TraversalItem

#: Decimals of a stored tortuosity, and of the stored coordinates (px) of a crossing.
_TORTUOSITY_DECIMALS, _CROSSING_DECIMALS = 9, 6


#: Every marker, ``"<color> <shape>"``.
MARKERS: tuple[str, ...] = tuple(f"{color} {shape}" for color in MARKER_COLORS for shape in MARKER_SHAPES)


def draw_markers(n_points: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Return ``n_points`` different random markers ("<color> <shape>"), in the order of the points.

    In TraversalBench no marker is repeated either, but the start is always the red square, and a model may learn
    to search for it; here every marker is equally likely to be the start.

    Raises:
        ValueError: if there are more points than markers.
    """
    if not 0 < n_points <= len(MARKERS):
        raise ValueError(f"need 1 to {len(MARKERS)} points, one different marker each, got {n_points}")
    return tuple(MARKERS[int(i)] for i in rng.permutation(len(MARKERS))[:n_points])


def lattice_points(path: Floats) -> tuple[tuple[int, int], ...]:
    """Return the vertices of ``path`` (n, 2; px) as integers, in steps of 1/16 px (``LATTICE``).

    Raises:
        ValueError: if a coordinate is not a multiple of 1/16 px.
    """
    steps = path * LATTICE
    if (steps != steps.round()).any():
        raise ValueError(f"coordinates must be multiples of 1/{LATTICE} px, got {path.tolist()}")
    return tuple((int(x), int(y)) for x, y in steps)


def crossings_of(lattice: Sequence[tuple[int, int]]) -> tuple[Crossing, ...]:
    """Return the points at which two segments of a path cross inside both, found by integer arithmetic.

    ``lattice``: the vertices in steps of 1/16 px. Positions of crossings are in px, rounded.
    """
    crossings = []
    for i in range(len(lattice) - 1):
        (ax, ay), (bx, by) = lattice[i], lattice[i + 1]
        ux, uy = bx - ax, by - ay
        for j in range(i + 2, len(lattice) - 1):
            (cx, cy), (dx, dy) = lattice[j], lattice[j + 1]
            vx, vy = dx - cx, dy - cy
            side_c, side_d = ux * (cy - ay) - uy * (cx - ax), ux * (dy - ay) - uy * (dx - ax)
            side_a, side_b = vx * (ay - cy) - vy * (ax - cx), vx * (by - cy) - vy * (bx - cx)
            if side_a * side_b < 0 and side_c * side_d < 0:
                along = side_a / (side_a - side_b)
                x, y = (ax + along * ux) / LATTICE, (ay + along * uy) / LATTICE
                crossings.append(
                    Crossing(
                        x=round(x, _CROSSING_DECIMALS),
                        y=round(y, _CROSSING_DECIMALS),
                        first_segment=i,
                        second_segment=j,
                    )
                )
    return tuple(crossings)


def tortuosity_of(lattice: Sequence[tuple[int, int]]) -> float:
    """Return the tortuosity of a path, its length over the distance of its ends; infinite if the ends coincide.

    ``lattice``: the vertices in steps of 1/16 px. The result is rounded to 9 decimals.
    """
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(lattice)]
    length = math.fsum(math.sqrt(x * x + y * y) for x, y in steps)
    ex, ey = lattice[-1][0] - lattice[0][0], lattice[-1][1] - lattice[0][1]
    if ex == ey == 0:
        return math.inf
    return round(length / math.sqrt(ex * ex + ey * ey), _TORTUOSITY_DECIMALS)


def record(
    path: Floats, *, markers: tuple[str, ...], family: str, seed: int, bins: Bins, limits: Limits
) -> TraversalItem:
    """Return the item of ``path`` (n, 2; px), whose coordinates are multiples of 1/16 px.

    ``family``: the name of the construction; ``seed``: stored in the item.
    """
    lattice = lattice_points(path)
    crossings, tortuosity = crossings_of(lattice), tortuosity_of(lattice)
    points: tuple[Point, ...] = tuple((x / LATTICE, y / LATTICE) for x, y in lattice)
    tortuosity_bin, crossing_bin = bins.tortuosity_bin(tortuosity), bins.crossing_bin(len(crossings))
    return TraversalItem(
        points=points,
        markers=markers,
        tortuosity=tortuosity,
        self_intersections=len(crossings),
        tortuosity_bin=-1 if tortuosity_bin is None else tortuosity_bin,
        self_intersection_bin=-1 if crossing_bin is None else crossing_bin,
        crossings=crossings,
        generator_family=family,
        view=limits.view,
        glyph_radius=limits.glyph_radius,
        glyph_pad=limits.glyph_pad,
        seed=seed,
    )
