"""Checks that the picture of a row shows its program's drawing, which the certificate reads from the program alone.

The program runs with its literals unchanged. Its lines are placed like every figure of the suite (scaled to a square of
``SIZE`` px with a margin, centred, y up), and the share of their length where the picture is dark is measured. Labels,
dots, and signs such as that of a right angle, whose outline is not in the program, are ignored.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.machine import Closure, Names, Piece, Trace, Value, _name, _piece_nodes
from planimeter.filters.certify.geogram.measures import _outline
from planimeter.filters.certify.geogram.translation import tree
from planimeter.filters.certify.png import greys
from planimeter.items import WORDS
from planimeter.items.values import Row

Array = npt.NDArray[np.float64]

#: Side of a picture and its margin, px.
SIZE: Final = 600
MARGIN: Final = 56
#: Greys below this are ink; fills are lighter.
INK: Final = 110
#: The least share of a program's lines that its picture shows: 0.91 for its own picture, 0.55 for others.
SHOWN: Final = 0.75
#: The columns that ``fault`` reads.
COLUMNS: Final = ("code", "image", "language")
#: Pieces of the longest path.
MOST_PIECES: Final = 20_000
#: Largest distance of ink from a line, px.
OFF: Final = 2

_CAMERA: Final = re.compile(r"currentprojection *= *orthographic\(([-\d.]+), *([-\d.]+), *([-\d.]+)\)")


@dataclass(slots=True)
class _Canvas(Trace):
    """The state of a program's run, with the lines that it draws, each as a tuple of its pieces."""

    lines: list[tuple[Value, ...]] = field(default_factory=list)


class _Drawn(Piece):
    """The compiled statements of a program, which also store each line that they draw in the ``_Canvas``."""

    def _command(self, node: ast.Call) -> Closure | None:
        steps = [step for step in (super()._command(node), self._line(node)) if step is not None]

        def run(values: Names) -> None:
            for step in steps:
                step(values)

        return run

    def _line(self, node: ast.Call) -> Closure | None:
        """Return a closure that stores the line that ``node`` draws; None if it draws none or an unsupported one."""
        name = _name(node.func)
        hollow = name == "add_patch" and any(k.arg == "fill" for k in _keywords(node))
        dots = name == "plot" and len(node.args) > 1
        nodes: list[ast.expr]
        if name in ("xaxis", "yaxis"):
            across = ast.Constant(0)
            points = [[end, across] if name == "xaxis" else [across, end] for end in node.args]
            nodes = [ast.Call(ast.Name("_vector"), list(point), []) for point in points]
        elif hollow or (name in ("draw", "filldraw", "D", "plot") and not dots):
            nodes = _piece_nodes(node.args[0])
        else:
            return None
        if isinstance(nodes[-1], ast.Name) and nodes[-1].id == "cycle":
            nodes[-1] = nodes[0]
        try:
            pieces = [self._value(piece) for piece in nodes]
        except UnreadableError:
            return None

        def draw(values: Names) -> None:
            values.trace.lines.append(tuple(piece(values) for piece in pieces))  # type: ignore[attr-defined]

        return draw


def fault(row: Row) -> str:
    """Return a message if ``row``'s picture lacks lines of its program, else ""; a problem in words always passes."""
    if row["language"] == WORDS:
        return ""
    share = drawn_share(row["image"]["bytes"], row["code"], row["language"])
    return f"its picture shows {share:.0%} of the lines that its program draws" if share < SHOWN else ""


def drawn_share(png: bytes, code: str, language: str) -> float:
    """Return the share, 0 to 1, of the length of a program's lines at which the picture ``png`` is dark.

    Raises:
        UnreadableError: if the program cannot run, or draws no line.
        ValueError: if ``png`` is not a picture.
    """
    dark = greys(png, INK)
    if dark is None:
        raise ValueError(f"expected a PNG, got {len(png)} other bytes")
    ink = cv2.dilate(dark, np.ones((2 * OFF + 1, 2 * OFF + 1), np.uint8))
    canvas = _run(code, language)
    lines = [_points(pieces, code) for pieces in canvas.lines]
    every = np.concatenate([np.empty((0, 2)), *lines, *(_points(fill.pieces, code) for fill in canvas.fills)])
    extent = np.ptp(every, axis=0).max() if lines and np.isfinite(every).all() else 0.0
    if not extent > 0:
        raise UnreadableError("the program draws no line")
    scale = (SIZE - 2 * MARGIN) / extent
    middle = (every.min(axis=0) + every.max(axis=0)) / 2
    places = np.concatenate([_along((line - middle) * (scale, -scale) + SIZE / 2) for line in lines])
    x, y = np.clip(places.astype(int), 0, np.array(ink.shape[::-1]) - 1).T
    return float(ink[y, x].mean())


def _run(code: str, language: str) -> _Canvas:
    """Return the lines and regions that the program draws with its literals unchanged."""
    program = _Drawn(tree(code, language).body)
    canvas = _Canvas({}, parameters=np.array(program.literals)[:, None], functions=program.functions)
    canvas.values = names = Names(canvas, 0)
    with np.errstate(all="ignore"):
        for step in program.steps:
            step(names)
    return canvas


def _points(pieces: Iterable[Value], code: str) -> Array:
    """Return the points (n, 2) of a line or an outline; in space, their projections by the program's camera."""
    points = _outline(list(_flat(pieces)), lambda value: np.asarray(value, float)[..., 0] if np.ndim(value) else value)
    if points.shape[1] == 2:
        return points
    camera = _CAMERA.search(code)
    if camera is None:
        raise UnreadableError("the program draws a solid without setting currentprojection = orthographic(x, y, z)")
    ahead = np.array(camera.groups(), float) / np.linalg.norm(np.array(camera.groups(), float))
    right = np.cross((0, 0, 1), ahead) / np.hypot(*ahead[:2])
    return np.column_stack([points @ right, points @ np.cross(ahead, right)])


def _flat(pieces: Iterable[Value]) -> Iterator[Value]:
    """Yield ``pieces``, with each list (a path that a function returned) replaced by its own pieces.

    Raises ``UnreadableError`` if there are more than ``MOST_PIECES``: a path joined to itself doubles at each step.
    """
    waiting, count = [*pieces][::-1], 0
    while waiting:
        piece, count = waiting.pop(), count + 1
        if count > MOST_PIECES:
            raise UnreadableError(f"the path has more than {MOST_PIECES} pieces")
        if isinstance(piece, list):
            waiting += piece[::-1]
        else:
            yield piece


def _along(line: Array) -> Array:
    """Return points (n, 2) along ``line`` (px), at most 2 px apart."""
    counts = np.maximum(np.ceil(np.hypot(*np.diff(line, axis=0).T) / 2).astype(int), 1)
    where = np.concatenate([np.arange(count) / count for count in counts]) if len(counts) else np.empty(0)
    begin, step = (np.repeat(part, counts, axis=0) for part in (line[:-1], np.diff(line, axis=0)))
    return np.concatenate([begin + where[:, None] * step, line[-1:]])


def _keywords(node: ast.Call) -> list[ast.keyword]:
    """Return the keyword arguments of the patch in ``node``, a call such as ``ax.add_patch(Circle(...))``."""
    patch = node.args[0] if node.args else None
    return patch.keywords if isinstance(patch, ast.Call) else []
