"""Pixel certificates for MaRVL-QA: recover a count or a transformation from the PNG alone.

Counting lowers a threshold from the highest level and tracks the connected components above it. Where two merge, the
lower of their summits ends; the drop from its height to the merger is its persistence (Edelsbrunner, Letscher and
Zomorodian, "Topological Persistence and Simplification", 2002). Summits that persist enough and do not touch the border
of the plot are the extrema that a person sees.

A transformation is recognised by registration: the height fields of both panels are compared after each of the five
possible transformations, for translations after every allowed shift, over the area that both panels show.

A pair of plots has 81 pictures, in pairs of styles (paper, section A.4). They show 18 panels, most of which differ only
in their colours, so ``PairCertifier`` and ``CountingCertifier`` cache results by content.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

import numpy as np

from planimeter.filters.certify.marvl_qa.memory import PanelMemory
from planimeter.filters.certify.marvl_qa.reading import PanelReading, UnreadableError
from planimeter.filters.certify.marvl_qa.registration import Heights
from planimeter.filters.certify.marvl_qa.summits import persistences
from planimeter.filters.certify.png import Indexed
from planimeter.items import Feature, Option, Reading

COUNTING: Final = "pixels/level-sets"
REGISTRATION: Final = "pixels/registration"

#: The least persistence of an extremum, as a share of the key: half of the curation's limit for a wanted one.
PERSISTENCE: Final = 0.06
#: Level sets are swept at this many thresholds on a field of at most this many px.
THRESHOLDS: Final = 49
SWEEP_SIZE: Final = 160
#: The same for the small features of ``counting_hard``.
FINE_SWEEP: Final = 240

#: The answer's residual must be below this share of the next option's, and that one above this share of the range.
CLEARLY_BELOW: Final = 0.7
LEAST_SECOND: Final = 0.01

Choice = TypeVar("Choice", bound=str)


class CountingCertifier:
    """A certifier that counts extrema; it caches results, because many pictures differ only in their colours."""

    def __init__(self, sweep_size: int = SWEEP_SIZE) -> None:
        self._memory, self._sweep_size = PanelMemory(), sweep_size
        self._counts: dict[tuple[int, Feature], tuple[int, float]] = {}

    def certify(self, png: bytes, feature: Feature) -> Reading:
        """Return as the answer the number of extrema (``feature``) in ``png``; ``margin`` is the gap from ``count``."""
        try:
            panels = self._memory.in_picture(png, 1)
            if panels is None:
                return Reading(certifier=COUNTING, answer=None, reason="not one panel")
        except UnreadableError as unreadable:
            return Reading(certifier=COUNTING, answer=None, reason=str(unreadable))
        key = (panels[0], feature)
        if key not in self._counts:
            self._counts[key] = count(self._memory.readings[panels[0]], feature, self._sweep_size)
        number, margin = self._counts[key]
        return Reading(certifier=COUNTING, answer=str(number), margin=margin)


class PairCertifier:
    """A certifier of transformations; it caches results, because many pictures of pairs share panels."""

    def __init__(self) -> None:
        self._memory = PanelMemory()
        self._heights: dict[int, Heights] = {}
        self._readings: dict[tuple[int, int, tuple[Option, ...]], Reading] = {}

    def certify(self, png: bytes, options: Sequence[Option]) -> Reading:
        """Return as the answer the 1-based number of the option that turns the left panel into the right one."""
        try:
            panels = self._memory.in_picture(png, 2)
            if panels is None:
                return Reading(certifier=REGISTRATION, answer=None, reason="not two panels")
            return self._register(panels[0], panels[1], options)
        except UnreadableError as unreadable:
            return Reading(certifier=REGISTRATION, answer=None, reason=str(unreadable))

    def certify_panels(self, left: Indexed, right: Indexed, options: Sequence[Option]) -> Reading:
        """Return the result of ``certify`` for two panels side by side; their arrays must not be modified later."""
        try:
            return self._register(self._memory.in_panel(left), self._memory.in_panel(right), options)
        except UnreadableError as unreadable:
            return Reading(certifier=REGISTRATION, answer=None, reason=str(unreadable))

    def _register(self, first: int, second: int, options: Sequence[Option]) -> Reading:
        key = (first, second, tuple(options))
        if key not in self._readings:
            self._readings[key] = choose(self._heights_of(first).residuals(self._heights_of(second)), options)
        return self._readings[key]

    def _heights_of(self, number: int) -> Heights:
        if number not in self._heights:
            self._heights[number] = Heights(self._memory.readings[number])
        return self._heights[number]


def choose(residuals: Mapping[Choice, float], options: Sequence[Choice], certifier: str = REGISTRATION) -> Reading:
    """Return as the answer the 1-based number of the option with the least residual, if it is clearly the least.

    Otherwise the answer is None. ``margin`` is 1 - least / second least residual.
    """
    ranked = sorted(options, key=lambda option: residuals[option])
    best, second = (residuals[option] for option in ranked[:2])
    if second < LEAST_SECOND:
        return Reading(certifier=certifier, answer=None, reason="options look alike")
    margin = 1.0 - best / second
    if best > CLEARLY_BELOW * second:
        return Reading(certifier=certifier, answer=None, reason="no option clearly best", margin=margin)
    return Reading(certifier=certifier, answer=str(options.index(ranked[0]) + 1), margin=margin)


def count(reading: PanelReading, feature: Feature, sweep_size: int = SWEEP_SIZE) -> tuple[int, float]:
    """Return the number of extrema, and the gap in persistence between them and the peaks that do not count.

    The gap is the least persistence counted less the greatest not counted, as a share of the range of heights.
    """
    if reading.levels:
        heights, thresholds, limit = reading.heights, np.arange(len(reading.levels) + 1.0), 0.5
    else:
        heights, thresholds, limit = reading.heights, np.linspace(0.0, 1.0, THRESHOLDS), PERSISTENCE
    stride = max(1, len(heights) // sweep_size)
    heights = heights[stride // 2 :: stride, stride // 2 :: stride]
    if feature == "minima":
        heights = thresholds[-1] - heights
    every = persistences(np.ascontiguousarray(heights, np.float32), thresholds).tolist()
    counted = [persistence for persistence in every if persistence >= limit]
    others = [persistence for persistence in every if persistence < limit]
    gap = min(counted, default=float(thresholds[-1])) - max(others, default=0.0)
    return len(counted), float(gap / thresholds[-1])
