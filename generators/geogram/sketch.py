"""Records a scene as a person would draw it: points, lines, marks; labels are placed automatically at the end.

A ``Sketch`` holds the random similarity of its drawing. Templates place decoy points in a frame; ``free`` turns,
mirrors, scales and moves them, so that neither coordinates nor directions repeat from row to row.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram import scene as sc
from planimeter.generators.geogram.constructions import HELPERS
from planimeter.generators.geogram.run import COMPASS, Outcome, run
from planimeter.items import Area, Caption, Dot, Stroke

#: The size of a right-angle mark and of a tick, as a share of the drawing's scale.
MARK: Final = 0.28
#: Places for a label that differ by less than this, of a score up to 0.05, are equally good.
ALIKE: Final = 1e-6
#: Where on a segment its ink is looked at.
_ALONG: Final = np.linspace(0, 1, 40)


class Sketch:
    """Collects the statements of one scene."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.statements: list[sc.Statement] = []
        self.helpers: dict[str, sc.Helper] = {}
        self.labels: list[tuple[str, sc.Expr]] = []
        #: The figure in words, for readers who see neither program nor picture.
        self.words: list[str] = []

    def pose(self, *, upright: bool = False) -> None:
        """Choose the similarity; ``upright`` figures (solids, ground lines) are not turned or mirrored."""
        rng = self.rng
        self.scale = float(rng.uniform(0.55, 1.6))
        degrees = 0.0 if upright else float(rng.uniform(-40, 40)) + 90.0 * int(rng.integers(4))
        self.flip = not upright and bool(rng.integers(2))
        self.turn = complex(np.cos(np.radians(degrees)), np.sin(np.radians(degrees))) * self.scale
        self.origin = complex(rng.uniform(-6, 6), rng.uniform(-6, 6))

    # Values

    def place(self, x: float, y: float) -> complex:
        """Return where (x, y) of the template's frame lies in the drawing."""
        z = complex(x, -y if self.flip else y)
        return z * self.turn + self.origin

    def free(self, name: str, x: float, y: float) -> sc.Expr:
        """Declare a point by its coordinates in the drawing, given (x, y) in the template's frame."""
        z = self.place(x, y)
        return self.let(name, sc.pair(sc.lit(z.real), sc.lit(z.imag)))

    def size(self, length: float) -> sc.Expr:
        """Return a length of the template's frame as a literal of the drawing."""
        return sc.lit(length * self.scale)

    def real(self, name: str, length: float) -> sc.Expr:
        """Declare a length of the template's frame."""
        return self.let(name, self.size(length))

    def ratio(self, name: str, value: float) -> sc.Expr:
        """Declare a number that no similarity changes."""
        return self.let(name, sc.fine(value))

    def let(self, name: str, expr: sc.Expr) -> sc.Expr:
        """Declare ``name``."""
        self.statements.append(sc.Let(name=name, expr=expr))
        return sc.var(name, expr.kind)

    def add(self, statement: sc.Statement) -> None:
        """Append any other statement."""
        self.statements.append(statement)

    # Figures

    def draw(self, *pieces: sc.Expr | sc.Arc, closed: bool = False, dashed: bool = False, width: float = 1.0) -> None:
        """Stroke a path."""
        self.statements.append(sc.Draw(path=sc.Path(pieces=pieces, closed=closed), dashed=dashed, width=width))

    def fill(self, *pieces: sc.Expr | sc.Arc, shade: float = 0.8) -> None:
        """Fill a closed path."""
        self.statements.append(sc.Fill(path=sc.Path(pieces=pieces, closed=True), shade=shade))

    def circle(self, center: sc.Expr, radius: sc.Expr, *, shade: float | None = None, dashed: bool = False) -> None:
        """Fill a circle if there is a ``shade``, and stroke it."""
        if shade is not None:
            self.statements.append(sc.Fill(path=sc.Circle(center=center, radius=radius), shade=shade))
        self.statements.append(sc.Draw(path=sc.Circle(center=center, radius=radius), dashed=dashed))

    def right(self, a: sc.Expr, b: sc.Expr, c: sc.Expr) -> None:
        """Mark the right angle ABC."""
        u, v = con.UNIT(a - b), con.UNIT(c - b)
        k = self.size(MARK)
        corner = sc.Path(pieces=(b + k * u, b + k * (u + v), b + k * v))
        self.statements.append(sc.Draw(path=corner, width=0.7, right=(a, b, c, k)))

    def tick(self, a: sc.Expr, b: sc.Expr) -> None:
        """Mark a segment as one of several equal ones."""
        v = self.size(MARK / 2) * con.UNIT(con.TURN(b - a, 90))
        self.statements.append(sc.Draw(path=sc.Path(pieces=(con.mid(a, b) - v, con.mid(a, b) + v)), width=0.7))

    def loop(self, variable: str, start: sc.Expr, stop: sc.Expr, body: Sequence[sc.Statement]) -> None:
        """Append a loop whose ``body`` was made by hand."""
        self.statements.append(sc.Loop(variable=variable, start=start, stop=stop, body=tuple(body)))

    def dots(self, *points: sc.Expr) -> None:
        """Mark points."""
        self.statements += [sc.Spot(at=p) for p in points]

    # The end

    def finish(self) -> tuple[sc.Scene, Outcome]:
        """Return the scene with its labels placed, and what it draws."""
        self.statements = self._shuffled()
        labels = [
            sc.Label(text=self.labels[i][0], at=self.labels[i][1]) for i in self.rng.permutation(len(self.labels))
        ]
        # Labels come last and draw nothing but themselves, so one run says what there is without them, and where.
        scene = self._scene([*self.statements, *labels])
        outcome = run(scene)
        bare = len(outcome.marks) - len(labels)
        placed = [mark for mark in outcome.marks[bare:] if isinstance(mark, Caption)]
        sides = _sides(outcome.marks[:bare], [complex(*mark.point) for mark in placed])
        outcome.marks[bare:] = [
            replace(mark, direction=COMPASS[side]) for mark, side in zip(placed, sides, strict=True)
        ]
        labels = [replace(label, compass=side) for label, side in zip(labels, sides, strict=True)]
        return replace(scene, statements=(*self.statements, *labels)), outcome

    def _shuffled(self) -> list[sc.Statement]:
        """Return the statements with runs of strokes in another order: what is drawn does not change, the text does."""
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
        known = HELPERS | self.helpers
        used: dict[str, sc.Helper] = {}

        def need(part: object) -> None:
            for name in sc.called(part):
                if name in known and name not in used:
                    need(known[name].body)
                    used[name] = known[name]

        need(statements)
        return sc.Scene(helpers=tuple(used.values()), statements=tuple(statements))


def _sides(marks: Sequence[Stroke | Area | Dot | Caption], points: Sequence[complex]) -> list[str]:
    """Return for each point the compass side on which a label keeps farthest from every line and earlier label."""
    ink = _ink(marks)
    if not len(ink) or not points:
        return [""] * len(points)
    extent = max(np.ptp(ink.real), np.ptp(ink.imag))
    names = [name for name in COMPASS if name]
    offsets = np.array([complex(*COMPASS[name]) for name in names]) * extent * 0.055
    middle = (ink.real.max() + ink.real.min()) / 2 + 1j * (ink.imag.max() + ink.imag.min()) / 2
    placed: list[complex] = []
    sides: list[str] = []
    for point in points:
        spots = point + offsets
        gap = np.abs(spots[:, None] - np.concatenate([ink, placed])[None, :]).min(axis=1)
        # Of places that are equally clear, the one away from the middle of the figure.
        outwards = ((spots - point) * np.conj(point - middle)).real / (abs(point - middle) + 1e-6 * extent) / extent
        clear = np.round(np.minimum(gap, extent * 0.05) / extent, 3) + 0.2 * outwards
        # About an axis of symmetry two sides are equally good, up to what processors disagree on: the first one then.
        best = int(np.flatnonzero(clear > clear.max() - ALIKE)[0])
        placed.append(complex(spots[best]))
        sides.append(names[best])
    return sides


def _ink(marks: Sequence[Stroke | Area | Dot | Caption]) -> np.ndarray:
    """Return points on everything drawn: complex (n,), at most about a hundredth of the extent apart."""
    pieces: list[np.ndarray] = []
    for mark in marks:
        match mark:
            case Stroke() | Area():
                z = np.array([complex(*p) for p in mark.points])
                if len(z) < 30 and isinstance(mark, Stroke):
                    z = (z[:-1, None] + np.diff(z)[:, None] * _ALONG).ravel()
                if isinstance(mark, Stroke):
                    pieces.append(z)
            case Dot():
                pieces.append(np.array([complex(*mark.point)]))
            case Caption():
                pieces.append(np.array([complex(*mark.point)]))
    return np.concatenate(pieces) if pieces else np.array([], complex)
