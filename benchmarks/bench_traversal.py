"""Accepted backbones per CPU second, ours against plain rejection sampling, in one run.

Plain is what a user would write: uniform vertices from numpy, the cheap checks first (tortuosity, spacing), then
shapely for crossings and distances, under the same rules. Ours is the cell search as the build runs it, all families
in turn, near-duplicate test and record included. Run: ``python -m benchmarks.bench_traversal [seconds]``.
"""

import sys
import time

import numpy as np
import shapely

from planimeter.generators.seeding import item_seed
from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.search import FAMILIES, CellSearch, SearchConfig

LIMITS, BINS = Limits(), Bins()
CELLS = (
    ("easy", Cell(n_points=9, tortuosity_bin=0, crossing_bin=0)),
    ("middle", Cell(n_points=13, tortuosity_bin=3, crossing_bin=2)),
    ("hard", Cell(n_points=17, tortuosity_bin=4, crossing_bin=6)),
)


def plainly_accepted(path: np.ndarray, cell: Cell) -> bool:
    """Return whether ``path`` obeys every rule of ``cell``, checked with numpy and shapely, cheap checks first."""
    steps = np.diff(path, axis=0)
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    low, high = BINS.tortuosity_range(cell.tortuosity_bin)
    if not low <= lengths.sum() / np.hypot(*(path[-1] - path[0])) < high or lengths.min() < LIMITS.spacing:
        return False
    if np.ptp(path, axis=0).max() < LIMITS.extent:
        return False
    gaps = np.hypot(*(path[:, None] - path[None]).transpose(2, 0, 1))
    if gaps[np.triu_indices(len(path), 1)].min() < LIMITS.spacing:
        return False
    cosines = (steps[1:] * steps[:-1]).sum(axis=1) / (lengths[1:] * lengths[:-1])
    if cosines.min() < np.cos(np.radians(LIMITS.turn)):
        return False
    return _clear(path, steps, cell)


def _clear(path: np.ndarray, steps: np.ndarray, cell: Cell) -> bool:
    segments = shapely.linestrings(np.stack([path[:-1], path[1:]], axis=1))
    i, j = np.triu_indices(len(segments), 2)
    meets = shapely.intersects(segments[i], segments[j])
    fewest, most = BINS.crossing_range(cell.crossing_bin)
    if not fewest <= meets.sum() <= most:
        return False
    if (~meets).any() and shapely.distance(segments[i][~meets], segments[j][~meets]).min() < LIMITS.clearance:
        return False
    vertices = shapely.points(path)
    apart = shapely.distance(vertices[:, None], segments[None])
    incident = np.arange(len(path))[:, None] - np.arange(len(segments))[None]
    if apart[(incident != 0) & (incident != 1)].min() < LIMITS.clearance:
        return False
    if not meets.any():
        return True
    u, v = steps[i[meets]], steps[j[meets]]
    sines = np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]) / (np.hypot(*u.T) * np.hypot(*v.T))
    if sines.min() < np.sin(np.radians(LIMITS.crossing_angle)):
        return False
    crossings = shapely.intersection(segments[i[meets]], segments[j[meets]])
    if shapely.distance(crossings[:, None], vertices[None]).min() < LIMITS.crossing_clearance:
        return False
    first, second = np.triu_indices(len(crossings), 1)
    return not len(first) or bool(shapely.distance(crossings[first], crossings[second]).min() >= LIMITS.crossing_gap)


def plain_rate(cell: Cell, seconds: float) -> tuple[float, int]:
    """Return (accepted a CPU second, proposals) of plain rejection sampling."""
    rng = np.random.default_rng(0)
    start, accepted, proposals = time.process_time(), 0, 0
    while time.process_time() - start < seconds:
        for path in LIMITS.margin + LIMITS.room * rng.random((500, cell.n_points, 2)):
            accepted += plainly_accepted(path, cell)
        proposals += 500
    return accepted / (time.process_time() - start), proposals


def our_rate(cell: Cell, seconds: float, config: SearchConfig) -> float:
    """Return items accepted a CPU second: cells of 40 items, as in the build, each from another root."""
    _accepted(cell, 2, 0, config)
    start, accepted, root = time.process_time(), 0, 1
    while time.process_time() - start < seconds:
        accepted += _accepted(cell, 40, root, config)
        root += 1
    return accepted / (time.process_time() - start)


def _accepted(cell: Cell, quota: int, root: int, config: SearchConfig) -> int:
    search, seeds = CellSearch(cell, config), (item_seed(root, ("bench", index)) for index in range(quota))
    return sum(candidate.item is not None for seed in seeds for candidate in search.candidates(seed))


def main(seconds: float) -> None:
    """Print the table."""
    alone = SearchConfig(families=("annealing_search",))
    print(f"all families in {FAMILIES}; accepted backbones per CPU second")
    print(f"{'cell':<8}{'n, t, s':<12}{'plain':>10}{'ours':>10}{'ratio':>9}{'search alone':>14}{'ratio':>9}")
    for name, cell in CELLS:
        plain, proposals = plain_rate(cell, seconds)
        ours, search = our_rate(cell, seconds, SearchConfig()), our_rate(cell, seconds, alone)
        address = f"{cell.n_points}, {cell.tortuosity_bin}, {cell.crossing_bin}"
        ratios = [f"{rate / plain:.0f}x" if plain else "-" for rate in (ours, search)]
        print(
            f"{name:<8}{address:<12}{plain:>10.2f}{ours:>10.1f}{ratios[0]:>9}{search:>14.1f}{ratios[1]:>9}"
            f"   ({proposals} plain proposals)"
        )


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0)
