"""TraversalBench's rows from records. An id is a digest of the drawn path, its markers and its spurs."""

from collections.abc import Mapping

from planimeter.evals import traversal as protocol
from planimeter.export.rows.marvl_qa import Row, common, item_id
from planimeter.generators.items import ConfoundedItem, Reading, ReadingOrderItem, TraversalItem


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


def _row(
    config: str,
    item: TraversalItem,
    seed: int,
    png: bytes,
    reading: Reading,
    further: Mapping[str, object] | None = None,
) -> Row:
    prompt = protocol.prompt(item.markers[0], item.n_points, confounded=config == "confounded")
    row_id = item_id(config, {**_identity(item), **(further or {})})
    answer = protocol.answer(item.markers)
    return {
        **common(row_id, png, protocol.SYSTEM_PROMPT, prompt, answer, seed, reading),
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
