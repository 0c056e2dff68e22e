"""What a template is: a function that drafts a problem on a ``Figure``; the modules of ``templates/`` consist of them.

A template makes all its draws from one generator. It draws two sets of parameters, one for the statement (whole, so
that the answer is pleasant) and one for the drawing (the decoy): the statement's figures are nowhere in the code, and
the drawing's are good for incidence and order only.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import Arc, Draw, Expr, Path, fine, lit, var, wrap
from planimeter.generators.geogram.sketch import Sketch
from planimeter.items import Level

Option = TypeVar("Option")

#: Letters for points. E, N, S, W are directions in Asymptote, I and O are kept for centres.
_ALPHABET: Final = "ABCDFGHJKLMPQRTUVXYZ"

#: The numbers that figures in words count with, from 0 on.
_CARDINALS: Final = "no one two three four five six seven eight nine ten eleven twelve"
NUMBERS: Final = _CARDINALS.split()


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A figure with its question: ``asked`` is a measure, ``drawn`` is False where what is asked is nowhere in the
    drawing, so that no ruler could give it.

    Measures are expressions over the names of the code; ``filters.certify.geogram.measures`` defines their functions.
    """

    figure: "Figure"
    statement: str
    asked: str
    answer: sympy.Expr | int
    drawn: bool


class Figure(Sketch):
    """A sketch in which a template names points by letters of its own; other letters, drawn at random, stand for them.

    They are replaced in declarations, in measures, and in texts wherever a formula ($AB$) or a sentence of ``state``
    has capitals. ``E``, ``I``, ``N``, ``O``, ``S`` and ``W`` always stay.
    """

    def __init__(self, rng: np.random.Generator, letters: str) -> None:
        super().__init__(rng)
        start = int(rng.integers(len(_ALPHABET))) if letters else 0
        self._letters = dict(zip(letters, (2 * _ALPHABET)[start:], strict=False))
        self._points: dict[str, Expr] = {}
        #: What is given: measures and their exact values.
        self.facts: list[tuple[str, str]] = []

    def _renamed(self, text: str) -> str:
        return re.sub("[A-Z]", lambda match: self._letters.get(match[0], match[0]), text)

    # Draws

    def randint(self, low: int, high: int) -> int:
        """Return a random integer from ``low`` to ``high``, both included."""
        return int(self.rng.integers(low, high + 1))

    def uniform(self, low: float, high: float) -> float:
        """Return a random number from ``low`` to ``high``."""
        return float(self.rng.uniform(low, high))

    def coin(self) -> bool:
        """Return true or false, at random."""
        return bool(self.rng.integers(2))

    def choice(self, *options: Option) -> Option:
        """Return one of ``options``, at random."""
        return options[int(self.rng.integers(len(options)))]

    def decoy(self, low: float, high: float, true: float, share: float = 0.15) -> float:
        """Return a decoy from ``low`` to ``high`` that differs from ``true`` by at least ``share`` of it.

        Raises:
            ValueError: if no such value lies in the range.
        """
        for _ in range(50):
            value = self.uniform(low, high)
            if abs(value - true) >= share * abs(true):
                return value
        raise ValueError(f"need a decoy from {low} to {high} away from {true}")

    @staticmethod
    def require(condition: bool, what: str) -> None:
        """Refuse draws that do not fit together.

        Raises:
            ValueError: if ``condition`` does not hold; draw again.
        """
        if not condition:
            raise ValueError(f"need {what}")

    # Points

    def let(self, name: str, expr: Expr) -> Expr:
        """Declare ``name``, under the letter that stands for it."""
        variable = super().let(self._renamed(name), expr)
        if name.isupper():
            self._points[name] = variable
        return variable

    def rectangle(self, width: float, ratio: float) -> tuple[Expr, Expr, Expr, Expr]:
        """Declare A, B, C and D of a rectangle with AB = ``width`` and AD = ``ratio`` times that."""
        a, b = self.free("A", 0, 0), self.free("B", width, 0)
        d = self.let("D", a + fine(ratio) * con.TURN(b - a, 90))
        return a, b, self.let("C", b + d - a), d

    def acute_triangle(self) -> tuple[Expr, Expr, Expr]:
        """Declare A, B and C of a random acute triangle with base BC, and state it."""
        b = self.free("B", 0, 0)
        c = self.free("C", self.uniform(4.8, 5.8), self.uniform(-0.3, 0.3))
        a = self.free("A", self.uniform(1.6, 3.6), self.uniform(3.4, 4.6))
        self.state("ABC is a triangle.")
        return a, b, c

    def sector(self, degrees: float, *, minor: bool, dashed: bool = False) -> None:
        """Shade the smaller or the larger sector of a disc about O that the radii to A and B cut, and state it."""
        o, r = self.free("O", 0, 0), self.real("r", 3)
        u = self.let("u", lit(self.uniform(0, 360)))
        v = self.let("v", u + lit(degrees))
        a, b = self.let("A", o + r * con.HEADING(u)), self.let("B", o + r * con.HEADING(v))
        start, end = (u, v) if minor else (v, u + 360)
        self.fill(o, Arc(center=o, radius=r, start=start, end=end))
        self.circle(o, r, dashed=dashed)
        self.draw(a, o, b)
        self.state("A and B lie on a circle with centre O. The radii OA and OB divide the disc into sectors.")
        self.state(f"The {'smaller' if minor else 'larger'} sector is shaded.")

    def regular_polygon(self, sides: int, center: str, radius: float) -> None:
        """Draw a regular polygon by a loop to ``n``, declare A and B of one side, and state it."""
        o, r = self.free(center, 0, 0), self.real("r", radius)
        t = self.let("t", lit(self.uniform(0, 360)))
        n = self.let("n", wrap(sides))
        self.let("A", o + r * con.HEADING(t))
        self.let("B", o + r * con.HEADING(t + wrap(360) / n))
        i = var("i", "int")
        ends = (o + r * con.HEADING(t + 360 * i / n), o + r * con.HEADING(t + 360 * (i + 1) / n))
        self.loop("i", wrap(0), n, [Draw(path=Path(pieces=ends))])
        self.state(f"The figure is a regular polygon with {NUMBERS[sides]} sides, of which AB is one.")

    def label(self, letters: str, *points: Expr) -> None:
        """Label ``points``, or the points of that name, with ``letters``, in place of all points there are."""
        labelled = points or [self._points[letter] for letter in letters]
        self.labels += zip(self._renamed(letters), labelled, strict=True)

    # Texts

    def state(self, sentences: str) -> None:
        """State in words a part of the figure; capitals alone are names of points, and are set as formulas."""
        self.words.append(re.sub(r"\b[A-Z]+\b", lambda match: f"${self._renamed(match[0])}$", sentences))

    def fact(self, measure: str, value: sympy.Expr | int | str) -> None:
        """Give a measure."""
        self.facts.append((re.sub(r"\b[A-Z]\b", lambda match: self._renamed(match[0]), measure), str(value)))

    def given(self, **values: sympy.Expr | int) -> str:
        """Give lengths (``AB``) and angles in degrees (``ABC``); return them as text: ``$AB = 3$ and $BC = 4$``."""
        for name, value in values.items():
            self.fact(f"{'dist' if len(name) == 2 else 'angle'}({','.join(name)})", value)
        *first, last = (
            f"${name} = {tex(value)}$" if len(name) == 2 else f"$\\angle {name} = {value}^\\circ$"
            for name, value in values.items()
        )
        return f"{', '.join(first)} and {last}" if first else last

    def ask(self, asked: str, answer: sympy.Expr | int, *wordings: str, drawn: bool = True) -> Draft:
        """Ask for a measure in one of several wordings; points without another label get their letters."""
        statement = re.sub(r"\$[^$]*\$", lambda match: self._renamed(match[0]), self.choice(*wordings))
        if not self.labels:
            self.label("".join(letter for letter in (*self._letters, "O") if letter in self._points))
        measure = re.sub(r"\b[A-Z]\b", lambda match: self._renamed(match[0]), asked)
        return Draft(figure=self, statement=statement, asked=measure, answer=answer, drawn=drawn)


@dataclass(frozen=True, kw_only=True, slots=True)
class Template:
    """``corpora``: only the printer in the manner of the corpora can write its program."""

    name: str
    level: Level
    letters: str
    corpora: bool
    write: Callable[[Figure], Draft]

    def draft(self, rng: np.random.Generator) -> Draft:
        """Return one candidate; ``ValueError`` where its draws do not fit together."""
        return self.write(Figure(rng, self.letters))


def template(
    level: Level, letters: str = "", *, corpora: bool = False
) -> Callable[[Callable[[Figure], Draft]], Template]:
    """Make a template of a function, under its name: ``letters`` are those that it names points by."""

    def of(write: Callable[[Figure], Draft]) -> Template:
        return Template(name=write.__name__, level=level, letters=letters, corpora=corpora, write=write)

    return of


def tex(expr: sympy.Expr | int) -> str:
    """Return a number of a statement in LaTeX."""
    return sympy.latex(sympy.sympify(expr))
