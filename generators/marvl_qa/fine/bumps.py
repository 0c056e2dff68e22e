"""Families of sums of small bumps and hollows of compact support, on low ground.

A bump is ``a*max(0, 1 - q)**3`` with a quadratic form q: smooth, exactly zero outside an ellipse, and computed by sums
and products only. There are two families. Clustered Bumps: single summits, pairs, triples, and bumps with a shoulder
(which is not a summit), together with hollows of the same kinds, on domes, basins and straight ridges. Beaded Ridges:
summits in a row on winding ridges, with hollows between the ridges. A question counts either maxima or minima; a
surface always has extrema of both kinds.
"""

from collections.abc import Sequence
from functools import partial
from math import cos, hypot, pi, sin
from typing import Final, NamedTuple

import numba
import numpy as np

from planimeter.generators.marvl_qa.families._drawing import integer, rounded, sign
from planimeter.generators.marvl_qa.families._frame import Array
from planimeter.generators.marvl_qa.families._printing import number, scaled, shifted, total
from planimeter.generators.marvl_qa.family import Parameters
from planimeter.generators.marvl_qa.fine._family import COUNTS, HALF_WIDTH, CountedFamily, drawn_at_random
from planimeter.items import FEATURES, Feature

#: Least distance of terms from the border of the window.
_MARGIN: Final = 0.15
#: Least and greatest radius of a fine bump: 13 to 17 px of a plot of 480.
_RADIUS: Final = (0.27, 0.35)
#: Distance of two summits of a cluster, in radii: the pass between them is a third to three fifths as high.
_APART: Final = (1.28, 1.5)
#: Random positions that are tried for a cluster before it is omitted.
_TRIES: Final = 60


class _Term(NamedTuple):
    """An elliptic bump, or a hollow if its height is negative: centre, height, half axes (axis units), and the angle
    (radians, from the x axis) of the first half axis.
    """

    x: float
    y: float
    height: float
    long: float
    short: float
    angle: float


class _Cluster(NamedTuple):
    """A group of overlapping bumps (``terms``) around the origin: ``summits`` summits in a circle of ``radius``."""

    terms: tuple[_Term, ...]
    summits: int
    radius: float


#: x and y of the centre, and the radius.
_Circle = tuple[float, float, float]


def _parameters(terms: Sequence[_Term]) -> Parameters:
    """Return the parameters of the surface that is the sum of ``terms``: the centre, height and quadratic form of each,
    rounded as printed.
    """
    p: dict[str, float] = {"n": float(len(terms))}
    for i, term in enumerate(terms, start=1):
        c, s = cos(term.angle), sin(term.angle)
        along, across = term.long**-2, term.short**-2
        p |= {f"x{i}": rounded(term.x, 3), f"y{i}": rounded(term.y, 3), f"a{i}": rounded(term.height, 3)}
        p |= {f"p{i}": rounded(along * c * c + across * s * s, 3), f"q{i}": rounded(2 * (along - across) * c * s, 3)}
        p[f"r{i}"] = rounded(along * s * s + across * c * c, 3)
    return p


def _sum(x: Array, y: Array, p: Parameters) -> Array:
    terms = np.array([[p[f"{name}{i}"] for name in "xyapqr"] for i in range(1, int(p["n"]) + 1)])
    if np.ndim(x) == np.ndim(y) == 2 and x.shape[0] == y.shape[1] == 1:
        grid: Array = _on_grid(np.ascontiguousarray(x[0]), np.ascontiguousarray(y[:, 0]), terms)
        return grid
    across, up = np.broadcast_arrays(x, y)
    points: Array = _on_points(across.ravel(), up.ravel(), terms)
    return points.reshape(across.shape)


@numba.njit(cache=True)
def _on_grid(x, y, terms):  # type: ignore[no-untyped-def]
    """Return the heights of the sum of ``terms`` on a grid, (len(y), len(x)).

    A row of ``terms`` is (x and y of its centre, its height, and the coefficients of u*u, u*v and v*v, where u and v
    are x and y relative to the centre). Each term is evaluated inside its bounding box only.
    """
    z = np.zeros((len(y), len(x)))
    for k in range(len(terms)):
        x0, y0, a, p, q, r = terms[k]
        area = p * r - q * q / 4
        wide, tall = np.sqrt(r / area) + 1e-9, np.sqrt(p / area) + 1e-9
        for i in range(len(y)):
            v = y[i] - y0
            if abs(v) > tall:
                continue
            for j in range(len(x)):
                u = x[j] - x0
                if abs(u) <= wide:
                    left = 1 - p * (u * u) - q * (u * v) - r * (v * v)
                    if left > 0:
                        z[i, j] += a * (left * left * left)
    return z


@numba.njit(cache=True)
def _on_points(x, y, terms):  # type: ignore[no-untyped-def]
    """Return the height of the sum of ``terms`` at each of the points (``x``, ``y``); ``terms`` as in ``_on_grid``."""
    z = np.zeros(len(x))
    for k in range(len(terms)):
        x0, y0, a, p, q, r = terms[k]
        for i in range(len(x)):
            u, v = x[i] - x0, y[i] - y0
            left = 1 - p * (u * u) - q * (u * v) - r * (v * v)
            if left > 0:
                z[i] += a * (left * left * left)
    return z


def _print(p: Parameters) -> str:
    return total(*(scaled(p[f"a{i}"], _print_term(i, p)) for i in range(1, int(p["n"]) + 1)))


def _print_term(i: int, p: Parameters) -> str:
    u, v = shifted("x", p[f"x{i}"]), shifted("y", p[f"y{i}"])
    squares = [f"{number(p[f'p{i}'])}*{u}**2", f"{number(p[f'q{i}'])}*{u}*{v}", f"{number(p[f'r{i}'])}*{v}**2"]
    signs = [f"-{square}" if not square.startswith("-") else square[1:] for square in squares]
    return f"Max(0, {total('1', *signs)})**3"


def _draw_clusters(rng: np.random.Generator, feature: Feature, count: int, half: float) -> Parameters:
    up = 1 if feature == "maxima" else -1
    plot = _Plot(rng, half - _MARGIN)
    # Clusters of the other sign, which are not counted, come last and take the remaining room.
    for cluster in [*_clusters(rng, up, count), *_clusters(rng, -up, _others(rng, count))]:
        plot.place(*cluster)
    return _parameters(plot.terms)


def _draw_ridges(rng: np.random.Generator, feature: Feature, count: int, half: float) -> Parameters:
    up = 1 if feature == "maxima" else -1
    plot = _Plot(rng, half - _MARGIN)
    left = count
    for _ in range(_TRIES):
        left -= plot.thread(up, min(left, integer(rng, 4, 12)))
    for cluster in _clusters(rng, -up, _others(rng, count)):
        plot.place(*cluster)
    return _parameters(plot.terms)


def _others(rng: np.random.Generator, count: int) -> int:
    """Return a random number of minima for a pattern in which ``count`` maxima are to be counted, or the reverse."""
    return min(int(rng.uniform(0.35, 0.9) * count) + 3, 40)


def _clusters(rng: np.random.Generator, side: int, summits: int) -> list[tuple[int, _Cluster]]:
    """Return random clusters with ``summits`` summits in all, each as (``side``, cluster); side is 1 for bumps, -1 for
    hollows.
    """
    clusters: list[tuple[int, _Cluster]] = []
    while summits > 0:
        cluster = _cluster(rng, summits)
        clusters.append((side, cluster))
        summits -= cluster.summits
    return clusters


class _Plot:
    """A pattern under construction: random low ground, the bumps and hollows placed on it, and the circles that they
    occupy.

    Everything is within the square of half side ``reach`` about the origin.
    """

    def __init__(self, rng: np.random.Generator, reach: float) -> None:
        self._rng, self._reach = rng, reach
        self.terms = _grounds(rng, reach)
        self._taken: list[_Circle] = []
        #: Side -> centres of grounds without a bump: the first bump on a ground hides the ground's own summit.
        self._seats = {s: [(g.x, g.y) for g in self.terms if s * g.height > 0] for s in (1, -1)}

    def place(self, side: int, cluster: _Cluster) -> None:
        """Add ``cluster`` as bumps (``side`` 1) or hollows (-1) at a free position.

        The tops of domes and bottoms of basins are tried first, then ``_TRIES`` random positions. If none is free,
        the cluster is omitted.
        """
        spots = (self._rng.uniform(-1, 1, (_TRIES, 2)) * (self._reach - cluster.radius)).tolist()
        for x, y in [*self._seats[side], *spots]:
            if self._is_free(x, y, cluster.radius):
                self._seats[side] = [seat for seat in self._seats[side] if seat != (x, y)]
                self._taken.append((x, y, cluster.radius))
                self.terms += [t._replace(x=x + t.x, y=y + t.y, height=side * t.height) for t in cluster.terms]
                return

    def thread(self, side: int, beads: int) -> int:
        """Add at most ``beads`` bumps (``side`` 1) or hollows (-1) along a random winding line, as long as there is
        room; return their number.
        """
        rng = self._rng
        place = (rng.uniform(-1, 1, 2) * (self._reach - 0.4)).tolist()
        x, y = self._seats[side].pop(0) if self._seats[side] else place
        heading, bend = rng.uniform(0, 2 * pi), rng.uniform(-0.35, 0.35)
        line: list[_Circle] = []
        # A bead touches the previous one, and keeps a larger distance from other lines than from its own.
        while len(line) < beads and self._is_free(x, y, 0.34, line[:-1]) and max(abs(x), abs(y)) < self._reach - 0.37:
            line.append((x, y, 0.26))
            bend = 0.7 * bend + rng.uniform(-0.25, 0.25)
            heading, step = heading + bend, rng.uniform(0.41, 0.48)
            x, y = x + step * cos(heading), y + step * sin(heading)
        for x, y, _ in line:
            radius = rng.uniform(0.29, 0.33)
            self._taken.append((x, y, 0.34))
            self.terms.append(_Term(x, y, side * rng.uniform(0.75, 1.0), 1.08 * radius, radius, rng.uniform(0, pi)))
        return len(line)

    def _is_free(self, x: float, y: float, radius: float, others: Sequence[_Circle] = ()) -> bool:
        circles = (*self._taken, *others)
        return all(hypot(x - u, y - v) >= radius + other for u, v, other in circles)


def _cluster(rng: np.random.Generator, most: int) -> _Cluster:
    """Return a random cluster about the origin, with one to three summits, but at most ``most``."""
    kind, radius = rng.random(), rng.uniform(*_RADIUS)
    angle, gap = rng.uniform(0, 2 * pi), rng.uniform(*_APART) * radius

    def bump(x: float, y: float) -> _Term:
        long = radius * rng.uniform(1.0, 1.12)
        return _Term(x, y, rng.uniform(0.75, 1.0), long, radius, rng.uniform(0, pi))

    if kind < 0.4 and most >= 2:
        ends = [(side * gap / 2 * cos(angle), side * gap / 2 * sin(angle)) for side in (1, -1)]
        return _Cluster(tuple(bump(*end) for end in ends), 2, gap / 2 + radius)
    if kind < 0.6 and most >= 3:
        # The three are not in a triangle: the ground between three hollows would be a further summit.
        turn = angle + rng.uniform(1.9, 2.6) * sign(rng)
        ends = [(0.0, 0.0), (gap * cos(angle), gap * sin(angle)), (gap * cos(turn), gap * sin(turn))]
        return _Cluster(tuple(bump(*end) for end in ends), 3, gap + radius)
    if kind < 0.8:
        main, aside = bump(0.0, 0.0), rng.uniform(0.6, 0.8) * radius
        shoulder = bump(aside * cos(angle), aside * sin(angle))
        shoulder = shoulder._replace(height=main.height * rng.uniform(0.35, 0.5), long=radius, short=0.9 * radius)
        return _Cluster((main, shoulder), 1, aside + radius)
    return _Cluster((bump(0.0, 0.0),), 1, radius)


def _grounds(rng: np.random.Generator, reach: float) -> list[_Term]:
    """Return random domes, basins and straight ridges, all of them low, in the square of half side ``reach``."""
    grounds = []
    for _ in range(integer(rng, 2, 4)):
        long = rng.uniform(0.33, 0.66) * reach
        short = rng.uniform(0.6, 1.0) if rng.random() < 0.5 else rng.uniform(0.6, 1.0) * long
        x, y = rng.uniform(-1, 1, 2) * (reach - long)
        grounds.append(_Term(x, y, sign(rng) * rng.uniform(0.15, 0.3), long, short, rng.uniform(0, pi)))
    return grounds


_family = partial(
    CountedFamily,
    tier=5,
    window=HALF_WIDTH,
    height=_sum,
    expression=_print,
    counts=dict.fromkeys(FEATURES, COUNTS),
    floor=0.0,
)

CLUSTERED_BUMPS = _family(title="Clustered Bumps", aim=_draw_clusters, draw=drawn_at_random(_draw_clusters))
BEADED_RIDGES = _family(title="Beaded Ridges", aim=_draw_ridges, draw=drawn_at_random(_draw_ridges))
