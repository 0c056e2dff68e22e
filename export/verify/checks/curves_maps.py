"""What must hold between the columns of a row of crossing curves.

Crossings, faces and adjacency are taken from the stored vertices once more, and the number of faces from Euler's
formula besides. So is the side that the drawing is on, which follows from its split. Quotas are checked where the
recipe is at full scale and allows no shortfall.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import shapely

from planimeter.evals.curves_maps.prompt import CONFIG, answer
from planimeter.export.verify.checks import Row
from planimeter.export.verify.checks.alike import Alike
from planimeter.filters.curves.vertices import CROSSING, Side, side_of
from planimeter.filters.curves_maps.arrangement import Arrangement, arrangement, numbered, paper
from planimeter.generators.quotas import apportion

_CERTIFIER = "planar-map-components"

Curves = list[npt.NDArray[np.float64]]

#: Areas (px2) and lengths (px) are stored rounded, to 0.1 and 0.01.
_ROUNDING_PX2, _ROUNDING_PX = 0.2, 0.02


def checker(recipe: Mapping[str, Any]) -> "CurvesMapsChecker":
    """Return the checker for a dataset made by ``recipe``."""
    return CurvesMapsChecker(recipe)


class CurvesMapsChecker:
    """Keeps how many rows each range of sizes has, and each side."""

    arrays = ("curves",)

    def __init__(self, recipe: Mapping[str, Any]) -> None:
        self.full = recipe.get("scale", 1.0) == 1 and not recipe.get("allow_shortfall", False)
        self.table: Mapping[str, Any] = recipe.get(CONFIG) or {}
        self.rows: Counter[tuple[int, int]] = Counter()
        self.sides: Counter[Side] = Counter()
        self.alike = Alike()

    def certifier(self, config: str) -> str:  # noqa: ARG002 - the suite has one config
        """Return what ``certified_by`` says in every row of ``config``."""
        return _CERTIFIER

    def splits(self, config: str) -> Mapping[str, int | None]:
        """Return the splits that the recipe asks of ``config``, with the rows of each at full scale."""
        wanted: Mapping[str, int] = self.table.get("splits", {}) if config == CONFIG else {}
        return dict(wanted) if self.full else dict.fromkeys(wanted)

    def row(self, config: str, row: Row) -> Iterator[str]:
        """Yield what is wrong with ``row``."""
        found = list(self._faults(row))
        yield from found
        if self.table and not found:
            curves = [np.asarray(curve, np.float64) for curve in row["curves"]]
            self.alike.add(config, f"{row['id']} in {row['split']}", self.table["similarity"], curves)

    def _faults(self, row: Row) -> Iterator[str]:
        curves: Curves = [np.array(curve, np.float64) for curve in row["curves"]]
        if any(curve.ndim != 2 or curve.shape[1:] != (2,) for curve in curves):
            yield "each curve must be a list of points (x, y)"
            return
        yield from self._asked(row, curves)
        try:
            found = arrangement(curves)
        except ValueError as error:
            yield f"the curves draw no map: {error}"
            return
        yield from _map(row, found)
        yield from self._clear(found)
        side = side_of(CROSSING, curves)
        self.sides[side] += 1
        if self.table and side not in map(_side, self.table["splits"]):
            yield f"its drawing is on the {side} side, on which no split of the recipe is"

    def merge(self, other: Self) -> None:
        """Remember the rows of ``other`` too."""
        self.rows.update(other.rows)
        self.sides.update(other.sides)
        self.alike.merge(other.alike)

    def whole(self, *, sampled: bool = False) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the dataset as a whole."""
        if self.table and self.full and not sampled:
            yield from ((CONFIG, line) for line in self._quotas())
        yield from self.alike.faults()

    def _quotas(self) -> Iterator[str]:
        wanted: Counter[tuple[int, int]] = Counter()
        for rows in self.table["splits"].values():
            dealt = apportion(rows, [1] * len(self.table["sizes"]))
            wanted.update({(low, high): part for (low, high), part in zip(self.table["sizes"], dealt, strict=True)})
        for side in ("test", "train"):
            promised = sum(rows for split, rows in self.table["splits"].items() if _side(split) == side)
            if self.sides[side] != promised:
                yield f"the recipe promises {promised} rows on the {side} side, found {self.sides[side]}"
        for sizes, number in wanted.items():
            if self.rows[sizes] != number:
                yield f"the recipe promises {number} rows of {sizes[0]} to {sizes[1]} curves, found {self.rows[sizes]}"

    def _asked(self, row: Row, curves: Curves) -> Iterator[str]:
        """Check what the recipe asks of sizes, strokes and margins."""
        sizes = [(low, high) for low, high in self.table.get("sizes", []) if low <= row["num_curves"] <= high]
        if self.table and not sizes:
            yield f"num_curves lies in none of the wanted ranges {self.table['sizes']}: {row['num_curves']}"
        self.rows.update(sizes)
        low, high = self.table.get("stroke_px", (0.0, 4096.0))
        if not low <= row["stroke_px"] <= high:
            yield f"stroke_px must be {low} to {high}, got {row['stroke_px']}"
        side, margin = self.table.get("canvas_px", 4096), self.table.get("margin_px", 0.0) - _ROUNDING_PX
        points = np.vstack(curves) if curves else np.zeros((0, 2))
        if len(points) and (points.min() < margin or points.max() > side - margin):
            yield (
                f"curves must keep {self.table.get('margin_px', 0.0)} px from the edge of {side} px, got coordinates "
                f"{points.min()} to {points.max()}"
            )

    def _clear(self, found: Arrangement) -> Iterator[str]:
        """Check what the recipe asks of crossings."""
        if found.lonely:
            yield f"every curve must cross another, {found.lonely} cross none"
        if found.gap < self.table.get("arc_px", 0.0) - _ROUNDING_PX:
            yield f"crossings on a curve must be {self.table['arc_px']} px apart, got {found.gap:.2f}"
        degrees = self.table.get("crossing_degrees", 0.0)
        least = float(np.degrees(np.arcsin(min(1.0, found.sines.min(initial=1.0)))))
        if least < degrees - 0.1:
            yield f"curves must cross at {degrees} degrees or more, got {least:.1f}"


def _side(split: str) -> Side:
    return "train" if split == "train" else "test"


def _map(row: Row, found: Arrangement) -> Iterator[str]:
    """Check the columns that follow from the curves."""
    areas = [float(shapely.area(paper(face, row["stroke_px"]))) for face in found.faces]
    pairs = numbered(found, areas)
    wanted = {
        "num_curves": len(row["curves"]),
        "num_crossings": len(found.crossings),
        "num_faces": len(found.faces),
        "adjacent": [list(pair) for pair in pairs],
        "answer": answer(len(found.faces), pairs),
    }
    for name, value in wanted.items():
        if row[name] != value:
            yield f"{name} must be {value!r} for these curves, got {row[name]!r}"
    if row["num_faces"] != found.euler_faces:
        yield f"by Euler's formula there must be {found.euler_faces} faces, got {row['num_faces']}"
    ranked = sorted(areas, reverse=True)
    if len(row["areas"]) != len(ranked) or any(
        abs(a - b) > _ROUNDING_PX2 for a, b in zip(row["areas"], ranked, strict=False)
    ):
        yield f"areas must be {[round(a, 1) for a in ranked]} for these curves and strokes, got {row['areas']}"
