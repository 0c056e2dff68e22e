"""Runs a drawing program for many drawings at once, with its decimal literals as parameters.

A literal with a decimal point is a length or angle of the drawing, which is not to scale, so it may vary; an integer is
structure (the 2 of a midpoint, the 90 of a right angle, the count of a loop) and does not change. So the program is a
construction with n parameters, and runs for m sets of parameters at once.

The program is parsed in pieces, and pieces that differ only in numbers are parsed once for all programs.
"""

import re
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.machine import MEANINGLESS, Closure, Function, Names, Piece, Trace
from planimeter.filters.certify.geogram.tape import Tape
from planimeter.filters.certify.geogram.translation import tree

Array = npt.NDArray[np.float64]

#: The start of a piece that is parsed by itself: at the beginning of a line, and not with a closing brace.
_PIECES: Final = re.compile(r"\n(?=[^\s}])")
#: The suffix of the number that replaces a literal; texts, and literals outside of them; the parts of each.
_NUMBERED: Final = ".2718281828"
_LITERAL: Final = re.compile(r'"[^"]*"|(?<![\w.])(\d+\.\d+)(?![\d.eEjJ_])')
_DECIMAL: Final = re.compile(r"\d\.\d")
#: Contexts of decimal numbers that may not be literals: a grey, a comment or another kind of text.
_NOT_PLAIN: Final = re.compile(rf"gray|['#\\]|//|/\*|{_NUMBERED[1:]}")


class Program:
    """A compiled drawing program.

    ``start`` contains its literals, float64 (n,); ``labels`` the names of points with a label; ``edges`` the pairs of
    names that a drawn line joins, each in alphabetical order.

    Raises:
        UnreadableError: if the code is not in ``language``, or a statement has no meaning in a drawing.
    """

    def __init__(self, code: str, language: str) -> None:
        self.literals: list[float] = []
        self.labels: list[str] = []
        self.edges: list[tuple[str, str]] = []
        self._functions: dict[str, Function] = {}
        self._steps: list[tuple[int, Closure]] = []
        for piece, numbers in _pieces(code, language):
            first = len(self.literals)
            self.literals += [numbers.get(number, number) for number in piece.literals]
            self.labels += piece.labels
            self.edges += piece.edges
            self._functions |= {name: replace(f, first=first) for name, f in piece.functions.items()}
            self._steps += [(first, step) for step in piece.steps]
        self.start: Array = np.array(self.literals, float)

    def trace(self, parameters: Array, overrides: dict[str, int] | None = None) -> Trace:
        """Run the program once for m drawings, whose literals are the columns of ``parameters`` (n, m).

        ``overrides`` maps whole-number variables, such as the count of a loop, to other values.
        """
        return self._run(Trace({}, parameters.shape[1], None, parameters, overrides or {}, self._functions))

    @cached_property
    def tape(self) -> Tape:
        """The record of the program's operations, which ``recording`` fills; its inputs are the literals."""
        return Tape(len(self.start))

    @cached_property
    def recording(self) -> Trace:
        """A run whose operations are recorded on ``tape``, so that ``tape`` can repeat them for any literals."""
        return self._run(Trace({}, 1, self.tape, self.tape.inputs[:, 0].tolist(), {}, self._functions))

    def _run(self, trace: Trace) -> Trace:
        names = Names(trace, 0)
        trace.values = names
        trace.step(len(self._steps) + 1)
        try:
            with np.errstate(all="ignore"):
                for names.first, step in self._steps:
                    if step(names) is not None:
                        break
        except UnreadableError:
            raise
        except MEANINGLESS as error:
            raise UnreadableError(f"a statement combines incompatible values ({type(error).__name__})") from error
        return trace


def _pieces(code: str, language: str) -> list[tuple[Piece, dict[float, float]]]:
    """Return the pieces of a program, each with a map from its placeholders to the literals that they replace."""
    pieces: list[tuple[Piece, dict[float, float]]] = []
    known: list[str] = []
    try:
        for text in _PIECES.split(code):
            pattern, numbers = _without_numbers(text)
            piece = _piece(pattern, language, tuple(name for name in known if name in pattern))
            pieces.append((piece, numbers))
            known += piece.functions
    except UnreadableError:
        # Pieces with a meaning of their own have the same meaning together. If one has none, the whole may.
        return [(_piece.__wrapped__(code, language, ()), {})]
    return pieces


def _without_numbers(text: str) -> tuple[str, dict[float, float]]:
    """Return ``text`` with its decimal literals replaced by placeholders, and a map from placeholders to literals.

    This makes pieces that differ only in literals equal, so that they are parsed once. Equal literals get the same
    placeholder. The text is unchanged if a decimal number in it might not be a literal (a grey, part of a comment).
    """
    numbers: dict[float, float] = {}
    if not _DECIMAL.search(text) or _NOT_PLAIN.search(text):
        return text, numbers
    names: dict[float, str] = {}

    def numbered(match: re.Match[str]) -> str:
        if not match[1]:
            return match[0]
        name = names.setdefault(float(match[1]), f"{len(names)}{_NUMBERED}")
        numbers[float(name)] = float(match[1])
        return name

    return _LITERAL.sub(numbered, text), numbers


@lru_cache(maxsize=8192)
def _piece(text: str, language: str, known: tuple[str, ...]) -> Piece:
    """Return a parsed piece of a program, cached (2 kB each), because most pieces occur again with other numbers.

    ``known`` names the functions that earlier pieces define.
    """
    return Piece(tree(text, language).body, known)
