"""Paths of Asymptote in the complex plane: straight and smooth segments, transforms, where two paths meet.

Smooth joins follow Hobby's splines (J. D. Hobby, "Smooth, easy to compute interpolating splines", 1986), as Asymptote's
manual says of ``..``.
"""

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np

from planimeter.filters.certify.geogram.asymptote import UnreadableError

#: Chords that stand for one smooth segment.
CHORDS: Final = 24

#: A value of the language: float, bool, str, complex (a pair), Transform, Path, Pen, a list of values, None.
Value = Any

#: Start, two control points, end; a straight segment has its controls on the chord.
Segment = tuple[complex, complex, complex, complex]


@dataclass(frozen=True, slots=True)
class Path:
    """Segments end to end; ``closed`` if a cycle. A path without segments is the one point ``start``."""

    start: complex
    segments: tuple[Segment, ...]
    closed: bool = False

    def polyline(self) -> list[complex]:
        """Return the path as points: the ends of straight segments, ``CHORDS`` for a smooth one."""
        points = [self.start]
        for segment in self.segments:
            points += [segment[3]] if _is_straight(segment) else [at(segment, (i + 1) / CHORDS) for i in range(CHORDS)]
        return points

    def point(self, time: float) -> complex:
        """Return the point at ``time``, which counts segments."""
        if not self.segments:
            return self.start
        time = time % len(self.segments) if self.closed else min(max(time, 0.0), float(len(self.segments)))
        whole = min(int(time), len(self.segments) - 1)
        return at(self.segments[whole], time - whole)

    def reversed(self) -> "Path":
        """Return the path run backwards."""
        turned = tuple((d, c, b, a) for a, b, c, d in reversed(self.segments))
        return Path(turned[0][0] if turned else self.start, turned, self.closed)


@dataclass(frozen=True, slots=True)
class Transform:
    """z -> ``a`` z + ``b`` conj(z) + ``c``."""

    a: complex = 1.0
    b: complex = 0.0
    c: complex = 0.0

    def point(self, z: complex) -> complex:
        """Return the image of a point."""
        return self.a * z + self.b * z.conjugate() + self.c

    def path(self, path: Path) -> Path:
        """Return the image of a path."""
        moved = tuple((self.point(p), self.point(q), self.point(r), self.point(s)) for p, q, r, s in path.segments)
        return Path(self.point(path.start), moved, path.closed)

    def after(self, other: "Transform") -> "Transform":
        """Return the transform that does ``other`` first."""
        return Transform(
            self.a * other.a + self.b * other.b.conjugate(),
            self.a * other.b + self.b * other.a.conjugate(),
            self.point(other.c),
        )


def at(segment: Segment, t: float) -> complex:
    """Return the point of a cubic at ``t`` from 0 to 1."""
    s = 1 - t
    p, q, r, e = segment
    return s**3 * p + 3 * s * s * t * q + 3 * s * t * t * r + t**3 * e


def line(a: complex, b: complex) -> Segment:
    """Return the straight segment from ``a`` to ``b``."""
    return a, a + (b - a) / 3, b - (b - a) / 3, b


def polygon(points: Sequence[complex], closed: bool = True) -> Path:
    """Return the path with straight segments through ``points``."""
    ends = [*points[1:], points[0]] if closed else points[1:]
    return Path(points[0], tuple(line(a, b) for a, b in zip(points, ends, strict=False)), closed)


def arc(center: complex, radius: float, start: float, end: float) -> Path:
    """Return the arc from ``start`` to ``end`` degrees, clockwise if ``end`` is less; a full turn is closed."""
    pieces = max(1, math.ceil(abs(end - start) / 90 - 1e-9))
    step = math.radians((end - start) / pieces)
    reach = 4 / 3 * math.tan(step / 4)
    segments: list[Segment] = []
    for i in range(pieces):
        u, v = (cmath.rect(radius, math.radians(start) + step * k) for k in (i, i + 1))
        segments.append((center + u, center + u * (1 + 1j * reach), center + v * (1 - 1j * reach), center + v))
    return Path(segments[0][0], tuple(segments), abs(abs(end - start) - 360) < 1e-9)


def smooth(points: Sequence[complex], closed: bool, directions: Sequence[complex | None]) -> list[Segment]:
    """Return Hobby's segments through ``points``; a cycle goes back to the first one.

    ``directions[k]`` fixes the direction at point k of an open path, where it is not None, and so parts it.
    """
    if not closed:
        fixed = [0, *(k for k in range(1, len(points) - 1) if directions[k] is not None), len(points) - 1]
        pieces = [(points[i : j + 1], directions[i], directions[j]) for i, j in pairwise(fixed)]
        return [segment for piece in pieces for segment in _open(*piece)]
    if any(direction is not None for direction in directions):
        raise UnreadableError("a smooth cycle with a direction")
    n = len(points)
    chords = np.array([points[(k + 1) % n] - points[k] for k in range(n)])
    lengths = _lengths(chords)
    psi = np.angle(chords / np.roll(chords, 1))
    matrix, right = np.zeros((n, n)), np.zeros(n)
    for k in range(n):
        before, after = lengths[k - 1], lengths[k]
        matrix[k, k - 1] += 1 / before
        matrix[k, k] += 2 / before + 2 / after
        matrix[k, (k + 1) % n] += 1 / after
        right[k] = -2 * psi[k] / before - psi[(k + 1) % n] / after
    theta = np.linalg.solve(matrix, right)
    phi = np.array([-psi[(k + 1) % n] - theta[(k + 1) % n] for k in range(n)])
    return [_cubic(points[k], complex(chords[k]), theta[k], phi[k]) for k in range(n)]


def _open(points: Sequence[complex], first: complex | None, last: complex | None) -> list[Segment]:
    n = len(points) - 1
    chords = np.array([points[k + 1] - points[k] for k in range(n)])
    lengths = _lengths(chords)
    psi = np.zeros(n + 1)
    psi[1:n] = np.angle(chords[1:] / chords[:-1])
    matrix, right = np.zeros((n + 1, n + 1)), np.zeros(n + 1)
    matrix[0, 0] = matrix[n, n] = 1.0
    # A free end has the curvature of its neighbour ("curl 1").
    if first is not None:
        right[0] = cmath.phase(first / complex(chords[0]))
    else:
        matrix[0, 1] = 1.0
        right[0] = -psi[1]
    if last is not None:
        right[n] = cmath.phase(last / complex(chords[-1]))
    else:
        matrix[n, n - 1] = 1.0
    if n == 1 and first is None and last is None:
        return [line(points[0], points[1])]
    for k in range(1, n):
        matrix[k, k - 1] = 1 / lengths[k - 1]
        matrix[k, k] = 2 / lengths[k - 1] + 2 / lengths[k]
        matrix[k, k + 1] = 1 / lengths[k]
        right[k] = -2 * psi[k] / lengths[k - 1] - psi[k + 1] / lengths[k]
    theta = np.linalg.solve(matrix, right)
    return [_cubic(points[k], complex(chords[k]), theta[k], -psi[k + 1] - theta[k + 1]) for k in range(n)]


def _lengths(chords: np.ndarray) -> np.ndarray:
    lengths = np.abs(chords)
    if not (lengths > 1e-12).all():
        raise UnreadableError("a smooth path with a point twice")
    return lengths


def _cubic(start: complex, chord: complex, theta: float, phi: float) -> Segment:
    return (
        start,
        start + cmath.exp(1j * theta) * chord * _speed(theta, phi) / 3,
        start + chord - cmath.exp(-1j * phi) * chord * _speed(phi, theta) / 3,
        start + chord,
    )


def _speed(theta: float, phi: float) -> float:
    s, t, root = math.sin(theta), math.sin(phi), math.sqrt(5)
    top = 2 + math.sqrt(2) * (s - t / 16) * (t - s / 16) * (math.cos(theta) - math.cos(phi))
    return top / (1 + (root - 1) / 2 * math.cos(theta) + (3 - root) / 2 * math.cos(phi))


def _is_straight(segment: Segment) -> bool:
    p, q, r, e = segment
    return abs(q - (2 * p + e) / 3) + abs(r - (p + 2 * e) / 3) < 1e-9 * (1 + abs(e - p))


def meetings(first: Path, second: Path) -> list[complex]:
    """Return where two paths meet, in the order of the first one; smooth ones are taken as ``CHORDS`` chords."""
    p, q = np.array(first.polyline()), np.array(second.polyline())
    points: list[complex] = []
    for a, b in pairwise(p):
        on_chord: list[tuple[float, complex]] = []
        u = b - a
        for c, d in pairwise(q):
            v, w = d - c, c - a
            cross = (u.conjugate() * v).imag
            if abs(cross) < 1e-12 * max(1e-12, abs(u) * abs(v)):
                continue
            s, t = (w.conjugate() * v).imag / cross, (w.conjugate() * u).imag / cross
            if -1e-9 <= s <= 1 + 1e-9 and -1e-9 <= t <= 1 + 1e-9:
                on_chord.append((float(s), complex(a + s * u)))
        for _, z in sorted(on_chord, key=lambda pair: pair[0]):
            if all(abs(z - other) > 1e-6 * (1 + abs(z)) for other in points):
                points.append(z)
    return points
