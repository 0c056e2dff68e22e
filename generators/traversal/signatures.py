"""The distance of two paths as shapes: the greatest displacement of a vertex in the best alignment of the two.

Both paths are centred, scaled so that the longer side of the bounding box fills the square inside the margins, and
compared under all 8 rotations and reflections, forwards and backwards. Paths with different numbers of points are first
resampled at equal arc length, so that a drawing with one vertex more does not count as a new one.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: Samples along a path when point counts differ.
SAMPLES = 64

_SYMMETRIES = np.array(
    [[[a, 0], [0, b]] for a in (1, -1) for b in (1, -1)] + [[[0, a], [b, 0]] for a in (1, -1) for b in (1, -1)], float
)


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """The 16 alignments of a centred and scaled path: 8 rotations and reflections, forwards and backwards, px.

    ``variants``: its vertices in each, (16, n, 2); ``samples``: points at equal distances along it, (16, 64, 2).
    """

    variants: Floats
    samples: Floats


def signature(points: npt.ArrayLike, room: float) -> Signature:
    """Return the signature of the path ``points`` (n, 2; px), scaled to ``room``, the side of the square inside the
    margins, px.
    """
    path = np.asarray(points, np.float64)
    return Signature(_variants(_normalised(path, room)), _variants(_normalised(_resampled(path), room)))


def distance(a: Signature, b: Signature) -> float:
    """Return the greatest distance between corresponding vertices of two paths, px, in the best of the 16 alignments.

    If the numbers of points differ, the 64 samples along the paths are compared instead.
    """
    alike = a.variants.shape == b.variants.shape
    ours, theirs = (a.variants, b.variants) if alike else (a.samples, b.samples)
    return math.sqrt(float(((theirs - ours[0]) ** 2).sum(axis=2).max(axis=1).min()))


class SignaturePool:
    """The signatures of accepted paths, searched for the nearest one to a new signature within ``reach`` px."""

    def __init__(self, reach: float) -> None:
        self._reach = reach
        #: Number of vertices -> the vertices of such paths; the samples of all paths, and their numbers of vertices.
        self._paths: dict[int, _Shapes] = {}
        self._lines = _Shapes(reach)
        self._lengths: list[int] = []

    def add(self, shape: Signature) -> None:
        """Add the signature of an accepted path."""
        n = shape.variants.shape[1]
        self._paths.setdefault(n, _Shapes(self._reach)).add(shape.variants[0])
        self._lines.add(shape.samples[0])
        self._lengths.append(n)

    def nearest(self, shape: Signature) -> float:
        """Return the distance (px) from ``shape`` to the nearest stored signature; infinite if none is within reach."""
        n = shape.variants.shape[1]
        gaps = [gap for _, gap in self._paths[n].neighbours(shape.variants)] if n in self._paths else []
        gaps += [gap for number, gap in self._lines.neighbours(shape.samples) if self._lengths[number] != n]
        return min(gaps, default=math.inf)


class _Shapes:
    """A list of paths with equal numbers of points, searched for those within ``reach`` px of a new one.

    If two paths are near, each point is near its counterpart; therefore a few points are compared first.
    """

    def __init__(self, reach: float) -> None:
        self._reach = reach
        self._shapes: list[Floats] = []
        #: A row for each shape, with the coordinates of a few points; the number of rows doubles when they are full.
        self._few = np.empty((64, 10))

    def add(self, shape: Floats) -> None:
        """Append the points ``shape`` (n, 2) of a centred and scaled path."""
        if len(self._shapes) == len(self._few):
            self._few = np.concatenate([self._few, np.empty_like(self._few)])
        self._few[len(self._shapes)] = _few(shape)
        # A copy, because a view would keep all 16 in memory.
        self._shapes.append(shape.copy())

    def neighbours(self, variants: Floats) -> Iterator[tuple[int, float]]:
        """Yield (index in order of addition, distance in px) of each stored path nearer than ``reach`` to a new one.

        ``variants``: the 16 alignments (16, n, 2) of the new path. A stored path is yielded once for each
        alignment that is near it.
        """
        few, known = _few(variants), self._few[: len(self._shapes)]
        numbers, views = np.nonzero(np.abs(known[:, :1] - few[:, 0]) < self._reach)
        neighbours = (np.abs(known[numbers, 1:] - few[views, 1:]) < self._reach).all(axis=1)
        for number, view in zip(numbers[neighbours].tolist(), views[neighbours].tolist(), strict=True):
            gap = math.sqrt(float(((self._shapes[number] - variants[view]) ** 2).sum(axis=1).max()))
            if gap < self._reach:
                yield number, gap


def _few(shapes: Floats) -> Floats:
    """Return five points, evenly spaced by index, of each of ``shapes`` (..., n, 2): their coordinates (..., 10)."""
    chosen = np.linspace(0, shapes.shape[-2] - 1, 5).astype(np.intp)
    return shapes[..., chosen, :].reshape(*shapes.shape[:-2], 10)


def _normalised(path: Floats, room: float) -> Floats:
    low, high = path.min(axis=0), path.max(axis=0)
    size = max(float((high - low).max()), 1e-9)
    return (path - (low + high) / 2) * (room / size)


def _resampled(path: Floats) -> Floats:
    steps = np.sqrt((np.diff(path, axis=0) ** 2).sum(axis=1))
    along = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.linspace(0.0, float(along[-1]), SAMPLES)
    return np.stack([np.interp(at, along, path[:, 0]), np.interp(at, along, path[:, 1])], axis=1)


def _variants(path: Floats) -> Floats:
    turned = np.einsum("nk,skl->snl", path, _SYMMETRIES)
    return np.concatenate([turned, turned[:, ::-1]])
