"""What a template is: the record that the modules of ``templates/`` export in ``TEMPLATES``, and what it drafts.

A template makes all its draws from one generator and returns a ``Draft``. It draws two sets of parameters, one for the
statement (whole, so that the answer is pleasant) and one for the drawing (the decoy): the statement's figures are
nowhere in the code, and the drawing's are good for incidence and order only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import sympy

from planimeter.generators.geogram.sketch import Sketch
from planimeter.items import Level

Fact = tuple[str, str]

#: Letters for points. E, N, S, W are directions in Asymptote, I and O are kept for centres.
_ALPHABET: Final = "ABCDFGHJKLMPQRTUVXYZ"

#: The numbers that figures in words count with, from 0 on.
_CARDINALS: Final = "no one two three four five six seven eight nine ten eleven twelve"
NUMBERS: Final = _CARDINALS.split()


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """``statement`` says what is given and asked; ``givens`` the same as (measure, exact value); ``asked`` a measure.

    Measures are expressions over the names of the code; ``filters.certify.geogram.measures`` defines their functions.
    ``drawn`` is False where what is asked is nowhere in the drawing, so that no ruler could give it.
    """

    sketch: Sketch
    statement: str
    givens: Sequence[Fact]
    asked: str
    answer: sympy.Expr | int
    drawn: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Template:
    """``draft`` returns one candidate; it may raise ``ValueError`` where its draws do not fit together.

    ``corpora``: only the printer in the manner of the corpora can write its program.
    """

    name: str
    level: Level
    draft: Callable[[np.random.Generator], Draft]
    corpora: bool = False


def letters(rng: np.random.Generator, count: int) -> tuple[str, ...]:
    """Return ``count`` point names that stand together in the alphabet."""
    start = int(rng.integers(len(_ALPHABET)))
    return tuple((_ALPHABET + _ALPHABET)[start : start + count])


def randint(rng: np.random.Generator, low: int, high: int) -> int:
    """Return a random integer from ``low`` to ``high``, both included."""
    return int(rng.integers(low, high + 1))


def choose(rng: np.random.Generator, *choices: str) -> str:
    """Return one of several wordings, at random."""
    return choices[int(rng.integers(len(choices)))]


def draw_decoy(rng: np.random.Generator, low: float, high: float, true: float, share: float = 0.15) -> float:
    """Return a decoy from ``low`` to ``high`` that differs from ``true`` by at least ``share`` of it.

    Raises:
        ValueError: if no such value lies in the range.
    """
    for _ in range(50):
        value = float(rng.uniform(low, high))
        if abs(value - true) >= share * abs(true):
            return value
    raise ValueError(f"need a decoy from {low} to {high} away from {true}")


def tex(expr: sympy.Expr | int) -> str:
    """Return a number of a statement in LaTeX."""
    return sympy.latex(sympy.sympify(expr))


def code_of(expr: sympy.Expr | int) -> str:
    """Return a number of a statement as the certifier reads it."""
    return str(sympy.sympify(expr))
