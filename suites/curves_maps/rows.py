"""Crossing curves: columns, rows, and what must hold in a row. An id is a digest of map, curves and stroke.

Crossings, faces and adjacency are taken from the stored vertices once more, and the number of faces from Euler's
formula besides.
"""

from collections.abc import Iterator
from dataclasses import fields

import numpy as np
import pyarrow as pa

from planimeter.evals.curves_maps import prompt as words
from planimeter.export.checks import broken_rules, differing
from planimeter.export.columns import FLOAT, LINES, Column
from planimeter.export.rows import common, item_id
from planimeter.filters.curves_maps import Arrangement, arrangement, judge
from planimeter.generators.curves.fingerprint import drawing_digest
from planimeter.items import Reading
from planimeter.items.planar_map import PlanarMapItem, PlanarMapLimits
from planimeter.items.values import Record, Row
from planimeter.suites.drawing.checks import DrawingsChecker

_ADJACENT = "Each pair of faces that share a stretch of a curve, once: 0 is the unbounded face, the others go by area."
_AREAS = "White paper in each face in square pixels, largest first; areas[i] is face i + 1."

#: Config -> its own columns, which follow the common ones.
COLUMNS: dict[str, tuple[Column, ...]] = {
    words.CONFIG: (
        Column("num_curves", pa.int32(), "Number of closed curves.", axis="Curves"),
        Column("num_crossings", pa.int32(), "Number of points in which two curves cross.", axis="Crossings"),
        Column("num_faces", pa.int32(), "Number of faces without the unbounded one.", axis="Faces"),
        Column("adjacent", pa.list_(pa.list_(pa.int32())), _ADJACENT),
        Column("areas", pa.list_(FLOAT), _AREAS),
        Column("stroke_px", FLOAT, "Width of the strokes in pixels."),
        Column("curves", LINES, "Vertices of each closed curve in pixels, in no order that matters."),
    )
}


def _derived(item: PlanarMapItem, drawn: Arrangement) -> Record:
    """Return the columns that follow from the curves of ``item``, whose map is ``drawn``."""
    return {
        "num_curves": len(item.curves),
        "num_crossings": len(drawn.crossings),
        "num_faces": len(item.areas),
        "answer": words.answer(len(item.areas), item.adjacent),
    }


def planar_map_row(item: PlanarMapItem, png: bytes, reading: Reading) -> Record:
    """Return the row of ``item``."""
    derived = _derived(item, arrangement(item.curves))
    identity = {"drawing": drawing_digest(derived["answer"], item.curves).hex(), "stroke": item.stroke_px}
    row_id = item_id(words.CONFIG, identity)
    return {
        **common(row_id, png, words.SYSTEM_PROMPT, words.PROMPT, derived["answer"], item.seed, reading),
        **derived,
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
        """Yield what is wrong between the columns of ``row``, by the rules that every candidate had to keep."""
        yield from super().faults(config, row)
        limits = PlanarMapLimits(**{field.name: self.table(config)[field.name] for field in fields(PlanarMapLimits)})
        item = PlanarMapItem(
            curves=tuple(np.array(curve, np.float64) for curve in row["curves"]),
            areas=tuple(row["areas"]),
            adjacent=tuple(map(tuple, row["adjacent"])),
            canvas_px=limits.canvas_px,
            stroke_px=row["stroke_px"],
            seed=0,
        )
        drawn, verdicts = judge(item, limits)
        yield from broken_rules(verdicts)
        if drawn and all(verdict.kept for verdict in verdicts if verdict.check == "map"):
            yield from differing(row, _derived(item, drawn), "these curves")


checker = CurvesMapsChecker
