"""The columns and rows of nested curves, and their layout in the report.

The id of a row is a digest of its curves, stroke width and drawing style.
"""

import gc
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from planimeter.evals.curves.prompt import SYSTEM_PROMPT, answer, prompt
from planimeter.export.columns import LINES, STRING, Between, Column, bins
from planimeter.export.layout import Axis, layout
from planimeter.export.rows import common, item_id
from planimeter.generators.curves.curriculum import LEVELS
from planimeter.generators.curves.fingerprint import drawing_digest
from planimeter.items import CURVE_CATEGORIES, CurvesItem, Reading
from planimeter.items.values import Record

CURRICULUM = "curriculum"

#: The module of the checks, by name: it imports the grader, on which no row may depend.
CHECKS = "planimeter.suites.curves.checks"


def _columns(*categories: str) -> tuple[Column, ...]:
    return (
        Column("category", STRING, "How the curves are drawn.", values=categories),
        Column(
            "num_nodes",
            pa.int32(),
            "Number of regions without the exterior.",
            axis="Number of curves",
            stratum=bins("curves", 1, 2, 3, 4, 5, 8, 12, 20, 35, 55, 80, 120),
        ),
        Column("parents", pa.list_(pa.int32()), "parents[i] is the parent of node i + 1; 0 is the exterior."),
        Column("depth", pa.int32(), "Number of curves on the deepest path.", axis="Depth"),
        Column("canonical", STRING, "Canonical form of the rooted unordered tree."),
        Column("curves", LINES, "Vertices of each closed curve in pixels; curves[i] is the boundary of node i + 1."),
    )


_LEVEL = Column("level", pa.int8(), "Level of the curriculum, 1 (easiest) to 8.", values=Between(1, len(LEVELS)))

#: Config -> its own columns, which follow the common ones.
COLUMNS: dict[str, tuple[Column, ...]] = {
    **{category: _columns(category) for category in CURVE_CATEGORIES},
    CURRICULUM: (*_columns(*CURVE_CATEGORIES), _LEVEL),
}

_TREE = Axis("Tree", "{canonical}".format_map)
_LEVELS, _CATEGORY = Axis("Level", "level {level}".format_map), Axis("Category", "{category}".format_map)

LAYOUTS = {
    "easy": layout(COLUMNS["easy"], rows=_TREE, across=Axis("Drawings", lambda _: "drawings of the tree")),
    CURRICULUM: layout(
        COLUMNS[CURRICULUM], rows=_LEVELS, across=_CATEGORY, distributions=(_CATEGORY, "num_nodes", "depth")
    ),
}


def _lists(curves: Sequence[npt.NDArray[np.float64]]) -> list[list[list[float]]]:
    # A row has ten thousand lists, none of them garbage: the garbage collector would take longer than their making.
    paused = gc.isenabled()
    gc.disable()
    try:
        return [curve.tolist() for curve in curves]
    finally:
        if paused:
            gc.enable()


def curves_row(config: str, item: CurvesItem, png: bytes, reading: Reading, more: Mapping[str, object]) -> Record:
    """Return the dataset row of the drawing ``item``; ``more``: the columns that only ``config`` has."""
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
