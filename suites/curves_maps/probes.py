"""Planar maps: tables of scores, what shows why a reply is wrong, reference models, what to probe."""

from collections.abc import Callable, Mapping
from itertools import combinations, pairwise

import numpy as np
import pandas as pd

from planimeter.evals.baselines.solver import Drawn, Solver, reader
from planimeter.evals.curves_maps.grader import CONFIGS, METRICS, answer
from planimeter.evals.probes.part import Part, columns
from planimeter.evals.scores.forms import Scored, Table
from planimeter.evals.scores.summary import Rates, with_strata
from planimeter.filters.certify.curves_maps import read_shrunk
from planimeter.filters.certify.readable import in_grey
from planimeter.items.values import Row
from planimeter.suites.drawing import scores as graphs

#: What the page shows of a map.
FACTS = {"faces": lambda drawn: drawn.faces, "pairs that touch": lambda drawn: len(drawn.adjacent)}

#: What figures show, and the label of an axis.
_FINER = {
    "map_accuracy": "map right",
    "count_accuracy": "number of faces right",
    "face_error": "error of the number of faces",
}
_STRATA = {"crossings": "crossings (number)", "faces": "faces (number)", "curves": "curves (number)"}
#: The numbers of which errors are counted, as answers state them; NaN for none.
_STATED: Mapping[str, Callable[["pd.Series[str]"], "pd.Series[float]"]] = {
    "face_error": lambda texts: pd.to_numeric(texts.str.partition("\n")[0]),
    "pairs_error": lambda texts: texts.str.count("\n").astype(float).where(texts != ""),
}
_NUMBERS = ("face_error", "absolute_face_error", "pairs_error", "absolute_pairs_error")

_MAPS = Rates("maps", "Planar maps", metrics=(*METRICS, "answered", "cut_off"), note="Sorted by maps.")
_DIAGNOSTICS = Table(
    "diagnostics",
    "Maps by crossings, faces and curves",
    note="Errors are of replies that could be read, less the truth: below 0 faces or pairs were missed.",
)


def tables(scored: Scored) -> list[Table]:
    """Return the tables of planar maps."""
    frame = graphs.with_rewards(with_strata(scored))
    for name, of in _STATED.items():
        frame = graphs.with_error(frame, name, of(frame["read"]) - of(frame["answer"]))
    measures = (*METRICS, *_NUMBERS, "face_error_under", "face_error_over", "answered", "cut_off")
    diagnostics = graphs.diagnostics(frame, _STRATA, measures, _FINER, _DIAGNOSTICS)
    return [_MAPS.of(frame), graphs.rewards("config").of(frame), diagnostics]


class AnyMap(Drawn[tuple[int, int]]):
    """As many faces and adjacent pairs as a random row has, the pairs at random."""

    learns = ("num_faces", "adjacent")

    def drawn_from(self, row: Row) -> tuple[int, int]:
        return int(row["num_faces"]), len(row["adjacent"])

    def answer(self, row: Row, rng: np.random.Generator) -> str:  # noqa: ARG002 - the row is not read
        faces, number = self.draw(rng)
        pairs = list(combinations(range(faces + 1), 2))
        return answer(faces, [pairs[int(k)] for k in rng.permutation(len(pairs))[:number]])


@reader("num_faces")
def chain(row: Row) -> str:
    """The right number of faces, each adjacent to the one before."""
    return answer(row["num_faces"], list(pairwise(range(row["num_faces"] + 1))))


@reader("num_faces")
def star(row: Row) -> str:
    """The right number of faces, each adjacent to the unbounded one and to no other."""
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
