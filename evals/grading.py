"""One way to grade a reply, whatever the suite: ``grade(row, reply)``; and what a row is like: ``strata(row)``.

A row is a mapping with the columns of the published data; pictures are not needed. Which suite and config a row belongs
to is told by its columns; where some are missing, name both. Each suite's own part is ``evals/<suite>/protocol.py``:

* ``CONFIGS``, ``HEADLINE`` (the metric by which models are ranked) and ``METRICS`` (what each metric means),
* ``read(config, row, reply, strict=...)``: what a reply states, or why nothing could be read,
* ``score(config, row, parsed)``: the metrics of what was read,
* ``written(value)``: what was read in the words of the answers; ``strata(config, row)``.

Nothing here decides a byte of a dataset. There is no state: any number of threads may grade at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType

from planimeter.generators.suites import part_of

Row = Mapping[str, object]

#: Suite, config, and the columns that only its rows have; the first that fits tells what a row is.
_TOLD_BY: tuple[tuple[str, str, frozenset[str]], ...] = (
    ("marvl_qa", "transformation", frozenset({"options"})),
    ("marvl_qa", "counting", frozenset({"feature", "count"})),
    ("traversal", "confounded", frozenset({"markers", "confounders"})),
    ("traversal", "reading_order", frozenset({"markers", "regime"})),
    ("traversal", "base", frozenset({"markers"})),
    ("curves_maps", "planar_map", frozenset({"adjacent"})),
    ("curves", "curriculum", frozenset({"parents", "level"})),
    ("curves", "easy", frozenset({"parents"})),
    ("geogram", "geogram", frozenset({"code", "answer_latex"})),
)


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


def protocol(suite: str) -> ModuleType:
    """Import and return the protocol of ``suite``; ``LookupError`` if there is none, with those that there are."""
    return part_of("planimeter.evals", suite, "protocol")


def place_of(row: Row) -> tuple[str, str]:
    """Return the suite and the config of ``row``, as its columns tell them.

    The categories of nested curves are read and scored alike: each counts as ``easy`` here.

    Raises:
        LookupError: if the columns fit no suite.
    """
    for suite, config, columns in _TOLD_BY:
        if columns <= row.keys():
            return suite, config
    raise LookupError(f"the columns {', '.join(sorted(row))} fit no suite; name the suite and the config")


def grade(row: Row, reply: str, *, suite: str = "", config: str = "", strict: bool = False) -> Scores:
    """Return the scores of ``reply`` to ``row``, in time that grows with the reply's length.

    The lenient reading takes what models write wherever it is plain what they mean; the ``strict`` one takes the asked
    format only. Neither guesses: what cannot be read scores 0 and has a reason.

    Raises:
        LookupError: if ``suite`` or ``config`` is none of ours, or neither is given and the columns do not tell them.
        ValueError: if the row's own answer cannot be read.
    """
    if not (suite and config):
        suite, config = place_of(row)
    own = protocol(suite)
    parsed = own.read(config, row, reply, strict=strict)
    found = None if parsed.value is None else parsed.value
    return Scores(
        headline=own.HEADLINE,
        metrics=own.score(config, row, parsed),
        read="" if found is None else own.written(found),
        reason=parsed.reason,
        correct=own.correct(row, parsed) if hasattr(own, "correct") else (),
    )


def strata(row: Row, *, suite: str = "", config: str = "") -> dict[str, str]:
    """Return the strata of ``row``: for each axis of difficulty or design its value, as text.

    Raises:
        LookupError: as in ``grade``.
    """
    if not (suite and config):
        suite, config = place_of(row)
    found: dict[str, str] = protocol(suite).strata(config, row)
    return found


def gold_score(suite: str, config: str, row: Row) -> float:
    """Return the headline score of the row's own answer, stated as asked: the lower of both readings.

    Raises:
        LookupError, ValueError: as in ``grade``.
    """
    reply = protocol(suite).render(str(row["answer"]))
    return min(grade(row, reply, suite=suite, config=config, strict=strict).value for strict in (True, False))
