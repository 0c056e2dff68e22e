"""What the probes look at in the planar maps of crossing curves."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import cv2

from planimeter.evals.curves_maps.protocol import CONFIGS
from planimeter.evals.probes.part import Part, Row, alike
from planimeter.filters.certify.curves_maps import read_shrunk
from planimeter.filters.certify.readable import Look, shown_at


def _shrunk(recipe: Mapping[str, Any], config: str) -> Callable[[Row], Look]:  # noqa: ARG001 - they look alike
    return lambda _: lambda picture, *how: read_shrunk(shown_at(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), *how))


_PART = Part(
    guesses="number of faces",
    targets=lambda rows: [str(row["num_faces"]) for row in rows],
    group=lambda row: str(row["answer"]),
    stratum=alike,
    metrics=("map_accuracy", "count_accuracy", "reward"),
    style=lambda row: {"stroke": float(row["stroke_px"])},
    shrunk=_shrunk,
    blind={"stroke": lambda row: {"stroke": float(row["stroke_px"])}},
)

PARTS: Mapping[str, Part] = MappingProxyType(dict.fromkeys(CONFIGS, _PART))
