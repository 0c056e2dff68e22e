"""The sides on which the points of a figure are labelled: clear of its lines, as a person would place the letters."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from planimeter.generators.geogram.run import COMPASS
from planimeter.items import Area, Caption, Dot, Stroke

#: Label positions whose scores, of at most 0.05, differ by less than this are equally good.
ALIKE: Final = 1e-6
#: Positions along a segment, from 0 to 1, at which ``_ink`` samples it.
_ALONG: Final = np.linspace(0, 1, 40)


def label_sides(marks: Sequence[Stroke | Area | Dot | Caption], points: Sequence[complex]) -> list[str]:
    """Return the side (N, NE, ...) of each of ``points`` on which its label is written, "" for all in an empty figure.

    Labels are placed in order, each on a side far from all lines, dots and earlier labels; if several sides are about
    equally far, on the one away from the middle of the figure.
    """
    ink = _ink(marks)
    if not len(ink) or not points:
        return [""] * len(points)
    extent = max(np.ptp(ink.real), np.ptp(ink.imag))
    names = [name for name in COMPASS if name]
    offsets = np.array([complex(*COMPASS[name]) for name in names]) * extent * 0.055
    middle = (ink.real.max() + ink.real.min()) / 2 + 1j * (ink.imag.max() + ink.imag.min()) / 2
    placed: list[complex] = []
    sides: list[str] = []
    for point in points:
        spots = point + offsets
        gap = np.abs(spots[:, None] - np.concatenate([ink, placed])[None, :]).min(axis=1)
        # Among positions that are equally clear, prefer the one away from the middle of the figure.
        outwards = ((spots - point) * np.conj(point - middle)).real / (abs(point - middle) + 1e-6 * extent) / extent
        clear = np.round(np.minimum(gap, extent * 0.05) / extent, 3) + 0.2 * outwards
        # On an axis of symmetry two sides are equally good, up to the rounding of a processor: take the first one.
        best = int(np.flatnonzero(clear > clear.max() - ALIKE)[0])
        placed.append(complex(spots[best]))
        sides.append(names[best])
    return sides


def _ink(marks: Sequence[Stroke | Area | Dot | Caption]) -> np.ndarray:
    """Return points (complex, (n,)) on all strokes, dots and labels, dense enough to measure distances from strokes."""
    pieces: list[np.ndarray] = []
    for mark in marks:
        match mark:
            case Stroke() | Area():
                z = np.array([complex(*p) for p in mark.points])
                if len(z) < 30 and isinstance(mark, Stroke):
                    z = (z[:-1, None] + np.diff(z)[:, None] * _ALONG).ravel()
                if isinstance(mark, Stroke):
                    pieces.append(z)
            case Dot() | Caption():
                pieces.append(np.array([complex(*mark.point)]))
    return np.concatenate(pieces) if pieces else np.array([], complex)
