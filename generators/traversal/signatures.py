"""How far apart two paths are as shapes: the greatest displacement of a vertex under the best similarity of the square.

Both paths are moved to a common centre, scaled so that the longer side of the bounding box fills the room inside the
margins, and compared in all 8 rotations and mirrors, forwards and backwards. Paths of different point counts are first
resampled at equal arc length, so that the same drawing with one vertex more is not taken for a new one.
"""

import math
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
    """``variants``: (16, n, 2) px, the 16 views of the normalised vertices; ``samples``: (16, 64, 2), of the line."""

    variants: Floats
    samples: Floats


def signature(points: npt.ArrayLike, room: float) -> Signature:
    """Return the signature of ``points`` (n, 2); ``room`` is the side of the square inside the margins, px."""
    path = np.asarray(points, np.float64)
    return Signature(_variants(_normalised(path, room)), _variants(_normalised(_resampled(path), room)))


def distance(a: Signature, b: Signature) -> float:
    """Return the greatest displacement of a vertex, px, under the best of the 16 alignments.

    For different point counts it is that of the 64 samples along the lines.
    """
    if a.variants.shape == b.variants.shape:
        return _least(a.variants, b.variants)
    return _least(a.samples, b.samples)


class SignaturePool:
    """Signatures accepted so far, ready to be compared with the next one."""

    def __init__(self) -> None:
        self._vertices: dict[int, list[Floats]] = {}
        self._samples: dict[int, list[Floats]] = {}
        #: What was last compared with, of whole paths or not, and of how many points.
        self._stacks: dict[tuple[bool, int], Floats] = {}

    def add(self, one: Signature) -> None:
        """Add ``one``."""
        n = one.variants.shape[1]
        self._vertices.setdefault(n, []).append(one.variants[0])
        self._samples.setdefault(n, []).append(one.samples[0])

    def nearest(self, one: Signature) -> float:
        """Return the least distance of ``one`` to any signature in the pool; infinite where it is empty."""
        n = one.variants.shape[1]
        best = _nearest(one.variants, self._stack(True, n), math.inf)
        for other in sorted(self._samples):
            if other != n:
                best = _nearest(one.samples, self._stack(False, other), best)
        return best

    def _stack(self, whole: bool, n: int) -> Floats:
        """Return the shapes of paths with ``n`` points, (m, points, 2): stacked anew only where one was added."""
        shapes = (self._vertices if whole else self._samples).get(n, [])
        known = self._stacks.get((whole, n))
        if known is None or len(known) != len(shapes):
            known = self._stacks[whole, n] = np.stack(shapes) if shapes else np.empty((0, n, 2))
        return known


def _nearest(variants: Floats, batch: Floats, best: float) -> float:
    """Return the smaller of ``best`` and the least distance of (16, n, 2) ``variants`` to any of ``batch`` (m, n, 2).

    A few points of the path bound the distance from below; only alignments whose bound beats the best so far are
    measured in full.
    """
    if not len(batch):
        return best
    few = np.linspace(0, batch.shape[1] - 1, 5).astype(np.intp)
    bounds = ((batch[:, None, few] - variants[None][:, :, few]) ** 2).sum(axis=3).max(axis=2)
    row, variant = np.unravel_index(int(np.argmin(bounds)), bounds.shape)
    square = min(best * best, float(((batch[row] - variants[variant]) ** 2).sum(axis=1).max()))
    rows, chosen = np.nonzero(bounds < square)
    if len(rows):
        square = min(square, float(((batch[rows] - variants[chosen]) ** 2).sum(axis=2).max(axis=1).min()))
    return math.sqrt(square)


def _least(a: Floats, b: Floats) -> float:
    gaps = ((b - a[0]) ** 2).sum(axis=2).max(axis=1)
    return math.sqrt(float(gaps.min()))


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
