"""The baselines (reference models) of TraversalBench, and the inputs of the probes, which search for shortcuts.

All baselines get the start marker and the number of markers from the row, as the prompt states them; all but the
certifier and ``majority`` also know which markers the picture has. A blind probe does not guess the order of markers,
but only in which third of the alphabetical list of all markers after the start the second one is.
"""

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from planimeter.evals.baselines.solver import Reader, Solver, commonest
from planimeter.evals.probes.part import Part, columns
from planimeter.evals.traversal.grader import CONFIGS, answer
from planimeter.filters.certify.readable import Look
from planimeter.filters.certify.traversal.certificate import certify
from planimeter.filters.certify.traversal.shrunk import read
from planimeter.items.values import Recipe, Row

Point = Sequence[float]


class Certificate(Reader):
    """A baseline that answers with the path that the certifier reads from the picture."""

    columns: ClassVar[tuple[str, ...]] = ("image", "markers")
    slow = True

    def read(self, row: Row) -> str:
        markers, curved = row["markers"], row.get("smoothness", 0) > 0
        return certify(row["image"]["bytes"], markers[0], len(markers), curved=curved).answer or ""


class CurvedCertificate(Certificate):
    """A baseline that answers with the path (straight segments or smooth) that the certifier reads from the picture."""

    columns = (*Certificate.columns, "smoothness")


class CommonestMarkers(Reader):
    """A baseline that answers with the start marker, then the most frequent marker of the config at each position."""

    columns = ("markers",)
    learns = ("markers",)

    def learn(self, rows: Iterable[Row]) -> None:
        counts: dict[int, Counter[str]] = {}
        for row in rows:
            for position, marker in enumerate(row["markers"]):
                counts.setdefault(position, Counter())[marker] += 1
        self.commonest = [commonest(counts[position]) for position in sorted(counts)]

    def read(self, row: Row) -> str:
        return answer([row["markers"][0], *self.commonest[1 : len(row["markers"])]])


class AnyOrder(Solver):
    """A baseline that answers with the start marker, then the other markers of the picture in random order."""

    columns = ("markers",)

    def answer(self, row: Row, rng: np.random.Generator) -> str:
        start, *others = row["markers"]
        # Sorted first, because the order in the row is the answer.
        return answer([start, *(str(marker) for marker in rng.permutation(sorted(others)))])


class _Placed(Reader):
    """A baseline that knows the position of each marker, from the row's points, but not the line between them.

    It always goes on to the remaining marker of least ``cost``.
    """

    columns = ("markers", "points")

    def read(self, row: Row) -> str:
        places = dict(zip(row["markers"], row["points"], strict=True))
        path = [str(row["markers"][0])]
        left = sorted(places.keys() - set(path))
        while left:
            path.append(min(left, key=lambda marker: self.cost(places[path[-1]], places[marker])))
            left.remove(path[-1])
        return answer(path)

    @abstractmethod
    def cost(self, here: Point, there: Point) -> float:
        """Return the cost of a step from the marker at ``here`` to the one at ``there``; the cheapest step is taken."""


class Nearest(_Placed):
    """A baseline that begins at the start marker and always goes on to the nearest remaining marker."""

    def cost(self, here: Point, there: Point) -> float:
        return math.dist(here, there)


class LeftToRight(_Placed):
    """A baseline that answers with the start marker, then the others from left to right."""

    def cost(self, here: Point, there: Point) -> float:  # noqa: ARG002 - wherever one is
        return there[0]


SOLVERS: Mapping[str, type[Solver] | Mapping[str, type[Solver]]] = {
    "certifier": {**dict.fromkeys(CONFIGS, Certificate), "curved": CurvedCertificate},
    "majority": CommonestMarkers,
    "random": AnyOrder,
    "nearest": Nearest,
    "left-to-right": LeftToRight,
}


def _second(row: Row) -> str:
    following = sorted(row["markers"][1:])
    return str(3 * following.index(row["markers"][1]) // len(following))


def _shrunk(recipe: Recipe, config: str) -> Callable[[Row], Look]:  # noqa: ARG001 - they look alike
    return lambda row: lambda *shown: (read(*shown, start=str(row["markers"][0]), n_points=len(row["markers"])),)


_PART = Part(
    guesses="second marker, by the thirds of the alphabet",
    targets=lambda rows: [_second(row) for row in rows],
    stratum=lambda row: str(len(row["markers"])),
    metrics=("exact", "token_accuracy"),
    style=lambda row: {"markers": len(row["markers"])},
    blind={"style": columns("view", "glyph_radius", "glyph_pad")},
    shrunk=_shrunk,
)

PARTS: Mapping[str, Part] = {
    **dict.fromkeys(("base", "reading_order"), _PART),
    "confounded": replace(_PART, group=lambda row: str(row["source_id"])),
    "curved": replace(_PART, group=lambda row: str(row["pair_id"])),
}
