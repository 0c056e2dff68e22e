r"""Compares answers that are no numbers, as imported corpora have them, by ``math-verify``.

Its traps are handled here: answers reach it inside ``\boxed{}`` (bare, it reads ``2\sqrt{3}`` as 2); its time limits
need the main thread and are off, so what could run for ever is refused before (large exponents, towers of powers,
factorials, sums, long replies). It is imported only when something is compared.
"""

import logging
import re
from types import ModuleType
from typing import Final

from planimeter.evals.answers import Parsed
from planimeter.evals.geogram.closed_form import LONGEST
from planimeter.evals.geogram.statements import Written

_BARE_POWER: Final = re.compile(r"\^\s*([-+]?\d{1,2})(?!\d)")
_SMALL: Final = r"(?:\d|\{\s*\d{1,2}\s*\})"
_SIGN_OR_FRACTION: Final = rf"[A-Za-z]|\\pi|\\[dt]?frac\s*{_SMALL}\s*{_SMALL}"
_EXPONENT: Final = rf"\s*[-+]?\s*(?:\d{{1,2}}(?:\.\d{{1,2}})?(?:\s*/\s*\d{{1,2}})?|{_SIGN_OR_FRACTION})\s*"
#: A power of 10 or more of a bracket, which would be multiplied out, or brackets too deep to be an answer.
_LARGE: Final = re.compile(r"[)\]}]\s*\^\s*[{(]?\s*[-+]?\s*\d{2}|(?:[({\[][^)}\]]*){11}", re.DOTALL)
#: A bound, a share, a relation or a range states no number, and math-verify would read one.
_NO_NUMBER: Final = re.compile(
    r"[<>≠≤≥%]|\d\s*_|^[^A-Za-z=]*\d[^A-Za-z=]*(?:=|\\approx|≈)|^\s*(?:\\left)?\s*\["
    r"|\\(?:neq?|[lg](?:eq?(?:slant|q)?|t)|not|sim|pm|mp)(?![A-Za-z])|\\text\{[^{}]*\b(?:not|wrong|incorrect|or)\b"
)
#: In this order: three powers, a power that is no small number, another writing of powers, a root whose index is none,
#: a factorial or what math-verify takes for permutations, "1e9", a long number, and commands that compute.
_ENDLESS: Final = re.compile(
    r"\^.*\^.*\^"
    rf"|\^(?!\s*(?:{_SIGN_OR_FRACTION}|\{{{_EXPONENT}\}}|\({_EXPONENT}\))(?!\s*\^))"
    r"|\*\s*\*|\\sqrt\s*\[(?!\s*\d{1,2}\s*\])|!|\)\s*_|\d\s*[eE]\s*[-+]?\s*\d|\d{16}"
    r"|\\(?:sum|prod|i*int|oint|lim|[a-z]*binom|[a-z]*choose|exp|[a-z]*(?:sin|cos|tan|cot|sec|csc)h|operatorname"
    r"|[gG]amma|gcd|lcm)",
    re.DOTALL,
)
_NAMED: Final = re.compile(r"^\s*(?:\\text\{[^{}]*\}|[A-Za-z\\' ]{1,24})\s*(?:=|\\approx)\s*(?=\S)")
_BARE_ROOT: Final = re.compile(r"\\sqrt\s*(\d+)")
_SIGN_ROOT: Final = re.compile(r"√\s*(?:\(([^()]*)\)|(\d+))")
_UNIT: Final = re.compile(
    r"\^\s*\{?\s*\\circ\s*\}?|°|\\degree"
    r"|\\(?:text|mathrm|textrm)\s*\{\s*(?:degrees?|(?:square |cubic )?units?|[ck]?m)[^{}]*\}(?:\^\{?[23]\}?)?"
    r"|\b(?:degrees?|(?:square |cubic )?units?)\b"
)


def expression(text: str) -> Parsed[Written]:
    """Return ``text`` tidied, if ``math-verify`` can compare it."""
    if len(text) > LONGEST:
        return Parsed(value=None, reason="too long for an answer")
    text = _UNIT.sub("", text.replace("$", "").replace("\\!", "").replace("\\,", " ").replace("{,}", ","))
    text = _SIGN_ROOT.sub(lambda m: f"\\sqrt{{{m[1] or m[2]}}}", text).replace("π", "\\pi ")
    text = _BARE_POWER.sub(r"^{\1}", _BARE_ROOT.sub(r"\\sqrt{\1}", text))
    text = _NAMED.sub("", text).strip().rstrip(".").strip()
    if not text:
        return Parsed(value=None, reason="an empty box")
    if _ENDLESS.search(text) or _LARGE.search(text):
        return Parsed(value=None, reason="no number in closed form")
    if _NO_NUMBER.search(text):
        return Parsed(value=None, reason="no plain number")
    return Parsed(value=Written(None, text))


def same(gold: str, answer: str) -> bool:
    """Whether two answers in LaTeX are the same by ``math-verify``.

    Raises:
        ValueError: if math-verify reads nothing in ``gold``.
    """
    library = _math_verify()
    expected = library.parse(f"\\boxed{{{gold}}}", parsing_timeout=None)
    if not expected:
        raise ValueError(f"math-verify reads no answer in \\boxed{{{gold}}}")
    return bool(
        library.verify(expected, library.parse(f"\\boxed{{{answer}}}", parsing_timeout=None), timeout_seconds=None)
    )


def value(answer: str) -> float | None:
    r"""Return the number that math-verify reads in ``answer``, as it is in ``\boxed{}``, or None where it is none."""
    parsed = _math_verify().parse(f"\\boxed{{{answer}}}", parsing_timeout=None)
    if not parsed or not getattr(parsed[0], "is_number", False) or not parsed[0].is_real:
        return None
    return float(parsed[0])


def _math_verify() -> ModuleType:
    import math_verify

    # Each call warns that its time limit is off; what could run for ever is refused by ``expression``.
    logging.getLogger("math_verify").setLevel(logging.ERROR)
    return math_verify
