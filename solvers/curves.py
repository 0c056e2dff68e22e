"""Reference models for nested curves."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from planimeter.evals.curves.protocol import CONFIGS, answer
from planimeter.filters.certify.curves import read
from planimeter.items import CurvesLook
from planimeter.solvers.solver import Drawn, Majority, Reader, Row, Solver


class Certificate(Reader):
    """Reads the tree off the picture with the check that the rows were certified with; of the recipe it takes what kind
    of picture the config promises (dashed ink, textured paper), not what a picture shows.
    """

    columns = ("image",)
    slow = True

    def __init__(self, config: str, recipe: Mapping[str, Any], size: int) -> None:
        super().__init__(config, recipe, size)
        self.look = CurvesLook(**recipe[config].get("look", {}))

    def read(self, row: Row) -> str:
        return read(row["image"]["bytes"], self.look).answer or ""


class AnyTree(Drawn):
    """As many regions as a row drawn by lot has, each put into one of those before it by lot."""

    learns = ("num_nodes",)

    def drawn_from(self, row: Row) -> int:
        return int(row["num_nodes"])

    def answer(self, row: Row, rng: np.random.Generator) -> str:  # noqa: ARG002 - the row tells nothing
        return answer([int(rng.integers(node)) for node in range(1, self.draw(rng) + 1)])


class Chain(Reader):
    """The right number of regions, each within the one before."""

    columns = ("num_nodes",)

    def read(self, row: Row) -> str:
        return answer(range(row["num_nodes"]))


class Star(Reader):
    """The right number of regions, all beside one another."""

    columns = ("num_nodes",)

    def read(self, row: Row) -> str:
        return answer([0] * row["num_nodes"])


SOLVERS: Mapping[str, Mapping[str, type[Solver]]] = MappingProxyType(
    {
        "certifier": dict.fromkeys(CONFIGS, Certificate),
        "majority": dict.fromkeys(CONFIGS, Majority),
        "random": dict.fromkeys(CONFIGS, AnyTree),
        "chain": dict.fromkeys(CONFIGS, Chain),
        "star": dict.fromkeys(CONFIGS, Star),
    }
)
