"""The baselines (reference models) of nested curves, and the inputs of the probes, which search for shortcuts."""

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
    """A baseline that answers with the tree that the certifier reads from the picture.

    It gets the config's drawing style from the recipe (such as dashed strokes), but nothing about a single picture.
    """

    columns = ("image",)
    slow = True

    def __init__(self, config: str, recipe: Recipe, size: int) -> None:
        super().__init__(config, recipe, size)
        self.look = CurvesLook(**recipe[config].get("look", {}))

    def read(self, row: Row) -> str:
        return read(row["image"]["bytes"], self.look).answer or ""


class AnyTree(Drawn[int]):
    """A baseline that answers with a random tree of as many regions as a random row has.

    Each region is inside a random earlier region or outermost.
    """

    learns = ("num_nodes",)

    def drawn_from(self, row: Row) -> int:
        return int(row["num_nodes"])

    def answer(self, row: Row, rng: np.random.Generator) -> str:  # noqa: ARG002 - the row is not read
        return answer([int(rng.integers(node)) for node in range(1, self.draw(rng) + 1)])


@reader("num_nodes")
def chain(row: Row) -> str:
    """Return an answer with the right number of regions, each inside the previous one; ignores the picture."""
    return answer(range(row["num_nodes"]))


@reader("num_nodes")
def star(row: Row) -> str:
    """Return an answer with the right number of regions, none inside another; ignores the picture."""
    return answer([0] * row["num_nodes"])


class Thumbnail(Reader):
    """A baseline that answers with the tree of the curves that are still closed in a thumbnail of the picture."""

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
    """Return the parent of each curve, by its number from 1; 0 is the exterior.

    ``around``: the index of the contour directly around each contour, -1 for none. Outlines of ink alternate with
    outlines of holes. A hole is the inside of a curve, and the contour around the hole is the outline of the curve's
    ink.
    """
    levels: list[int] = []
    for outer in around:
        # A contour comes after those that contain it.
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
