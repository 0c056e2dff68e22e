"""TraversalBench's columns and its rows. An id is a digest of the drawn path, its markers and its spurs."""

from collections.abc import Mapping
from types import MappingProxyType

import pyarrow as pa

from planimeter.evals.traversal import prompt as words
from planimeter.export.columns import FLOAT, LEVEL, POINTS, STRING, Column
from planimeter.export.rows.common import Row, common, item_id
from planimeter.items import ConfoundedItem, Reading, ReadingOrderItem, TraversalItem

_TRAVERSAL: tuple[Column, ...] = (
    Column("points", POINTS, "Vertices of the path in pixels (x right, y down), n x 2; the first is the start."),
    Column("markers", pa.list_(STRING), 'Markers at the vertices in path order, each "<color> <shape>".'),
    Column("n_points", pa.int16(), "Number of vertices."),
    Column("tortuosity", FLOAT, "Length of the path over the distance between its ends."),
    Column("self_intersections", pa.int16(), "Number of times that the path crosses itself."),
    Column("tortuosity_bin", pa.int8(), "0-based bin of [1, 1.3) [1.3, 2) [2, 3) [3, 4.5) [4.5, 6.5) [6.5, 9)."),
    Column("self_intersection_bin", pa.int8(), "0-based bin of 0; 1; 2-3; 4-5; 6-8; 9-12; 13 and more crossings."),
    Column(
        "crossings",
        pa.list_(
            pa.struct([("x", FLOAT), ("y", FLOAT), ("first_segment", pa.int16()), ("second_segment", pa.int16())])
        ),
        "Each crossing: where, in pixels, and the two 0-based segments that meet there.",
    ),
    Column("generator_family", STRING, "How the path was drawn."),
    Column("view", pa.int16(), "Side of the picture in pixels."),
    Column("glyph_radius", FLOAT, "Radius of a marker in pixels."),
    Column("glyph_pad", FLOAT, "Free space around a marker in pixels."),
)

#: Config -> its own columns, which follow the common ones.
COLUMNS: Mapping[str, tuple[Column, ...]] = MappingProxyType(
    {
        "base": _TRAVERSAL,
        "confounded": (
            *_TRAVERSAL,
            Column("source_id", STRING, "The `id` in `base` of the path that the spurs were added to."),
            Column("condition", STRING, "`low` (2 to 4 spurs) or `high` (5 to 7)."),
            Column("confounders", pa.list_(POINTS), "Vertices of each gray spur in pixels."),
        ),
        "reading_order": (
            *_TRAVERSAL,
            Column("regime", STRING, "`ltr_tb`, `rtl_tb`, `ttb_rl` or `ttb_lr`."),
            Column("lanes", pa.int8(), "Number of lanes; all run in the same direction."),
        ),
        "curved": (
            *_TRAVERSAL,
            Column("pair_id", STRING, "The `id` of the straight drawing of the same path with the same markers."),
            Column(
                "smoothness",
                FLOAT,
                "0: straight; else the length of the line's tangents at its vertices over that of the shorter segment.",
            ),
            Column(
                "curvature",
                FLOAT,
                "Mean curvature where no marker covers the line: radians that it turns, either way, a pixel.",
            ),
        ),
    }
)

#: Config -> what its rows have besides in a split for training.
TRAINING: Mapping[str, tuple[Column, ...]] = MappingProxyType({"base": (LEVEL,), "curved": (LEVEL,)})


def path_row(item: TraversalItem, png: bytes, reading: Reading) -> Row:
    """Return the row of ``item`` in ``base``."""
    return _row("base", item, item.seed, png, reading)


def confounded_row(item: ConfoundedItem, png: bytes, reading: Reading) -> Row:
    """Return the row of ``item`` in ``confounded``."""
    spurs = [[list(anchor), list(end)] for anchor, end in item.confounders]
    return {
        **_row("confounded", item.source, item.seed, png, reading, {"confounders": spurs}),
        "source_id": item_id("base", _identity(item.source)),
        "condition": item.condition,
        "confounders": spurs,
    }


def reading_order_row(item: ReadingOrderItem, png: bytes, reading: Reading) -> Row:
    """Return the row of ``item`` in ``reading_order``."""
    return {
        **_row("reading_order", item.path, item.path.seed, png, reading),
        "regime": item.regime,
        "lanes": item.lanes,
    }


def curved_row(item: TraversalItem, straight: TraversalItem, png: bytes, reading: Reading) -> Row:
    """Return the row of ``item`` in ``curved``: a drawing of the path ``straight``, or that path itself."""
    return {
        **_row("curved", item, item.seed, png, reading),
        "pair_id": item_id("curved", _identity(straight)),
        "smoothness": item.smoothness,
        "curvature": item.curvature,
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
        "n_points": item.n_points,
        "tortuosity": item.tortuosity,
        "self_intersections": item.self_intersections,
        "tortuosity_bin": item.tortuosity_bin,
        "self_intersection_bin": item.self_intersection_bin,
        "crossings": [
            {"x": c.x, "y": c.y, "first_segment": c.first_segment, "second_segment": c.second_segment}
            for c in item.crossings
        ],
        "generator_family": item.generator_family,
        "view": item.view,
        "glyph_radius": item.glyph_radius,
        "glyph_pad": item.glyph_pad,
    }


def _identity(item: TraversalItem) -> dict[str, object]:
    return {
        "points": [list(point) for point in item.points],
        "markers": list(item.markers),
        "view": item.view,
        "smoothness": item.smoothness,
    }
