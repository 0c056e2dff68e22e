"""The columns and rows of TraversalBench. The id of a row is a digest of the drawn path, its markers and its spurs."""

from collections.abc import Callable, Mapping

import pyarrow as pa

from planimeter.evals.traversal import prompt as words
from planimeter.export.columns import FLOAT, LINES, POINTS, STRING, Between, Column, level
from planimeter.export.layout import Axis, layout
from planimeter.export.rows import Row, common, fields, item_id
from planimeter.generators.traversal.curriculum import LEVELS
from planimeter.generators.traversal.limits import SMOOTHEST
from planimeter.items import CONDITIONS, REGIMES, ConfoundedItem, Reading, ReadingOrderItem, TraversalItem

#: The module of the checks of rows.
CHECKS = "planimeter.suites.traversal.checks"

#: Names in the report: of the bins of our recipes, in order, and of the directions of reading.
_TORTUOSITY = ("[1, 1.3)", "[1.3, 2)", "[2, 3)", "[3, 4.5)", "[4.5, 6.5)", "[6.5, 9)", "[9, 14)")
_CROSSINGS = ("0", "1", "2-3", "4-5", "6-8", "9-12", "13-20", "21-30", "31-40")
_REGIMES = {
    "ltr_tb": "left to right, lanes downwards",
    "rtl_tb": "right to left, lanes downwards",
    "ttb_rl": "downwards, lanes leftwards",
    "ttb_lr": "downwards, lanes rightwards",
}


def _named(names: tuple[str, ...]) -> Callable[[int], str]:
    return lambda number: names[number] if 0 <= number < len(names) else f"bin {number}"


_crossings = _named(_CROSSINGS)

_TRAVERSAL: tuple[Column, ...] = (
    Column("points", POINTS, "Vertices of the path in pixels (x right, y down), n x 2; the first is the start."),
    Column("markers", pa.list_(STRING), 'Markers at the vertices in path order, each "<color> <shape>".'),
    Column("n_points", pa.int16(), "Number of vertices.", axis="Points"),
    Column("tortuosity", FLOAT, "Length of the path over the distance between its ends."),
    Column(
        "self_intersections", pa.int16(), "Number of times that the path crosses itself.", axis="Number of crossings"
    ),
    Column(
        "tortuosity_bin",
        pa.int8(),
        "0-based bin of [1, 1.3) [1.3, 2) [2, 3) [3, 4.5) [4.5, 6.5) [6.5, 9).",
        axis="Tortuosity",
        stratum=_named(_TORTUOSITY),
    ),
    Column(
        "self_intersection_bin",
        pa.int8(),
        "0-based bin of 0; 1; 2-3; 4-5; 6-8; 9-12; 13 and more crossings.",
        axis="Crossings",
        stratum=_crossings,
    ),
    Column(
        "crossings",
        pa.list_(
            pa.struct([("x", FLOAT), ("y", FLOAT), ("first_segment", pa.int16()), ("second_segment", pa.int16())])
        ),
        "Each crossing: where, in pixels, and the two 0-based segments that meet there.",
    ),
    Column(
        "generator_family",
        STRING,
        "How the path was drawn.",
        axis="Family of the path",
        stratum=lambda name: name.replace("_", " "),
    ),
    Column("view", pa.int16(), "Side of the picture in pixels."),
    Column("glyph_radius", FLOAT, "Radius of a marker in pixels."),
    Column("glyph_pad", FLOAT, "Free space around a marker in pixels."),
)

#: Config -> its own columns, which follow the common ones.
COLUMNS: dict[str, tuple[Column, ...]] = {
    "base": (*_TRAVERSAL, level(len(LEVELS))),
    "confounded": (
        *_TRAVERSAL,
        Column("source_id", STRING, "The `id` in `base` of the path that the spurs were added to.", owner="base"),
        Column(
            "condition",
            STRING,
            "`low` (2 to 4 spurs) or `high` (5 to 7).",
            values=CONDITIONS,
            axis="Condition",
            order=CONDITIONS,
        ),
        Column(
            "confounders",
            LINES,
            "Vertices of each gray spur in pixels.",
            axis="Number of spurs",
            stratum=lambda spurs: str(len(spurs)),
        ),
    ),
    "reading_order": (
        *_TRAVERSAL,
        Column(
            "regime",
            STRING,
            "`ltr_tb`, `rtl_tb`, `ttb_rl` or `ttb_lr`.",
            values=REGIMES,
            axis="Direction",
            stratum=_REGIMES.__getitem__,
        ),
        Column("lanes", pa.int8(), "Number of lanes; all run in the same direction.", axis="Lanes"),
    ),
    "curved": (
        *_TRAVERSAL,
        Column(
            "pair_id",
            STRING,
            "The `id` of the straight drawing of the same path with the same markers.",
            owner="curved",
        ),
        Column(
            "smoothness",
            FLOAT,
            "0: straight; else the length of the line's tangents at its vertices over that of the shorter segment.",
            values=Between(0, SMOOTHEST),
            axis="Smoothness",
            stratum="{:g}".format,
        ),
        Column(
            "curvature",
            FLOAT,
            "Mean curvature where no marker covers the line: radians that it turns, either way, a pixel.",
            axis="Curvature in 1/1000 px",
            stratum=lambda curvature: str(round(1000 * curvature)),
        ),
        level(len(LEVELS)),
    ),
}

_START = Axis("Colour of the start marker", lambda row: row["markers"][0].split()[0])
_CELL = Axis(
    "Crossings and points",
    lambda row: f"{_crossings(row['self_intersection_bin'])} crossings, {row['n_points']} points",
)

LAYOUTS = {
    "base": layout(
        COLUMNS["base"],
        rows="tortuosity_bin",
        across=_CELL,
        distributions=("generator_family", "n_points", "self_intersections", _START),
        caption="tortuosity {tortuosity:.2f}".format_map,
        family="generator_family",
    ),
    "confounded": layout(
        COLUMNS["confounded"],
        rows="tortuosity_bin",
        across=Axis(
            "Crossings and spurs", lambda row: f"{_crossings(row['self_intersection_bin'])} ({row['condition']})"
        ),
        distributions=("condition", "confounders", "n_points", "generator_family"),
        caption=lambda row: (
            f"{row['n_points']} points, {row['self_intersections']} crossings, {len(row['confounders'])} spurs"
        ),
        family="generator_family",
    ),
    "reading_order": layout(
        COLUMNS["reading_order"],
        rows="regime",
        across=Axis("Lanes and points", "{lanes} lanes, {n_points} points".format_map),
        distributions=("lanes", "n_points", "tortuosity_bin", _START),
        caption="{n_points} points in {lanes} lanes".format_map,
        family="generator_family",
    ),
    "curved": layout(
        COLUMNS["curved"],
        rows="smoothness",
        across=_CELL,
        distributions=("smoothness", "curvature", "tortuosity_bin", "n_points", "generator_family"),
        caption="smoothness {smoothness:g}, curvature {curvature:.4f} / px".format_map,
        family="generator_family",
    ),
}


def path_row(item: TraversalItem, png: bytes, reading: Reading) -> Row:
    """Return the row of ``item``, a path of straight segments without spurs, in the config ``base``."""
    return _row("base", item, item.seed, png, reading)


def confounded_row(item: ConfoundedItem, png: bytes, reading: Reading) -> Row:
    """Return the row of ``item``, a path with spurs, in the config ``confounded``."""
    spurs = [[list(anchor), list(end)] for anchor, end in item.confounders]
    return {
        **_row("confounded", item.source, item.seed, png, reading, {"confounders": spurs}),
        "source_id": item_id("base", _identity(item.source)),
        "condition": item.condition,
        "confounders": spurs,
    }


def reading_order_row(item: ReadingOrderItem, png: bytes, reading: Reading) -> Row:
    """Return the row of ``item``, a path that runs in parallel lanes, in the config ``reading_order``."""
    return {**_row("reading_order", item.path, item.path.seed, png, reading), **fields(item, "regime", "lanes")}


def curved_row(item: TraversalItem, straight: TraversalItem, png: bytes, reading: Reading) -> Row:
    """Return the row of ``item`` in the config ``curved``; ``straight`` is the same path in straight segments."""
    return {
        **_row("curved", item, item.seed, png, reading),
        "pair_id": item_id("curved", _identity(straight)),
        **fields(item, "smoothness", "curvature"),
    }


def _row(
    config: str,
    item: TraversalItem,
    seed: int,
    png: bytes,
    reading: Reading,
    further: Mapping[str, object] | None = None,
) -> Row:
    prompt = words.prompt(item.markers[0], item.n_points, config)
    row_id = item_id(config, {**_identity(item), **(further or {})})
    answer = words.answer(item.markers)
    return {
        **common(row_id, png, words.SYSTEM_PROMPT, prompt, answer, seed, reading),
        "points": [list(point) for point in item.points],
        "markers": list(item.markers),
        "crossings": [fields(crossing, "x", "y", "first_segment", "second_segment") for crossing in item.crossings],
        **fields(item, "n_points", "tortuosity", "self_intersections", "tortuosity_bin", "self_intersection_bin"),
        **fields(item, "generator_family", "view", "glyph_radius", "glyph_pad"),
    }


def _identity(item: TraversalItem) -> dict[str, object]:
    return {
        "points": [list(point) for point in item.points],
        "markers": list(item.markers),
        "view": item.view,
        "smoothness": item.smoothness,
    }
