"""The protocol of MaRVL-QA: readers of replies, and scores (paper: sections 4 and A.6.1).

The paper reads free replies with GPT-4.1. ``parse`` does it by rules instead, so that a score never depends on another
model, and refuses what it cannot read without guessing; ``parse_strict`` takes the asked format only, as in A.6.1.
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, cast, get_args

from planimeter.evals.answers import Parsed, boxed, last_line, stated, tagged, undecorated, visible
from planimeter.evals.marvl_qa.counts import count_in_prose, is_bare_count
from planimeter.evals.marvl_qa.numbers import NO_NUMBER, the_number
from planimeter.evals.marvl_qa.options import NO_OPTION, is_bare_option, option_in_prose, the_option
from planimeter.evals.marvl_qa.prompt import TAG, checked_options
from planimeter.evals.marvl_qa.prompt import counting_prompt as counting_prompt
from planimeter.evals.marvl_qa.prompt import counting_system_prompt as counting_system_prompt
from planimeter.evals.marvl_qa.prompt import transformation_prompt as transformation_prompt
from planimeter.evals.marvl_qa.prompt import transformation_system_prompt as transformation_system_prompt
from planimeter.evals.scoring import Row, count_bin, within
from planimeter.items import OPTIONS, Option

Config = Literal["counting", "transformation"]
CONFIGS: tuple[Config, ...] = get_args(Config)

#: Tolerances of the relaxed accuracies in percent of the true count (section 4.1).
TOLERANCES: tuple[int, ...] = (10, 20)

#: The metric by which models are ranked, and what each metric means; rates lie from 0 to 1.
HEADLINE = "accuracy"
METRICS = {
    "accuracy": "right answers",
    "relaxed_10": "counts within 10% of the truth",
    "relaxed_20": "counts within 20% of the truth",
    "signed_error": "count in the reply less the true count, where one could be read",
}

_STRICT = re.compile(rf"\s*<{TAG}>(0|[1-9][0-9]{{0,8}})</{TAG}>\s*")

#: Words may repeat a few times only: of a reply that loops on "final" every beginning would be followed to the end.
_ANSWER = re.compile(
    r"\b(?:(?:final|correct|right|best|my|the)\s+){0,6}(?:final[\s_-]?)?(?:answer|choice)\b"
    r"(?:\s+(?:here|to\s+(?:this|the)\s+question))?\s*[\"']?\s*"
    r"(?:(?:is|would\s+be|should\s+be|must\s+be)\b\s*:?|[:=]|->|\u2192)"
    r"|\b(?:correct|right|best)\s+(?:option|transformation)\s*(?:(?:is|would\s+be)\b\s*:?|:)|\bi\s+(?:choose|pick|select)\b",
    re.IGNORECASE,
)


def render(answer: str) -> str:
    """Return ``answer`` (a row's column) as a perfect model replies it, inside the markers."""
    return f"<{TAG}>{answer}</{TAG}>"


def parse_strict(config: str, reply: str) -> Parsed[int]:
    """Take the asked format only: the one line with the tag, plain digits inside, and nothing else (A.6.1).

    Raises:
        LookupError: if ``config`` is not one of ``CONFIGS``.
    """
    _checked_config(config)
    found = _STRICT.fullmatch(reply)
    if not found:
        return Parsed(value=None, reason="not the asked format")
    return _in_range(config, Parsed(value=int(found[1])))


def parse(config: str, reply: str, options: Sequence[Option] = ()) -> Parsed[int]:
    """Take what models write: a count, or the 1-based number of an option, or None and the reason.

    What ``parse_strict`` accepts is read alike. ``options`` (a row's column) let an option be named by its text.

    Raises:
        LookupError: if ``config`` is not one of ``CONFIGS``.
        ValueError: unless ``options`` are empty or the five, each once.
    """
    _checked_config(config)
    known = checked_options(options) if options else ()
    text = visible(reply)
    if not text.strip():
        return Parsed(value=None, reason="empty reply")
    marked = tagged(text, TAG)
    if marked is None:
        marked = tagged(text, "answer")
    if marked is None:
        marked = boxed(text)
    if marked is not None:
        inner = boxed(marked)
        return _in_range(config, _phrase(config, undecorated(marked if inner is None else inner), known))
    return _in_range(config, _unmarked(config, undecorated(text), known))


#: Rows that show one question in many styles have the same answer.
_remembered = lru_cache(maxsize=8)(parse)


def _phrase(config: str, phrase: str, options: Sequence[Option]) -> Parsed[int]:
    return the_number(phrase) if config == "counting" else the_option(phrase, options)


def _unmarked(config: str, text: str, options: Sequence[Option]) -> Parsed[int]:
    """Read a reply without tag or box: what it calls the answer, then a last line that is nothing else, then prose."""
    line = last_line(text).rstrip(".!")
    is_bare = is_bare_count(line) if config == "counting" else is_bare_option(line)
    bare = _phrase(config, line, options) if is_bare else None
    readings = [_phrase(config, phrase, options) for phrase in stated(text, _ANSWER)]
    readings = [r for r in readings if r.reason not in (NO_NUMBER, NO_OPTION)]
    if readings:
        clash = bare is not None and bare.value != readings[-1].value
        return Parsed(value=None, reason="several answers") if clash else readings[-1]
    if bare is not None:
        if config == "transformation" and len({*_bare_options(text, options)}) > 1:
            return Parsed(value=None, reason="several options in the answer")
        return bare
    return count_in_prose(text) if config == "counting" else option_in_prose(text, options)


def _bare_options(text: str, options: Sequence[Option]) -> Iterator[int | None]:
    """Yield what each line says that is an option and nothing else: a list of them chooses none."""
    lines = (line.strip().rstrip(".!") for line in text.splitlines())
    return (the_option(line, options).value for line in lines if is_bare_option(line))


def _in_range(config: str, parsed: Parsed[int]) -> Parsed[int]:
    if config == "transformation" and parsed.value is not None and not 1 <= parsed.value <= len(OPTIONS):
        return Parsed(value=None, reason="no such option")
    return parsed


def read(config: str, row: Row, reply: str, *, strict: bool) -> Parsed[int]:
    """Read ``reply`` to ``row``; see ``parse`` and ``parse_strict``."""
    return parse_strict(config, reply) if strict else _remembered(config, reply, tuple(_options(row)))


def written(value: int) -> str:
    """Return a count or the number of an option as ``answer`` has it."""
    return str(value)


def score(config: str, row: Row, parsed: Parsed[int]) -> dict[str, float]:
    """Return the metrics of one row: see ``METRICS``. What could not be read is wrong, and has no signed error.

    Raises:
        LookupError: if ``config`` is not one of ``CONFIGS``.
        ValueError: if the row's ``answer`` is not a whole number.
    """
    _checked_config(config)
    gold, value = _gold(row), parsed.value
    metrics = {"accuracy": float(value == gold)}
    if config == "counting":
        for percent in TOLERANCES:
            metrics[f"relaxed_{percent}"] = float(value is not None and within(value, gold, percent))
        metrics["signed_error"] = math.nan if value is None else float(value - gold)
    return metrics


def strata(config: str, row: Row) -> dict[str, str]:
    """Return how a row is drawn and what it asks; counts by the bins of Table 10."""
    _checked_config(config)
    shared = {"family": str(row["family"]), "tier": str(row["tier"])}
    if "level" in row:
        shared["level"] = str(row["level"])
    if config == "counting":
        return {
            "count": count_bin(_gold(row)),
            "feature": str(row["feature"]),
            "plot_type": str(row["plot_type"]),
            "colormap": str(row["colormap"]) or "none",
            **shared,
        }
    types, colours = (tuple(str(row[f"{what}_{panel}"]) for panel in "ab") for what in ("plot_type", "colormap"))
    return {
        "transformation": str(row["transformation"]),
        "plot_types": "same" if types[0] == types[1] else "different",
        # A contour plot has no colours: such a pair is in neither group (Table 2).
        "colormaps": "none" if not all(colours) else "same" if colours[0] == colours[1] else "different",
        **shared,
    }


def question(config: str, row: Row) -> str:
    """Return what the styles of one question share: a function and a feature, or a function and a transformation."""
    _checked_config(config)
    asked = ("feature",) if config == "counting" else ("transformation", "offset")
    return " ".join(str(row[name]) for name in ("family", "parameters", *asked))


def _gold(row: Row) -> int:
    answer = row["answer"]
    if not isinstance(answer, str) or not re.fullmatch(r"0|[1-9][0-9]*", answer):
        raise ValueError(f"an answer is a whole number in plain digits, got {answer!r}")
    return int(answer)


def _options(row: Row) -> Sequence[Option]:
    # A data frame gives an array, which is neither true nor false.
    options = row.get("options")
    return () if options is None else tuple(cast(Sequence[Option], options))


def _checked_config(config: str) -> None:
    if config not in CONFIGS:
        raise LookupError(f"marvl_qa has no config {config!r}; it has: {', '.join(CONFIGS)}")
