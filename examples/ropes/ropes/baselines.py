"""Reference models that do not follow the ropes, and the declaration for the blind probes."""

import numpy as np

from planimeter.evals.baselines.solver import Reader, Solver
from planimeter.evals.probes.part import Part, columns
from ropes.words import ranked


class Permuted(Solver):
    """Each letter gets a number at random, none twice."""

    columns = ("ropes",)

    def answer(self, row, rng):
        return ranked(rng.permutation(row["ropes"]))


class NearestEnd(Reader):
    """Each rope ends at the number nearest in height to where it begins; none twice, the sum of squares the least."""

    columns = ("courses",)
    seen = 0  # the last point of a course that is looked at; they are about 4 px apart

    def read(self, row):
        first, later, last = (np.array([course[i] for course in row["courses"]]) for i in (0, self.seen, -1))
        way = later - first
        aims = first[:, 1] + way[:, 1] / np.maximum(way[:, 0], 1.0) * (last - first)[:, 0]
        return ranked(np.argsort(np.argsort(aims)))


class StraightOn(NearestEnd):
    """Each rope goes straight on as it leaves its letter, to the number nearest to where that leads."""

    seen = 15


SOLVERS = {"random": Permuted, "nearest-end": NearestEnd, "straight-on": StraightOn}

# Of rows with as many ropes, which are seen. Crossings are no style: an odd number of them is the answer of two ropes.
_PART = Part(
    guesses="answer, of those with as many ropes",
    targets=lambda rows: [row["answer"] for row in rows],
    stratum=lambda row: str(row["ropes"]),
    style=columns("ropes", "folds"),
)
PARTS = dict.fromkeys(("coloured", "one_colour", "train"), _PART)
