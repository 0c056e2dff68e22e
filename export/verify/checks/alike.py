"""What is checked of drawings of curves, nested or crossing: which of them look alike, whatever their splits.

The build judges rows in the order of the plan by the limit of the later one. That order cannot be seen in the files,
so two rows of different configs are judged by the higher of their limits. What likeness is, a correlation of blurred
grids, is defined by ``generators.curves.signatures`` and shared: a second program could only copy its constants.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from planimeter.export.verify.checks import Checker, Recipe, Row
from planimeter.generators.curves.signatures import pack, signature, unpacked, views_of

#: The vertices (n, 2) of each curve, in pixels.
Curves = Sequence[npt.NDArray[np.float64]]

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

    def add(self, config: str, name: str, limit: float, curves: Curves) -> None:
        """Remember the drawing of the row ``name``, which is less than ``limit`` similar to any other of ``config``."""
        self._drawings.append(_Drawing(config, name, float(limit), pack(signature(curves))))

    def update(self, other: Self) -> None:
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


class DrawingsChecker(Checker):
    """Checks drawings of curves; those of a config whose recipe limits their likeness are compared with one another."""

    arrays = ("curves",)

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.alike = Alike()

    @abstractmethod
    def faults(self, config: str, row: Row) -> Iterator[str]:
        """Yield what is wrong with ``row`` by itself."""

    @abstractmethod
    def quotas(self) -> Iterator[tuple[str, str]]:
        """Yield (config, promise of the recipe that is not kept) of a dataset at full scale."""

    def limit(self, config: str) -> float | None:
        """Return below which similarity two drawings of ``config`` must stay."""
        limit: float | None = self.table(config).get("similarity")
        return limit

    def splits(self, config: str) -> Mapping[str, int | None]:
        """Return the splits that the recipe asks of ``config``, with the rows of each at full scale."""
        wanted: Mapping[str, int] = self.table(config).get("splits", {})
        return dict(wanted) if self.full else dict.fromkeys(wanted)

    def row(self, config: str, row: Row) -> Iterator[str]:
        """Yield what is wrong with ``row``, and remember a sound one."""
        found = list(self.faults(config, row))
        yield from found
        limit = self.limit(config)
        if limit is not None and not found:
            curves = [np.asarray(curve, np.float64) for curve in row["curves"]]
            self.alike.add(config, f"{row['id']} in {row['split']}", limit, curves)

    def whole(self, *, sampled: bool = False) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the dataset as a whole."""
        if self.full and not sampled:
            yield from self.quotas()
        yield from self.alike.faults()
