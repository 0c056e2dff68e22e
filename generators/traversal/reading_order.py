"""Reading order: paths in lanes that all run in one direction, like lines of text (TraversalBench, section 4.3).

A path follows a lane from its start to its end; a long segment then returns to the start of the next lane. A regime is
a direction of reading, such as left to right, then top to bottom. The four regimes are one construction under
reflections and a transposition, so that they differ in direction only.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planimeter.generators import seeding
from planimeter.generators.traversal.annealing import Schedule, anneal, targets
from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.kernels import Floats, Target
from planimeter.generators.traversal.limits import LATTICE, Limits
from planimeter.generators.traversal.path_record import draw_markers, record
from planimeter.items import ReadingOrderItem, Regime

#: Small shifts only, to preserve the lanes.
_FINISH = Schedule(steps=2000, hot=0.01, cold=0.001, whole=0.0, reach=0.03)
#: Largest deviation of a lane's vertices from its axis, as a share of the distance between lanes; and from even spacing
#: along it, as a share of that spacing.
_SWAY, _UNEVEN = 0.2, 0.3
_ATTEMPTS = 400


@dataclass(frozen=True, kw_only=True, slots=True)
class LaneCandidate:
    """One attempt at a path in lanes: a random ``proposal`` (n, 2; px), and the ``item`` that annealing made from it.

    The item is None if annealing failed, or the path no longer runs in lanes.
    """

    proposal: Floats
    item: ReadingOrderItem | None


def lane_candidates(
    seed: int, regime: Regime, lanes: int, n_points: int, bins: Bins, limits: Limits
) -> Iterator[LaneCandidate]:
    """Yield attempts with random numbers from ``seed`` until one has an item, at most ``_ATTEMPTS``.

    ``lanes``: the number of lanes.
    """
    rng = seeding.rng_of(seed)
    markers = draw_markers(n_points, rng)
    target = _target(n_points, bins, limits)
    for _ in range(_ATTEMPTS):
        drawn = _directed(_lanes(lanes, n_points, rng), regime) * limits.room + limits.margin
        proposal = np.round(drawn * LATTICE) / LATTICE
        path, _ = anneal(proposal, target, _FINISH, rng)
        if path is None or not runs_in_lanes(path, regime, lanes):
            yield LaneCandidate(proposal=proposal, item=None)
            continue
        row = record(path, markers=markers, family="lanes", seed=seed, bins=bins, limits=limits)
        yield LaneCandidate(proposal=proposal, item=ReadingOrderItem(path=row, regime=regime, lanes=lanes))
        return


def _target(n_points: int, bins: Bins, limits: Limits) -> Target:
    """Return the limits that a path in lanes has to meet: no crossings, and a tortuosity in any of the bins."""
    plain = targets(Cell(n_points=n_points, tortuosity_bin=0, crossing_bin=0), bins, limits)
    return plain._replace(tortuosity_high=bins.tortuosity_edges[-1] * 0.998, crossings_high=0.0)


def check_lanes(lanes: int, n_points: int, limits: Limits) -> None:
    """Raise an error if there is no path of ``n_points`` points in ``lanes`` lanes.

    Raises:
        ValueError: if a lane would have fewer than two points, or ``Limits.check_points`` rejects ``n_points``.
    """
    limits.check_points(n_points)
    if 2 * lanes > n_points:
        raise ValueError(
            f"a lane needs 2 vertices to have a direction: {lanes} lanes need {2 * lanes} points, got {n_points}; "
            "use fewer lanes or more points"
        )


def lane_sizes(lanes: int, n_points: int) -> tuple[int, ...]:
    """Return the number of vertices in each lane: as equal as possible, with the larger numbers in the first lanes."""
    short, longer = divmod(n_points, lanes)
    return tuple(short + (lane < longer) for lane in range(lanes))


def _lanes(lanes: int, n_points: int, rng: np.random.Generator) -> Floats:
    """Return a random path (n, 2) in ``lanes`` lanes of the unit square; each runs in +x, and they follow in +y."""
    rows = []
    pitch = 1.0 / lanes
    for lane, size in enumerate(lane_sizes(lanes, n_points)):
        start, end = 0.12 * rng.random(), 1.0 - 0.12 * rng.random()
        step = (end - start) / (size - 1)
        x = start + step * (np.arange(size) + _UNEVEN * (2 * rng.random(size) - 1))
        y = pitch * (lane + 0.5 + _SWAY * (2 * rng.random(size) - 1))
        rows.append(np.stack([np.clip(x, 0.0, 1.0), y], axis=1))
    path = np.concatenate(rows)
    return np.stack([path[:, 0], np.clip(0.5 + (path[:, 1] - 0.5) * 1.15, 0.0, 1.0)], axis=1)


def _directed(path: Floats, regime: Regime) -> Floats:
    """Return ``path`` (n, 2; in the unit square, y downwards) transposed and mirrored into the directions of
    ``regime``.
    """
    turned = path[:, ::-1] if regime.startswith("ttb") else path
    mirrored = regime in ("rtl_tb", "ttb_rl")
    return np.stack([1 - turned[:, 0] if mirrored else turned[:, 0], turned[:, 1]], axis=1)


def runs_in_lanes(path: Floats, regime: Regime, lanes: int) -> bool:
    """Return True if the vertices of ``path`` (n, 2) are in reading order: in lanes that each run as ``regime`` tells.

    Every vertex of a lane is beyond all vertices of the lane before.
    """
    along, after = (path[:, ::-1] if regime.startswith("ttb") else path).T
    along, after = -along if regime == "rtl_tb" else along, -after if regime == "ttb_rl" else after
    first, floor = 0, -np.inf
    for size in lane_sizes(lanes, len(path)):
        lane = slice(first, first + size)
        if (np.diff(along[lane]) <= 0).any() or after[lane].min() <= floor:
            return False
        first, floor = first + size, float(after[lane].max())
    return True
