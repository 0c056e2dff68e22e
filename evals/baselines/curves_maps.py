"""Reference models for the planar maps of crossing curves."""

from collections.abc import Mapping
from itertools import combinations, pairwise
from types import MappingProxyType

import numpy as np

from planimeter.evals.baselines.solver import Drawn, Majority, Reader, Row, Solver
from planimeter.evals.curves_maps.protocol import CONFIGS, answer
from planimeter.filters.certify.curves_maps import read_planar_map


class Certificate(Reader):
    """Reads the map off the picture with the check that the rows were certified with."""

    columns = ("image",)
    slow = True

    def read(self, row: Row) -> str:
        return read_planar_map(row["image"]["bytes"]).answer or ""


class AnyMap(Drawn):
    """As many faces and adjacent pairs as a row drawn by lot has, the pairs by lot."""

    learns = ("num_faces", "adjacent")

    def drawn_from(self, row: Row) -> tuple[int, int]:
        return int(row["num_faces"]), len(row["adjacent"])

    def answer(self, row: Row, rng: np.random.Generator) -> str:  # noqa: ARG002 - the row tells nothing
        faces, number = self.draw(rng)
        pairs = list(combinations(range(faces + 1), 2))
        return answer(faces, [pairs[int(k)] for k in rng.permutation(len(pairs))[:number]])


class Chain(Reader):
    """The right number of faces, each adjacent to the one before."""

    columns = ("num_faces",)

    def read(self, row: Row) -> str:
        return answer(row["num_faces"], list(pairwise(range(row["num_faces"] + 1))))


class Star(Reader):
    """The right number of faces, each adjacent to the unbounded one and to no other."""

    columns = ("num_faces",)

    def read(self, row: Row) -> str:
        return answer(row["num_faces"], [(0, face) for face in range(1, row["num_faces"] + 1)])


SOLVERS: Mapping[str, Mapping[str, type[Solver]]] = MappingProxyType(
    {
        "certifier": dict.fromkeys(CONFIGS, Certificate),
        "majority": dict.fromkeys(CONFIGS, Majority),
        "random": dict.fromkeys(CONFIGS, AnyMap),
        "chain": dict.fromkeys(CONFIGS, Chain),
        "star": dict.fromkeys(CONFIGS, Star),
    }
)
