"""The protocol of MaRVL-QA: prompts, readers of replies, and scores (paper: sections 4, A.6.1 and A.7).

The rules are the paper's (a feature is a distinct peak or valley, none on the border, a plateau counts once, saddles
do not count; one option is right, a shift is at most a quarter of the axis), in our words. One thing is added, since
our pictures show it: how height is drawn.

The paper reads free replies with GPT-4.1. ``parse`` does it by rules instead, so that a score never depends on another
model, and refuses what it cannot read without guessing; ``parse_strict`` takes the asked format only, as in A.6.1.
"""

import re
from collections.abc import Sequence
from typing import Literal, cast, get_args

from planimeter.evals.answers import Parsed, boxed, last_line, stated, tagged, undecorated, visible
from planimeter.evals.counts import count_in_prose, is_bare_count
from planimeter.evals.numbers import NO_NUMBER, the_number
from planimeter.evals.options import LABELS, NO_OPTION, is_bare_option, option_in_prose, the_option
from planimeter.evals.scoring import Line, Row, count_bin, tabulate, within
from planimeter.generators.items import OPTIONS, Feature, Option

Config = Literal["counting", "transformation"]
CONFIGS: tuple[Config, ...] = get_args(Config)

#: Tolerances of the relaxed accuracies in percent of the true count (section 4.1).
TOLERANCES: tuple[int, ...] = (10, 20)

_TAG = "final_answer"
_STRICT = re.compile(rf"\s*<{_TAG}>(0|[1-9][0-9]{{0,8}})</{_TAG}>\s*")

_HEIGHT = """\
How height is drawn: in a heatmap a brighter colour means a higher value and a darker colour a lower one. In a contour \
plot without colour fill, a darker line runs at a greater height and a paler line at a smaller one. The key beside the \
plot, marked from "low" to "high", shows the same scale."""

_FORMAT = """\
Reply with one line and nothing else, no working and no comment. On that line write {what} in digits between the two \
tags, like this:
<final_answer>{example}</final_answer>
where {example} stands for {what}."""

_COUNTING_SYSTEM = f"""\
You read plots of surfaces z = f(x, y) and count their local maxima or their local minima. Each plot is a heatmap, a \
contour plot, or a heatmap with contour lines on top.

{_HEIGHT}

Count by these rules:
1. What counts: a maximum is a separate summit that is higher than everything close around it, and a minimum is a \
separate hollow that is lower than everything close around it.
2. At the border: leave out any summit whose top, or hollow whose bottom, sits on the edge of the plotted region itself.
3. Flat areas: a connected level area at the top of a summit or at the bottom of a hollow is one feature, however \
large it is.
4. Saddles: a pass, which rises along some directions and falls along others, is neither a maximum nor a minimum. \
Leave it out.

{_FORMAT.format(what="your count", example="N")}"""

_TRANSFORMATION_SYSTEM = f"""\
You compare two plots of surfaces z = f(x, y) that stand side by side in one picture: Plot A on the left, Plot B on \
the right. Each is a heatmap, a contour plot, or a heatmap with contour lines on top, and the two may be drawn in \
different styles; style is not part of the question.

{_HEIGHT}

Plot B shows the surface of Plot A after a transformation. Find out which one from the shapes; the axes of both plots \
read the same.
1. You are given a numbered list of options, of which exactly one is right.
2. A translation moves the surface along one axis by no more than a quarter of the length of that axis.
3. If you are in doubt, choose the option that fits best.

{_FORMAT.format(what="the number of your option", example="K")}"""

#: Words may repeat a few times only: of a reply that loops on "final" every beginning would be followed to the end.
_ANSWER = re.compile(
    r"\b(?:(?:final|correct|right|best|my|the)\s+){0,6}(?:final[\s_-]?)?(?:answer|choice)\b"
    r"(?:\s+(?:here|to\s+(?:this|the)\s+question))?\s*[\"']?\s*"
    r"(?:(?:is|would\s+be|should\s+be|must\s+be)\b\s*:?|[:=]|->|\u2192)"
    r"|\b(?:correct|right|best)\s+(?:option|transformation)\s*(?:(?:is|would\s+be)\b\s*:?|:)|\bi\s+(?:choose|pick|select)\b",
    re.IGNORECASE,
)


def counting_system_prompt() -> str:
    """Return the system prompt of every counting row."""
    return _COUNTING_SYSTEM


def transformation_system_prompt() -> str:
    """Return the system prompt of every transformation row."""
    return _TRANSFORMATION_SYSTEM


def counting_prompt(feature: Feature) -> str:
    """Return the question that asks for the number of ``feature``."""
    return f"How many local {feature} does the surface in this plot have?"


def transformation_prompt(options: Sequence[Option]) -> str:
    """Return the question with ``options`` as a list numbered from 1, in the order given.

    Raises:
        ValueError: unless ``options`` are the five, each once.
    """
    lines = [f"{i}. {LABELS[option]}" for i, option in enumerate(_checked_options(options), 1)]
    return "\n".join(("Which one of these transformations turns Plot A into Plot B?", "", *lines))


def render(answer: str) -> str:
    """Return ``answer`` (a row's column) as a perfect model replies it, inside the markers."""
    return f"<{_TAG}>{answer}</{_TAG}>"


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
    known = _checked_options(options) if options else ()
    text = visible(reply)
    if not text.strip():
        return Parsed(value=None, reason="empty reply")
    marked = tagged(text, _TAG)
    if marked is None:
        marked = tagged(text, "answer")
    if marked is None:
        marked = boxed(text)
    if marked is not None:
        inner = boxed(marked)
        return _in_range(config, _phrase(config, undecorated(marked if inner is None else inner), known))
    return _in_range(config, _unmarked(config, undecorated(text), known))


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
        return bare
    return count_in_prose(text) if config == "counting" else option_in_prose(text, options)


def _in_range(config: str, parsed: Parsed[int]) -> Parsed[int]:
    if config == "transformation" and parsed.value is not None and not 1 <= parsed.value <= len(OPTIONS):
        return Parsed(value=None, reason="no such option")
    return parsed


def score(config: str, row: Row, parsed: Parsed[int]) -> dict[str, float]:
    """Return the metrics of one row, each 0.0 or 1.0.

    ``accuracy`` and ``parse_failure`` always; for counts also ``relaxed_10`` and ``relaxed_20``: 1.0 where the
    prediction differs from the count by at most that percentage of it (section 4.1). What could not be read is wrong.

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
    return {**metrics, "parse_failure": float(value is None)}


def score_gold(config: str, row: Row) -> float:
    """Return the score of the row's own answer inside the markers, the lower of both parsers; 1.0 if all is sound."""
    reply = render(str(row["answer"]))
    readings = (parse_strict(config, reply), parse(config, reply, _options(row)))
    return min(score(config, row, parsed)["accuracy"] for parsed in readings)


def evaluate(
    config: str, rows: Sequence[Row], replies: Sequence[str], *, by: Sequence[str] = (), strict: bool = False
) -> tuple[Line, ...]:
    """Score ``replies`` to ``rows``, one each and in the same order, and tabulate them by the columns ``by``.

    Besides the columns of the rows, counting rows may be told apart by ``count_bin`` (Table 10).

    Raises:
        LookupError: if ``config`` is not one of ``CONFIGS``.
        ValueError: if the lengths differ or a column is missing.
    """
    _checked_config(config)
    if len(rows) != len(replies):
        raise ValueError(f"need one reply for each row, got {len(rows)} rows and {len(replies)} replies")
    scores = []
    for row, reply in zip(rows, replies, strict=True):
        parsed = parse_strict(config, reply) if strict else parse(config, reply, _options(row))
        scores.append(score(config, row, parsed))
    return tabulate([_with_bin(config, row) for row in rows] if "count_bin" in by else rows, scores, by)


def _with_bin(config: str, row: Row) -> Row:
    return {**row, "count_bin": count_bin(_gold(row))} if config == "counting" else row


def _gold(row: Row) -> int:
    answer = row["answer"]
    if not isinstance(answer, str) or not re.fullmatch(r"0|[1-9][0-9]*", answer):
        raise ValueError(f"an answer is a whole number in plain digits, got {answer!r}")
    return int(answer)


def _options(row: Row) -> Sequence[Option]:
    return cast(Sequence[Option], row.get("options") or ())


def _checked_options(options: Sequence[Option]) -> tuple[Option, ...]:
    if sorted(options) != sorted(OPTIONS):
        raise ValueError(f"the options must be each of {OPTIONS} once, got {tuple(options)}")
    return tuple(options)


def _checked_config(config: str) -> None:
    if config not in CONFIGS:
        raise LookupError(f"marvl_qa has no config {config!r}; it has: {', '.join(CONFIGS)}")
