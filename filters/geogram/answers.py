"""Answers of imported corpora in standard form: LaTeX as simple as possible, without units and signs (section D.1)."""

import re
from typing import Final

import sympy

from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.latex import Numbers, latex_number, latex_value
from planimeter.generators.geogram.exact import exact

_UNITS: Final = re.compile(
    r"\^\s*\{?\s*\\circ\s*\}?|\\degree|°|\\%|%|\\\$|\$"
    r"|\\(?:text|mbox|mathrm|textrm)\s*\{\s*(?!\(?[A-Z]\)?\s*\})[^{}]*\}(?:\s*\^\s*\{?[23]\}?)?"
)
_CHOICE: Final = re.compile(r"(?:\\(?:text|textbf|mathrm)\s*\{)?\(?([A-E])\)?\}?")
_MIXED: Final = re.compile(r"(-?)(\d+)\s*\\frac\s*\{(\d+)\}\s*\{(\d+)\}")

_EXACT: Final = Numbers(sympy.Rational, sympy.sqrt, sympy.pi)

#: Longest answer, in characters, that is simplified.
LONGEST: Final = 100


def standard(answer: str) -> str:
    """Return ``answer`` without units, signs and spacing, in simplest form: decimals and mixed numbers as fractions.

    An answer that is no number comes back stripped only.
    """
    text = answer.strip().rstrip(".").replace("\\dfrac", "\\frac").replace("\\tfrac", "\\frac")
    text = text.replace("\\!", "").replace("{,}", ",").replace("\\left", "").replace("\\right", "")
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    bare = _UNITS.sub("", text).strip()
    bare = re.sub(r"\\(?:,|;|:| )|~", " ", bare)
    bare = re.sub(r"^[A-Za-z]\s*=\s*", "", bare).strip()
    bare = re.sub(r"\\sqrt\s*(\d)", r"\\sqrt{\1}", bare)
    bare = re.sub(r"\\frac\s*(\d)\s*(\d)", r"\\frac{\1}{\2}", bare)
    bare = re.sub(r"\s*([-+])\s*", r"\1", bare)
    bare = bare.removeprefix("+")
    mixed = _MIXED.fullmatch(bare)
    if mixed:
        sign, units, top, bottom = mixed.groups()
        bare = rf"{sign}\frac{{{int(units) * int(bottom) + int(top)}}}{{{bottom}}}"
    return _simplest(bare) or answer.strip()


def _simplest(latex: str) -> str:
    r"""Return ``latex`` in the form of generated answers, where it is arithmetic; a sum keeps the order of its terms.

    ``\frac{28}{\sqrt{7}}`` becomes ``4\sqrt{7}``.
    """
    if len(latex) > LONGEST or "^" in latex:
        return latex
    try:
        value = latex_number(latex, _EXACT)
        simple = exact(value).latex if value.is_finite else latex
    except (UnreadableError, ArithmeticError, AttributeError, IndexError, TypeError, ValueError):
        return latex
    plain = latex.replace(" ", "")
    return plain if sorted(plain.replace("+", "")) == sorted(simple.replace("+", "")) else simple


def number_of(answer: str) -> float | None:
    """Return the value of a standard answer, or None where it is no number."""
    try:
        return latex_value(answer)
    except (UnreadableError, ArithmeticError, IndexError, ValueError):
        return None


def choice(answer: str) -> str:
    r"""Return the letter of an answer such as ``\text{(B)}``, or an empty string."""
    match = _CHOICE.fullmatch(answer.strip().strip("$").strip())
    return match[1] if match else ""
