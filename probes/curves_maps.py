"""What the probes look at in the planar maps of crossing curves."""

from collections.abc import Mapping
from types import MappingProxyType

from planimeter.evals.curves_maps.protocol import CONFIGS
from planimeter.probes.drawings import alike_drawings
from planimeter.probes.part import Part, alike

_PART = Part(
    guesses="number of faces",
    targets=lambda rows: [str(row["num_faces"]) for row in rows],
    group=lambda row: str(row["answer"]),
    stratum=alike,
    twins=alike_drawings,
    metrics=("map_accuracy", "count_accuracy", "reward"),
    style=lambda row: {"stroke": float(row["stroke_px"])},
    blind={"stroke": lambda row: {"stroke": float(row["stroke_px"])}},
)

PARTS: Mapping[str, Part] = MappingProxyType(dict.fromkeys(CONFIGS, _PART))
