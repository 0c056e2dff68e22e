"""Simplifies answers of imported corpora and removes their units (GeoGramBench, section D.1).

The grader's parser of numbers (``evals.geogram.closed_form``) decides what a number is: an answer that it does not read
as exactly one value is unchanged, and any other keeps its value to 150 digits.
"""

import re
from contextlib import suppress
from itertools import pairwise
from typing import Final

import sympy

from planimeter.evals.geogram.closed_form import NotANumberError, evaluate, tokens_of
from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.latex import Numbers, latex_number
from planimeter.generators.geogram.exact import exact

_CHOICE: Final = re.compile(r"(?:\\(?:text|textbf|mathrm)\s*\{)?\(?([A-E])\)?\}?")
_MEASURE: Final = (
    r"(?:(?:square|sq\.?|cubic|cu\.?)[\s~]*)?(?:units?|degrees?|deg|(?:milli|centi|deci|kilo)?met(?:er|re)s?|[mck]?m|"
    r"in|inch(?:es)?|feet|foot|ft|yards?|yd|miles?|mi|dollars?|cents?|seconds?|sec|minutes?|min|hours?|hr|days?|"
    r"years?|grams?|pounds?|lit(?:er|re)s?|gallons?|acres?)"
)
_POWER: Final = r"(?:\s*\^\s*(?:\{\s*[23]\s*\}|[23]))?"
#: One unit after a number: ``\text{ cm}^2``, ``square inches``; a unit is allowed nowhere else.
_UNIT: Final = re.compile(
    rf"(?:\\[,;:!]|~|\s)*(?:\\(?:text|mbox|mathrm|textrm)\s*\{{\s*{_MEASURE}\.?{_POWER}\s*\}}"
    rf"|(?<=[\s}}\d)]){_MEASURE}\.?){_POWER}\s*$",
    re.IGNORECASE,
)
_PERCENT: Final = re.compile(r"\s*\\?%\s*$")
_PERCENTAGE: Final = re.compile(r"\bper\s?cent", re.IGNORECASE)
_NAMED: Final = re.compile(r"([A-Za-z])\s*=\s*(?=\S)")

#: Texts that read as one value and may mean another: a range or a score (10-14), a date, and a quotient without
#: brackets (1/2\pi).
_AMBIGUOUS: Final = re.compile(r"\d+\s*[-–−]\s*\d+|.*/.*/.*|.*/\s*\d+(?:\.\d+)?\s*[\\√πa-z(].*")

_EXACT: Final = Numbers(sympy.Rational, sympy.sqrt, sympy.pi)

#: Longest answer, in tokens, that is simplified, and the largest exponent.
LONGEST: Final = 60
LARGEST_EXPONENT: Final = 64


def standard(answer: str, problem: str = "") -> str:
    r"""Return ``answer`` in simplest form if it is exactly one number, else without surrounding blanks.

    ``\frac{28}{\sqrt{7}}\text{ cm}`` becomes ``4\sqrt{7}``. A sum keeps the order of its terms. A percent sign is
    removed if ``problem`` mentions per cent, and a name such as ``x =`` if ``problem`` contains that name.
    """
    bare = _without_unit(answer, problem)
    try:
        value = evaluate(bare).value
    except NotANumberError:
        return answer.strip()
    if _AMBIGUOUS.fullmatch(bare):
        return answer.strip()
    for candidate in (_simplest(bare), bare.replace("\\!", "").strip()):
        with suppress(NotANumberError):
            if candidate and evaluate(candidate).value == value:
                return candidate
    return answer.strip()


def number_of(answer: str) -> float | None:
    """Return the value of an ``answer`` in standard form, or None if it is not exactly one number."""
    try:
        value = float(evaluate(answer).value)
    except (NotANumberError, OverflowError):
        return None
    return None if _AMBIGUOUS.fullmatch(answer) else value


def choice(answer: str) -> str:
    r"""Return the letter of a multiple-choice answer such as ``\text{(B)}``, or an empty string."""
    match = _CHOICE.fullmatch(answer.strip().strip("$").strip())
    return match[1] if match else ""


def _without_unit(answer: str, problem: str) -> str:
    """Return ``answer`` without dollar signs, final stop and unit.

    Also remove a name before it, such as ``x =``, or a percent sign, if ``problem`` has this name or mentions per cent.
    """
    text = answer.strip()
    text = text if text.endswith("..") else text.removesuffix(".").strip()
    if len(text) > 2 and text[0] == text[-1] == "$" and text[-2] != "\\" and "$" not in text[1:-1].replace("\\$", ""):
        text = text[1:-1].strip()
    text = text.removeprefix("\\$").removeprefix("$") if text.count("$") == 1 else text
    named = _NAMED.match(text)
    if named and re.search(rf"(?<![A-Za-z\\]){named[1]}(?![A-Za-z])", problem):
        text = text[named.end() :]
    text = text.strip().removeprefix("+")
    text = _UNIT.sub("", text)
    return _PERCENT.sub("", text) if _PERCENTAGE.search(problem) else text


def _simplest(latex: str) -> str:
    """Return ``latex`` in simplest form, like generated answers, or an empty string if its value has no such form."""
    try:
        pieces = [piece for piece in tokens_of(latex) if piece != "°"]
    except NotANumberError:
        return ""
    exponents = [after for before, after in pairwise(pieces) if before == "^"]
    if len(pieces) > LONGEST or any(not e.isdecimal() or int(e) > LARGEST_EXPONENT for e in exponents):
        return ""
    spelled = " ".join(f"\\{piece}" if piece.isalpha() else piece for piece in pieces)
    # An argument of a fraction without braces is one digit.
    spelled = re.sub(r"\\frac (\d)(\d+)", r"\\frac \1 \2", spelled)
    try:
        value = latex_number(spelled, _EXACT)
        simple = exact(value).latex if value.is_finite else ""
    except (UnreadableError, ArithmeticError, AttributeError, IndexError, TypeError, ValueError, RecursionError):
        return ""
    plain = latex.replace(" ", "")
    return plain if sorted(plain.replace("+", "")) == sorted(simple.replace("+", "")) else simple
