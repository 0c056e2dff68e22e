"""What a suite says of a config to the probes: its part of this room lists one such record a config, ``PARTS``."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.readable import Look

Row = Mapping[str, Any]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Measures of a row by name: numbers, and words that stand for themselves.
Measures = Mapping[str, float | str]

#: Name and length of a stage -> what is called after each step.
Begin = Callable[[str, int], Callable[[], object]]


def thirds(values: Sequence[float]) -> list[str]:
    """Return in which third of ``values`` each of them lies; equal ones lie in the same."""
    order = sorted(values)
    middle = ((bisect_left(order, value) + bisect_right(order, value)) / 2 for value in values)
    return [str(int(3 * place / len(order))) for place in middle]


def alike(row: Row) -> str:  # noqa: ARG001 - see below
    """Return the same for every row."""
    return ""


@dataclass(frozen=True, kw_only=True)
class Part:
    """What there is to probe in one config.

    ``guesses``: what a blind probe guesses, in words, and ``targets`` what it is in each row.
    ``group``: what no two parts of a cross-validation share; ``stratum``: within what answers are permuted.
    ``metrics`` are told of, the headline first.
    ``style``: on what the size of a picture depends. ``blind``: of a suite's own blind probes, what each sees of a row;
    ``looks``: what they see of a picture, by probe. ``met``: whether a row's words state an answer.
    ``orders``: the column with the order that is asked for, where that is what the answer says.
    ``shrunk``: recipe, config -> row -> how its picture is read that was made smaller; made anew for each row group.
    ``constants``: how many answers are tried as constants. ``pixels``: sides of the thumbnails of half-blind readers.
    """

    guesses: str
    targets: Callable[[Sequence[Row]], list[str]]
    group: Callable[[Row], str]
    stratum: Callable[[Row], str]
    metrics: tuple[str, ...]
    style: Callable[[Row], Measures] = lambda _: {}
    blind: Mapping[str, Callable[[Row], Measures]] = field(default_factory=dict)
    looks: Callable[[bytes], Mapping[str, Floats]] | None = None
    orders: str = ""
    met: Callable[[Row, str], bool] | None = None
    shrunk: Callable[[Mapping[str, Any], str], Callable[[Row], Look]] | None = None
    constants: int = 1
    pixels: tuple[int, ...] = ()
