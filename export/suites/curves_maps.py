"""Crossing curves: columns, rows, and what must hold in a row. An id is a digest of map, curves and stroke.

Crossings, faces and adjacency are taken from the stored vertices once more, and the number of faces from Euler's
formula besides.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import shapely

from planimeter.evals.curves_maps import prompt as words
from planimeter.export.alike import Curves, DrawingsChecker, size_faults
from planimeter.export.checks import differing
from planimeter.export.columns import FLOAT, POINTS, Column, Recipe, Row
from planimeter.export.rows import common, item_id
from planimeter.filters.curves_maps import Arrangement, arrangement, numbered, paper
from planimeter.generators.curves.fingerprint import drawing_digest
from planimeter.items import PlanarMapItem, Reading

#: Config -> its own columns, which follow the common ones.
COLUMNS: dict[str, tuple[Column, ...]] = {
    words.CONFIG: (
        Column("num_curves", pa.int32(), "Number of closed curves.", axis="Curves"),
        Column("num_crossings", pa.int32(), "Number of points in which two curves cross.", axis="Crossings"),
        Column("num_faces", pa.int32(), "Number of faces without the unbounded one.", axis="Faces"),
        Column(
            "adjacent",
            pa.list_(pa.list_(pa.int32())),
            "Each pair of faces that share a stretch of a curve, once: 0 is the unbounded face, the others go by area.",
        ),
        Column(
            "areas",
            pa.list_(FLOAT),
            "White paper in each face in square pixels, largest first; areas[i] is face i + 1.",
        ),
        Column("stroke_px", FLOAT, "Width of the strokes in pixels."),
        Column("curves", pa.list_(POINTS), "Vertices of each closed curve in pixels, in no order that matters."),
    )
}

#: Areas (px2) and lengths (px) are stored rounded, to 0.1 and 0.01.
_ROUNDING_PX2, _ROUNDING_PX = 0.2, 0.02


def planar_map_row(item: PlanarMapItem, png: bytes, reading: Reading) -> dict[str, Any]:
    """Return the row of ``item``."""
    answer = words.answer(len(item.areas), item.adjacent)
    identity = {"drawing": drawing_digest(answer, item.curves).hex(), "stroke": item.stroke_px}
    row_id = item_id(words.CONFIG, identity)
    return {
        **common(row_id, png, words.SYSTEM_PROMPT, words.PROMPT, answer, item.seed, reading),
        "num_curves": len(item.curves),
        "num_crossings": len(arrangement(item.curves).crossings),
        "num_faces": len(item.areas),
        "adjacent": [list(pair) for pair in item.adjacent],
        "areas": list(item.areas),
        "stroke_px": item.stroke_px,
        "curves": [curve.tolist() for curve in item.curves],
    }


class CurvesMapsChecker(DrawingsChecker):
    """Checks each drawing against the limits of its recipe, and the map that its curves draw."""

    columns = COLUMNS
    certified_by = "planar-map-components"
    size = "num_curves"

    def faults(self, config: str, row: Row) -> Iterator[str]:
        """Yield what is wrong between the columns of ``row``."""
        curves = [np.array(curve, np.float64) for curve in row["curves"]]
        if any(curve.ndim != 2 or curve.shape[1:] != (2,) for curve in curves):
            yield "each curve must be a list of points (x, y)"
            return
        limits = self.table(config)
        yield from size_faults(row, "num_curves", limits.get("sizes", []))
        yield from _placed(row, curves, limits)
        try:
            found = arrangement(curves)
        except ValueError as error:
            yield f"the curves draw no map: {error}"
            return
        yield from _map(row, found)
        yield from _clear(found, limits)


def _placed(row: Row, curves: Curves, limits: Recipe) -> Iterator[str]:
    """Check what the recipe asks of strokes and margins."""
    low, high = limits.get("stroke_px", (0.0, 4096.0))
    if not low <= row["stroke_px"] <= high:
        yield f"stroke_px must be {low} to {high}, got {row['stroke_px']}"
    side, margin = limits.get("canvas_px", 4096), limits.get("margin_px", 0.0)
    points = np.vstack(curves) if curves else np.zeros((0, 2))
    if len(points) and (points.min() < margin - _ROUNDING_PX or points.max() > side - margin + _ROUNDING_PX):
        extent = f"{points.min()} to {points.max()}"
        yield f"curves must keep {margin} px from the edge of {side} px, got coordinates {extent}"


def _clear(found: Arrangement, limits: Recipe) -> Iterator[str]:
    """Check what the recipe asks of crossings."""
    if found.lonely:
        yield f"every curve must cross another, {found.lonely} cross none"
    if found.gap < limits.get("arc_px", 0.0) - _ROUNDING_PX:
        yield f"crossings on a curve must be {limits['arc_px']} px apart, got {found.gap:.2f}"
    degrees = limits.get("crossing_degrees", 0.0)
    least = float(np.degrees(np.arcsin(min(1.0, found.sines.min(initial=1.0)))))
    if least < degrees - 0.1:
        yield f"curves must cross at {degrees} degrees or more, got {least:.1f}"


def _map(row: Row, found: Arrangement) -> Iterator[str]:
    """Check the columns that follow from the curves."""
    areas = [float(shapely.area(paper(face, row["stroke_px"]))) for face in found.faces]
    pairs = numbered(found, areas)
    wanted = {
        "num_curves": len(row["curves"]),
        "num_crossings": len(found.crossings),
        "num_faces": len(found.faces),
        "adjacent": [list(pair) for pair in pairs],
        "answer": words.answer(len(found.faces), pairs),
    }
    yield from differing(row, wanted, "these curves")
    if row["num_faces"] != found.euler_faces:
        yield f"by Euler's formula there must be {found.euler_faces} faces, got {row['num_faces']}"
    ranked = sorted(areas, reverse=True)
    if len(row["areas"]) != len(ranked) or not np.allclose(row["areas"], ranked, rtol=0, atol=_ROUNDING_PX2):
        yield f"areas must be {[round(a, 1) for a in ranked]} for these curves and strokes, got {row['areas']}"


checker = CurvesMapsChecker
