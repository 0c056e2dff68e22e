r"""The protocol of GeoGramBench: reader of replies, scores (paper: section 5 and table 1).

A model sees the problem and its code, reasons step by step and ends with ``\boxed{}``. The answer is compared by
``math-verify``, whose traps are handled here: answers reach it inside ``\boxed{}`` (bare, it reads ``2\sqrt{3}`` as 2);
its time limits need the main thread and are off, so what could run for ever is refused before (large exponents, towers
of powers, factorials, sums, long replies); it reads ``\sqrt29`` as nine roots of 2, ``KG = 25`` as an equation in k g.

``math-verify`` is imported when something is scored: reading a reply does not need it.
"""

import logging
import re
from typing import Any, Final

from planimeter.evals.answers import Parsed, boxed, visible
from planimeter.evals.geogram.prompt import prompt as prompt
from planimeter.evals.scoring import Row, size_bin
from planimeter.items import FORMS

CONFIGS: Final = ("geogram", *FORMS)

#: The metric by which models are ranked, and what each metric means.
HEADLINE: Final = "accuracy"
METRICS: Final = {"accuracy": "answers that are the same number"}

#: Upper ends of the strata of lines of code.
CODE_BINS: Final = (10, 20, 30, 40)

_BOX: Final = re.compile(r"\\f?box(?:ed)?\s*\{")

#: Longer statements are no answers, and comparing them could take for ever.
LONGEST_ANSWER: Final = 120

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


def render(answer: str) -> str:
    """Return a reply that states ``answer`` in the asked format."""
    return f"\\boxed{{{answer}}}"


def parse(config: str, reply: str) -> Parsed[str]:
    r"""Return what stands in the last ``\boxed{}`` of ``reply``, outside of reasoning blocks, tidied for comparison.

    Raises:
        ValueError: if ``config`` is none of ``CONFIGS``.
    """
    _check(config)
    found = boxed(visible(reply))
    if found is None:
        return Parsed(value=None, reason="no boxed answer")
    tidy = _tidy(found)
    if not tidy:
        return Parsed(value=None, reason="an empty box")
    if len(tidy) > LONGEST_ANSWER:
        return Parsed(value=None, reason="too long for an answer")
    if _ENDLESS.search(tidy) or _LARGE.search(tidy):
        return Parsed(value=None, reason="no closed number")
    if _NO_NUMBER.search(tidy):
        return Parsed(value=None, reason="no plain number")
    return Parsed(value=tidy)


def read(config: str, row: Row, reply: str, *, strict: bool) -> Parsed[str]:  # noqa: ARG001 - the reply says it all
    r"""Read ``reply``; strictly, it closes with its only ``\boxed{}``, which holds no unit and no name."""
    parsed = parse(config, reply)
    if strict and parsed.value is not None:
        text = visible(reply)
        found = boxed(text) or ""
        if len(_BOX.findall(text)) != 1 or found != parsed.value or not text.rstrip(" \n.$").endswith(f"{{{found}}}"):
            return Parsed(value=None, reason="not the asked format")
    return parsed


def written(value: str) -> str:
    """Return a number in LaTeX as it was read."""
    return value


def strata(config: str, row: Row) -> dict[str, str]:
    """Return the level of a problem, its language, its template, and the form of its answer."""
    _check(config)
    return {
        **({"difficulty": str(row["difficulty"])} if "difficulty" in row else {}),
        "level": str(row["level"]),
        "language": str(row["language"]),
        "template": str(row.get("template", "")),
        "answer_form": answer_form(str(row["answer"])),
        "code_lines": size_bin(str(row["code"]).count("\n") + 1, CODE_BINS),
    }


def question(config: str, row: Row) -> str:  # noqa: ARG001 - all alike
    """Return the row's id: no two rows ask the same, but for those of one problem in several forms."""
    return str(row.get("pair_id") or row["id"])


def answer_form(answer: str) -> str:
    """Return what kind of number ``answer`` is: whole number, fraction, with a root, with pi."""
    for sign, form in (("\\pi", "with pi"), ("\\sqrt", "with a root"), ("\\frac", "fraction")):
        if sign in answer:
            return form
    return "whole number" if answer.lstrip("-").isdecimal() else "other"


def _tidy(text: str) -> str:
    text = _UNIT.sub("", text.replace("$", "").replace("\\!", "").replace("\\,", " ").replace("{,}", ","))
    text = _SIGN_ROOT.sub(lambda m: f"\\sqrt{{{m[1] or m[2]}}}", text).replace("π", "\\pi ")
    text = _BARE_POWER.sub(r"^{\1}", _BARE_ROOT.sub(r"\\sqrt{\1}", text))
    return _NAMED.sub("", text).strip().rstrip(".").strip()


def score(config: str, row: Row, parsed: Parsed[str]) -> dict[str, float]:
    """Return the metrics of one row: see ``METRICS``.

    Raises:
        ValueError: if ``config`` is none of ``CONFIGS``, or the row's own answer is unreadable.
    """
    _check(config)
    if parsed.value is None:
        return {"accuracy": 0.0}
    return {"accuracy": float(same(str(row["answer"]), parsed.value))}


def same(gold: str, answer: str) -> bool:
    """Whether two answers in LaTeX are the same number.

    Raises:
        ValueError: if math-verify reads nothing in ``gold``.
    """
    read, verify = _math_verify()
    expected = read(render(gold), parsing_timeout=None)
    if not expected:
        raise ValueError(f"math-verify reads no answer in \\boxed{{{gold}}}")
    return bool(verify(expected, read(render(answer), parsing_timeout=None), timeout_seconds=None))


def value(answer: str) -> float | None:
    r"""Return the number that math-verify reads in ``answer``, as it is in ``\boxed{}``, or None where it is none."""
    read, _ = _math_verify()
    found = read(render(answer), parsing_timeout=None)
    if not found or not getattr(found[0], "is_number", False) or not found[0].is_real:
        return None
    return float(found[0])


def _math_verify() -> tuple[Any, Any]:
    import math_verify

    # Each call warns that its time limit is off; what could run for ever was refused in parse().
    logging.getLogger("math_verify").setLevel(logging.ERROR)
    return math_verify.parse, math_verify.verify


def _check(config: str) -> None:
    if config not in CONFIGS:
        raise ValueError(f"the suite geogram has the configs {', '.join(CONFIGS)}, got {config!r}")
