"""Accepted backbones of paths, ours against plain rejection sampling.

Plain is what a good programmer writes first: batches of proposals from numpy, the cheap checks first (tortuosity,
spacing), then shapely for crossings and distances, under the same rules, and of five ways to propose the one that suits
the cell best. Ours is the cell search as the build runs it, all families in turn. Near-duplicates count on neither
side.
"""

import time
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from benchmarks.measured import Measured
from planimeter.filters.traversal.duplicates import DistinctPaths
from planimeter.generators.seeding import item_seed
from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.search import CellSearch, SearchConfig

LIMITS, BINS = Limits(), Bins()
CELLS = (
    ("easy", Cell(n_points=9, tortuosity_bin=0, crossing_bin=0)),
    ("middle", Cell(n_points=13, tortuosity_bin=3, crossing_bin=2)),
    ("hard", Cell(n_points=17, tortuosity_bin=4, crossing_bin=6)),
)

#: Vertices, px: (n, 2), and so many of them; points or lines of shapely.
Path = NDArray[np.float64]
Paths = NDArray[np.float64]
Shapes = NDArray[Any]

#: As in suites/traversal/traversal.toml: paths closer than this, px, are near-duplicates.
DUPLICATE = 24.0

#: Proposals in a batch, paths of a cell in a build, and CPU seconds for each way of each cell.
BATCH, QUOTA, SECONDS = 20_000, 40, 3.0


def chord(rng: np.random.Generator, n_points: int, jitter: float) -> Paths:
    """Return paths along chords of the room, each vertex normally ``jitter`` px off its place; those outside go."""
    ends = LIMITS.room * rng.random((BATCH, 2, 1, 2))
    along = np.linspace(0, 1, n_points)[:, None]
    paths = ends[:, 0] + (ends[:, 1] - ends[:, 0]) * along + jitter * rng.normal(size=(BATCH, n_points, 2))
    return LIMITS.margin + paths[((paths >= 0) & (paths <= LIMITS.room)).all((1, 2))]


def sweep(rng: np.random.Generator, n_points: int, disorder: float) -> Paths:
    """Return uniform vertices in their order along a random direction, but for normal ``disorder`` (1: the room)."""
    paths = rng.random((BATCH, n_points, 2))
    angles = 2 * np.pi * rng.random((BATCH, 1))
    places = paths[..., 0] * np.cos(angles) + paths[..., 1] * np.sin(angles)
    order = np.argsort(places + disorder * rng.normal(size=places.shape), axis=1)
    return LIMITS.margin + LIMITS.room * np.take_along_axis(paths, order[..., None], axis=1)


#: Ways to propose, each with a parameter; the best combination is taken for each cell.
PROPOSALS = [(chord, 10.0), (chord, 20.0), (sweep, 0.1), (sweep, 0.2), (sweep, 0.3)]


def kept(paths: Paths, cell: Cell) -> Paths:
    """Return the ``paths`` that obey every rule of ``cell``, checked with numpy and shapely, cheap checks first."""
    steps = np.diff(paths, axis=1)
    lengths = np.linalg.norm(steps, axis=2)
    low, high = BINS.tortuosity_range(cell.tortuosity_bin)
    tortuosity = lengths.sum(1) / np.linalg.norm(paths[:, -1] - paths[:, 0], axis=1)
    cosines = (steps[:, 1:] * steps[:, :-1]).sum(2) / (lengths[:, 1:] * lengths[:, :-1])
    paths = paths[
        (low <= tortuosity)
        & (tortuosity < high)
        & (lengths.min(1) >= LIMITS.spacing)
        & (np.ptp(paths, axis=1).max(1) >= LIMITS.extent)
        & (cosines.min(1) >= np.cos(np.radians(LIMITS.turn)))
    ]
    first, second = np.triu_indices(cell.n_points, 1)
    return _clear(paths[np.linalg.norm(paths[:, first] - paths[:, second], axis=2).min(1) >= LIMITS.spacing], cell)


def _clear(paths: Paths, cell: Cell) -> Paths:
    segments = shapely.linestrings(np.stack([paths[:, :-1], paths[:, 1:]], axis=2))
    i, j = np.triu_indices(cell.n_points - 1, 2)
    meets = shapely.intersects(segments[:, i], segments[:, j])
    fewest, most = BINS.crossing_range(cell.crossing_bin)
    right = (fewest <= meets.sum(1)) & (meets.sum(1) <= most)
    paths, segments, meets = paths[right], segments[right], meets[right]
    vertices = shapely.points(paths)
    vertex, segment = np.nonzero(~np.isin(np.subtract.outer(range(cell.n_points), range(cell.n_points - 1)), (0, 1)))
    clear = shapely.distance(vertices[:, vertex], segments[:, segment]).min(1) >= LIMITS.clearance
    apart = np.where(meets, np.inf, shapely.distance(segments[:, i], segments[:, j]))
    clear &= apart.min(1) >= LIMITS.clearance
    paths, segments, vertices, meets = paths[clear], segments[clear], vertices[clear], meets[clear]
    fine = [_crossings_clear(*one) for one in zip(paths, segments[:, i], segments[:, j], vertices, meets, strict=True)]
    return paths[np.array(fine, bool)]


def _crossings_clear(path: Path, one: Shapes, other: Shapes, vertices: Shapes, meets: NDArray[np.bool_]) -> bool:
    if not meets.any():
        return True
    i, j = (indices[meets] for indices in np.triu_indices(len(path) - 1, 2))
    steps = np.diff(path, axis=0)
    u, v = steps[i], steps[j]
    sines = np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]) / (np.hypot(*u.T) * np.hypot(*v.T))
    crossings = shapely.intersection(one[meets], other[meets])
    first, second = np.triu_indices(len(crossings), 1)
    return bool(
        sines.min() >= np.sin(np.radians(LIMITS.crossing_angle))
        and shapely.distance(crossings[:, None], vertices[None]).min() >= LIMITS.crossing_clearance
        and (not len(first) or shapely.distance(crossings[first], crossings[second]).min() >= LIMITS.crossing_gap)
    )


class Cells:
    """Counts paths that are unlike the others of their cell, as a build keeps them; a full cell makes room."""

    def __init__(self) -> None:
        self.found = 0
        self._cell = DistinctPaths(DUPLICATE, LIMITS.room)

    def add(self, path: Path) -> None:
        """Judge ``path``."""
        if self._cell.judge("", path.tolist()).kept:
            self.found += 1
            if self.found % QUOTA == 0:
                self._cell = DistinctPaths(DUPLICATE, LIMITS.room)

    def ms_since(self, start: float) -> float:
        """Return the CPU ms of each path that was found since ``start``."""
        return 1e3 * (time.process_time() - start) / self.found if self.found else float("inf")


def plain_ms(cell: Cell, seconds: float) -> tuple[float, str]:
    """Return the CPU ms of a path by plain rejection sampling, and by which proposals: the best of ``PROPOSALS``."""
    by_way = {}
    for propose, dial in PROPOSALS:
        rng, cells, start = np.random.default_rng(0), Cells(), time.process_time()
        while time.process_time() - start < seconds / len(PROPOSALS):
            for path in kept(propose(rng, cell.n_points, dial), cell):
                cells.add(path)
        by_way[f"{propose.__name__} {dial:g}"] = cells.ms_since(start)
    best = min(by_way, key=lambda name: by_way[name])
    return by_way[best], best


def our_ms(cell: Cell, seconds: float) -> float:
    """Return the CPU ms of a path by the search of a build."""
    search, numbers = CellSearch(cell, SearchConfig()), count()
    for candidate in search.candidates(item_seed(0, ("bench", "compiles"))):
        del candidate
    cells, start = Cells(), time.process_time()
    while time.process_time() - start < seconds:
        for candidate in search.candidates(item_seed(1, ("bench", next(numbers)))):
            if candidate.item is not None:
                cells.add(np.array(candidate.item.points))
    return cells.ms_since(start)


def rows() -> Iterator[Measured]:
    for name, cell in CELLS:
        plain, how = plain_ms(cell, SECONDS)
        address = f"{cell.n_points} points, bins {cell.tortuosity_bin} and {cell.crossing_bin}"
        yield Measured(f"a path, {name} ({address})", our_ms(cell, SECONDS), plain, f"rejection of proposals, {how}")
