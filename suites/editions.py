"""The fingerprints of published test items, and the judges that exclude similar items from training.

An edition is a dataset with published versions. It has one file, ``<dataset>.parquet``: a row for each question of its
splits ``test`` and ``validation``, with its ``signature``, the bytes that are compared (a fingerprint), and its
``pool``, the group of questions to compare it with. The module that the suite declares as ``likeness`` defines both,
and the judge. The files are in the folder ``signatures`` of the package that the suite declares as ``datasets``;
``make editions`` adds the signatures of built datasets (``suites/write_signatures.py``).
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

#: The name of this check in the funnel.
CHECK = "test-item"


class Likeness(NamedTuple):
    """The part of an item that is compared: ``signature``, its fingerprint, and ``pool``, its group for comparison."""

    pool: str
    signature: bytes


class Judge(Protocol):
    """A judge that rejects an item if it is too similar to the published test items of its suite."""

    def judge(self, item: Likeness) -> Verdict:
        """Return a verdict that accepts ``item`` unless it is a published test item or a near-duplicate of one."""
        ...


def file_of(dataset: str, suite: str = "") -> Path:
    """Return the path of the file with the fingerprints of the test items of ``dataset``, even if there is no file.

    ``suite``: the suite of ``dataset``, by default the one that the recipe named ``dataset`` states.
    """
    package = declared(suite or str(values_of(dataset)["suite"])).load("datasets")
    return Path(package.__path__[0]) / "signatures" / f"{dataset}.parquet"


def signatures(dataset: str, suite: str = "") -> Iterator[Likeness]:
    """Yield the fingerprint (signature) of each test item of ``dataset``, with its group of comparison (pool).

    Raises:
        SuiteError: if the file of fingerprints does not exist.
    """
    path = file_of(dataset, suite)
    if not path.is_file():
        raise SuiteError(
            f"{path} is missing; training items are compared with the test items in it. Build {dataset}, then run "
            f"`python -m planimeter.suites.write_signatures outputs/{dataset}/VERSION`"
        )
    table = pq.read_table(path)
    yield from map(Likeness, table["pool"].to_pylist(), table["signature"].to_pylist())


def likeness(suite: str, config: str, row: Row) -> Likeness:
    """Return the part of ``row`` of ``config`` that is compared with test items; the column ``image`` is not needed."""
    found: Likeness = declared(suite).load("likeness").likeness(config, row)
    return found


def is_published(suite: str) -> bool:
    """Return True if ``suite`` has published editions, with which training items are compared."""
    return bool(declared(suite).editions)


@cache
def judge_of(suite: str) -> Judge:
    """Return the judge that rejects items similar to the published test items of ``suite``, loaded once per process.

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
    """A judge that finds near-duplicates of test items by ``near``, a filter of ``filters.near`` like ``Sets(0.8)``."""

    def __init__(self, items: Iterable[Likeness], near: "NearDuplicates[Any]") -> None:
        self._near = near
        for pool, signature in items:
            near.add(pool, signature)

    def judge(self, item: Likeness) -> Verdict:
        """Return a verdict that accepts ``item`` unless it is a near-duplicate of a test item in its ``pool``."""
        measured, limit = self._near.nearest(*item), self._near.limit
        return refusal(measured, limit, refused=measured >= limit)


def refusal(measured: float, limit: float, *, refused: bool) -> Verdict:
    """Return the verdict of the check against test items, a rejection if ``refused``; ``measured``: the similarity."""
    reason = "is like a published test item" if refused else ""
    return Verdict(check=CHECK, kept=not refused, measured=measured, limit=limit, reason=reason)
