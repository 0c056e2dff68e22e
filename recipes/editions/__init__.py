"""The test items of every published edition, as signatures, and the judges that keep them out of training.

One file an edition, ``<dataset>.parquet``: a row for each question of its splits ``test`` and ``validation``, with the
``pool`` in which it is looked for and its ``signature``. What these are says the judge of the suite, in the module that
it declares as ``likeness``. ``make editions`` adds those of built datasets (``recipes/editions/__main__.py``).
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

import pyarrow.parquet as pq

from planimeter.filters.verdict import Verdict
from planimeter.items.suites import declared
from planimeter.items.values import Row
from planimeter.recipes.loading import load

FOLDER = Path(__file__).parent
#: The check under which a refusal stands in a funnel.
CHECK = "test-item"


class Likeness(NamedTuple):
    """What is compared of an item: a ``signature``, and the ``pool`` of those that it can be like."""

    pool: str
    signature: bytes


class Judge(Protocol):
    """Holds the test items of a suite."""

    def judge(self, item: Likeness) -> Verdict:
        """Return whether ``item`` is neither a test item nor a near duplicate of one; the check is ``CHECK``."""
        ...


def signatures(dataset: str) -> Iterator[Likeness]:
    """Yield the test items of the edition ``dataset``.

    Raises:
        LookupError: if there is no such edition.
    """
    path = FOLDER / f"{dataset}.parquet"
    if not path.is_file():
        raise LookupError(f"no signatures of {dataset!r} come with Planimeter; see `make editions`")
    table = pq.read_table(path)
    yield from map(Likeness, table["pool"].to_pylist(), table["signature"].to_pylist())


def likeness(suite: str, config: str, row: Row) -> Likeness:
    """Return what is compared of ``row`` of ``config``, from its columns; a picture is not needed."""
    found: Likeness = declared(suite).load("likeness").likeness(config, row)
    return found


def is_published(suite: str) -> bool:
    """Return whether ``suite`` has published editions, which training items are compared with."""
    return bool(declared(suite).editions)


@cache
def judge_of(suite: str) -> Judge:
    """Return the judge of ``suite``, which holds all of its published test items; loaded once in a process.

    Raises:
        LookupError: if the suite has no editions.
    """
    own = declared(suite)
    if not own.editions:
        raise LookupError(f"no edition of the suite {suite!r} is published")
    # Their limits are those of the first.
    items, recipe = (one for name in own.editions for one in signatures(name)), load(own.editions[0])
    found: Judge = own.load("likeness").judge_of(items, recipe)
    return found


def refusal(measured: float, limit: float, *, refused: bool) -> Verdict:
    """Return the verdict of a judge."""
    reason = "is like a published test item" if refused else ""
    return Verdict(check=CHECK, kept=not refused, measured=measured, limit=limit, reason=reason)
