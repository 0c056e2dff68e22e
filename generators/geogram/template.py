"""Templates (``templates/``): functions that write a random problem, its figure and its question, on a ``Figure``.

A template chooses two sets of random parameters: one for the statement (integers, so that the answer is simple), and
one for the drawing (decoys). The numbers of the statement occur nowhere in the program; the drawing, which is not to
scale, is right for incidence and order only.

A figure is recorded in the order in which a person would draw it: points, lines, marks; labels are placed automatically
at the end. A template gives points in coordinates of its own. The figure rotates, mirrors, scales and moves
them at random, so that neither coordinates nor directions repeat from row to row.
"""

import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram import scene as sc
from planimeter.generators.geogram.labels import label_sides
from planimeter.generators.geogram.run import COMPASS, Outcome, run
from planimeter.items import Caption, Level

Option = TypeVar("Option")

#: Letters for points. E, N, S, W are directions in Asymptote; I and O are reserved for centres.
_ALPHABET: Final = "ABCDFGHJKLMPQRTUVXYZ"

#: The number words from 0 on, for descriptions of figures.
_CARDINALS: Final = "no one two three four five six seven eight nine ten eleven twelve"
NUMBERS: Final = _CARDINALS.split()

#: The size of a right-angle mark and of a tick, as a share of the drawing's scale.
MARK: Final = 0.28


class Figure:
    """A problem under construction: the statements of its drawing program, and its question.

    The code of a template names points by fixed letters. The figure replaces them by random ones in the whole problem;
    only ``E``, ``I``, ``N``, ``O``, ``S`` and ``W`` always remain.

    A measure is an expression of the variables of the program, such as ``dist(A,B)``, with the functions of
    ``filters.certify.geogram.measures``. ``facts``: the givens, as pairs of a measure and its exact value; ``asked``:
    the measure that the question asks for; ``drawn``: False if this measure cannot be measured in the drawing;
    ``words``: sentences that describe the figure to readers who have neither program nor picture.
    """

    statement: str
    asked: str
    answer: sympy.Expr | int
    drawn: bool

    def __init__(self, rng: np.random.Generator, letters: str) -> None:
        self.rng = rng
        start = int(rng.integers(len(_ALPHABET))) if letters else 0
        self._letters = dict(zip(letters, (2 * _ALPHABET)[start:], strict=False))
        self._points: dict[str, sc.Expr] = {}
        self.statements: list[sc.Statement] = []
        self.helpers: dict[str, sc.Helper] = {}
        self.labels: list[tuple[str, sc.Expr]] = []
        self.words: list[str] = []
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
        """Return True or False at random."""
        return bool(self.rng.integers(2))

    def choice(self, *options: Option) -> Option:
        """Return one of ``options`` at random."""
        return options[int(self.rng.integers(len(options)))]

    def decoy(self, low: float, high: float, true: float, share: float = 0.15) -> float:
        """Return a random number from ``low`` to ``high`` for the drawing, unlike ``true``, the value in the statement.

        It differs from ``true`` by at least ``share`` of ``true``. Raises ValueError if 50 attempts all fail.
        """
        for _ in range(50):
            value = self.uniform(low, high)
            if abs(value - true) >= share * abs(true):
                return value
        raise ValueError(f"need numbers from {low} to {high} that differ by {share:.0%} from {true}; widen the range")

    @staticmethod
    def require(condition: bool, what: str) -> None:
        """Raise ValueError if ``condition`` is false, so that other random parameters are tried.

        ``what``: a noun for the message, such as "two different legs".
        """
        if not condition:
            raise ValueError(f"need {what}")

    def pose(self, *, upright: bool = False) -> None:
        """Choose the random scale, position, rotation and reflection of the figure.

        If ``upright``, as for solids, the figure is neither rotated nor reflected.
        """
        rng = self.rng
        self.scale = float(rng.uniform(0.55, 1.6))
        degrees = 0.0 if upright else float(rng.uniform(-40, 40)) + 90.0 * int(rng.integers(4))
        self.flip = not upright and bool(rng.integers(2))
        self.turn = complex(np.cos(np.radians(degrees)), np.sin(np.radians(degrees))) * self.scale
        self.origin = complex(rng.uniform(-6, 6), rng.uniform(-6, 6))

    # Values

    def free(self, name: str, x: float, y: float) -> sc.Expr:
        """Convert a point from the template's coordinates to the drawing's, declare it, and return its variable."""
        z = complex(x, -y if self.flip else y) * self.turn + self.origin
        return self.let(name, sc.pair(sc.lit(z.real), sc.lit(z.imag)))

    def size(self, length: float) -> sc.Expr:
        """Return ``length``, given in the template's coordinates, as a literal in units of the drawing."""
        return sc.lit(length * self.scale)

    def real(self, name: str, length: float) -> sc.Expr:
        """Declare the variable ``name`` with a length given in the template's coordinates; return the variable."""
        return self.let(name, self.size(length))

    def ratio(self, name: str, value: float) -> sc.Expr:
        """Declare the variable ``name`` with a ratio, which keeps its value in the drawing; return the variable."""
        return self.let(name, sc.fine(value))

    def let(self, name: str, expr: sc.Expr) -> sc.Expr:
        """Declare a variable with the value of ``expr``; return it. Letters of points in ``name`` are replaced."""
        self.statements.append(sc.Let(name=self._renamed(name), expr=expr))
        self._points[name] = sc.var(self._renamed(name), expr.kind)
        return self._points[name]

    def declare(self, **values: sc.Expr | tuple[float, float]) -> tuple[sc.Expr, ...]:
        """Declare several variables in order; return them. Values are expressions, or (x, y) as in ``free``."""
        return tuple(
            self.free(name, *value) if isinstance(value, tuple) else self.let(name, value)
            for name, value in values.items()
        )

    def add(self, statement: sc.Statement) -> None:
        """Append a statement of any kind to the program."""
        self.statements.append(statement)

    # Figures

    def draw(self, *pieces: sc.Expr | sc.Arc, closed: bool = False, dashed: bool = False, width: float = 1.0) -> None:
        """Append a statement that strokes a path of points and arcs; ``width`` 1.0 is that of the default pen."""
        self.statements.append(sc.Draw(path=sc.Path(pieces=pieces, closed=closed), dashed=dashed, width=width))

    def fill(self, *pieces: sc.Expr | sc.Arc, shade: float = 0.8) -> None:
        """Append a statement that fills a closed path of points and arcs with a grey from 0 (black) to 1 (white)."""
        self.statements.append(sc.Fill(path=sc.Path(pieces=pieces, closed=True), shade=shade))

    def circle(self, center: sc.Expr, radius: sc.Expr, *, shade: float | None = None, dashed: bool = False) -> None:
        """Append statements that draw a circle, filled with the grey ``shade`` (0 black, 1 white) if one is given."""
        if shade is not None:
            self.statements.append(sc.Fill(path=sc.Circle(center=center, radius=radius), shade=shade))
        self.statements.append(sc.Draw(path=sc.Circle(center=center, radius=radius), dashed=dashed))

    def right(self, a: sc.Expr, b: sc.Expr, c: sc.Expr) -> None:
        """Append a statement that marks the right angle ABC with a small square at B."""
        u, v = con.UNIT(a - b), con.UNIT(c - b)
        k = self.size(MARK)
        corner = sc.Path(pieces=(b + k * u, b + k * (u + v), b + k * v))
        self.statements.append(sc.Draw(path=corner, width=0.7, right=(a, b, c, k)))

    def tick(self, a: sc.Expr, b: sc.Expr) -> None:
        """Append a statement that marks the segment from ``a`` to ``b`` by a tick, as one of several equal ones."""
        v = self.size(MARK / 2) * con.UNIT(con.TURN(b - a, 90))
        self.statements.append(sc.Draw(path=sc.Path(pieces=(con.mid(a, b) - v, con.mid(a, b) + v)), width=0.7))

    def loop(self, variable: str, start: sc.Expr, stop: sc.Expr, body: Sequence[sc.Statement]) -> None:
        """Append a loop that runs ``body`` for ``variable`` = start, ..., stop - 1."""
        self.statements.append(sc.Loop(variable=variable, start=start, stop=stop, body=tuple(body)))

    def dots(self, *points: sc.Expr) -> None:
        """Append statements that draw dots at ``points``."""
        self.statements += [sc.Spot(at=p) for p in points]

    def strokes(self, paths: str = "", *, dashed: str = "", rights: str = "", ticks: str = "", dots: str = "") -> None:
        """Append statements that draw several things, each given by the letters of its points, separated by spaces.

        These are paths (closed if the last letter is the first), dashed paths, marks of right angles (``ABC``), ticks
        at midpoints of segments (``AB``), and dots, whose letters have no spaces between them.
        """
        for words, is_dashed in ((paths, False), (dashed, True)):
            for word in words.split():
                closed = word[0] == word[-1]
                self.draw(*self._named(word[:-1] if closed else word), closed=closed, dashed=is_dashed)
        for word in rights.split():
            self.right(*self._named(word))
        for word in ticks.split():
            self.tick(*self._named(word))
        self.dots(*self._named(dots))

    def _named(self, letters: str) -> list[sc.Expr]:
        return [self._points[letter] for letter in letters]

    # Points

    def rectangle(self, width: float, ratio: float) -> tuple[sc.Expr, sc.Expr, sc.Expr, sc.Expr]:
        """Declare the corners A, B, C and D of a rectangle with AB = ``width``, in the template's coordinates, and
        AD = ``ratio`` times AB; return them.
        """
        a, b = self.free("A", 0, 0), self.free("B", width, 0)
        d = self.let("D", a + sc.fine(ratio) * con.TURN(b - a, 90))
        return a, b, self.let("C", b + d - a), d

    def acute_triangle(self) -> tuple[sc.Expr, sc.Expr, sc.Expr]:
        """Declare and describe a random acute triangle with base BC; return its corners A, B and C."""
        base, top = (self.uniform(4.8, 5.8), self.uniform(-0.3, 0.3)), (self.uniform(1.6, 3.6), self.uniform(3.4, 4.6))
        b, c, a = self.declare(B=(0, 0), C=base, A=top)
        self.state("ABC is a triangle.")
        return a, b, c

    def sector(self, degrees: float, *, minor: bool, dashed: bool = False) -> None:
        """Declare O, A and B, draw the circle about O through A and B, shade one of its sectors, and describe it.

        If ``minor``, the sector AOB with the angle ``degrees`` is shaded, otherwise the rest of the disc. ``dashed``:
        True for a dashed circle.
        """
        o, r = self.free("O", 0, 0), self.real("r", 3)
        u = self.let("u", sc.lit(self.uniform(0, 360)))
        v = self.let("v", u + sc.lit(degrees))
        self.declare(A=o + r * con.HEADING(u), B=o + r * con.HEADING(v))
        start, end = (u, v) if minor else (v, u + 360)
        self.fill(o, sc.Arc(center=o, radius=r, start=start, end=end))
        self.circle(o, r, dashed=dashed)
        self.strokes("AOB")
        self.state("A and B lie on a circle with centre O. The radii OA and OB divide the disc into sectors.")
        self.state(f"The {'smaller' if minor else 'larger'} sector is shaded.")

    def regular_polygon(self, sides: int, center: str, radius: float) -> None:
        """Draw a regular polygon by a loop, declare A and B, the ends of a side, and describe it in words.

        The number of sides is the variable ``n`` of the program. ``center``: the name of the centre; ``radius``: that
        of the circumcircle, in the template's coordinates.
        """
        o, r = self.free(center, 0, 0), self.real("r", radius)
        t, n = self.declare(t=sc.lit(self.uniform(0, 360)), n=sc.wrap(sides))
        self.declare(A=o + r * con.HEADING(t), B=o + r * con.HEADING(t + sc.wrap(360) / n))
        i = sc.var("i", "int")
        ends = (o + r * con.HEADING(t + 360 * i / n), o + r * con.HEADING(t + 360 * (i + 1) / n))
        self.loop("i", sc.wrap(0), n, [sc.Draw(path=sc.Path(pieces=ends))])
        self.state(f"The figure is a regular polygon with {NUMBERS[sides]} sides, of which AB is one.")

    def label(self, letters: str, *points: sc.Expr) -> None:
        """Write ``letters`` at ``points``, one at each; by default, at the points declared under these letters.

        If a figure has no such call, ``ask`` labels all its points.
        """
        self.labels += zip(self._renamed(letters), points or self._named(letters), strict=True)

    # Texts

    def state(self, sentences: str) -> None:
        """Add sentences to the description of the figure in words.

        Words of capital letters are names of points; they become formulas ($AB$) with the random letters of the figure.
        """
        self.words.append(re.sub(r"\b[A-Z]+\b", lambda match: f"${self._renamed(match[0])}$", sentences))

    def fact(self, measure: str, value: sympy.Expr | int | str) -> None:
        """Add a given of the problem: a measure, such as ``dist(A,B)``, and its exact value."""
        self.facts.append((self._measure(measure), str(value)))

    def _measure(self, text: str) -> str:
        return re.sub(r"\b[A-Z]\b", lambda match: self._renamed(match[0]), text)

    def given(self, **values: sympy.Expr | int) -> str:
        """Add givens of the problem: lengths (``AB=3``) and angles in degrees (``ABC=60``).

        Returns them as a text for the statement, such as ``$AB = 3$ and $BC = 4$``.
        """
        for name, value in values.items():
            self.fact(f"{'dist' if len(name) == 2 else 'angle'}({','.join(name)})", value)
        *first, last = (
            f"${name} = {tex(value)}$" if len(name) == 2 else f"$\\angle {name} = {value}^\\circ$"
            for name, value in values.items()
        )
        return f"{', '.join(first)} and {last}" if first else last

    def ask(self, asked: str, answer: sympy.Expr | int, *, drawn: bool = True) -> "Figure":
        """Set the measure that the question asks for and its exact value; return the figure.

        All points are labelled if none has a label yet. ``drawn``: False if the drawing does not contain the measure.
        """
        if not self.labels:
            self.label("".join(letter for letter in (*self._letters, "O") if letter in self._points))
        self.asked, self.answer, self.drawn = self._measure(asked), answer, drawn
        return self

    def worded(self, wordings: str) -> "Figure":
        """Choose the statement at random from ``wordings``, one on each line; return the figure.

        An indented line continues the previous one.
        """
        texts = re.split(r"\n(?=\S)", textwrap.dedent(wordings).strip())
        self.statement = re.sub(r"\$[^$]*\$", lambda match: self._renamed(match[0]), self.choice(*texts))
        return self

    # Finish

    def finish(self) -> tuple[sc.Scene, Outcome]:
        """Return the drawing program of the figure, with labels clear of its lines, and the result of running it."""
        self.statements = self._shuffled()
        shuffled = [self.labels[i] for i in self.rng.permutation(len(self.labels))]
        labels = [sc.Label(text=text, at=at) for text, at in shuffled]
        # Labels come last and draw nothing but themselves, so one run gives the rest of the drawing.
        scene = self._scene([*self.statements, *labels])
        outcome = run(scene)
        bare = len(outcome.marks) - len(labels)
        placed = [mark for mark in outcome.marks[bare:] if isinstance(mark, Caption)]
        sides = label_sides(outcome.marks[:bare], [complex(*mark.point) for mark in placed])
        outcome.marks[bare:] = [
            replace(mark, direction=COMPASS[side]) for mark, side in zip(placed, sides, strict=True)
        ]
        labels = [replace(label, compass=side) for label, side in zip(labels, sides, strict=True)]
        return replace(scene, statements=(*self.statements, *labels)), outcome

    def _shuffled(self) -> list[sc.Statement]:
        """Return the statements with runs of consecutive strokes in random order.

        This changes the text of the program but not the picture.
        """
        shuffled: list[sc.Statement] = []
        strokes: list[sc.Statement] = []
        for statement in [*self.statements, None]:
            if isinstance(statement, sc.Draw):
                strokes.append(statement)
                continue
            shuffled += [strokes[i] for i in self.rng.permutation(len(strokes))]
            strokes = []
            if statement is not None:
                shuffled.append(statement)
        return shuffled

    def _scene(self, statements: Sequence[sc.Statement]) -> sc.Scene:
        known = con.HELPERS | self.helpers
        used: dict[str, sc.Helper] = {}

        def need(part: object) -> None:
            for name in sc.called(part):
                if name in known and name not in used:
                    need(known[name].body)
                    used[name] = known[name]

        need(statements)
        return sc.Scene(helpers=tuple(used.values()), statements=tuple(statements))


@dataclass(frozen=True, kw_only=True, slots=True)
class Template:
    """A kind of problem; ``write`` writes a random problem on an empty figure and returns the figure.

    ``letters``: the names that ``write`` gives to points; the figure replaces them by random letters.
    """

    name: str
    level: Level
    letters: str
    corpora: bool  # only ``printers.corpora`` can print its program
    write: Callable[[Figure], Figure]

    def draft(self, rng: np.random.Generator) -> Figure:
        """Return a random problem; raises ValueError if its random parameters are incompatible."""
        return self.write(Figure(rng, self.letters))


def template(
    level: Level, letters: str = "", *, corpora: bool = False
) -> Callable[[Callable[[Figure], Figure]], Template]:
    """Return a decorator that makes a ``Template``, with the function's name, of a function that writes a problem.

    ``letters``: the function's names for points; ``corpora``: True if only ``printers.corpora`` can print its programs.
    """

    def of(write: Callable[[Figure], Figure]) -> Template:
        return Template(name=write.__name__, level=level, letters=letters, corpora=corpora, write=write)

    return of


def tex(expr: sympy.Expr | int) -> str:
    """Return an exact number in LaTeX, for a statement."""
    return sympy.latex(sympy.sympify(expr))
