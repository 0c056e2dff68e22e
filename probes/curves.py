"""What the probes look at in nested curves."""

from collections.abc import Mapping
from types import MappingProxyType

from planimeter.evals.curves.protocol import CONFIGS
from planimeter.probes.drawings import alike_drawings
from planimeter.probes.part import Part, thirds

_PART = Part(
    guesses="number of regions, by thirds",
    targets=lambda rows: thirds([row["num_nodes"] for row in rows]),
    group=lambda row: str(row["canonical"]),
    stratum=lambda row: str(row["category"]),
    twins=alike_drawings,
    metrics=("tree_accuracy", "count_accuracy", "reward", "parent_f1"),
    style=lambda row: {"category": str(row["category"])},
    pixels=(32, 64, 96, 128, 160, 192, 224),
)

PARTS: Mapping[str, Part] = MappingProxyType(dict.fromkeys(CONFIGS, _PART))
