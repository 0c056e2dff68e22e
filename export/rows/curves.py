"""Rows of nested and of crossing curves. An id is a digest of the drawing: its curves, stroke and look, not its
address.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from hashlib import blake2b

import numpy as np

from planimeter.evals import planar_map
from planimeter.evals.curves import SYSTEM_PROMPT, answer, prompt
from planimeter.export.rows.marvl_qa import Row, common, item_id
from planimeter.filters.curves_maps.arrangement import Curve, arrangement
from planimeter.generators.items import CurvesItem, PlanarMapItem, Reading


def drawing_digest(item: CurvesItem) -> bytes:
    """Return 16 bytes that are equal exactly for equal drawings: same lines, to 0.01 px, and same tree."""
    return _digest(item.canonical, (*item.curves, *item.arcs))


def _digest(shown: str, lines: Iterable[Curve]) -> bytes:
    whole = blake2b(shown.encode(), digest_size=16)
    for line in lines:
        whole.update(len(line).to_bytes(4, "little"))
        whole.update(np.rint(line * 100).astype("<i8").tobytes())
    return whole.digest()


def curves_row(config: str, item: CurvesItem, png: bytes, reading: Reading, more: Mapping[str, object]) -> Row:
    """Return the row of ``item`` in ``config``; ``more`` holds the columns that only that config has."""
    identity = {"drawing": drawing_digest(item).hex(), "stroke": item.stroke_px, "look": asdict(item.look)}
    question = prompt(arcs=bool(item.arcs))
    return {
        **common(item_id(config, identity), png, SYSTEM_PROMPT, question, answer(item.parents), item.seed, reading),
        "category": item.category,
        "num_nodes": len(item.parents),
        "parents": list(item.parents),
        "depth": item.depth,
        "canonical": item.canonical,
        "curves": [curve.tolist() for curve in item.curves],
        **more,
    }


def planar_map_row(config: str, item: PlanarMapItem, png: bytes, reading: Reading) -> Row:
    """Return the row of crossing curves in ``config``."""
    answer = planar_map.answer(len(item.areas), item.adjacent)
    identity = {"drawing": _digest(answer, item.curves).hex(), "stroke": item.stroke_px}
    row_id = item_id(config, identity)
    return {
        **common(row_id, png, planar_map.SYSTEM_PROMPT, planar_map.PROMPT, answer, item.seed, reading),
        "num_curves": len(item.curves),
        "num_crossings": len(arrangement(item.curves).crossings),
        "num_faces": len(item.areas),
        "adjacent": [list(pair) for pair in item.adjacent],
        "areas": list(item.areas),
        "stroke_px": item.stroke_px,
        "curves": [curve.tolist() for curve in item.curves],
    }
