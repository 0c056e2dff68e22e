"""What a family of surfaces is: the record that every module of ``families/`` exports as ``FAMILY``."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from planimeter.generators.marvl_qa.families._printing import number, shifted
from planimeter.items import Domain, Feature, Surface, Transformation

Parameters = Mapping[str, float]
Heights = Callable[[npt.NDArray[np.float64], npt.NDArray[np.float64], Parameters], npt.NDArray[np.float64]]

#: The parameters of a surface that lies elsewhere than its family draws it: how far right and how far up, axis units.
MOVED = ("moved_x", "moved_y")
#: How many times as wide and as tall it is then, about the origin, before it is moved.
WIDENED = ("widened_x", "widened_y")


@dataclass(frozen=True, kw_only=True, slots=True)
class Family:
    """One of the 32 families of MaRVL-QA (A.1, Table 3).

    ``draw`` makes all random choices and rounds them as printed; the rest is a function of its result. ``height`` takes
    x and y that broadcast against each other (a row and a column of a grid, so that separable families cost little).
    ``counts`` says which features may be asked (Table 5) and which counts the ranges of ``draw`` reach;
    ``transformations`` which of the four can pass Algorithm 1 at all, as measured. ``smooth`` says that no surface has
    anything narrower than a cell of the drawn grid: curation then looks closer only where that grid is high.
    ``outline`` is the box of all that a surface shows as it is drawn, if its pattern ends by itself: every window that
    holds it shows the same features.
    """

    name: str
    title: str
    tier: int
    draw: Callable[[np.random.Generator], Parameters]
    height: Heights
    expression: Callable[[Parameters], str]
    domain: Callable[[Parameters], Domain]
    counts: Mapping[Feature, tuple[int, int]] = field(default_factory=dict)
    transformations: tuple[Transformation, ...] = ()
    smooth: bool = False
    outline: Callable[[Parameters], Domain] | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.tier <= 5:
            raise ValueError(f"{self.name}: need 1 <= tier <= 5, got {self.tier}")

    def surface(self, parameters: Parameters) -> Surface:
        """Return the record of the instance with ``parameters``."""
        return Surface(
            family=self.name,
            tier=self.tier,
            parameters=dict(parameters),
            expression=self.expression(parameters),
            domain=self.domain(parameters),
        )


def movable(family: Family) -> Family:
    """Return ``family`` with surfaces that the parameters ``WIDENED`` and ``MOVED``, if given, lay elsewhere."""

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
