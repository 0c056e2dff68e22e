"""Which drawings of curves of two datasets look alike, by the rule that keeps those of one dataset apart."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from planimeter.evals.probes.part import Row
from planimeter.filters.curves.likeness import Drawings
from planimeter.generators.curves.signatures import pack, signature

#: From which similarity on two drawings are alike, where the recipe names no limit.
LIMIT = 0.8


def alike_drawings(first: Sequence[Row], second: Sequence[Row], recipe: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the ids of a drawing of ``first`` and one of ``second`` that look alike."""
    rows = [*first, *second]
    table = recipe.get(str(rows[0].get("category", "")), {}) or recipe.get("planar_map", {})
    limits = np.full(len(rows), float(table.get("similarity", LIMIT)))
    packed = [pack(signature([np.asarray(curve, np.float64) for curve in row["curves"]])) for row in rows]
    return [
        (str(rows[drawing]["id"]), str(rows[other]["id"]))
        for drawing, other, _ in Drawings(packed).alike_pairs(limits)
        if drawing < len(first) <= other
    ]
