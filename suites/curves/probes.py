"""Nested curves: their reference models, and the inputs of the probes."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import cv2
import numpy as np

from planimeter.evals.baselines.solver import Drawn, Reader, Solver, reader
from planimeter.evals.curves.grader import CONFIGS, answer
from planimeter.evals.probes.part import Part, columns, thirds
from planimeter.filters.certify.curves import read, read_shrunk
from planimeter.filters.certify.png import decoded
from planimeter.filters.certify.readable import Look, in_grey
from planimeter.items import CurvesLook
from planimeter.items.values import Recipe, Row


class Certificate(Reader):
    """Reads the tree off the picture with the check that certified the rows. From the recipe it takes the kind of
    picture that the config has (dashed ink, textured paper), but nothing about a single picture.
    """

    columns = ("image",)
    slow = True

    def __init__(self, config: str, recipe: Recipe, size: int) -> None:
        super().__init__(config, recipe, size)
        self.look = CurvesLook(**recipe[config].get("look", {}))

    def read(self, row: Row) -> str:
        return read(row["image"]["bytes"], self.look).answer or ""


class AnyTree(Drawn[int]):
    """A random tree with the number of regions of a random row; each is inside a random earlier one or outermost."""

    learns = ("num_nodes",)

    def drawn_from(self, row: Row) -> int:
        return int(row["num_nodes"])

    def answer(self, row: Row, rng: np.random.Generator) -> str:  # noqa: ARG002 - the row is not read
        return answer([int(rng.integers(node)) for node in range(1, self.draw(rng) + 1)])


@reader("num_nodes")
def chain(row: Row) -> str:
    """The right number of regions, each nested in the previous one."""
    return answer(range(row["num_nodes"]))


@reader("num_nodes")
def star(row: Row) -> str:
    """The right number of regions, all side by side."""
    return answer([0] * row["num_nodes"])


class Thumbnail(Reader):
    """Takes each curve that is still closed in a thumbnail of the picture for a curve, and those around it."""

    columns = ("image",)
    slow = True
    sized = True

    def read(self, row: Row) -> str:
        picture = decoded(row["image"]["bytes"], cv2.IMREAD_GRAYSCALE)
        if picture is None:
            return ""
        small = cv2.resize(picture, (self.size, self.size), interpolation=cv2.INTER_AREA)
        _, ink = cv2.threshold(small, 0, 255, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
        _, hierarchy = cv2.findContours(ink, cv2.RETR_TREE, cv2.CHAIN_APPROX_NONE)
        return answer(_nested(() if hierarchy is None else hierarchy[0, :, 3].tolist()))


def _nested(around: Sequence[int]) -> list[int]:
    """Return the parent of each curve, 0 for none.

    ``around`` gives the contour around each contour, -1 for none: outlines of ink and holes in it by turns. A hole is
    what a curve encloses; the one around it is around the outline between the two.
    """
    levels: list[int] = []
    for outer in around:
        # A contour's surrounding contours come before it.
        levels.append(0 if outer < 0 else levels[outer] + 1)
    numbers = {-1: 0}
    parents: list[int] = []
    for contour, outer in enumerate(around):
        if levels[contour] % 2:
            parents.append(numbers[around[outer]])
            numbers[contour] = len(parents)
    return parents


SOLVERS: Mapping[str, type[Solver]] = {
    "certifier": Certificate,
    "random": AnyTree,
    "chain": chain,
    "star": star,
    "thumbnail": Thumbnail,
}


def _shrunk(recipe: Recipe, config: str) -> Callable[[Row], Look]:
    look = CurvesLook(**recipe[config].get("look", {}))
    return lambda _: in_grey(partial(read_shrunk, look=look))


PARTS: Mapping[str, Part] = dict.fromkeys(
    CONFIGS,
    Part(
        guesses="number of regions, by thirds",
        targets=lambda rows: thirds([row["num_nodes"] for row in rows]),
        group=lambda row: str(row["canonical"]),
        stratum=lambda row: str(row["category"]),
        metrics=("tree_accuracy", "count_accuracy", "reward", "parent_f1"),
        style=columns("category"),
        shrunk=_shrunk,
        pixels=(32, 64, 96, 128, 160, 192, 224),
    ),
)
