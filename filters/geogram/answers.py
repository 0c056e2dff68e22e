"""Answers of imported corpora in standard form: LaTeX as simple as possible, without units and signs (section D.1)."""

import re
from fractions import Fraction
from typing import Final

from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.latex import latex_value

_UNITS: Final = re.compile(
    r"\^\s*\{?\s*\\circ\s*\}?|\\degree|°|\\%|%|\\\$|\$"
    r"|\\(?:text|mbox|mathrm|textrm)\s*\{\s*(?!\(?[A-Z]\)?\s*\})[^{}]*\}(?:\s*\^\s*\{?[23]\}?)?"
)
_CHOICE: Final = re.compile(r"(?:\\(?:text|textbf|mathrm)\s*\{)?\(?([A-E])\)?\}?")
_DECIMAL: Final = re.compile(r"-?\d*\.\d+")
_MIXED: Final = re.compile(r"(-?)(\d+)\s*\\frac\s*\{(\d+)\}\s*\{(\d+)\}")


def standard(answer: str) -> str:
    """Return ``answer`` without units, signs and spacing, decimals and mixed numbers as fractions, roots braced.

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
    mixed = _MIXED.fullmatch(bare)
    if mixed:
        sign, units, top, bottom = mixed.groups()
        return _fraction(Fraction(int(units) * int(bottom) + int(top), int(bottom)) * (-1 if sign else 1))
    if _DECIMAL.fullmatch(bare):
        return _fraction(Fraction(bare))
    simple = re.fullmatch(r"(-?)\\frac\s*\{(\d+)\}\s*\{(\d+)\}|(-?)(\d+)/(\d+)", bare)
    if simple:
        sign, top, bottom = simple.groups()[:3] if simple[2] else simple.groups()[3:]
        if int(bottom):
            return _fraction(Fraction(int(top), int(bottom)) * (-1 if sign else 1))
    return bare or answer.strip()


def _fraction(value: Fraction) -> str:
    sign = "-" if value < 0 else ""
    top, bottom = abs(value.numerator), value.denominator
    return f"{sign}{top}" if bottom == 1 else rf"{sign}\frac{{{top}}}{{{bottom}}}"


def number_of(answer: str) -> float | None:
    """Return the value of a standard answer, or None where it is no number."""
    try:
        return latex_value(answer)
    except (UnreadableError, ArithmeticError, IndexError, ValueError):
        return None


def choice(answer: str) -> str:
    r"""Return the letter of an answer such as ``\text{(B)}``, or an empty string."""
    found = _CHOICE.fullmatch(answer.strip().strip("$").strip())
    return found[1] if found else ""
