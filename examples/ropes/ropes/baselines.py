"""Reference models that do not follow the ropes."""

from itertools import permutations

import numpy as np

from planimeter.evals.baselines.solver import Reader, Solver
from ropes.words import LETTERS, NUMBERS, answer


class Permuted(Solver):
    """Each letter gets a number at random, none twice."""

    columns = ("ropes",)

    def answer(self, row, rng):
        return _written(rng.permutation(row["ropes"]))


class NearestEnd(Reader):
    """Each rope ends at the number nearest in height to where it begins, none twice."""

    columns = ("courses",)

    def read(self, row):
        return _matched(row, [course[0][1] for course in row["courses"]])


class StraightOn(Reader):
    """Each rope goes straight on as it leaves its letter, over 60 px, to the number nearest to where that leads."""

    columns = ("courses",)

    def read(self, row):
        aims = []
        for course in row["courses"]:
            (x0, y0), (x1, y1), right = course[0], course[15], course[-1][0]
            aims.append(y0 + (y1 - y0) * (right - x0) / max(x1 - x0, 1.0))
        return _matched(row, aims)


def _matched(row, aims):
    """Return the answer that gives each rope a height near to its aim, the sum of squares the least."""
    heights = np.sort([course[-1][1] for course in row["courses"]])
    ranks = permutations(range(len(aims)))
    return _written(min(ranks, key=lambda order: float(((heights[list(order)] - np.array(aims)) ** 2).sum())))


def _written(ranks):
    return answer({LETTERS[rope]: NUMBERS[int(rank)] for rope, rank in enumerate(ranks)})


SOLVERS = {"random": Permuted, "nearest-end": NearestEnd, "straight-on": StraightOn}
