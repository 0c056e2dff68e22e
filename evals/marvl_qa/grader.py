"""The grader of MaRVL-QA: parses and scores replies (paper: sections 4 and A.6.1).

``parse`` accepts a marked answer anywhere in a reply, ``parse_strict`` only the requested format, as in A.6.1. In the
paper GPT-4.1 reads replies in any wording; `planimeter score --reader-model` does the same with any model.
"""

import math
import re
from collections.abc import Sequence
from typing import Literal, cast, get_args

from planimeter.evals.answers import NOT_ASKED, UNMARKED, UNREADABLE, Parsed, answer_of
from planimeter.evals.marvl_qa.prompt import LABELS, TAG, checked_options
from planimeter.evals.marvl_qa.prompt import counting_prompt as counting_prompt
from planimeter.evals.marvl_qa.prompt import counting_system_prompt as counting_system_prompt
from planimeter.evals.marvl_qa.prompt import transformation_prompt as transformation_prompt
from planimeter.evals.marvl_qa.prompt import transformation_system_prompt as transformation_system_prompt
from planimeter.evals.places import Row
from planimeter.evals.wrapping import outside_reasoning
from planimeter.items import FEATURES, OPTIONS, Feature
from planimeter.items.motions import MOTIONS

Config = Literal[
    "counting", "transformation", "counting_hard", "transformation_hard", "surface", "surface_transformation"
]
CONFIGS: tuple[Config, ...] = get_args(Config)

#: The columns that a reward requires in addition to the answer: without options a reply that names one would be wrong.
NEEDED = dict.fromkeys(("transformation", "transformation_hard", "surface_transformation"), ("options",))

#: Tolerances of the relaxed accuracies in percent of the true count (section 4.1).
TOLERANCES: tuple[int, ...] = (10, 20)

#: The metric that ranks models, and the meaning of each metric; rates are from 0 to 1.
HEADLINE = "accuracy"
METRICS = {
    "accuracy": "right answers",
    "relaxed_10": "counts within 10% of the truth",
    "relaxed_20": "counts within 20% of the truth",
    "signed_error": "count in the reply less the true count, where one could be read",
}

_STRICT = re.compile(rf"<{TAG}>(0|[1-9][0-9]{{0,8}})</{TAG}>")
_WHOLE = re.compile(r"\d{1,9}")
#: A number, and the feature that it counts.
_COUNT = re.compile(r"(\d{1,9})(?: (?:distinct |local )*(max|min|peak|summit|valley|hollow)[a-z]*)?", re.IGNORECASE)
_WORDS = {"maxima": ("max", "peak", "summit"), "minima": ("min", "valley", "hollow")}
#: An option's number, its name, or both.
_OPTION = re.compile(
    r"(?:(?:option\s{0,3})?[(\[]?(?P<number>\d{1,2})[)\].:]{0,2}(?![\w.]))?"
    r"[\s:(-]{0,4}(?P<name>[A-Za-z][A-Za-z0-9 ]*)?\)?",
    re.IGNORECASE,
)
NO_OPTION = "no such option"
#: The number of options of each config that has some.
_CHOICES = {
    "transformation": len(OPTIONS),
    **dict.fromkeys(("transformation_hard", "surface_transformation"), len(MOTIONS)),
}


def render(answer: str) -> str:
    """Return the perfect reply for ``answer`` (a row's column): the answer inside the tags."""
    return f"<{TAG}>{answer}</{TAG}>"


def parse_strict(config: str, reply: str) -> Parsed[int]:
    """Return the number if ``reply``, without its reasoning blocks, is only digits inside the tags, else a reason."""
    digits = _STRICT.fullmatch(outside_reasoning(reply))
    if digits is None:
        return Parsed(value=None, reason=NOT_ASKED)
    if config in _CHOICES and int(digits[1]) not in range(1, _CHOICES[config] + 1):
        return Parsed(value=None, reason=NO_OPTION)
    return Parsed(value=int(digits[1]))


def parse(config: str, reply: str, options: Sequence[str] = (), feature: Feature | None = None) -> Parsed[int]:
    """Return the count, or the option's number (from 1), that ``reply`` marks as its answer, or why there is none.

    A reply that ``parse_strict`` accepts has the same value here. If ``options`` (a row's column) are given, a reply
    may name its option by the text; ``feature`` is the feature to count.

    Raises:
        ValueError: unless ``options`` is empty or contains each of the config's options exactly once.
    """
    names = [LABELS[option].lower() for option in checked_options(options)] if options else []

    def meaning(text: str) -> Parsed[int]:
        return _option_in(text, names, _CHOICES[config]) if config in _CHOICES else _count_in(text, feature)

    def bare(text: str) -> Parsed[int]:
        is_asked = _WHOLE.fullmatch(text) or text.lower().removesuffix(".") in names
        return meaning(text.removesuffix(".")) if is_asked else Parsed(value=None, reason=UNMARKED)

    return answer_of(reply, meaning, bare=bare)


def _count_in(text: str, feature: Feature | None) -> Parsed[int]:
    count = _COUNT.fullmatch(text)
    if count is None or (count[2] and feature and count[2].lower() not in _WORDS[feature]):
        return Parsed(value=None, reason=UNREADABLE)
    return Parsed(value=int(count[1]))


def _option_in(text: str, names: Sequence[str], choices: int) -> Parsed[int]:
    option = _OPTION.fullmatch(text.strip())
    number, name = (option["number"], " ".join((option["name"] or "").lower().split())) if option else (None, "")
    if not (number or name):
        return Parsed(value=None, reason=UNREADABLE)
    if name and name not in names:
        return Parsed(value=None, reason=UNREADABLE if number is None else NO_OPTION)
    value = int(number) if number else names.index(name) + 1
    if value not in range(1, choices + 1):
        return Parsed(value=None, reason=NO_OPTION)
    if name and names[value - 1] != name:
        return Parsed(value=None, reason="number and name of different options")
    return Parsed(value=value)


def read(config: str, row: Row, reply: str, *, strict: bool) -> Parsed[int]:
    """Return the number in ``reply`` to ``row``, by ``parse_strict`` if ``strict``, else by ``parse``."""
    return parse_strict(config, reply) if strict else parse(config, reply, _options(row), _feature(row))


def written(value: int) -> str:
    """Return a count or the number of an option, formatted like the column ``answer``."""
    return str(value)


def score(config: str, row: Row, parsed: Parsed[int]) -> dict[str, float]:
    """Return the ``METRICS`` by name of a reply's number, ``parsed``, compared with the answer of ``row``.

    If ``parsed`` has no number, ``signed_error`` is NaN and every other metric 0.

    Raises:
        ValueError: if the row's ``answer`` is not a whole number.
    """
    gold, value = _gold(row), parsed.value
    metrics = {"accuracy": float(value == gold)}
    if config not in _CHOICES:
        for percent in TOLERANCES:
            metrics[f"relaxed_{percent}"] = float(value is not None and _within(value, gold, percent))
        metrics["signed_error"] = math.nan if value is None else float(value - gold)
    return metrics


def strata(config: str, row: Row) -> dict[str, str]:
    """Return {axis: stratum} of a row, for axes of its drawing, such as the plot type, and of its question.

    Counts are binned as in Table 10 of the MaRVL-QA paper.
    """
    shared = {"family": str(row["family"]), "tier": str(row["tier"])}
    if "level" in row:
        shared["level"] = str(row["level"])
    if config == "surface":
        names = ("feature", "elevation", "mesh", "colormap")
        return {"count": _count_bin(_gold(row)), **{name: str(row[name]) for name in names}, **shared}
    if config not in _CHOICES:
        return {
            "count": _count_bin(_gold(row)),
            "feature": str(row["feature"]),
            "plot_type": str(row["plot_type"]),
            "colormap": str(row["colormap"]) or "none",
            **shared,
        }
    if config == "transformation_hard":
        return {"motion": str(row["motion"]), **shared}
    if config == "surface_transformation":
        lower = min(str(row[f"elevation_{panel}"]) for panel in "ab")
        return {"motion": str(row["motion"]), "lower_elevation": lower, "mesh": str(row["mesh"]), **shared}
    types, colours = (tuple(str(row[f"{name}_{panel}"]) for panel in "ab") for name in ("plot_type", "colormap"))
    return {
        "transformation": str(row["transformation"]),
        "plot_types": "same" if types[0] == types[1] else "different",
        # A contour plot has no colours: such a pair is in neither group (Table 2).
        "colormaps": "none" if not all(colours) else "same" if colours[0] == colours[1] else "different",
        **shared,
    }


def question(config: str, row: Row) -> str:
    """Return an identifier of the plotted function with its feature or transformation, the same for all plot styles."""
    asked = "transformation" if config == "transformation" else "motion"
    columns = (asked, "offset") if config in _CHOICES else ("feature",)
    return " ".join(str(row[name]) for name in ("family", "parameters", *columns))


def _gold(row: Row) -> int:
    answer = row["answer"]
    if not isinstance(answer, str) or not re.fullmatch(r"0|[1-9][0-9]*", answer):
        raise ValueError(f"answer: need a whole number in plain digits, got {answer!r}")
    return int(answer)


def _options(row: Row) -> Sequence[str]:
    # A data frame gives an array, which has no truth value.
    options = row.get("options")
    return () if options is None else tuple(cast(Sequence[str], options))


def _feature(row: Row) -> Feature | None:
    feature = row.get("feature")
    return feature if feature in FEATURES else None


def _within(predicted: int, gold: int, percent: int) -> bool:
    """Return True if ``predicted`` is within ``percent`` % of ``gold``; exact, since it is computed in integers."""
    return 100 * abs(predicted - gold) <= percent * abs(gold)


def _count_bin(count: int) -> str:
    """Return the bin of ``count``, five wide as in Table 10 of the paper: "1-5", "6-10", "11-15", and so on."""
    if count < 1:
        raise ValueError(f"need count >= 1, got {count}")
    first = (count - 1) // 5 * 5 + 1
    return f"{first}-{first + 4}"
