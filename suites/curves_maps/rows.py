"""The columns and rows of crossing curves. The id of a row is a digest of its planar map, curves and stroke width."""

import pyarrow as pa

from planimeter.evals.curves_maps import prompt as words
from planimeter.export.columns import FLOAT, LINES, Column
from planimeter.export.rows import common, item_id
from planimeter.filters.curves_maps import Arrangement, arrangement
from planimeter.generators.curves.fingerprint import drawing_digest
from planimeter.items import Reading
from planimeter.items.planar_map import PlanarMapItem
from planimeter.items.values import Record

_ADJACENT = "Each pair of faces that share a stretch of a curve, once: 0 is the unbounded face, the others go by area."
_AREAS = "White paper in each face in square pixels, largest first; areas[i] is face i + 1."

#: The name of the module of the checks.
CHECKS = "planimeter.suites.curves_maps.checks"

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


def derived(item: PlanarMapItem, drawn: Arrangement) -> Record:
    """Return the columns that follow from the curves: numbers of curves, crossings and faces, and the answer.

    ``drawn``: the arrangement of the curves, which has their crossings.
    """
    return {
        "num_curves": len(item.curves),
        "num_crossings": len(drawn.crossings),
        "num_faces": len(item.areas),
        "answer": words.answer(len(item.areas), item.adjacent),
    }


def planar_map_row(item: PlanarMapItem, png: bytes, reading: Reading) -> Record:
    """Return the dataset row of the drawing ``item`` with the picture ``png``; ``reading`` names its certifier."""
    columns = derived(item, arrangement(item.curves))
    identity = {"drawing": drawing_digest(columns["answer"], item.curves).hex(), "stroke": item.stroke_px}
    row_id = item_id(words.CONFIG, identity)
    return {
        **common(row_id, png, words.SYSTEM_PROMPT, words.PROMPT, columns["answer"], item.seed, reading),
        **columns,
        "adjacent": [list(pair) for pair in item.adjacent],
        "areas": list(item.areas),
        "stroke_px": item.stroke_px,
        "curves": [curve.tolist() for curve in item.curves],
    }
