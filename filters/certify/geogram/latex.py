"""Reads the numbers of a statement, and the value of an answer, from LaTeX: fractions, square roots, pi, sums."""

import math
import re
from typing import Final

from planimeter.filters.certify.geogram.asymptote import UnreadableError

_TOKEN: Final = re.compile(r"\s*(\\d?frac|\\sqrt|\\pi|\\cdot|\d+(?:\.\d+)?|[-+*/^{}()])")
_STATED: Final = re.compile(
    r"\\d?frac\s*\{(?P<top>[^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\s*\{(?P<bottom>\d+)\}"
    r"|(?P<factor>\d*)\s*\\sqrt\s*\{(?P<root>\d+)\}|(?P<times>\d+)\s*\\pi|(?P<plain>\d+(?:\.\d+)?)"
)


def latex_value(text: str) -> float:
    r"""Return the value of an answer in LaTeX.

    Raises:
        UnreadableError: if it is no arithmetic of numbers, ``\sqrt``, ``\frac`` and ``\pi``.
    """
    tokens: list[str] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise UnreadableError(f"no number in LaTeX: {text!r}")
        tokens.append(found[1])
        at = found.end()
    reader = _Reader(tokens)
    value = reader.sum()
    if reader.tokens:
        raise UnreadableError(f"no number in LaTeX: {text!r}")
    return value


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens[::-1]

    def sum(self) -> float:
        sign = -1.0 if self._next("-") else 1.0
        total = sign * self.product()
        while self.tokens and self.tokens[-1] in "+-":
            total += (1.0 if self.tokens.pop() == "+" else -1.0) * self.product()
        return total

    def product(self) -> float:
        value = self.power()
        while self.tokens and self.tokens[-1] not in ("+", "-", "}", ")"):
            if self._next("/"):
                value /= self.power()
            else:
                if not self._next("\\cdot"):
                    self._next("*")
                value *= self.power()
        return value

    def power(self) -> float:
        base = self.atom()
        return base ** self.atom() if self._next("^") else base

    def atom(self) -> float:
        piece = self.tokens.pop() if self.tokens else ""
        if piece in ("\\frac", "\\dfrac"):
            top = self.atom()
            return top / self.atom()
        if piece == "\\sqrt":
            return math.sqrt(self.atom())
        if piece == "\\pi":
            return math.pi
        if piece in ("{", "("):
            value = self.sum()
            self.tokens.pop()
            return value
        try:
            return float(piece)
        except ValueError:
            raise UnreadableError(f"no number in LaTeX begins with {piece!r}") from None

    def _next(self, piece: str) -> bool:
        if self.tokens and self.tokens[-1] == piece:
            self.tokens.pop()
            return True
        return False


def numbers_in(problem: str) -> list[float]:
    """Return the numbers that a statement states, whole, decimal, as fraction, root or multiple of pi."""
    found: list[float] = []
    for match in _STATED.finditer(problem):
        if match["top"] is not None:
            found.append(latex_value(match["top"]) / int(match["bottom"]))
        elif match["root"] is not None:
            found.append(int(match["factor"] or 1) * math.sqrt(int(match["root"])))
        elif match["times"] is not None:
            found.append(int(match["times"]) * math.pi)
        else:
            found.append(float(match["plain"]))
    return found
