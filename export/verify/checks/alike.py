"""What is checked of drawings of curves, nested or crossing: which of them look alike, whatever their splits.

The build judges rows in the order of the plan by the limit of the later one. That order cannot be seen in the files,
so two rows of different configs are judged by the higher of their limits.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from planimeter.export.verify.checks import Checker, Recipe, Row
from planimeter.filters.curves.likeness import Drawings
from planimeter.generators.curves.signatures import pack, signature

#: The vertices (n, 2) of each curve, in pixels.
Curves = Sequence[npt.NDArray[np.float64]]

#: Pairs of rows that are listed.
_LISTED = 20

#: Another machine may round a few cells of a grid otherwise.
_ROUNDING = 1e-3


@dataclass(frozen=True, slots=True)
class _Row:
    config: str
    name: str
    limit: float


class Alike:
    """Remembers the drawings that may not look alike, 7 kB each."""

    def __init__(self) -> None:
        self._rows: list[_Row] = []
        self._drawings = Drawings()

    def add(self, config: str, name: str, limit: float, curves: Curves) -> None:
        """Remember the drawing of the row ``name``, which is less than ``limit`` similar to any other of ``config``."""
        self._rows.append(_Row(config, name, float(limit)))
        self._drawings.extend(Drawings([pack(signature(curves))]), [True])

    def update(self, other: Self) -> None:
        """Remember the drawings of ``other`` too."""
        self._rows += other._rows
        self._drawings.extend(other._drawings, [True] * len(other._rows))

    def faults(self) -> Iterator[tuple[str, str]]:
        """Yield (config, what is wrong) for each drawing that looks like an earlier one."""
        found = self._drawings.alike_pairs(np.array([row.limit + _ROUNDING for row in self._rows]))
        for earlier, later, similarity in found[:_LISTED]:
            first, second = self._rows[earlier], self._rows[later]
            limit = max(first.limit, second.limit)
            what = f"{second.name} looks like {first.name}: similarity must be below {limit}, got {similarity:.3f}"
            yield second.config, what
        if len(found) > _LISTED:
            yield self._rows[found[-1][1]].config, f"{len(found) - _LISTED} more rows look like earlier ones"


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
