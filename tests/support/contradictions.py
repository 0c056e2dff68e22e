"""What the verifier says of a row that contradicts itself, by suite and column: a changed column, and words of it."""

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
COMMON = {"id", "image", "system_prompt", "seed", "certified_by"}

#: Columns in which a row can contradict no other of its columns, or that a checker compares between rows only.
ALONE: dict[str, set[str]] = {
    "curves": {"prompt"},
    "curves_maps": {"prompt"},
    "geogram": {"template", "pair_id"},
    "marvl_qa": {
        *("prompt", "x_min", "x_max", "y_min", "y_max", "nrmse_identity", "tier", "family", "expression"),
        *("other_count", "mesh"),
    },
    "traversal": {"generator_family", "glyph_radius", "glyph_pad", "source_id", "confounders", "pair_id"},
}

CURVES = "one curve of points"
PROTOCOL = "prompt is not that of the protocol"
STYLES = "must be one of (the nine|eight) styles"
STYLE = f"{STYLES}|colormap_[ab] must be one of"
PATH = "n_points, markers and points differ"
DRAWN = "curvature of the drawn line is"

#: Suite -> column -> what is said of another value. `level` of training rows is judged by the cell, not by the row.
WORDS: dict[str, dict[str, str]] = {
    "curves": {
        "answer": "answer must be",
        "category": "category must be",
        "num_nodes": "num_nodes must be",
        "parents": CURVES,
        "depth": "depth must be",
        "canonical": "canonical must be",
        "curves": CURVES,
    },
    "curves_maps": {
        "answer": "answer must be",
        "num_curves": "num_curves must be",
        "num_crossings": "num_crossings must be",
        "num_faces": "num_faces must be",
        **dict.fromkeys(("adjacent", "areas", "stroke_px", "curves"), "map: curves draw another map"),
    },
    "geogram": {
        "prompt": PROTOCOL,
        "problem": PROTOCOL,
        "code": PROTOCOL,
        "answer": "answer and answer_latex must be equal",
        "answer_latex": "answer and answer_latex must be equal",
        "answer_value": "math-verify reads",
        "language": "language must be one of",
        "givens": "givens must be JSON",
        "level": "level must be one of",
        "origin": "names its template and origin",
        "difficulty": "has no template",
    },
    "marvl_qa": {
        "answer": "answer, count and extrema differ|answer must be",
        "parameters": "parameters must be a JSON object of numbers",
        "feature": "feature must be one of maxima, minima",
        "count": "answer, count and extrema differ",
        "extrema": "answer, count and extrema differ",
        "extrema_px": "extrema_px must be",
        "plot_type": STYLES,
        "colormap": f"{STYLES}|colormap must be one of",
        **dict.fromkeys(("elevation", "azimuth"), "elevation and azimuth must be"),
        **dict.fromkeys(("z_min", "z_max"), "z_min must be|z_max must be"),
        "transformation": "transformation must be one of",
        "motion": "motion must be one of",
        "offset": "a rotation has offset 0|offset and offset_px are 0|offset_px must be|offset must be",
        "offset_px": "a rotation has offset 0|offset and offset_px are 0|offset_px must be",
        "nrmse_options": "each once and with its error",
        "options": "options must be",
        "nrmse_confusable": "nrmse_confusable must be",
        "plot_type_a": STYLES,
        "colormap_a": STYLE,
        "plot_type_b": STYLES,
        "colormap_b": STYLE,
        "same_style": "same_style is",
    },
    "traversal": {
        "prompt": "prompt is not the protocol's",
        "answer": "answer must be the markers in path order",
        "points": PATH,
        "markers": PATH,
        "n_points": PATH,
        "tortuosity": "tortuosity of the (points|drawn line) is",
        "self_intersections": "the path crosses itself",
        "crossings": "the path crosses itself",
        "tortuosity_bin": "bins must be",
        "self_intersection_bin": "bins must be",
        "view": "points must lie in a view of 672 px",
        "condition": "condition must be one of low, high",
        "regime": "regime must be one of",
        "lanes": "the path does not run in",
        "smoothness": f"{DRAWN}|smoothness must be 0 to 1.5",
        "curvature": DRAWN,
    },
}

#: Dataset, config, values of its last row that are changed, and what is said of them.
FURTHER: list[tuple[str, str, Row | Callable[[Row], Row], str]] = [
    ("curves", "topographical", {"parents": [2, 0]}, "parents[i] must be 0 to i"),
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
    ("geogram", "geogram", {"template": ""}, "names its template"),
    ("traversal", "base", {"points": [[0.3, 1.0], [5.0, 5.0]]}, "multiples of 1/16"),
    ("traversal", "base", {"view": 1344}, "a view of 672"),
]
