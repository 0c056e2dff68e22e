"""Pixel certificates for MaRVL-QA: what the PNG alone says about a count or a transformation.

Counting sweeps level sets: from the top down, the connected components of what lies above a threshold are followed;
where two merge, the lower summit ends, and the drop from its height to the merger is its persistence (Edelsbrunner,
Letscher and Zomorodian, "Topological Persistence and Simplification", 2002). What persists enough and does not lie on
the border of the plot is an extremum that a person sees.

A transformation is recognised by registration: the height fields of both panels are compared under each of the five
options, for translations under every shift that the question allows, over what both panels show.

Of the 81 pictures of one pair of plots each shows two of 18 panels (A.4). ``PairCertifier`` decides per panel what need
not be decided 81 times, and gives the same readings as ``certify_transformation``; and as a picture is its two panels
side by side, it also says what a picture would be read as that nobody has composed.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.marvl_qa.reading import (
    PAPER_LIGHT,
    PanelReading,
    Pixels,
    UnreadableError,
    decode,
    read_panel,
)
from planimeter.generators.items import Feature, Option, Reading

COUNTING: Final = "pixels/level-sets"
REGISTRATION: Final = "pixels/registration"

#: The least persistence of an extremum, as a share of the key: half of what curation asks of a wanted one.
PERSISTENCE: Final = 0.06
#: Level sets are swept at this many thresholds on a field of at most this many px.
THRESHOLDS: Final = 49
SWEEP_SIZE: Final = 160

#: Fields are registered at this many px; a translation moves by 2% to 25% of the axis (MaRVL-QA, section 3.2.2).
REGISTRATION_SIZE: Final = 160
LEAST_SHIFT: Final = 0.02
MOST_SHIFT: Final = 0.25
#: The answer's residual must be below this share of the next option's, and that one above this share of the range.
CLEARLY_BELOW: Final = 0.7
LEAST_SECOND: Final = 0.01
#: Every so many pixels, in both directions, make the sketch by which a panel is looked up.
SKETCH: Final = 16

Field = npt.NDArray[np.float32]
#: A panel as a PNG with a palette holds it: numbers of colours, uint8 (height, width); the colours, BGR uint8 (n, 3).
Indexed = tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]
#: Height, whether it lies inside (not on the border of the plot), row and column of one of its pixels.
_Summit = tuple[float, bool, int, int]


def certify_counting(png: bytes, feature: Feature) -> Reading:
    """Return the number of ``feature`` that the picture shows; ``margin`` is a share of the range (see ``count``)."""
    try:
        panels = decode(png)
        if len(panels) != 1:
            return Reading(certifier=COUNTING, answer=None, reason="not one panel")
        number, margin = count(read_panel(panels[0]), feature)
    except UnreadableError as unreadable:
        return Reading(certifier=COUNTING, answer=None, reason=str(unreadable))
    return Reading(certifier=COUNTING, answer=str(number), margin=margin)


def certify_transformation(png: bytes, options: Sequence[Option]) -> Reading:
    """Return the 1-based number of the option that leads from the left panel to the right one (see ``choose``)."""
    try:
        panels = decode(png)
        if len(panels) != 2:
            return Reading(certifier=REGISTRATION, answer=None, reason="not two panels")
        return choose(compare(read_panel(panels[0]), read_panel(panels[1])), options)
    except UnreadableError as unreadable:
        return Reading(certifier=REGISTRATION, answer=None, reason=str(unreadable))


class PairCertifier:
    """Certifies many pictures, most of which show panels that others show too: all styles of one pair of plots.

    Every picture is decoded whole, and each of its panels compared, pixel for pixel, with those seen before: only a
    panel that differs from all of them is read, and only readings that differ are registered. What is remembered is a
    function of those pixels alone, so that the readings are those of ``certify_transformation`` whatever came before.
    """

    def __init__(self) -> None:
        self._indexed: list[tuple[Indexed, npt.NDArray[np.int64], int]] = []
        self._panels: dict[bytes, list[tuple[Pixels, int]]] = {}
        self._readings: list[PanelReading] = []
        self._residuals: dict[tuple[int, int], dict[Option, float]] = {}

    def certify(self, png: bytes, options: Sequence[Option]) -> Reading:
        """Return the 1-based number of the option that leads from the left panel to the right one."""
        try:
            panels = decode(png)
        except UnreadableError as unreadable:
            return Reading(certifier=REGISTRATION, answer=None, reason=str(unreadable))
        if len(panels) != 2:
            return Reading(certifier=REGISTRATION, answer=None, reason="not two panels")
        try:
            return self._register(self._reading(panels[0]), self._reading(panels[1]), options)
        except UnreadableError as unreadable:
            return Reading(certifier=REGISTRATION, answer=None, reason=str(unreadable))

    def certify_panels(self, left: Indexed, right: Indexed, options: Sequence[Option]) -> Reading:
        """Return what ``certify`` does of the picture that shows these panels, which must stay as they are."""
        try:
            return self._register(self._recoloured(left), self._recoloured(right), options)
        except UnreadableError as unreadable:
            return Reading(certifier=REGISTRATION, answer=None, reason=str(unreadable))

    def _recoloured(self, panel: Indexed) -> int:
        """Return the number of what ``panel`` shows.

        Of colours that are not grey, reading asks which are equal and which are light, and nothing else. So a panel
        that differs from one seen before in such colours only, and not in that, is read as the same.
        """
        for seen, _, number in self._indexed:
            if seen is panel:
                return number
        indices, colours = panel
        classes = _colour_classes(colours)
        alike = (
            known
            for seen, others, known in self._indexed
            if np.array_equal(classes, others) and np.array_equal(seen[0], indices)
        )
        number = next(alike, -1)
        if number < 0:
            number = self._reading(np.take(colours, indices, axis=0))
        self._indexed.append((panel, classes, number))
        return number

    def _register(self, first: int, second: int, options: Sequence[Option]) -> Reading:
        if (first, second) not in self._residuals:
            self._residuals[first, second] = compare(self._readings[first], self._readings[second])
        return choose(self._residuals[first, second], options)

    def _reading(self, panel: Pixels) -> int:
        """Return the number of what ``panel`` shows; panels in other colours often show the same heights."""
        # A few of its pixels find a panel; all of them decide.
        alike = self._panels.setdefault(panel[::SKETCH, ::SKETCH].tobytes(), [])
        for seen, number in alike:
            if seen is panel or np.array_equal(seen, panel):
                return number
        reading = read_panel(panel)
        number = next((i for i, other in enumerate(self._readings) if _same(reading, other)), len(self._readings))
        if number == len(self._readings):
            self._readings.append(reading)
        alike.append((panel, number))
        return number


def _colour_classes(palette: Pixels) -> npt.NDArray[np.int64]:
    """Return all that reading asks of each colour: which grey it is, else which equal it, and whether it is light.

    Greys are frames and lines, and are read by how dark they are; colours have their heights by their place in the key.
    """
    codes = palette.astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    _, first, number = np.unique(codes, return_index=True, return_inverse=True)
    low, high = palette.min(axis=1), palette.max(axis=1)
    return np.stack([np.where(low == high, codes, -1 - first[number]), low >= PAPER_LIGHT])


def _same(first: PanelReading, second: PanelReading) -> bool:
    return first.levels == second.levels and np.array_equal(first.heights, second.heights)


def choose(residuals: Mapping[Option, float], options: Sequence[Option]) -> Reading:
    """Return the option with the least residual, if it is clearly the least; ``margin`` is 1 - least / second."""
    ranked = sorted(options, key=lambda option: residuals[option])
    best, second = (residuals[option] for option in ranked[:2])
    if second < LEAST_SECOND:
        return Reading(certifier=REGISTRATION, answer=None, reason="options look alike")
    margin = 1.0 - best / second
    if best > CLEARLY_BELOW * second:
        return Reading(certifier=REGISTRATION, answer=None, reason="no option clearly best", margin=margin)
    return Reading(certifier=REGISTRATION, answer=str(options.index(ranked[0]) + 1), margin=margin)


def count(reading: PanelReading, feature: Feature) -> tuple[int, float]:
    """Return the number of extrema and the gap in persistence between the least counted and the most uncounted one."""
    if reading.levels:
        heights, thresholds, limit = reading.heights, np.arange(len(reading.levels) + 1.0), 0.5
    else:
        heights, thresholds, limit = reading.heights, np.linspace(0.0, 1.0, THRESHOLDS), PERSISTENCE
    stride = max(1, len(heights) // SWEEP_SIZE)
    heights = heights[stride // 2 :: stride, stride // 2 :: stride]
    if feature == "minima":
        heights = thresholds[-1] - heights
    summits = persistences(np.ascontiguousarray(heights, np.float32), thresholds)
    counted = [persistence for persistence, inside in summits if inside and persistence >= limit]
    others = [persistence for persistence, inside in summits if inside and persistence < limit]
    gap = min(counted, default=float(thresholds[-1])) - max(others, default=0.0)
    return len(counted), float(gap / thresholds[-1])


def persistences(field: Field, thresholds: npt.NDArray[np.float64]) -> list[tuple[float, bool]]:
    """Return (persistence, lies inside) of every summit of ``field`` that shows at ``thresholds`` (ascending).

    Summits have their exact heights, mergers are known to a step of ``thresholds``. A plateau is one summit; one that
    touches the border of the field does not lie inside. The highest summit persists down to the lowest threshold.
    """
    alive: list[_Summit] = []
    ended: list[tuple[float, bool]] = []
    for threshold in thresholds[::-1].tolist():
        above = (field >= threshold - 1e-6).astype(np.uint8)
        number, labels, stats, _ = cv2.connectedComponentsWithStats(above, connectivity=8, ltype=cv2.CV_32S)
        if number == 1:
            continue
        heir: dict[int, _Summit] = {}
        for summit in alive:  # from the highest down: the first in a component lives on
            label = int(labels[summit[2], summit[3]])
            if label in heir:
                ended.append((summit[0] - threshold, summit[1]))
            else:
                heir[label] = summit
        alive = [*heir.values()]
        alive += [_summit(field, labels, label, stats[label]) for label in range(1, number) if label not in heir]
        alive.sort(reverse=True)
    floor = float(thresholds[0])
    return ended + [(height - floor, inside) for height, inside, _, _ in alive]


def _summit(field: Field, labels: npt.NDArray[np.int32], label: int, stats: npt.NDArray[np.int32]) -> _Summit:
    """Return the summit of a component that has just come up: the highest set of pixels in it."""
    left, top, width, height = (int(side) for side in stats[:4])
    box = (slice(top, top + height), slice(left, left + width))
    inside = np.where(labels[box] == label, field[box], -np.inf)
    peak = float(inside.max())
    rows, columns = np.nonzero(inside == peak)
    rows, columns = rows + top, columns + left
    bottom, right = field.shape[0] - 1, field.shape[1] - 1
    on_border = rows.min() == 0 or columns.min() == 0 or rows.max() == bottom or columns.max() == right
    return peak, not on_border, int(rows[0]), int(columns[0])


def compare(first: PanelReading, second: PanelReading) -> dict[Option, float]:
    """Return for each option the RMS difference, as a share of the range, that it leaves between the panels."""
    a, b = _common(first, second)
    shift_x = _least_shifted(a, b)
    shift_y = _least_shifted(np.ascontiguousarray(a.T), np.ascontiguousarray(b.T))
    return {
        "no_change": _rms(a - b),
        "rotate_90_clockwise": _rms(np.rot90(a, -1) - b),
        "rotate_180": _rms(np.rot90(a, 2) - b),
        "translate_x": shift_x,
        "translate_y": shift_y,
    }


def _common(first: PanelReading, second: PanelReading) -> tuple[Field, Field]:
    """Return both height fields in [0, 1] at the registration's size, both in intervals if one is known only so."""
    levels = first.levels or second.levels
    fields = []
    for reading in (first, second):
        heights = reading.heights
        if levels:
            if not reading.levels:
                heights = np.digitize(heights, levels).astype(np.float32)
            heights = heights / np.float32(len(levels))
        small = cv2.resize(heights, (REGISTRATION_SIZE, REGISTRATION_SIZE), interpolation=cv2.INTER_AREA)
        fields.append(np.asarray(small, np.float32))
    return fields[0], fields[1]


def _rms(difference: Field) -> float:
    return float(np.sqrt(np.mean(np.square(difference))))


def _least_shifted(a: Field, b: Field) -> float:
    """Return the least RMS difference over all shifts of ``a`` along its rows that the question allows.

    For a shift d the overlap has n - abs(d) columns, and the sum of (a - b)^2 over it is the energy of both there less
    twice their correlation, which one FFT gives for all d.
    """
    size = a.shape[1]
    spectrum = np.conj(np.fft.rfft(a, 2 * size, axis=1)) * np.fft.rfft(b, 2 * size, axis=1)
    correlation = np.fft.irfft(spectrum.sum(axis=0), 2 * size)
    energy_a = np.concatenate([[0.0], np.cumsum(np.square(a, dtype=np.float64).sum(axis=0))])
    energy_b = np.concatenate([[0.0], np.cumsum(np.square(b, dtype=np.float64).sum(axis=0))])
    shifts = np.arange(int(np.ceil(LEAST_SHIFT * size)), int(np.floor(MOST_SHIFT * size)) + 1)
    right = energy_a[size - shifts] + energy_b[size] - energy_b[shifts] - 2.0 * correlation[shifts]
    left = energy_a[size] - energy_a[shifts] + energy_b[size - shifts] - 2.0 * correlation[-shifts]
    mean = np.minimum(right, left) / ((size - shifts) * a.shape[0])
    return float(np.sqrt(max(float(mean.min()), 0.0)))
