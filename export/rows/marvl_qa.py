"""Rows from records: what an item looks like in the dataset's columns, and the id by which it is known.

An id is a digest of what the item *is* (its surface, its question, its style), not of its address or its bytes: equal
items have equal ids whatever seed they came from, and a better drawing of the same item keeps its id.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from planimeter.generators.items import CountingItem, PlotStyle, Reading, Surface, TransformationItem

Row = dict[str, Any]


def item_id(config: str, content: Mapping[str, object]) -> str:
    """Return ``<config>-<16 hex digits>`` of ``content``, whatever the order of its keys."""
    text = json.dumps({"config": config, **content}, sort_keys=True, separators=(",", ":"))
    return f"{config}-{blake2b(text.encode(), digest_size=8).hexdigest()}"


def counting_row(
    item: CountingItem, style: PlotStyle, seed: int, png: bytes, reading: Reading, system_prompt: str, prompt: str
) -> Row:
    """Return the row of ``item`` drawn in ``style``."""
    surface = item.surface
    identity = {"surface": _identity(surface), "feature": item.feature, "style": str(style)}
    return {
        **common(item_id("counting", identity), png, system_prompt, prompt, str(len(item.extrema)), seed, reading),
        **_surface(surface),
        "feature": item.feature,
        "count": len(item.extrema),
        "extrema": [{"x": e.x, "y": e.y, "z": e.z} for e in item.extrema],
        "plot_type": style.plot_type,
        "colormap": style.colormap,
    }


def transformation_row(
    item: TransformationItem,
    style_a: PlotStyle,
    style_b: PlotStyle,
    seed: int,
    png: bytes,
    reading: Reading,
    system_prompt: str,
    prompt: str,
) -> Row:
    """Return the row of ``item`` with plot A in ``style_a`` and plot B in ``style_b``."""
    surface = item.surface
    identity = {
        "surface": _identity(surface),
        "transformation": item.transformation,
        "offset": item.offset,
        "options": list(item.options),
        "styles": [str(style_a), str(style_b)],
    }
    answer = answer_of(item)
    return {
        **common(item_id("transformation", identity), png, system_prompt, prompt, answer, seed, reading),
        **_surface(surface),
        "transformation": item.transformation,
        "offset": item.offset,
        "options": list(item.options),
        "plot_type_a": style_a.plot_type,
        "colormap_a": style_a.colormap,
        "plot_type_b": style_b.plot_type,
        "colormap_b": style_b.colormap,
        "same_style": style_a == style_b,
        "nrmse_identity": item.nrmse_identity,
        "nrmse_confusable": item.nrmse_confusable,
    }


def answer_of(item: TransformationItem) -> str:
    """Return the 1-based number of the right option, as it stands in the row."""
    return str(item.options.index(item.transformation) + 1)


def common(row_id: str, png: bytes, system_prompt: str, prompt: str, answer: str, seed: int, reading: Reading) -> Row:
    """Return the columns that every config has."""
    return {
        "id": row_id,
        "image": {"bytes": png, "path": f"{row_id}.png"},
        "system_prompt": system_prompt,
        "prompt": prompt,
        "answer": answer,
        "seed": seed,
        "certified_by": reading.certifier,
    }


def _surface(surface: Surface) -> Row:
    return {
        "family": surface.family,
        "tier": surface.tier,
        "parameters": json.dumps(dict(surface.parameters), sort_keys=True),
        "expression": surface.expression,
        "x_min": surface.domain.x_min,
        "x_max": surface.domain.x_max,
        "y_min": surface.domain.y_min,
        "y_max": surface.domain.y_max,
    }


def _identity(surface: Surface) -> dict[str, object]:
    domain = surface.domain
    return {
        "family": surface.family,
        "parameters": dict(surface.parameters),
        "domain": [domain.x_min, domain.x_max, domain.y_min, domain.y_max],
    }
