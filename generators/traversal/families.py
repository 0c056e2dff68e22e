"""The families of constructions: functions that propose a path of a recognisable shape.

A family does not check its paths. The search (``search``) requests a few random proposals, chooses the one that breaks
the rules least, and lets a short annealing shift its vertices until it meets every rule. So families need no code for
rules, and each item stores the family that made its shape.

- Zigzag: strokes from side to side along a straight or bent axis, close together for a high tortuosity.
- Gentle meander: steady progress along a line with a few slow waves, like a river.
- Bowtie chain: a row of loops, each closed by one crossing, with further vertices between them.
- Split star: the strokes of a star polygon, cut open at one vertex and extended by tails or by a second star.
- Rail weave: strokes between two rails. Two strokes cross exactly if the order of their ends on one rail contradicts
  the order on the other, so that the disorder of these ends sets the number of crossings.
- Braid: a line that runs out along a wave and back along the mirrored wave, so that both cross; or a row of open loops.
- Template: classical curves, opened, sampled at the vertices, stretched and warped.
- Spaghetti walk: a random walk inside the margins, in which each step meets the rules against all earlier ones.
- Annealing search: random points, annealed on all rules at once; it can find paths of nearly every tortuosity and
  number of crossings, and prefers no shape.
- Continuation: a path with more tortuosity than required (in the next higher range), annealed at a low temperature. For
  many crossings in little length, a search from random points freezes too early; with more length it succeeds.
- Safe insertion: a path of few points with the required tortuosity and crossings, to which vertices are added. A new
  vertex near the middle of a long straight segment hardly changes crossings and tortuosity. Therefore paths that are
  rare at 17 points (four crossings at a tortuosity below 1.3) are grown from 9 points, where they are common.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from itertools import count as numbers_from
from types import MappingProxyType
from typing import Final

import numpy as np

from planimeter.generators.traversal.annealing import Schedule, anneal, targets
from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.kernels import Floats, walk
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.shaping import aim, bent, fitted, grown, tuned, warped

Propose = Callable[[Cell, Bins, Limits, np.random.Generator], Floats | None]

#: A finish that preserves a construction: no rearrangement, low temperature, shifts of at most a quarter of the side.
FINISH = Schedule(steps=3000, hot=0.02, cold=0.001, whole=0.0, reach=0.25)

#: A general search; the search one tortuosity bin higher, and from there down; the search with fewer points.
_GENERAL = Schedule(steps=12000, hot=0.2, cold=0.002, whole=0.1, reach=0.5)
_ABOVE = Schedule(steps=30000, hot=0.2, cold=0.002, whole=0.1, reach=0.5)
_DOWN = Schedule(steps=10000, hot=0.05, cold=0.002, whole=0.1, reach=0.3)
_BASE = Schedule(steps=20000, hot=0.2, cold=0.002, whole=0.1, reach=0.5)

#: Points of a path before insertion: in crowded cells, paths of more are as rare as those of the cell.
_FEWEST_POINTS = 7
_MOST_POINTS = 11


@dataclass(frozen=True, slots=True)
class Family:
    """A family of constructions, each of which proposes random paths of one recognisable shape.

    ``propose``: returns a random path (n, 2; px) inside the margins for a cell (points, tortuosity, crossings), or None
    if the attempt failed; ``suits``: returns True if the construction can give paths of the cell; ``proposals``: how
    many paths are proposed; the best is annealed with the schedule ``finish``; ``work``: the computing time of a
    proposal, in annealing steps that take as long.
    """

    name: str
    propose: Propose
    suits: Callable[[Cell, Bins], bool]
    _: KW_ONLY
    proposals: int = 12
    work: int = 60
    finish: Schedule = FINISH

    def __post_init__(self) -> None:
        if self.proposals < 1:
            raise ValueError(f"{self.name}: need proposals >= 1, got {self.proposals}")


#: (tortuosity, most crossings that plain constructions reach in bins that start below this tortuosity), as measured.
_LOOSE = ((1.3, 1), (2.0, 5), (3.0, 12))


def _fewest_crossings(cell: Cell, bins: Bins) -> int:
    return bins.crossing_range(cell.crossing_bin)[0]


def _is_plain(cell: Cell, bins: Bins) -> bool:
    return _fewest_crossings(cell, bins) == 0


def _has_crossings(cell: Cell, bins: Bins) -> bool:
    return _fewest_crossings(cell, bins) > 0 and is_loose(cell, bins)


def is_loose(cell: Cell, bins: Bins) -> bool:
    """Return True if simple shapes can have the number of crossings of ``cell`` at its tortuosity.

    For example, nine crossings below tortuosity 2 need a search: no proposal of a star or weave has both.
    """
    low, fewest = bins.tortuosity_range(cell.tortuosity_bin)[0], _fewest_crossings(cell, bins)
    return all(low >= edge or fewest <= most for edge, most in _LOOSE)


def is_searchable(cell: Cell, bins: Bins) -> bool:
    """Return True if annealing of random points finds paths of ``cell`` often enough to be worth trying.

    In cells with many crossings below tortuosity 2 and 15 points or more, fewer than one attempt in fifty finds a path;
    adding points to paths of 9 to 11 points (``_safe_insertion``) finds them several times as fast.
    """
    return is_loose(cell, bins) or cell.n_points <= 13 or bins.tortuosity_range(cell.tortuosity_bin)[0] >= 2


def _zigzag(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats:
    n = cell.n_points
    tortuosity, _ = aim(cell, bins, rng)
    x = np.arange(n) / (n - 1) + (rng.random(n) - 0.5) * 0.5 / n
    side = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    swell = 1.0 + (rng.random() - 0.5) * np.cos(np.pi * (x * int(rng.integers(1, 3)) + rng.random()))
    y = side * swell * (0.55 + 0.45 * rng.random(n)) * 0.3
    sweep = (rng.random() - 0.5) * (1.0 if tortuosity < 2 else 5.0)
    path = tuned(np.stack([x, y], axis=1), tortuosity if abs(sweep) < 1 else 0.7 * tortuosity)
    return fitted(bent(path, sweep), limits, rng)


def _gentle_meander(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats:
    n = cell.n_points
    tortuosity, _ = aim(cell, bins, rng)
    x = np.linspace(0.0, 1.0, n) + (rng.random(n) - 0.5) * 0.4 / n
    waves = 0.6 + rng.random(3) * np.array([1.0, 2.0, 3.0])
    weights = (rng.random(3) - 0.5) * np.array([1.0, 0.7, 0.4])
    y = (weights * np.sin(2 * math.pi * (np.outer(x, waves) + rng.random(3)))).sum(axis=1)
    y += (rng.random(n) - 0.5) * 0.1
    path = bent(np.stack([x, 0.3 * y], axis=1), (rng.random() - 0.5) * 2.4)
    return fitted(tuned(path, tortuosity), limits, rng)


#: A loop of width 1: up across, back along the top, down across; the first and third stroke cross.
_LOOP = np.array([[1.0, 1.0], [0.25, 1.05], [1.05, 0.0]])


def _bowtie_chain(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats | None:
    tortuosity, crossings = aim(cell, bins, rng)
    if 3 * crossings + 1 > cell.n_points:
        return None
    rows = [np.array([0.0, 0.0])]
    for _ in range(crossings):
        flip = 1.0 if rng.random() < 0.6 else -1.0
        size = 0.8 + 0.5 * rng.random()
        start = rows[-1] + np.array([0.5 * rng.random(), 0.0])
        rows += [start + size * row * np.array([1.0, flip]) for row in _LOOP]
    path = grown(np.array(rows), cell.n_points, 0.25, rng)
    path += (rng.random(path.shape) - 0.5) * 0.15
    sweep = (rng.random() - 0.5) * (2.0 if tortuosity < 2 else 1.9 * math.pi)
    return fitted(bent(tuned(path, 0.8 * tortuosity), sweep), limits, rng)


def _suits_bowtie_chain(cell: Cell, bins: Bins) -> bool:
    fewest = _fewest_crossings(cell, bins)
    return fewest > 0 and 3 * fewest + 1 <= cell.n_points


def _star(strokes: int, step: float, rng: np.random.Generator) -> Floats:
    angles = 2 * math.pi * step * np.arange(strokes + 1) + 2 * math.pi * rng.random()
    radii = 0.8 + 0.3 * rng.random(strokes + 1)
    return np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)


def _split_star(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats:
    n = cell.n_points
    tortuosity, crossings = aim(cell, bins, rng)
    points = int(rng.integers(5, max(6, min(n, 12))))
    density = float(rng.integers(2, max(3, (points + 1) // 2)))
    step = density / points + (rng.random() - 0.5) * 0.03
    strokes = int(rng.integers(min(3, n - 2), min(points, n - 2) + 1))
    shape = _star(strokes, step, rng)
    if rng.random() < 0.4 and len(shape) * 2 <= n and crossings > 2:
        shift = np.array([2.2 + 0.8 * rng.random(), (rng.random() - 0.5)])
        shape = np.concatenate([shape, _star(n - len(shape) - 1, step, rng) + shift])
    spare = n - len(shape)
    tail = int(rng.integers(0, spare + 1))
    reach = 1.0 + rng.random()
    if tail:
        shape = np.concatenate([_tail(shape[0], tail, reach, rng)[::-1], shape])
    if spare - tail:
        shape = np.concatenate([shape, _tail(shape[-1], spare - tail, reach, rng)])
    if cell.tortuosity_bin <= 1:
        shape = tuned(shape, tortuosity)
    return fitted(grown(shape, n, 0.1, rng), limits, rng)


def _tail(start: Floats, count: int, reach: float, rng: np.random.Generator) -> Floats:
    """Return a random walk (count, 2) from ``start`` that ends ``reach`` further from the origin than it started."""
    outwards = start / max(math.sqrt(float(start @ start)), 1e-9)
    across = np.array([-outwards[1], outwards[0]])
    steps = (np.arange(count) + 1.0)[:, None] / count * reach
    return start + steps * outwards + np.cumsum(rng.random(count) - 0.5)[:, None] * 0.5 * across


def _rail_weave(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats:
    n = cell.n_points
    tortuosity, crossings = aim(cell, bins, rng)
    disorder = (0.3 + 1.2 * rng.random()) * (crossings / n) * 3.0
    rank = np.arange(n) + disorder * (2 * rng.random(n) - 1)
    x = np.empty(n)
    for rail in range(2):
        order = np.argsort(rank[rail::2], kind="stable")
        x[rail::2][order] = np.arange(len(order)) + 0.5 * rail
    x = (x + (rng.random(n) - 0.5) * 0.3) / (n / 2)
    y = np.where(np.arange(n) % 2 == 0, 0.0, 0.6) + (rng.random(n) - 0.5) * 0.16
    path = np.stack([x, y], axis=1)
    if cell.tortuosity_bin <= 3:
        path = tuned(path, tortuosity)
    return fitted(bent(path, (rng.random() - 0.5) * 2.0), limits, rng)


def _strands(n: int, crossings: int, rng: np.random.Generator) -> Floats:
    """Return a path of ``n`` points that runs out along a wave and back along its mirror image.

    There is about one crossing in each half wave; the number of waves is chosen for about ``crossings``.
    """
    half = (n + int(rng.integers(2))) // 2
    wave = 0.5 * (crossings + rng.random())
    out, back = np.linspace(0.0, 1.0, half), np.linspace(1.0, rng.random() * 0.35, n - half)
    phase = rng.random()
    y_out = 0.2 * np.sin(math.pi * (2 * wave * out + phase))
    y_back = -0.2 * np.sin(math.pi * (2 * wave * back + phase)) + 0.06 * (rng.random() - 0.5)
    return np.stack([np.concatenate([out, back + 0.04]), np.concatenate([y_out, y_back])], axis=1)


def _loops(n: int, crossings: int, rng: np.random.Generator) -> Floats:
    """Return ``n`` points of a prolate trochoid, a row of loops: one crossing per loop, or more where loops overlap.

    The number of loops is chosen for about ``crossings``.
    """
    turns = max(1.0, crossings * (0.5 + 0.6 * rng.random()))
    angle = np.linspace(0.0, 2 * math.pi * turns, n) + math.pi * rng.random()
    pace = 0.15 + 0.5 * rng.random()
    return np.stack([pace * angle - np.sin(angle), -np.cos(angle)], axis=1)


def _braid(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats:
    tortuosity, crossings = aim(cell, bins, rng)
    build = _strands if rng.random() < 0.5 else _loops
    path = build(cell.n_points, crossings, rng)
    path += (rng.random(path.shape) - 0.5) * 0.05
    if build is _loops and tortuosity < 4:
        path = tuned(path, tortuosity)
    sweep = (rng.random() - 0.5) * (1.0 if tortuosity < 2 else 5.0)
    return fitted(warped(bent(path, sweep), 0.08, rng), limits, rng)


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


_CURVES: Final = (_lissajous, _rose, _hypotrochoid, _spiral, _serpentine)


def _template(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats:
    tortuosity, _ = aim(cell, bins, rng)
    curve = _CURVES[int(rng.integers(len(_CURVES)))]
    share = 0.4 + 0.58 * rng.random()
    u = np.linspace(0.0, 1.0, cell.n_points)
    x, y = curve(u if curve in (_spiral, _serpentine) else rng.random() + share * u, rng)
    path = np.stack([x, y * (0.5 + rng.random())], axis=1)
    if tortuosity < 3:
        path = tuned(path, tortuosity)
    return fitted(warped(path, 0.15, rng), limits, rng)


def _annealing_search(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats:
    del bins
    return limits.margin + limits.room * rng.random((cell.n_points, 2))


def _continuation(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats | None:
    above = Cell(n_points=cell.n_points, tortuosity_bin=cell.tortuosity_bin + 1, crossing_bin=cell.crossing_bin)
    start = limits.margin + limits.room * rng.random((cell.n_points, 2))
    path, _ = anneal(start, targets(above, bins, limits), _ABOVE, rng)
    return path


def _suits_continuation(cell: Cell, bins: Bins) -> bool:
    crowded = 2 * _fewest_crossings(cell, bins) >= cell.tortuosity_bin * 4 + 6
    return crowded and cell.tortuosity_bin + 2 < len(bins.tortuosity_edges) and is_searchable(cell, bins)


def _fewest(cell: Cell, bins: Bins) -> int:
    """Return the least number of points of a path to which ``_safe_insertion`` adds points.

    With so many points, at least 1.6 times as many pairs of segments can cross as crossings are required.
    """
    wanted = 1.6 * _fewest_crossings(cell, bins)
    return next(n for n in numbers_from(_FEWEST_POINTS) if (n - 2) * (n - 3) / 2 >= wanted)


def _most(cell: Cell, bins: Bins) -> int:
    """Return the greatest number of points of a path to which ``_safe_insertion`` adds points."""
    return cell.n_points - 2 if is_loose(cell, bins) else min(cell.n_points - 2, _MOST_POINTS)


def _safe_insertion(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats | None:
    n = int(rng.integers(_fewest(cell, bins), _most(cell, bins) + 1))
    base = Cell(n_points=n, tortuosity_bin=cell.tortuosity_bin, crossing_bin=cell.crossing_bin)
    start = limits.margin + limits.room * rng.random((n, 2))
    path, _ = anneal(start, targets(base, bins, limits), _BASE, rng)
    return None if path is None else grown(path, cell.n_points, 0.12, rng)


def _spaghetti_walk(cell: Cell, bins: Bins, limits: Limits, rng: np.random.Generator) -> Floats | None:
    stride = limits.room * (0.25 + 0.5 * rng.random())
    path, finished = walk(cell.n_points, targets(cell, bins, limits), stride, 60, rng)
    return path if finished else None


_LISTED = (
    Family("zigzag", _zigzag, _is_plain),
    Family("gentle_meander", _gentle_meander, lambda cell, bins: _is_plain(cell, bins) and cell.tortuosity_bin <= 2),
    Family("bowtie_chain", _bowtie_chain, _suits_bowtie_chain),
    Family("split_star", _split_star, _has_crossings, proposals=24),
    Family("rail_weave", _rail_weave, _has_crossings, proposals=24),
    Family("braid", _braid, _has_crossings, proposals=24),
    Family("template", _template, is_loose, proposals=40),
    Family(
        "spaghetti_walk",
        _spaghetti_walk,
        lambda cell, bins: cell.tortuosity_bin > 0 and is_loose(cell, bins),
        proposals=40,
    ),
    Family("annealing_search", _annealing_search, is_searchable, proposals=1, finish=_GENERAL),
    Family("continuation", _continuation, _suits_continuation, proposals=1, work=_ABOVE.steps, finish=_DOWN),
    Family(
        "safe_insertion", _safe_insertion, lambda *cell: _fewest(*cell) <= _most(*cell), proposals=1, work=_BASE.steps
    ),
)

#: By name, sorted.
FAMILIES: Final[Mapping[str, Family]] = MappingProxyType({f.name: f for f in sorted(_LISTED, key=lambda f: f.name)})
