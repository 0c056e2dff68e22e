"""What the probes look at in nested curves."""

from collections.abc import Mapping
from types import MappingProxyType

from planimeter.evals.curves.protocol import CONFIGS
from planimeter.probes.part import Part

_PART = Part(
    guesses="number of regions",
    target=lambda row: str(row["num_nodes"]),
    group=lambda row: str(row["canonical"]),
    stratum=lambda row: str(row["category"]),
    metrics=("tree_accuracy", "count_accuracy", "reward", "parent_f1"),
    style=lambda row: {"category": str(row["category"])},
    pixels=(32, 64, 96, 128, 160, 192, 224),
)

PARTS: Mapping[str, Part] = MappingProxyType(dict.fromkeys(CONFIGS, _PART))
