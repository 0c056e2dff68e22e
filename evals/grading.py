"""Grades replies to the rows of every suite with ``grade(row, reply)``.

``strata(row)`` returns the row's strata, such as its level, and ``question(row)`` the id of its question.

A row is a mapping of the columns of the published data to their values; pictures are not needed. The columns determine
suite and config; if a row lacks some, pass both names. Each suite declares a module as its ``grader``, which has:

* ``CONFIGS``, ``HEADLINE`` (the metric that ranks models) and ``METRICS`` (the meaning of each metric),
* ``read(config, row, reply, strict=...)``: the answer of a reply, or the reason why it has none,
* ``score(config, row, parsed)``: the metrics of a parsed answer,
* ``written(value)``: a parsed answer formatted like the column ``answer``; ``render(answer)``: a perfect reply,
* ``strata(config, row)``, by default the values of the columns that declare an axis of difficulty or design,
* ``question(config, row)``, by default the row's id.

Three further constants are optional. ``PAPER`` and ``DENSE`` name the metric, or the entry in the suite's ``rewards``,
that is the reward ``paper`` or ``dense``; by default it is the headline metric. ``NEEDED`` maps a config to the columns
that the grader needs besides the answer.

Scores, rewards, exports and `planimeter check` pass a grader the same columns, those of ``places.plain``: numbers,
texts, and lists of these. A grader that needs coordinates or records names them in ``NEEDED``.

Nothing here changes a byte of a dataset. There is no state: any number of threads may grade at once.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from planimeter.evals.places import Row, place_of, plain, protocol, resolve_place
from planimeter.evals.variants import DEFAULT, prompt_of, variant_module
from planimeter.items.suites import declared

if TYPE_CHECKING:
    from planimeter.evals.answers import Parsed

__all__ = ["Scores", "gold_score", "grade", "place_of", "protocol", "question", "readings", "strata"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scores:
    """The scores of one reply to one row.

    ``metrics``: the value of each metric by name (the grader's ``METRICS``); ``headline``: the name of the metric that
    ranks models. ``read``: the parsed answer, formatted like the column ``answer``; empty if the reply has none, and
    then ``reason`` says why, as one of a fixed set of short texts. ``correct``: for a list of markers, True at each
    right position; empty for other answers.
    """

    headline: str
    metrics: Mapping[str, float]
    read: str
    reason: str
    correct: tuple[bool, ...] = ()

    @property
    def answered(self) -> bool:
        """True if an answer could be read, right or wrong."""
        return not self.reason

    @property
    def value(self) -> float:
        """The headline metric, from 0 to 1."""
        return self.metrics[self.headline]


def grade(
    row: Row,
    reply: str,
    *,
    suite: str = "",
    config: str = "",
    strict: bool = False,
    variant: str = "",
    cut_off: bool = False,
) -> Scores:
    r"""Return the scores of ``reply`` to ``row``, whose suite and config are found by its columns unless given.

    By default the answer is read leniently: it is the text of a mark, such as ``<answer>...</answer>``, as
    ``evals.answers`` describes. A reply without such a mark must be exactly in the requested form; otherwise it scores
    0, for the reason ``unmarked``. If the reply is ``cut_off`` by a limit of tokens, only a marked answer counts.

    If ``strict``, the whole reply, without reasoning (``<think>`` and similar) and blanks at its ends, must be exactly
    in the form that the prompt ``variant`` requests. If that prompt requests visible reasoning (geogram), the reply
    must close with its only ``\boxed{}``, which contains only a number in closed form. An answer that is read strictly
    is also read leniently, with the same value.

    If the row has its prompts, copies of them in the reply are removed first, even if they are quoted or rewrapped.

    Raises:
        LookupError: if ``suite``, ``config`` or ``variant`` does not exist, or the first two are not given and the
            columns do not determine them.
        ValueError: if the row's own answer cannot be read.
    """
    suite, config = resolve_place(row, suite, config)
    rest = _without_prompts(row, reply, suite=suite, config=config, variant=variant)
    parsed = _read(suite, config, row, rest, strict=strict, variant=variant, whole=rest == reply, cut_off=cut_off)
    return _scores(suite, config, row, parsed)


def readings(
    row: Row, reply: str, *, suite: str = "", config: str = "", variant: str = "", cut_off: bool = False
) -> tuple[Scores, Scores]:
    """Return the lenient and the strict scores of ``reply``, as ``grade`` does; equal answers are scored only once."""
    suite, config = resolve_place(row, suite, config)
    rest = _without_prompts(row, reply, suite=suite, config=config, variant=variant)
    lenient, strict = (
        _read(suite, config, row, rest, strict=is_strict, variant=variant, whole=rest == reply, cut_off=cut_off)
        for is_strict in (False, True)
    )
    scores = _scores(suite, config, row, lenient)
    return scores, scores if strict == lenient else _scores(suite, config, row, strict)


def _scores(suite: str, config: str, row: Row, parsed: "Parsed[object]") -> Scores:
    grader = protocol(suite)
    with declared(suite).blamed(f"scoring row {row.get('id', '')} failed"):
        return Scores(
            headline=grader.HEADLINE,
            metrics=grader.score(config, row, parsed),
            read="" if parsed.value is None else grader.written(parsed.value),
            reason=parsed.reason,
            correct=grader.correct(row, parsed) if hasattr(grader, "correct") else (),
        )


def _read(
    suite: str, config: str, row: Row, reply: str, *, strict: bool, variant: str, whole: bool, cut_off: bool
) -> "Parsed[object]":
    """Return the answer that the suite's grader parses in ``reply``, or the reason why it has none.

    ``whole`` is False if a copy of the prompt was removed from the reply, which then has no strict answer.
    """
    parsed: Parsed[object]
    with declared(suite).blamed("reading a reply failed"):
        if not strict or variant in ("", DEFAULT):
            parsed = protocol(suite).read(config, row, reply, strict=strict)
        else:
            parsed = variant_module(suite, config, variant).read_strictly(config, row, reply, variant)
    if parsed.bare and cut_off:
        return replace(parsed, value=None, reason="unmarked")
    return parsed if whole or not strict else replace(parsed, value=None, reason="the prompt is repeated")


def _without_prompts(row: Row, reply: str, *, suite: str, config: str, variant: str) -> str:
    """Return ``reply`` without copies of its row's prompts: an example in a prompt would be read as the answer."""
    if "system_prompt" not in row or "prompt" not in row:
        return reply
    try:
        prompts = prompt_of(row, variant, suite=suite, config=config)
    except ValueError:  # worded by another edition, which had no such variant
        prompts = prompt_of(row, suite=suite, config=config)
    # A quoted or rewrapped prompt is the same prompt; a pattern is built only if the prompt occurs.
    flat = " ".join(reply.replace("\n>", "\n ").split())
    for words in prompts:
        parts = _words(words)
        if parts and " ".join(parts) in flat:
            reply = re.sub(r"[\s>]+".join(map(re.escape, parts)), "\n", reply)
    return reply


@lru_cache(maxsize=64)
def _words(text: str) -> tuple[str, ...]:
    """Return the words of ``text``; cached, since most rows have the prompt of the previous row."""
    return tuple(text.split())


def strata(row: Row, *, suite: str = "", config: str = "") -> dict[str, str]:
    """Return {axis: stratum} of ``row``: its value on each axis of difficulty or design, such as the level, as text.

    Raises:
        LookupError: as in ``grade``.
    """
    suite, config = resolve_place(row, suite, config)
    grader = protocol(suite)
    if hasattr(grader, "strata"):
        return dict(grader.strata(config, row))
    columns = declared(suite).load("export").COLUMNS[config]
    return {
        column.axis.lower(): column.group(row[column.name]) for column in columns if column.axis and column.name in row
    }


def question(row: Row, *, suite: str = "", config: str = "") -> str:
    """Return the identifier of the question of ``row``; intervals treat the rows of one question as one cluster.

    A question is by default one row; for MaRVL-QA it is a function with its feature or transformation in all plot
    styles, for TraversalBench a path in all its drawings, for GeoGramBench a problem in all its forms.

    Raises:
        LookupError: as in ``grade``, or if ``row`` lacks a column that identifies its question.
    """
    suite, config = resolve_place(row, suite, config)
    grader = protocol(suite)
    return str(grader.question(config, row) if hasattr(grader, "question") else row["id"])


def gold_score(suite: str, config: str, row: Row) -> float:
    """Return the headline score (0 to 1) of a reply that is the row's own answer in the requested form.

    It is the lower one of the lenient and the strict score: 1 unless the row or the grader has a fault. The grader
    receives the same columns as from `planimeter score`.

    Raises:
        LookupError, ValueError: as in ``grade``.
    """
    row, reply = plain(row, suite, config), protocol(suite).render(str(row["answer"]))
    return min(scores.value for scores in readings(row, reply, suite=suite, config=config))
