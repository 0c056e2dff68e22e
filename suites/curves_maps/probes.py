"""The baselines (reference models) of planar maps, and the inputs of the probes, which search for shortcuts."""

from collections.abc import Mapping
from itertools import combinations, pairwise

import numpy as np

from planimeter.evals.baselines.solver import Drawn, Solver, reader
from planimeter.evals.curves_maps.grader import CONFIGS, answer
from planimeter.evals.probes.part import Part, columns
from planimeter.filters.certify.curves_maps import read_shrunk
from planimeter.filters.certify.readable import in_grey
from planimeter.items.values import Row


class AnyMap(Drawn[tuple[int, int]]):
    """A baseline that answers with a random map of as many faces and adjacent pairs as a random row has."""

    learns = ("num_faces", "adjacent")

    def drawn_from(self, row: Row) -> tuple[int, int]:
        return int(row["num_faces"]), len(row["adjacent"])

    def answer(self, row: Row, rng: np.random.Generator) -> str:  # noqa: ARG002 - the row is not read
        faces, number = self.draw(rng)
        pairs = list(combinations(range(faces + 1), 2))
        return answer(faces, [pairs[int(k)] for k in rng.permutation(len(pairs))[:number]])


@reader("num_faces")
def chain(row: Row) -> str:
    """Return an answer with the right number of faces, each adjacent to the previous one; ignores the picture."""
    return answer(row["num_faces"], list(pairwise(range(row["num_faces"] + 1))))


@reader("num_faces")
def star(row: Row) -> str:
    """Return an answer with the right number of faces, each adjacent only to the unbounded one; ignores the picture."""
    return answer(row["num_faces"], [(0, face) for face in range(1, row["num_faces"] + 1)])


SOLVERS: Mapping[str, type[Solver]] = {"random": AnyMap, "chain": chain, "star": star}


PARTS: Mapping[str, Part] = dict.fromkeys(
    CONFIGS,
    Part(
        guesses="number of faces",
        targets=lambda rows: [str(row["num_faces"]) for row in rows],
        group=lambda row: str(row["answer"]),
        metrics=("map_accuracy", "count_accuracy", "reward"),
        style=columns("stroke_px"),
        shrunk=lambda *_: lambda _: in_grey(read_shrunk),
        blind={"stroke": columns("stroke_px")},
    ),
)
