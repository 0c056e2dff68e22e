"""The test items of every published edition, as signatures, and the judges that exclude them from training.

One file an edition, ``<dataset>.parquet``: a row for each question of its splits ``test`` and ``validation``, with the
``pool`` of its search and its ``signature``. The judge of the suite, in the module that it declares as ``likeness``,
defines both. ``make editions`` adds the files of built datasets (``suites/write_signatures.py``). They are in the
folder ``signatures`` of the package that the suite declares as ``datasets``.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pyarrow.parquet as pq

from planimeter.filters.verdict import Verdict
from planimeter.items.declaration import SuiteError
from planimeter.items.suites import declared
from planimeter.items.values import Row
from planimeter.suites.loading import load, values_of

if TYPE_CHECKING:
    # This loads OpenCV.
    from planimeter.filters.near import NearDuplicates

#: The check that counts a refusal in a funnel.
CHECK = "test-item"


class Likeness(NamedTuple):
    """The compared part of an item: a ``signature``, and the ``pool`` of signatures that it is compared with."""

    pool: str
    signature: bytes


class Judge(Protocol):
    """Compares items with the test items of a suite."""

    def judge(self, item: Likeness) -> Verdict:
        """Return a verdict under ``CHECK``: kept if ``item`` is neither a test item nor a near duplicate of one."""
        ...


def file_of(dataset: str, suite: str = "") -> Path:
    """Return the file of the edition ``dataset``, existing or not; of the recipe's own suite without ``suite``."""
    package = declared(suite or str(values_of(dataset)["suite"])).load("datasets")
    return Path(package.__path__[0]) / "signatures" / f"{dataset}.parquet"


def signatures(dataset: str, suite: str = "") -> Iterator[Likeness]:
    """Yield the test items of the edition ``dataset``.

    Raises:
        SuiteError: for an unknown edition.
    """
    path = file_of(dataset, suite)
    if not path.is_file():
        raise SuiteError(
            f"{path} is missing, which keeps training items apart from the test items of {dataset}: build {dataset}, "
            f"then `python -m planimeter.suites.write_signatures outputs/{dataset}/VERSION`"
        )
    table = pq.read_table(path)
    yield from map(Likeness, table["pool"].to_pylist(), table["signature"].to_pylist())


def likeness(suite: str, config: str, row: Row) -> Likeness:
    """Return the compared part of ``row`` of ``config``, from its columns without the picture."""
    found: Likeness = declared(suite).load("likeness").likeness(config, row)
    return found


def is_published(suite: str) -> bool:
    """True if ``suite`` has published editions, with which training items are compared."""
    return bool(declared(suite).editions)


@cache
def judge_of(suite: str) -> Judge:
    """Return the judge of ``suite`` with all of its published test items; loaded once in a process.

    Raises:
        LookupError: if the suite has no editions.
    """
    own = declared(suite)
    if not own.editions:
        raise LookupError(f"no edition of the suite {suite!r} is published")
    # The limits are those of the first edition.
    items, recipe = (one for name in own.editions for one in signatures(name, suite)), load(own.editions[0])
    found: Judge = own.load("likeness").judge_of(items, recipe)
    return found


class Near:
    """The judge of a suite that compares its items by a ready part of ``filters.near``, such as ``Sets(0.8)``."""

    def __init__(self, items: Iterable[Likeness], near: "NearDuplicates[Any]") -> None:
        self._near = near
        for pool, signature in items:
            near.add(pool, signature)

    def judge(self, item: Likeness) -> Verdict:
        """Return a verdict: kept if ``item`` is not a near-duplicate of a test item of its pool."""
        measured, limit = self._near.nearest(*item), self._near.limit
        return refusal(measured, limit, refused=measured >= limit)


def refusal(measured: float, limit: float, *, refused: bool) -> Verdict:
    """Return the verdict of a judge."""
    reason = "is like a published test item" if refused else ""
    return Verdict(check=CHECK, kept=not refused, measured=measured, limit=limit, reason=reason)
