"""Grades replies of every suite with ``grade(row, reply)``; ``strata(row)`` returns the strata of a row.

A row is a mapping with the columns of the published data; pictures are not needed. Its columns determine its suite and
config; if some are missing, name both. Each suite declares a module as its ``grader``:

* ``CONFIGS``, ``HEADLINE`` (the metric that ranks models) and ``METRICS`` (the meaning of each metric),
* ``read(config, row, reply, strict=...)``: the answer of a reply, or the reason for its absence,
* ``score(config, row, parsed)``: the metrics of a parsed answer,
* ``written(value)``: a parsed answer formatted like the column ``answer``; ``render(answer)``: a perfect reply,
* ``strata(config, row)`` and ``question(config, row)``; by default the columns that have an axis, and the row's id.

Rewards use ``PAPER`` and ``DENSE``, the names of these rewards (by default the headline), and ``NEEDED``, the columns
that a row of a config must have in addition to its answer.

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

    ``metrics``: by name, as in the protocol's ``METRICS``; ``headline`` is the name of the one that ranks models.
    ``read`` is the parsed answer formatted as in the dataset, or empty; then ``reason`` is the cause, a fixed string,
    and otherwise empty. ``correct`` marks the right positions of a list of markers.
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
    r"""Return the scores of ``reply`` to ``row``, in time that grows with the reply's length.

    The answer is read at its mark, as ``evals.answers`` describes; a reply without a mark that does not have exactly
    the requested form scores 0 for the reason ``unmarked``. A reply known to be ``cut_off`` counts only if its answer
    is marked. ``strict`` has one meaning in all suites: the whole reply, outside of reasoning (``<think>`` and similar)
    and of blanks at its ends, has exactly the form that the prompt ``variant`` requests. If that prompt requests
    visible reasoning (geogram), the reply closes with its only ``\boxed{}``, which contains only a number, in any exact
    closed form that equals the answer. An answer that is read strictly is also read leniently, with the same value. If
    the row has its prompts, text that a reply repeats of them, even quoted or rewrapped, is not part of its answer.

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
    """Return the lenient and the strict scores of ``grade``; if both readings agree, they are scored once."""
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
    """Read ``reply``, which is ``whole`` unless prompts were removed from it."""
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
    """Return ``reply`` without its row's prompts: the example of a prompt would be read as the answer."""
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
    """Return the words of ``text``; most rows repeat a prompt of the previous row."""
    return tuple(text.split())


def strata(row: Row, *, suite: str = "", config: str = "") -> dict[str, str]:
    """Return the strata of ``row``: the value of each axis of difficulty or design, as text.

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
    """Return the question of ``row``; rows that share it are not independent, and intervals count them as one.

    For MaRVL-QA it is the function with its feature or transformation, drawn in nine styles; for a path its id, with
    and without confounders; otherwise the row's id.

    Raises:
        LookupError: as in ``grade``, or if the row lacks a column that determines them.
    """
    suite, config = resolve_place(row, suite, config)
    grader = protocol(suite)
    return str(grader.question(config, row) if hasattr(grader, "question") else row["id"])


def gold_score(suite: str, config: str, row: Row) -> float:
    """Return the lower of the lenient and strict headline scores of the row's own answer, in the requested form.

    The grader receives the same columns as from `planimeter score`.

    Raises:
        LookupError, ValueError: as in ``grade``.
    """
    row, reply = plain(row, suite, config), protocol(suite).render(str(row["answer"]))
    return min(scores.value for scores in readings(row, reply, suite=suite, config=config))
