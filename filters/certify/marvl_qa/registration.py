"""Compares two height fields: computes their difference after each of the five transformations of MaRVL-QA.

Values that depend on one field alone (its spectra, its sums) are computed once for all comparisons: one pair of plots
is drawn in 81 pairs of styles, but has few different fields.
"""

from functools import cached_property
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.marvl_qa.reading import PanelReading
from planimeter.items import Option

#: Fields are registered at this many px; a translation moves by 2% to 25% of the axis (MaRVL-QA, section 3.2.2).
REGISTRATION_SIZE: Final = 160
LEAST_SHIFT: Final = 0.02
MOST_SHIFT: Final = 0.25

Field = npt.NDArray[np.float32]


class Heights:
    """The heights of a panel, reduced to the size in which they are compared with those of another panel.

    A contour plot shows only intervals of heights; if either panel is one, the numbers of the intervals are compared.
    """

    def __init__(self, reading: PanelReading) -> None:
        self._reading = reading
        self._fields: dict[tuple[float, ...], _Field] = {}

    def residuals(self, other: "Heights") -> dict[Option, float]:
        """Return {transformation: RMS difference from ``other`` after it}, as shares of the range of heights."""
        # Both are intervals if one of them is.
        levels = self._reading.levels or other._reading.levels
        first, second = self._field_at(levels), other._field_at(levels)
        a, b = first.values, second.values
        return {
            "no_change": rms(a - b),
            "rotate_90_clockwise": rms(np.rot90(a, -1) - b),
            "rotate_180": rms(np.rot90(a, 2) - b),
            "translate_x": first.rows.least_shifted(second.rows),
            "translate_y": first.columns.least_shifted(second.columns),
        }

    def _field_at(self, levels: tuple[float, ...]) -> "_Field":
        """Return the heights, resized; if there are ``levels``, as numbers of intervals between levels, in [0, 1]."""
        if levels not in self._fields:
            heights = self._reading.heights
            if levels:
                if not self._reading.levels:
                    heights = _intervals(heights, levels)
                heights = heights / np.float32(len(levels))
            small = cv2.resize(heights, (REGISTRATION_SIZE, REGISTRATION_SIZE), interpolation=cv2.INTER_AREA)
            self._fields[levels] = _Field(np.asarray(small, np.float32))
        return self._fields[levels]


class _Field:
    """A field of heights in [0, 1], (n, n), with cached data (``Moved``) for shifts along its rows and columns."""

    def __init__(self, values: Field) -> None:
        self.values = values

    @cached_property
    def rows(self) -> "Moved":
        return Moved(self.values)

    @cached_property
    def columns(self) -> "Moved":
        return Moved(np.ascontiguousarray(self.values.T))


class Moved:
    """A height field with its spectrum and sums, to compare it with other fields after shifts along its rows.

    For a shift d the overlap has n - abs(d) columns. There the sum of (a - b)^2 is the sum of a^2 and b^2 less twice
    their correlation; one FFT gives the correlation for all d.
    """

    def __init__(self, field: Field) -> None:
        self._shape = field.shape
        self._spectrum = np.fft.rfft(field, 2 * field.shape[1], axis=1)
        self._conjugate = np.conj(self._spectrum)
        self._energy = np.concatenate([[0.0], np.cumsum(np.square(field, dtype=np.float64).sum(axis=0))])

    def least_shifted(self, other: "Moved", least: float = LEAST_SHIFT, most: float = MOST_SHIFT) -> float:
        """Return the least RMS difference to ``other`` over shifts in both directions along the rows.

        The shifts are by ``least`` to ``most``, as shares of the width.
        """
        height, size = self._shape
        correlation = np.fft.irfft((self._conjugate * other._spectrum).sum(axis=0), 2 * size)
        shifts = np.arange(int(np.ceil(least * size)), int(np.floor(most * size)) + 1)
        a, b = self._energy, other._energy
        right = a[size - shifts] + b[size] - b[shifts] - 2.0 * correlation[shifts]
        left = a[size] - a[shifts] + b[size - shifts] - 2.0 * correlation[-shifts]
        mean = np.minimum(right, left) / ((size - shifts) * height)
        return float(np.sqrt(max(float(mean.min()), 0.0)))


def _intervals(heights: Field, levels: tuple[float, ...]) -> Field:
    """Return for each of ``heights`` the number of its interval: how many of ``levels`` are at or below it."""
    number = np.zeros(heights.shape, np.uint8)
    for level in levels:
        # The least float32 that is not below the level decides the same, and many times faster.
        least = np.float32(level)
        number += heights >= (least if float(least) >= level else np.nextafter(least, np.float32(np.inf)))
    return number.astype(np.float32)


def rms(difference: Field) -> float:
    """Return the root mean square of ``difference``."""
    return float(np.sqrt(np.mean(np.square(difference))))
