"""Reads the numbers of a statement and the value of an answer from LaTeX: fractions, square roots, pi and sums."""

import math
import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from planimeter.filters.certify.geogram.asymptote import UnreadableError

_TOKEN: Final = re.compile(r"\s*(\\d?frac|\\sqrt|\\pi|\\cdot|\d*\.\d+|\d+|[-+*/^{}()])")
_STATED: Final = re.compile(
    r"\\d?frac\s*\{(?P<top>[^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\s*\{(?P<bottom>\d+)\}"
    r"|(?P<factor>\d*)\s*\\sqrt\s*\{(?P<root>\d+)\}|(?P<times>\d+)\s*\\pi|(?P<plain>\d+(?:\.\d+)?)"
)


#: A float, or an exact number.
Number = Any


class Numbers(NamedTuple):
    """The operations of an arithmetic, on floats or exact numbers: number from text, square root, and pi."""

    number: Callable[[str], Number]
    root: Callable[[Number], Number]
    pi: Number


_FLOATS: Final = Numbers(float, math.sqrt, math.pi)


def latex_value(text: str) -> float:
    """Return the value of an answer in LaTeX as a float. Raises ``UnreadableError`` like ``latex_number``."""
    return float(latex_number(text, _FLOATS))


def latex_number(text: str, numbers: Numbers) -> Number:
    r"""Return the value of ``text``, an answer in LaTeX, in the arithmetic of ``numbers``.

    Raises:
        UnreadableError: if it contains more than numbers, + - * / ^, ``\sqrt``, ``\frac`` and ``\pi``.
    """
    tokens: list[str] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise UnreadableError(f"not a number in LaTeX: {text!r}")
        tokens.append(match[1])
        at = match.end()
    reader = _Reader(tokens, numbers)
    value = reader.sum()
    if reader.tokens:
        raise UnreadableError(f"not a number in LaTeX: {text!r}")
    return value


class _Reader:
    def __init__(self, tokens: list[str], numbers: Numbers) -> None:
        self.tokens = tokens[::-1]
        self._numbers = numbers

    def sum(self) -> Number:
        total = -self.product() if self._next("-") else self.product()
        while self.tokens and self.tokens[-1] in "+-":
            total = total + self.product() if self.tokens.pop() == "+" else total - self.product()
        return total

    def product(self) -> Number:
        value = self.power()
        while self.tokens and self.tokens[-1] not in ("+", "-", "}", ")"):
            if self._next("/"):
                value /= self.power()
            else:
                if not self._next("\\cdot"):
                    self._next("*")
                value *= self.power()
        return value

    def power(self) -> Number:
        base = self.atom()
        return base ** self.atom() if self._next("^") else base

    def atom(self) -> Number:
        piece = self.tokens.pop() if self.tokens else ""
        if piece in ("\\frac", "\\dfrac"):
            top = self.atom()
            return top / self.atom()
        if piece == "\\sqrt":
            return self._numbers.root(self.atom())
        if piece == "\\pi":
            return self._numbers.pi
        if piece in ("{", "("):
            value = self.sum()
            self.tokens.pop()
            return value
        try:
            return self._numbers.number(piece)
        except ValueError:
            raise UnreadableError(f"a number in LaTeX cannot begin with {piece!r}") from None

    def _next(self, piece: str) -> bool:
        if self.tokens and self.tokens[-1] == piece:
            self.tokens.pop()
            return True
        return False


def numbers_in(problem: str) -> list[float]:
    """Return the numbers in a statement: whole and decimal numbers, fractions, square roots and multiples of pi."""
    numbers: list[float] = []
    for match in _STATED.finditer(problem):
        if match["top"] is not None:
            numbers.append(latex_value(match["top"]) / int(match["bottom"]))
        elif match["root"] is not None:
            numbers.append(int(match["factor"] or 1) * math.sqrt(int(match["root"])))
        elif match["times"] is not None:
            numbers.append(int(match["times"]) * math.pi)
        else:
            numbers.append(float(match["plain"]))
    return numbers
