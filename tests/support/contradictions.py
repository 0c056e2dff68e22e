"""What the verifier says of a row that contradicts itself, by suite and column: a changed column, and words of it."""

from collections.abc import Callable
from typing import Any

Row = dict[str, Any]


def changed(value: Any) -> Any:
    """Return another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value - 1 if value > 1 else value + 1
    if isinstance(value, float):
        return value * 0.99 - 0.005
    return f"{value}x" if isinstance(value, str) else value[:-1]


#: Columns that the verifier looks at in every suite alike, without the suite's checker.
COMMON = {"id", "image", "system_prompt", "seed", "certified_by"}

#: Columns in which a row can contradict no other of its columns, or that a checker compares between rows only.
ALONE: dict[str, set[str]] = {
    "curves": {"prompt"},
    "curves_maps": {"prompt"},
    "geogram": {"template", "pair_id"},
    "marvl_qa": {"prompt", "x_min", "x_max", "y_min", "y_max", "nrmse_identity", "tier", "family", "expression"},
    "traversal": {"generator_family", "glyph_radius", "glyph_pad", "source_id", "confounders", "pair_id"},
}

CURVES, PROTOCOL, STYLES = "one curve of points", "prompt is not that of the protocol", "must be one of the nine styles"
PATH, DRAWN = "n_points, markers and points differ", "curvature of the drawn line is"
COUNTED, SHIFTED = "answer, count and extrema differ", "a rotation has offset 0|offset_px must be"
EQUAL = "answer and answer_latex must be equal"

#: Suite -> column -> what is said of another value. `level` of training rows is judged by the cell, not by the row.
WORDS: dict[str, dict[str, str]] = {
    "curves": {
        **{name: f"{name} must be" for name in ("answer", "category", "num_nodes", "depth", "canonical")},
        **dict.fromkeys(("parents", "curves"), CURVES),
    },
    "curves_maps": {
        **{name: f"{name} must be" for name in ("answer", "num_curves", "num_crossings", "adjacent", "areas")},
        "num_faces": "by Euler's formula there must be",
        "stroke_px": "areas must be",
        "curves": "num_curves must be",
    },
    "geogram": {
        **dict.fromkeys(("prompt", "problem", "code"), PROTOCOL),
        **dict.fromkeys(("answer", "answer_latex"), EQUAL),
        "answer_value": "math-verify reads",
        "language": "has its own language",
        "givens": "givens must be JSON",
        "level": "need one of",
        "origin": "names its template and origin",
        "difficulty": "has no template",
    },
    "marvl_qa": {
        "answer": f"{COUNTED}|answer must be",
        "parameters": "parameters must be a JSON object of numbers",
        "feature": "feature must be one of maxima, minima",
        **dict.fromkeys(("count", "extrema"), COUNTED),
        **{name: f"{name} must be" for name in ("extrema_px", "options", "nrmse_confusable")},
        **dict.fromkeys((f"{name}{side}" for name in ("plot_type", "colormap") for side in ("", "_a", "_b")), STYLES),
        "transformation": "transformation must be one of",
        "offset": f"{SHIFTED}|offset must be",
        "offset_px": SHIFTED,
        "same_style": "same_style is",
    },
    "traversal": {
        "prompt": "prompt is not the protocol's",
        "answer": "answer must be the markers in path order",
        **dict.fromkeys(("points", "markers", "n_points"), PATH),
        "tortuosity": "tortuosity of the (points|drawn line) is",
        **dict.fromkeys(("self_intersections", "crossings"), "the path crosses itself"),
        **dict.fromkeys(("tortuosity_bin", "self_intersection_bin"), "bins must be"),
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
    ("curves", "topographical", lambda row: {"parents": [0] * len(row["parents"])}, "lie in each other as"),
    ("curves-maps", "planar_map", {"num_faces": 99}, "num_faces must be"),
    ("curves-maps", "planar_map", {"num_curves": 9}, "none of the wanted ranges"),
    ("curves-maps", "planar_map", {"stroke_px": 9.0}, "stroke_px must be 4.2 to 6.0"),
    ("curves-maps", "planar_map", {"curves": []}, "at least one curve"),
    ("curves-maps", "planar_map", {"curves": [[[1.0, 2.0, 3.0]]]}, "a list of points (x, y)"),
    ("geogram", "geogram", {"answer": "17.5", "answer_latex": "17.5"}, "answer_value"),
    ("geogram", "geogram", {"code": " "}, "code is empty"),
    ("geogram", "geogram", {"template": ""}, "names its template"),
    ("traversal", "base", {"points": [[0.3, 1.0], [5.0, 5.0]]}, "multiples of 1/16"),
    ("traversal", "base", {"view": 1344}, "a view of 672"),
]
