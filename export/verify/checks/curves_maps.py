"""What must hold between the columns of a row of crossing curves.

Crossings, faces and adjacency are taken from the stored vertices once more, and the number of faces from Euler's
formula besides. So is the side that the drawing is on, which follows from its split. Quotas are checked where the
recipe is at full scale and allows no shortfall.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import shapely

from planimeter.evals.curves_maps.prompt import CONFIG, answer
from planimeter.export.verify.checks import Recipe, Row, differing
from planimeter.export.verify.checks.alike import Curves, DrawingsChecker
from planimeter.filters.curves.vertices import CROSSING, Side, side_of
from planimeter.filters.curves_maps import Arrangement, arrangement, numbered, paper
from planimeter.generators.quotas import apportion

#: Areas (px2) and lengths (px) are stored rounded, to 0.1 and 0.01.
_ROUNDING_PX2, _ROUNDING_PX = 0.2, 0.02


class CurvesMapsChecker(DrawingsChecker):
    """Counts how many rows each range of sizes has, and each side."""

    certified_by = "planar-map-components"
    remembered = ("rows", "sides", "alike")

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.wanted = self.table(CONFIG)
        self.rows: Counter[tuple[int, int]] = Counter()
        self.sides: Counter[Side] = Counter()

    def limit(self, config: str) -> float | None:
        """Return below which similarity two drawings of ``config`` must stay."""
        return float(self.wanted["similarity"]) if self.wanted else super().limit(config)

    def faults(self, config: str, row: Row) -> Iterator[str]:  # noqa: ARG002 - the suite has one config
        """Yield what is wrong with ``row`` by itself."""
        curves = [np.array(curve, np.float64) for curve in row["curves"]]
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
        if self.wanted and side not in map(_side, self.wanted["splits"]):
            yield f"its drawing is on the {side} side, on which no split of the recipe is"

    def quotas(self) -> Iterator[tuple[str, str]]:
        """Yield (config, promise of the recipe that is not kept) of a dataset at full scale."""
        if not self.wanted:
            return
        splits, ranges = self.wanted["splits"], [(low, high) for low, high in self.wanted["sizes"]]
        for side in ("test", "train"):
            promised = sum(rows for split, rows in splits.items() if _side(split) == side)
            if self.sides[side] != promised:
                yield CONFIG, f"the recipe promises {promised} rows on the {side} side, found {self.sides[side]}"
        dealt = [apportion(rows, [1] * len(ranges)) for rows in splits.values()]
        for number, (low, high) in enumerate(ranges):
            promised, found = sum(parts[number] for parts in dealt), self.rows[low, high]
            if found != promised:
                yield CONFIG, f"the recipe promises {promised} rows of {low} to {high} curves, found {found}"

    def _asked(self, row: Row, curves: Curves) -> Iterator[str]:
        """Check what the recipe asks of sizes, strokes and margins."""
        sizes = [(low, high) for low, high in self.wanted.get("sizes", []) if low <= row["num_curves"] <= high]
        if self.wanted and not sizes:
            yield f"num_curves lies in none of the wanted ranges {self.wanted['sizes']}: {row['num_curves']}"
        self.rows.update(sizes)
        low, high = self.wanted.get("stroke_px", (0.0, 4096.0))
        if not low <= row["stroke_px"] <= high:
            yield f"stroke_px must be {low} to {high}, got {row['stroke_px']}"
        side, margin = self.wanted.get("canvas_px", 4096), self.wanted.get("margin_px", 0.0) - _ROUNDING_PX
        points = np.vstack(curves) if curves else np.zeros((0, 2))
        if len(points) and (points.min() < margin or points.max() > side - margin):
            yield (
                f"curves must keep {self.wanted.get('margin_px', 0.0)} px from the edge of {side} px, got coordinates "
                f"{points.min()} to {points.max()}"
            )

    def _clear(self, found: Arrangement) -> Iterator[str]:
        """Check what the recipe asks of crossings."""
        if found.lonely:
            yield f"every curve must cross another, {found.lonely} cross none"
        if found.gap < self.wanted.get("arc_px", 0.0) - _ROUNDING_PX:
            yield f"crossings on a curve must be {self.wanted['arc_px']} px apart, got {found.gap:.2f}"
        degrees = self.wanted.get("crossing_degrees", 0.0)
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
    yield from differing(row, wanted, "these curves")
    if row["num_faces"] != found.euler_faces:
        yield f"by Euler's formula there must be {found.euler_faces} faces, got {row['num_faces']}"
    ranked = sorted(areas, reverse=True)
    if len(row["areas"]) != len(ranked) or any(
        abs(a - b) > _ROUNDING_PX2 for a, b in zip(row["areas"], ranked, strict=False)
    ):
        yield f"areas must be {[round(a, 1) for a in ranked]} for these curves and strokes, got {row['areas']}"


checker = CurvesMapsChecker
