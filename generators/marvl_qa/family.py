"""The class ``Family``, a family of surfaces; the modules of ``families/`` define the families as its instances."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from planimeter.generators.marvl_qa.families._printing import number, shifted
from planimeter.items import TRANSFORMATIONS, Domain, Feature, Surface, Transformation

Parameters = Mapping[str, float]
Heights = Callable[[npt.NDArray[np.float64], npt.NDArray[np.float64], Parameters], npt.NDArray[np.float64]]

#: The ``counts`` and the ``outline`` of a family whose pattern ends inside the window.
Countable = tuple[Mapping[Feature, tuple[int, int]], Callable[[Parameters], Domain]]

#: Parameters that translate a surface of any family: the distance to the right and up, axis units.
MOVED = ("moved_x", "moved_y")
#: Parameters that stretch it about the origin, before the translation: factors along x and y.
WIDENED = ("widened_x", "widened_y")

#: The transformations of a family whose translations Algorithm 1 confuses with other transformations.
ROTATIONS: Final = TRANSFORMATIONS[:2]


@dataclass(frozen=True, slots=True)
class Family:
    """A family of surfaces with random parameters: one of the 32 of the MaRVL-QA paper (A.1, Table 3), or of
    ``marvl-qa-hard``.

    ``window``: half the side of the plotted square about the origin; ``draw``: returns random parameters, rounded as
    they are printed; ``height``: returns the heights at x and y, which broadcast against each other (a row and a column
    of a grid, so that separable families are cheap); ``expression``: returns the printed formula; ``counts``: for each
    feature that a question may ask for (Table 5), the least and greatest number that ``draw`` reaches. (Each such
    feature must be wider than a cell of the drawn grid, on which the filter looks for extrema first.) ``outline``:
    returns the bounding box of a pattern that ends inside the window, so that every larger window shows the same
    features; ``transformations``: those of the paper's four that give clear questions (pass its
    Algorithm 1) with this family, as measured; ``floor``: the height of the flat ground around a pattern with extrema
    above and below it.
    """

    title: str
    tier: int
    window: float
    draw: Callable[[np.random.Generator], Parameters]
    height: Heights
    expression: Callable[[Parameters], str]
    counts: Mapping[Feature, tuple[int, int]] = field(default_factory=dict)
    outline: Callable[[Parameters], Domain] | None = None
    transformations: tuple[Transformation, ...] = field(default=TRANSFORMATIONS, kw_only=True)
    floor: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not 1 <= self.tier <= 5:
            raise ValueError(f"{self.title}: need 1 <= tier <= 5, got {self.tier}")

    @property
    def name(self) -> str:
        """Return the title as an identifier, which rows and recipes use: ``gaussian_mixture``."""
        return re.sub("[ -]", "_", self.title.lower())

    @property
    def domain(self) -> Domain:
        """Return the window of the family, its plotted range of x and y; a question may have a different one."""
        return Domain(x_min=-self.window, x_max=self.window, y_min=-self.window, y_max=self.window)

    def surface(self, parameters: Parameters) -> Surface:
        """Return the surface of this family with ``parameters``, in the family's window."""
        return Surface(
            family=self.name,
            tier=self.tier,
            parameters=dict(parameters),
            expression=self.expression(parameters),
            domain=self.domain,
        )


def upside_down(family: Family, title: str) -> Family:
    """Return a family called ``title`` with the surfaces of ``family`` times -1: its maxima become minima."""
    return replace(
        family,
        title=title,
        height=lambda x, y, p: -family.height(x, y, p),
        expression=lambda p: f"-{family.expression(p)}",
        counts={"minima": family.counts["maxima"]},
    )


def movable(family: Family) -> Family:
    """Return ``family`` with four more, optional parameters: the names in ``WIDENED`` stretch a surface along x and y,
    and then those in ``MOVED`` translate it.
    """

    def height(
        x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], parameters: Parameters
    ) -> npt.NDArray[np.float64]:
        (right, wide), (up, tall) = laid(parameters)
        return family.height((x - right) / wide, (y - up) / tall, parameters)

    def expression(parameters: Parameters) -> str:
        axes = {
            axis: shifted(axis, move) if times == 1 else f"({shifted(axis, move)}/{number(times)})"
            for axis, (move, times) in zip("xy", laid(parameters), strict=True)
        }
        return re.sub(r"\b[xy]\b", lambda axis: axes[axis[0]], family.expression(parameters))

    def laid(parameters: Parameters) -> list[tuple[float, float]]:
        return [
            (parameters.get(move, 0.0), parameters.get(times, 1.0)) for move, times in zip(MOVED, WIDENED, strict=True)
        ]

    return replace(family, height=height, expression=expression)
