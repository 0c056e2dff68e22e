"""Which drawings of a dataset of curves look alike, whatever their splits; ``curves`` leads here.

The build judges rows in the order of the plan by the limit of the later one. That order cannot be seen in the files,
so two rows of different configs are judged by the higher of their limits. What likeness is, a correlation of blurred
grids, is defined by ``generators.curves.signatures`` and shared: a second program could only copy its constants.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from planimeter.generators.curves.signatures import pack, signature, unpacked, views_of

#: Rows that are compared with all earlier ones at once, and pairs of rows that are listed.
_AT_ONCE, _LISTED = 64, 20

#: Another machine may round a few cells of a grid otherwise.
_ROUNDING = 1e-3


@dataclass(frozen=True, slots=True)
class _Drawing:
    config: str
    name: str
    limit: float
    packed: bytes


class Alike:
    """Remembers the drawings that may not look alike, 9 kB each."""

    def __init__(self) -> None:
        self._drawings: list[_Drawing] = []

    def add(self, config: str, name: str, limit: float, curves: Sequence[npt.NDArray[np.float64]]) -> None:
        """Remember the drawing of the row ``name``, which is less than ``limit`` similar to any other of ``config``."""
        self._drawings.append(_Drawing(config, name, float(limit), pack(signature(curves))))

    def merge(self, other: Self) -> None:
        """Remember the drawings of ``other`` too."""
        self._drawings += other._drawings

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield (config, what is wrong) for each drawing that looks like an earlier one."""
        found = list(self._pairs())
        for first, second, similarity, limit in found[:_LISTED]:
            what = f"{second.name} looks like {first.name}: similarity must be below {limit}, got {similarity:.3f}"
            yield second.config, what
        if len(found) > _LISTED:
            yield found[-1][1].config, f"{len(found) - _LISTED} more rows look like earlier ones"

    def _pairs(self) -> Iterator[tuple[_Drawing, _Drawing, float, float]]:
        """Yield each drawing that is too similar to an earlier one, behind the one that it is most similar to."""
        stored = [unpacked(drawing.packed) for drawing in self._drawings]
        if not stored:
            return
        upright, norms = np.stack([grid for grid, _ in stored]), np.array([norm for _, norm in stored])
        limits = np.array([drawing.limit for drawing in self._drawings])
        for start in range(0, len(stored), _AT_ONCE):
            end = min(start + _AT_ONCE, len(stored))
            views = np.vstack([views_of(grid) for grid in upright[start:end]])
            common = (upright[:end] @ views.T).reshape(end, end - start, 8).max(axis=2)
            found = common / (norms[:end, None] * norms[None, start:end])
            least = np.maximum(limits[:end, None], limits[None, start:end]) + _ROUNDING
            earlier = np.arange(end)[:, None] < np.arange(start, end)[None]
            excess = np.where(earlier, found - least, -np.inf)
            for column in np.flatnonzero((excess >= 0).any(axis=0)).tolist():
                row = int(excess[:, column].argmax())
                limit = float(least[row, column]) - _ROUNDING
                yield self._drawings[row], self._drawings[start + column], float(found[row, column]), round(limit, 6)
