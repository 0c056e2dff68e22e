"""What the probes look at in nested curves."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import cv2

from planimeter.evals.curves.protocol import CONFIGS
from planimeter.evals.probes.part import Part, Row, thirds
from planimeter.evals.probes.suites.drawings import alike_drawings
from planimeter.filters.certify.curves import read_shrunk
from planimeter.filters.certify.readable import Look, shown_at
from planimeter.items import CurvesLook


def _shrunk(recipe: Mapping[str, Any], config: str) -> Callable[[Row], Look]:
    look = CurvesLook(**recipe[config].get("look", {}))
    return lambda _: lambda picture, *how: read_shrunk(shown_at(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), *how), look)


#: What was seen of pictures that were looked at one step below the size at which they are readable.
LOOKED = (
    "Looked at by eye one step smaller, 10 of 16 could still be answered: 9 of 10 of `easy`, `polygon` and "
    "`topographical`, 1 of 3 of `counting`, none of 3 of `maze`, whose lines run together."
)

_PART = Part(
    guesses="number of regions, by thirds",
    targets=lambda rows: thirds([row["num_nodes"] for row in rows]),
    group=lambda row: str(row["canonical"]),
    stratum=lambda row: str(row["category"]),
    twins=alike_drawings,
    metrics=("tree_accuracy", "count_accuracy", "reward", "parent_f1"),
    style=lambda row: {"category": str(row["category"])},
    shrunk=_shrunk,
    pixels=(32, 64, 96, 128, 160, 192, 224),
)

PARTS: Mapping[str, Part] = MappingProxyType(dict.fromkeys(CONFIGS, _PART))
