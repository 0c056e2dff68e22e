"""Rows that contradict themselves: other values of a column, and rules that a changed row breaks."""

from collections.abc import Callable
from typing import Any

Row = dict[str, Any]


def changed(value: Any) -> Any:
    """Return another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value - 1 if value > 1 else value + 1
        case float():
            return value * 0.99 - 0.005
        case str():
            return f"{value}x"
        case list():
            return value[:-1]
    raise TypeError(f"no change for {value!r}")


#: Columns that the verifier looks at in every suite alike, without the suite's checker.
COMMON = {"id", "image", "system_prompt", "seed", "certified_by", "split"}

#: Columns in which a row can contradict no other of its columns, or that a checker compares between rows only.
ALONE: dict[str, set[str]] = {
    "curves": {"prompt"},
    "curves_maps": {"prompt"},
    "geogram": {"template", "pair_id"},
    "marvl_qa": {"prompt", "x_min", "x_max", "y_min", "y_max", "nrmse_identity", "tier", "family", "expression"}
    | {"level", "other_count", "mesh"},
    "traversal": {"generator_family", "glyph_radius", "glyph_pad", "source_id", "confounders", "pair_id"},
}


#: Dataset, config, values of its last row that are changed, and what is said of them.
FURTHER: list[tuple[str, str, Row | Callable[[Row], Row], str]] = [
    ("curves", "topographical", {"parents": [2, 0]}, "parents[i] must be from 0 to i"),
    (
        "curves",
        "topographical",
        lambda row: {"parents": [0] * len(row["parents"])},
        "nesting: curves show another tree",
    ),
    ("curves-maps", "planar_map", {"num_faces": 99}, "num_faces must be"),
    ("curves-maps", "planar_map", {"num_curves": 9}, "is not in any of the ranges"),
    ("curves-maps", "planar_map", {"stroke_px": 9.0}, "stroke: stroke too thin or wide"),
    ("curves-maps", "planar_map", {"curves": []}, "simple: no curves with clear crossings"),
    ("curves-maps", "planar_map", {"curves": [[[1.0, 2.0, 3.0]]]}, "a list of points (x, y)"),
    ("geogram", "geogram", {"answer": "17.5", "answer_latex": "17.5"}, "answer_value"),
    ("geogram", "geogram", {"code": " "}, "code is empty"),
    ("geogram", "geogram", {"template": ""}, "need a template and the origin"),
    ("marvl-qa-train", "transformation", {"level": 1}, "level 1 has no pair with"),
    ("traversal", "base", {"points": [[0.3, 1.0], [5.0, 5.0]]}, "multiples of 1/16"),
    ("traversal", "base", {"view": 1344}, "points must be from 0 to 672 px"),
]
