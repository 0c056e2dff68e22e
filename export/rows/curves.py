"""Columns and rows of nested curves. An id is a digest of the drawing: its curves, stroke and look, not its address."""

import gc
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from planimeter.evals.curves.prompt import SYSTEM_PROMPT, answer, prompt
from planimeter.export.columns import POINTS, STRING, Column
from planimeter.export.rows.common import Row, common, item_id
from planimeter.generators.curves.fingerprint import drawing_digest
from planimeter.items import CURVE_CATEGORIES, CurvesItem, Reading

_CURVES: tuple[Column, ...] = (
    Column("category", STRING, "How the curves are drawn."),
    Column("num_nodes", pa.int32(), "Number of regions without the exterior."),
    Column("parents", pa.list_(pa.int32()), "parents[i] is the parent of node i + 1; 0 is the exterior."),
    Column("depth", pa.int32(), "Number of curves on the deepest path."),
    Column("canonical", STRING, "Canonical form of the rooted unordered tree."),
    Column(
        "curves", pa.list_(POINTS), "Vertices of each closed curve in pixels; curves[i] is the boundary of node i + 1."
    ),
)

#: Config -> its own columns, which follow the common ones.
COLUMNS: Mapping[str, tuple[Column, ...]] = MappingProxyType(
    {
        **dict.fromkeys(CURVE_CATEGORIES, _CURVES),
        "curriculum": (*_CURVES, Column("level", pa.int8(), "Level of the curriculum, 1 (easiest) to 8.")),
    }
)


def _lists(curves: Sequence[npt.NDArray[np.float64]]) -> list[list[list[float]]]:
    # Ten thousand lists a row, which are no garbage: to look for some among them takes longer than to make them.
    paused = gc.isenabled()
    gc.disable()
    try:
        return [curve.tolist() for curve in curves]
    finally:
        if paused:
            gc.enable()


def curves_row(config: str, item: CurvesItem, png: bytes, reading: Reading, more: Mapping[str, object]) -> Row:
    """Return the row of ``item`` in ``config``; ``more`` holds the columns that only that config has."""
    drawn = drawing_digest(item.canonical, (*item.curves, *item.arcs))
    identity = {"drawing": drawn.hex(), "stroke": item.stroke_px, "look": asdict(item.look)}
    question = prompt(arcs=bool(item.arcs))
    return {
        **common(item_id(config, identity), png, SYSTEM_PROMPT, question, answer(item.parents), item.seed, reading),
        "category": item.category,
        "num_nodes": len(item.parents),
        "parents": list(item.parents),
        "depth": item.depth,
        "canonical": item.canonical,
        "curves": _lists(item.curves),
        **more,
    }
