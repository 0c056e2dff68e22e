"""Columns and rows of crossing curves. An id is a digest of the drawing: its map, its curves and their stroke."""

from collections.abc import Mapping
from types import MappingProxyType

import pyarrow as pa

from planimeter.evals.curves_maps import prompt as words
from planimeter.export.columns import FLOAT, POINTS, Column
from planimeter.export.rows.common import Row, common, item_id
from planimeter.filters.curves_maps import arrangement
from planimeter.generators.curves.fingerprint import drawing_digest
from planimeter.items import PlanarMapItem, Reading

_PLANAR_MAP: tuple[Column, ...] = (
    Column("num_curves", pa.int32(), "Number of closed curves."),
    Column("num_crossings", pa.int32(), "Number of points in which two curves cross."),
    Column("num_faces", pa.int32(), "Number of faces without the unbounded one."),
    Column(
        "adjacent",
        pa.list_(pa.list_(pa.int32())),
        "Each pair of faces that share a stretch of a curve, once: 0 is the unbounded face, the others go by area.",
    ),
    Column(
        "areas", pa.list_(FLOAT), "White paper in each face in square pixels, largest first; areas[i] is face i + 1."
    ),
    Column("stroke_px", FLOAT, "Width of the strokes in pixels."),
    Column("curves", pa.list_(POINTS), "Vertices of each closed curve in pixels, in no order that matters."),
)

#: Config -> its own columns, which follow the common ones.
COLUMNS: Mapping[str, tuple[Column, ...]] = MappingProxyType({words.CONFIG: _PLANAR_MAP})


def planar_map_row(item: PlanarMapItem, png: bytes, reading: Reading) -> Row:
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
