"""Planar maps: tables of scores, what shows why a reply is wrong, reference models, what to probe."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, pairwise

import cv2
import numpy as np
import pandas as pd

from planimeter.evals.baselines.solver import Drawn, Reader, Solver
from planimeter.evals.curves_maps.protocol import CONFIGS, answer, parse, render
from planimeter.evals.probes.part import Part
from planimeter.evals.scores.evidence import Evidence
from planimeter.evals.scores.forms import Scored, Table
from planimeter.evals.scores.suites import graphs
from planimeter.evals.scores.summary import Rates, with_strata
from planimeter.filters.certify.curves_maps import read_shrunk
from planimeter.filters.certify.readable import Look, shown_at
from planimeter.items.values import Recipe, Row

_RANKING = ("map_accuracy", "count_accuracy", "pairs_accuracy", "reward")
#: What figures show, and the label of an axis.
_FINER = {
    "map_accuracy": "map right",
    "count_accuracy": "number of faces right",
    "face_error": "error of the number of faces",
}
_STRATA = {"crossings": "crossings (number)", "faces": "faces (number)", "curves": "curves (number)"}
_NUMBERS = ("face_error", "absolute_face_error", "pairs_error", "absolute_pairs_error")


_MAPS = Rates("maps", "Planar maps", metrics=(*_RANKING, "answered", "cut_off"), note="Sorted by maps.")
_REWARDS = graphs.rewards("config")
_DIAGNOSTICS = Table(
    "diagnostics",
    "Maps by crossings, faces and curves",
    note="Errors are of replies that could be read, less the truth: below 0 faces or pairs were missed.",
    units=dict.fromkeys(_NUMBERS, "number"),
)


def tables(scored: Scored) -> list[Table]:
    """Return the tables of planar maps."""
    frame = _frame(scored)
    measures = (*_RANKING, *_NUMBERS, "face_error_under", "face_error_over", "answered", "cut_off")
    diagnostics = graphs.diagnostics(frame, _STRATA, measures, _FINER, _DIAGNOSTICS)
    return [_MAPS.of(frame), _REWARDS.of(frame), diagnostics]


def _frame(scored: Scored) -> pd.DataFrame:
    """Return the scores with their strata and errors."""
    frame = graphs.with_rewards(with_strata(scored))
    read, answer = (frame[name].map(_numbers) for name in ("read", "answer"))
    for place, name in enumerate(("face_error", "pairs_error")):
        frame = graphs.with_error(frame, name, read.str[place].astype(float) - answer.str[place].astype(float))
    return frame


def _numbers(text: str) -> tuple[float, float]:
    """Return the numbers of faces and of pairs that an answer states; NaN for none."""
    lines = text.split("\n")
    return (float(lines[0]), float(len(lines) - 1)) if text else (np.nan, np.nan)


def evidence(config: str, row: Row, read: str, correct: Sequence[bool]) -> Evidence:  # noqa: ARG001 - shared signature
    truth, reply = (parse(config, render(text)).value for text in (row["answer"], read))
    if truth is None:
        return Evidence()
    faces = ("faces", str(truth.faces), "–" if reply is None else str(reply.faces))
    pairs = ("pairs that touch", str(len(truth.adjacent)), "–" if reply is None else str(len(reply.adjacent)))
    return Evidence(facts=(faces, pairs))


class AnyMap(Drawn[tuple[int, int]]):
    """As many faces and adjacent pairs as a random row has, the pairs at random."""

    learns = ("num_faces", "adjacent")

    def drawn_from(self, row: Row) -> tuple[int, int]:
        return int(row["num_faces"]), len(row["adjacent"])

    def answer(self, row: Row, rng: np.random.Generator) -> str:  # noqa: ARG002 - the row is not read
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


SOLVERS: Mapping[str, type[Solver]] = {"random": AnyMap, "chain": Chain, "star": Star}


def _shrunk(recipe: Recipe, config: str) -> Callable[[Row], Look]:  # noqa: ARG001 - they look alike
    return lambda _: lambda picture, *how: read_shrunk(shown_at(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), *how))


#: What was seen of pictures that were looked at one step below the size at which they are readable.
LOOKED = "Looked at by eye one step smaller, all of 6 could still be answered: the program gives up first."

_PART = Part(
    guesses="number of faces",
    targets=lambda rows: [str(row["num_faces"]) for row in rows],
    group=lambda row: str(row["answer"]),
    metrics=("map_accuracy", "count_accuracy", "reward"),
    style=lambda row: {"stroke": float(row["stroke_px"])},
    shrunk=_shrunk,
    blind={"stroke": lambda row: {"stroke": float(row["stroke_px"])}},
)

PARTS: Mapping[str, Part] = dict.fromkeys(CONFIGS, _PART)
