"""The numbers that the statement of a GeoGramBench problem gives, for the verifier.

It shares no code with the filter: runs of LaTeX are valued by math-verify,
as a reply that copies them would be.
"""

import re
from functools import cache, lru_cache
from typing import Final

from planimeter.evals.geogram import protocol
from planimeter.items.values import Row

_FRACTION: Final = r"\\[dt]?frac\s*\{(?:[^{}]|\{[^{}]*\})*\}\s*\{(?:[^{}]|\{[^{}]*\})*\}"
#: A number: figures, and fractions, roots and pi as factors behind them; or a word.
_NUMBER: Final = re.compile(
    rf"(?:\d+(?:\.\d+)?|(?=\\))(?:\s*(?:{_FRACTION}|\\sqrt\s*\{{[^{{}}]*\}}|\\pi(?![a-z])))*|[A-Za-z]+"
)
_FIGURES: Final = re.compile(r"\d+(?:\.\d+)?")

_CARDINALS: Final = "zero one two three four five six seven eight nine ten eleven twelve"
_WORDS: Final = {word: float(number) for number, word in enumerate(_CARDINALS.split())} | {
    word: number
    for number, words in (
        (1 / 4, "quarter quarters"), (1 / 2, "half halves halved"), (1.0, "once single"),
        (2.0, "twice double doubled"), (3.0, "thrice triple"),
    )
    for word in words.split()
}  # fmt: skip

#: Relative difference below which two numbers are one.
_EQUAL: Final = 1e-9


@lru_cache(maxsize=8)
def numbers(problem: str) -> tuple[float, ...]:
    """Return the values of the numbers in ``problem``, in figures, LaTeX or words, in their order."""
    read = (_value(text) for text in _NUMBER.findall(problem) if text)
    return tuple(value for value in read if value is not None)


@cache
def _value(text: str) -> float | None:
    return _WORDS.get(text.lower()) if text.isalpha() else protocol.value(text)


def copied(row: Row) -> bool:
    """Whether the answer of ``row`` is a number of its statement, or stands inside of one (the 3 of three sevenths)."""
    inside = (float(text) for text in _FIGURES.findall(row["problem"]))
    return any(_equal(row, number) for number in (*numbers(row["problem"]), *inside))


def _equal(row: Row, number: float) -> bool:
    value = row["answer_value"]
    return value is not None and abs(number - value) <= _EQUAL * max(1.0, abs(value))
