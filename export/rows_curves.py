"""Rows of nested curves. An id is a digest of the drawing: its curves, stroke and look, not its address."""

from collections.abc import Mapping
from dataclasses import asdict
from hashlib import blake2b

import numpy as np

from evals.curves import SYSTEM_PROMPT, answer, prompt
from export.rows import Row, common, item_id
from generators.items import CurvesItem, Reading


def drawing_digest(item: CurvesItem) -> bytes:
    """Return 16 bytes that are equal exactly for equal drawings: same lines, to 0.01 px, and same tree."""
    whole = blake2b(item.canonical.encode(), digest_size=16)
    for line in (*item.curves, *item.arcs):
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
