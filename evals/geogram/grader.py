r"""The grader of GeoGramBench: parses and scores replies (paper: section 5 and table 1).

A model sees the problem and its code, reasons step by step and ends with ``\boxed{}``. Numbers are compared exactly,
see ``closed_form``: ``\sqrt{116}`` equals ``2\sqrt{29}``, and 28.274334 differs from ``9\pi``.

Answers of imported corpora may be non-numeric: points, expressions, names. ``math-verify`` compares these; it is
imported at the first such comparison. It gets answers inside ``\boxed{}``, since it reads a bare ``2\sqrt{3}`` as 2.
Its time limits work only in the main thread and are off; instead, texts whose evaluation could take forever are refused
before (large exponents, towers of powers, factorials, sums, long texts).
"""

import logging
import re
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from types import ModuleType
from typing import Final

from planimeter.evals.answers import NOT_ASKED, UNREADABLE, Parsed, answer_of
from planimeter.evals.geogram.closed_form import LONGEST, NotANumberError, Number, evaluate, plain
from planimeter.evals.geogram.prompt import prompt as prompt
from planimeter.evals.places import Row
from planimeter.evals.wrapping import boxes, outside_reasoning
from planimeter.items import FORMS
from planimeter.items.order import size_bin

_BARE_POWER: Final = re.compile(r"\^\s*([-+]?\d{1,2})(?!\d)")
_SMALL: Final = r"(?:\d|\{\s*\d{1,2}\s*\})"
_SIGN_OR_FRACTION: Final = rf"[A-Za-z]|\\pi|\\[dt]?frac\s*{_SMALL}\s*{_SMALL}"
_EXPONENT: Final = rf"\s*[-+]?\s*(?:\d{{1,2}}(?:\.\d{{1,2}})?(?:\s*/\s*\d{{1,2}})?|{_SIGN_OR_FRACTION})\s*"
#: A power of 10 or more of a bracket, which would be expanded, or brackets too deep to be an answer.
_LARGE: Final = re.compile(r"[)\]}]\s*\^\s*[{(]?\s*[-+]?\s*\d{2}|(?:[({\[][^)}\]]*){11}", re.DOTALL)
#: A bound, a share, a relation or a range does not state a number, but math-verify would read one.
_NO_NUMBER: Final = re.compile(
    r"[<>≠≤≥%]|\d\s*_|^[^A-Za-z=]*\d[^A-Za-z=]*(?:=|\\approx|≈)|^\s*(?:\\left)?\s*\["
    r"|\\(?:neq?|[lg](?:eq?(?:slant|q)?|t)|not|sim|pm|mp)(?![A-Za-z])|\\text\{[^{}]*\b(?:not|wrong|incorrect|or)\b"
)
#: In this order: three powers, a power other than a small number, another notation of powers, a root with an index
#: other than a small number, a factorial or math-verify's permutations, "1e9", a long number, and computing commands.
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


@dataclass(frozen=True, slots=True)
class Written:
    """An answer in a reply: its ``text``, and its ``value``, which is the text again if the answer is non-numeric.

    Answers with equal values are equal.
    """

    value: Decimal | str
    text: str = field(compare=False)


def expression(text: str) -> Parsed[Written]:
    """Return the answer ``text`` normalised for ``math-verify``, or the reason why it cannot be compared."""
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
    return Parsed(value=Written(text, text))


def same(gold: str, answer: str) -> bool:
    """Return True if ``math-verify`` finds two answers in LaTeX equal.

    Raises:
        ValueError: if math-verify cannot read ``gold``.
    """
    library = _math_verify()
    expected = library.parse(f"\\boxed{{{gold}}}", parsing_timeout=None)
    if not expected:
        raise ValueError(f"math-verify cannot parse the row's answer, \\boxed{{{gold}}}")
    return bool(
        library.verify(expected, library.parse(f"\\boxed{{{answer}}}", parsing_timeout=None), timeout_seconds=None)
    )


def value(answer: str) -> float | None:
    r"""Return the number that math-verify reads in ``answer``, the content of ``\boxed{}``; None if it is not real."""
    parsed = _math_verify().parse(f"\\boxed{{{answer}}}", parsing_timeout=None)
    if not parsed or not getattr(parsed[0], "is_number", False) or not parsed[0].is_real:
        return None
    return float(parsed[0])


def _math_verify() -> ModuleType:
    import math_verify

    # Each call warns that its time limit is off; ``expression`` refuses texts that could run without end.
    logging.getLogger("math_verify").setLevel(logging.ERROR)
    return math_verify


CONFIGS: tuple[str, ...] = ("geogram", *FORMS)

#: The metric that ranks models, and the meaning of each metric.
HEADLINE: Final = "accuracy"
METRICS: Final = {"accuracy": "answers equal to the true one"}

#: Columns of imported problems with the difficulty that their source states, and the stratum of those without one.
SOURCE_AXES: Final = ("source_level", "source_difficulty")
NO_SOURCE: Final = "none"

#: The reason of a strict refusal; tables count such replies by it.
NO_BOX: Final = "no boxed answer"

#: Upper ends of the strata of lines of code.
CODE_BINS: Final = (10, 20, 30, 40)

#: A bare "36%" may be 36 or 9/25; in a reply that mentions a percentage it is 36.
_PERCENTAGE: Final = re.compile(r"\bper\s?cent(?:age)?\b", re.IGNORECASE)
_PERCENT: Final = re.compile(r"\\?%")
_ABOUT: Final = re.compile(r"\\(?:approx|simeq)(?![a-z])|≈")
_RANGE: Final = re.compile(r"\s*\d+\s?-\s?\d+\s*")
#: A rounding in brackets after a number.
_ROUNDED: Final = re.compile(r"\s\(\s*(?:or|about|=)?\s*(\d+\.\d+)\s*\)\s*\Z")
_FONT: Final = re.compile(r"\\(?:text|mathrm|textrm|mathbf|textbf)\s{0,4}\{([^{}]*)\}")
_UNIT_OF_LENGTH: Final = re.compile(
    r"(?<=[\d)}\s])\s*(?:sq(?:uare|\.)?\s|cu(?:bic|\.)?\s)?(?:[cmk]?m|in|inch(?:es)?|f(?:ee)?t|units?|rad(?:ians)?"
    r"|(?:centi|milli|kilo)?met(?:er|re)s?)"
    r"(?:\s?(?:squared|cubed|\^\s?\{?\s?[23]\s?\}?))?\s*$"
)
#: The left side of an equation: "A", "\\angle ABC", "[ABC]", "x_1", "the area of the triangle".
_NAME: Final = re.compile(r"(?![^A-Za-z]*(?:or|and)\b)(?:[A-Za-z\s\\'|\[\](){}_\u25b3\u2220]|_\{?\d\}?){1,60}")
#: The text that may follow the final box: signs that close mathematics, a full stop.
_CLOSING: Final = re.compile(r"(?:[\s.$]|\\[)\]]){0,8}")


def render(answer: str) -> str:
    r"""Return the perfect reply for ``answer`` (a row's column): the answer in ``\boxed{}``."""
    return f"\\boxed{{{answer}}}"


def read(config: str, row: Row, reply: str, *, strict: bool) -> Parsed[Written]:  # noqa: ARG001 - all configs alike
    r"""Return the number that ``reply`` marks as its answer, or an expression if the row's answer is non-numeric.

    If ``strict``, the reply must close with its only ``\boxed{}``, which contains only a number in any exact closed
    form: no unit, no name.
    """
    is_number = _number(str(row["answer"])) is not None
    meaning = closed if is_number else expression
    text = _PERCENT.sub("", reply) if _PERCENTAGE.search(reply) else reply
    parsed = answer_of(text, meaning, bare=closed if is_number else None, asked="box")
    if strict and not boxes(outside_reasoning(reply)):
        return Parsed(value=None, reason=NO_BOX)
    if strict and parsed.value is not None and not _is_asked(outside_reasoning(reply), parsed):
        return Parsed(value=None, reason=NOT_ASKED)
    return parsed


def closed(text: str) -> Parsed[Written]:
    r"""Return the number in ``text``, as in "A = 24 cm^2" or ``\sqrt{29} \approx 5.39``, or the reason why it has none.

    The last side of an equation is the number; every other side must be a name or have the same value.
    """
    if len(text) > 2 * LONGEST:
        return Parsed(value=None, reason="too long for an answer")
    exact, *rounded = [part.strip(" $") for part in _ABOUT.split(_ROUNDED.sub(r"≈\1", text))]
    *sides, last = _without_units(exact or (rounded.pop(0) if rounded else "")).split("=")
    number = _number(last.strip())
    if number is None or last.lstrip().startswith("[") or _RANGE.fullmatch(last):
        return Parsed(value=None, reason=UNREADABLE)
    others = [_number(side.strip()) for side in sides]
    equal = [
        other.value == number.value if other else bool(_NAME.fullmatch(side))
        for side, other in zip(sides, others, strict=True)
    ]
    if not all(equal) or not all(_is_rounding(_without_units(part).strip(), number) for part in rounded):
        return Parsed(value=None, reason="several numbers")
    return Parsed(value=Written(number.value, last.strip()))


def _without_units(text: str) -> str:
    """Return ``text`` without LaTeX's font commands and spaces, and without units of length and angle."""
    flat = plain(_FONT.sub(r" \1 ", text.replace("$", " "))).rstrip()
    return _UNIT.sub("", _UNIT_OF_LENGTH.sub("", flat))


def _is_rounding(text: str, exact: Number) -> bool:
    """Return True if ``text`` is a decimal that differs from ``exact`` by less than one unit of its last place."""
    number = _number(text)
    places = len(text.partition(".")[2])
    return number is not None and abs(number.value - exact.value) < Decimal(1).scaleb(-places)


def _is_asked(text: str, parsed: Parsed[Written]) -> bool:
    r"""Return True if ``text`` has the requested form: its only ``\boxed{}`` is at the end and contains ``parsed``."""
    spans = boxes(text)
    if parsed.value is None or len(spans) != 1 or not _CLOSING.fullmatch(text, spans[0][2] + 1):
        return False
    if not text.startswith("\\boxed", spans[0][0]):
        return False
    content = text[spans[0][1] : spans[0][2]]
    if isinstance(parsed.value.value, str):
        return content.strip() == parsed.value.text
    number = _number(content)
    return number is not None and not number.degrees and number.value == parsed.value.value


def written(value: Written) -> str:
    """Return the text of an answer, without its unit and without a name before an equals sign ("A = 24 cm" is "24")."""
    return value.text


def strata(config: str, row: Row) -> dict[str, str]:  # noqa: ARG001 - all configs alike
    """Return {axis: stratum} of a problem: level, language, template, form of the answer, range of the number of code
    lines and, if the problem is imported, the difficulty that its source states.
    """
    return {
        **{name: str(row[name]) or NO_SOURCE for name in SOURCE_AXES if row.get(name) is not None},
        **({"difficulty": str(row["difficulty"])} if "difficulty" in row else {}),
        "level": str(row["level"]),
        "language": str(row["language"]),
        "template": str(row.get("template", "")),
        "answer_form": answer_form(str(row["answer"])),
        "code_lines": size_bin(str(row["code"]).count("\n") + 1, CODE_BINS),
    }


def question(config: str, row: Row) -> str:  # noqa: ARG001 - all alike
    """Return the ``pair_id`` that all forms of a problem (Asymptote, words, ...) share, by default the row's id."""
    return str(row.get("pair_id") or row["id"])


def answer_form(answer: str) -> str:
    """Return the kind of number of ``answer``: whole number, fraction, with a root, with pi, or other."""
    for sign, form in (("\\pi", "with pi"), ("\\sqrt", "with a root"), ("\\frac", "fraction")):
        if sign in answer:
            return form
    return "whole number" if answer.lstrip("-").isdecimal() else "other"


@lru_cache(maxsize=256)
def _number(text: str) -> Number | None:
    try:
        return evaluate(text)
    except NotANumberError:
        return None


def score(config: str, row: Row, parsed: Parsed[Written]) -> dict[str, float]:  # noqa: ARG001 - all configs alike
    """Return the ``METRICS`` by name of a reply's answer, ``parsed``, compared with the answer of ``row``.

    Raises:
        ValueError: if the row's own answer cannot be parsed.
    """
    if parsed.value is None:
        return {"accuracy": 0.0}
    gold = _number(str(row["answer"]))
    if gold is None:
        return {"accuracy": float(same(str(row["answer"]), parsed.value.text))}
    return {"accuracy": float(gold.value == parsed.value.value)}
