"""One way to grade a reply, whatever the suite: ``grade(row, reply)``; and what a row is like: ``strata(row)``.

A row is a mapping with the columns of the published data; pictures are not needed. Which suite and config a row belongs
to is determined by its columns; where some are missing, name both. Each suite declares a module as its ``grader``:

* ``CONFIGS``, ``HEADLINE`` (the metric by which models are ranked) and ``METRICS`` (what each metric means),
* ``read(config, row, reply, strict=...)``: what a reply states, or why nothing could be read,
* ``score(config, row, parsed)``: the metrics of what was read,
* ``written(value)``: what was read in the words of the answers; ``render(answer)``: a perfect reply,
* ``strata(config, row)`` and ``question(config, row)``; by default the columns that have an axis, and the row's id.

Rewards look at ``PAPER`` and ``DENSE``, the names of the rewards called so (by default the headline), and ``NEEDED``,
what a row of a config must have beside its answer.

Scores, rewards, exports and `planimeter check` hand a grader the same columns, those of ``places.plain``: numbers,
texts, and lists of these, whatever they are called. A grader that wants coordinates or records names them in
``NEEDED``.

Nothing here decides a byte of a dataset. There is no state: any number of threads may grade at once.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from planimeter.evals.places import Row, place_of, plain, protocol, settled
from planimeter.evals.variants import DEFAULT, prompt_of, variant_module
from planimeter.items.suites import declared

if TYPE_CHECKING:
    from planimeter.evals.answers import Parsed

__all__ = ["Scores", "gold_score", "grade", "place_of", "protocol", "question", "readings", "strata"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scores:
    """The scores of one reply to one row.

    ``metrics``: by name, as the protocol's ``METRICS`` says; ``headline`` is the name of the one that ranks models.
    ``read`` is what was read, as the dataset would write it, and empty where nothing was; ``reason`` then says why, in
    words that do not vary, and is empty otherwise. ``correct`` says for a list of markers which positions are right.
    """

    headline: str
    metrics: Mapping[str, float]
    read: str
    reason: str
    correct: tuple[bool, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether an answer could be read; a wrong one is one, too."""
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
    r"""Return the scores of ``reply`` to ``row``, in time that grows with the reply's length.

    The answer is read where the reply marks it, as ``evals.answers`` describes; a reply without a mark that is not
    exactly the asked form scores 0 for the reason ``unmarked``. A reply that is known to be ``cut_off`` counts only if
    its answer is marked. ``strict`` means one thing in all suites: the whole reply, outside of reasoning (``<think>``
    and its like) and of blanks at its ends, is exactly the form that the prompt ``variant`` asks for. Where that prompt
    asks for reasoning in the open (geogram), the reply closes with its only ``\boxed{}``, which holds a number alone,
    in any exact closed form that equals the answer. What is read strictly is read alike leniently. Where the row has
    its prompts, what a reply repeats of them, quoted or wrapped anew too, is no part of its answer.

    Raises:
        LookupError: if ``suite``, ``config`` or ``variant`` is none of ours, or the first two are not given and the
            columns do not determine them.
        ValueError: if the row's own answer cannot be read.
    """
    suite, config = settled(row, suite, config)
    rest = _without_prompts(row, reply, suite=suite, config=config, variant=variant)
    parsed = _read(suite, config, row, rest, strict=strict, variant=variant, whole=rest == reply, cut_off=cut_off)
    return _scores(suite, config, row, parsed)


def readings(
    row: Row, reply: str, *, suite: str = "", config: str = "", variant: str = "", cut_off: bool = False
) -> tuple[Scores, Scores]:
    """Return what ``grade`` does leniently and strictly; where both read the same, it is scored once."""
    suite, config = settled(row, suite, config)
    rest = _without_prompts(row, reply, suite=suite, config=config, variant=variant)
    lenient, strict = (
        _read(suite, config, row, rest, strict=how, variant=variant, whole=rest == reply, cut_off=cut_off)
        for how in (False, True)
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
    """Read ``reply``, which is ``whole`` unless prompts were taken out of it."""
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
    """Return ``reply`` without its row's prompts: the example in a prompt's words would be read as the answer."""
    if "system_prompt" not in row or "prompt" not in row:
        return reply
    try:
        prompts = prompt_of(row, variant, suite=suite, config=config)
    except ValueError:  # worded by another edition, which had no such variant
        prompts = prompt_of(row, suite=suite, config=config)
    # Quoted or wrapped anew it is the same prompt; only where it is there a pattern is made of it.
    flat = " ".join(reply.replace("\n>", "\n ").split())
    for words in prompts:
        parts = _words(words)
        if parts and " ".join(parts) in flat:
            reply = re.sub(r"[\s>]+".join(map(re.escape, parts)), "\n", reply)
    return reply


@lru_cache(maxsize=64)
def _words(text: str) -> tuple[str, ...]:
    """Return the words of ``text``; most rows have a prompt of the row before."""
    return tuple(text.split())


def strata(row: Row, *, suite: str = "", config: str = "") -> dict[str, str]:
    """Return the strata of ``row``: for each axis of difficulty or design its value, as text.

    Raises:
        LookupError: as in ``grade``.
    """
    suite, config = settled(row, suite, config)
    grader = protocol(suite)
    if hasattr(grader, "strata"):
        return dict(grader.strata(config, row))
    columns = declared(suite).load("export").COLUMNS[config]
    return {
        column.axis.lower(): column.group(row[column.name]) for column in columns if column.axis and column.name in row
    }


def question(row: Row, *, suite: str = "", config: str = "") -> str:
    """Return which question ``row`` asks; rows that share it are not independent, and intervals count them as one.

    For MaRVL-QA it is the function with what is asked of it, drawn in nine styles; for a path its id, with and without
    confounders; elsewhere the row's id.

    Raises:
        LookupError: as in ``grade``, or if the row lacks a column that determines them.
    """
    suite, config = settled(row, suite, config)
    grader = protocol(suite)
    return str(grader.question(config, row) if hasattr(grader, "question") else row["id"])


def gold_score(suite: str, config: str, row: Row) -> float:
    """Return the headline score of the row's own answer, stated as asked: the lower of both readings.

    The grader is handed the row as by `planimeter score`.

    Raises:
        LookupError, ValueError: as in ``grade``.
    """
    row, reply = plain(row, suite, config), protocol(suite).render(str(row["answer"]))
    return min(scores.value for scores in readings(row, reply, suite=suite, config=config))
