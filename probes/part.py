"""What a suite says of a config to the probes: its part of this room lists one such record a config, ``PARTS``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Row = Mapping[str, Any]
Floats = npt.NDArray[np.float64]

#: Measures of a row by name: numbers, and words that stand for themselves.
Measures = Mapping[str, float | str]


def alike(row: Row) -> str:  # noqa: ARG001 - see below
    """Return the same for every row."""
    return ""


@dataclass(frozen=True, kw_only=True)
class Part:
    """What there is to probe in one config.

    ``guesses``: what a blind probe guesses, in words, and ``target`` what it is in a row.
    ``group``: what no two parts of a cross-validation share; ``stratum``: within what answers are permuted.
    ``style``: on what the size of a picture depends. ``blind``: of a suite's own blind probes, what each sees of a row;
    ``looks``: what they see of a picture, by probe.
    ``orders``: the markers of a row in the order that is asked for, where that is what the answer says.
    ``metrics`` are told of, the headline first. ``constants``: how many answers are tried as constants.
    ``pixels``: sides of the thumbnails that half-blind readers see.
    """

    guesses: str
    target: Callable[[Row], str]
    group: Callable[[Row], str]
    stratum: Callable[[Row], str]
    metrics: tuple[str, ...]
    style: Callable[[Row], Measures] = lambda _: {}
    blind: Mapping[str, Callable[[Row], Measures]] = field(default_factory=dict)
    looks: Callable[[bytes], Mapping[str, Floats]] | None = None
    orders: str = ""
    constants: int = 1
    pixels: tuple[int, ...] = ()
