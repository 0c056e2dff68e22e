r"""The protocol of GeoGramBench: reader of replies, scores (paper: section 5 and table 1).

A model sees the problem and its code, reasons step by step and ends with ``\boxed{}``. The answer is compared by
``math-verify``, whose traps are handled here: answers reach it inside ``\boxed{}`` (bare, it reads ``2\sqrt{3}`` as 2);
its time limits need the main thread and are off, so what could run for ever is refused before (large exponents, towers
of powers, factorials, sums, long replies); it reads ``\sqrt29`` as nine roots of 2, ``KG = 25`` as an equation in k g.

``math-verify`` is imported when something is scored: reading a reply does not need it.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from planimeter.evals.answers import Parsed, boxed, visible
from planimeter.evals.geogram.prompt import prompt as prompt
from planimeter.evals.scoring import Row, wilson
from planimeter.generators.items import LEVELS

#: Longer statements are no answers, and comparing them could take for ever.
LONGEST_ANSWER: Final = 120

_BARE_POWER: Final = re.compile(r"\^\s*([-+]?\d{1,2})(?!\d)")
_SMALL: Final = r"(?:\d|\{\s*\d{1,2}\s*\})"
_SIGN_OR_FRACTION: Final = rf"[A-Za-z]|\\pi|\\[dt]?frac\s*{_SMALL}\s*{_SMALL}"
_EXPONENT: Final = rf"\s*[-+]?\s*(?:\d{{1,2}}(?:\.\d{{1,2}})?(?:\s*/\s*\d{{1,2}})?|{_SIGN_OR_FRACTION})\s*"
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
        ValueError: if ``config`` is not "geogram".
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
    if _ENDLESS.search(tidy):
        return Parsed(value=None, reason="no closed number")
    return Parsed(value=tidy)


def _tidy(text: str) -> str:
    text = _UNIT.sub("", text.replace("$", "").replace("\\!", "").replace("\\,", " ").replace("{,}", ","))
    text = _SIGN_ROOT.sub(lambda m: f"\\sqrt{{{m[1] or m[2]}}}", text).replace("π", "\\pi ")
    text = _BARE_POWER.sub(r"^{\1}", _BARE_ROOT.sub(r"\\sqrt{\1}", text))
    return _NAMED.sub("", text).strip().rstrip(".").strip()


def score(config: str, row: Row, parsed: Parsed[str]) -> dict[str, float]:
    """Return ``{"accuracy": 1.0}`` if the parsed answer equals the row's, and 0.0 if not or if nothing was read.

    Raises:
        ValueError: if ``config`` is not "geogram" or the row's own answer is unreadable.
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


def score_gold(config: str, row: Row) -> float:
    """Return the score of the row's own answer, sent through the whole protocol: 1.0, or the row is faulty."""
    return score(config, row, parse(config, render(str(row["answer"]))))["accuracy"]


def _math_verify() -> tuple[Any, Any]:
    import math_verify

    # Each call warns that its time limit is off; what could run for ever was refused in parse().
    logging.getLogger("math_verify").setLevel(logging.ERROR)
    return math_verify.parse, math_verify.verify


@dataclass(frozen=True, kw_only=True, slots=True)
class Accuracy:
    """The mean over ``samples`` replies a problem and then over ``problems``, with a 95% interval over problems."""

    level: str
    problems: int
    samples: int
    mean: float
    low: float
    high: float


def evaluate(rows: Sequence[Row], replies: Sequence[Sequence[str]]) -> tuple[Accuracy, ...]:
    """Return the accuracy for each level that occurs, then for all; ``replies`` holds k replies for each row.

    The replies to one problem are not independent, so the interval treats a problem's mean as one observation
    (normal, or Wilson's where all problems score alike).

    Raises:
        ValueError: if the rows do not all have the same positive number of replies.
    """
    samples = len(replies[0]) if replies else 0
    if len(rows) != len(replies) or not samples or any(len(r) != samples for r in replies):
        raise ValueError(f"need k replies for each of {len(rows)} rows, got {sorted({len(r) for r in replies})}")
    means = [
        sum(score("geogram", row, parse("geogram", reply))["accuracy"] for reply in given) / samples
        for row, given in zip(rows, replies, strict=True)
    ]
    groups: dict[str, list[float]] = {level: [] for level in LEVELS}
    for row, mean in zip(rows, means, strict=True):
        groups[str(row["level"])].append(mean)
    lines = [_accuracy(level, values, samples) for level, values in groups.items() if values]
    return (*lines, _accuracy("all", means, samples))


def _accuracy(level: str, means: Sequence[float], samples: int) -> Accuracy:
    n = len(means)
    mean = sum(means) / n
    variance = sum((m - mean) ** 2 for m in means) / (n - 1) if n > 1 else 0.0
    if samples == 1 or variance == 0.0:
        share = wilson(round(mean * n), n)
        low, high = share.low, share.high
    else:
        half = 1.959963984540054 * (variance / n) ** 0.5
        low, high = max(0.0, mean - half), min(1.0, mean + half)
    return Accuracy(level=level, problems=n, samples=samples, mean=mean, low=low, high=high)


def _check(config: str) -> None:
    if config != "geogram":
        raise ValueError(f"the suite geogram has one config, 'geogram', got {config!r}")
