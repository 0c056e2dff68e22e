"""Reports how much disk a build will need before it begins, and refuses one that would fill the disk hours later.

A shard's rows are there twice at the end: in the store, from which a killed build goes on and a larger one starts, and
in the dataset. What a row takes was measured for each suite (``Suite.room``).
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass

from planimeter.flows.errors import DiskError
from planimeter.flows.shards import Planned
from planimeter.flows.store.place import Place
from planimeter.flows.store.shard_cache import RECORDS
from planimeter.flows.store.storage import FolderStore
from planimeter.flows.suites import suite_of

#: Below so many bytes nothing is checked: the estimate is rough, and a full disk is reported when it happens.
SMALL = 100_000_000

#: Report, card and rejected examples, and the scatter of the rows' sizes.
SLACK = 1.1


@dataclass(frozen=True, kw_only=True, slots=True)
class Need:
    """``rows`` of the dataset; bytes that its shards and its folder will still take, and those that are ``free``."""

    rows: int
    shards: int
    folder: int
    free: int

    @property
    def total(self) -> int:
        """Bytes still needed."""
        return self.shards + self.folder

    def __str__(self) -> str:
        """Return the need in one line."""
        total, shards, folder, free = map(in_words, (self.total, self.shards, self.folder, self.free))
        needed = f"about {total} of disk ({shards} for shards, {folder} for the dataset)"
        return f"{self.rows:,} rows, {needed}; {free} are free"


def in_words(size: int) -> str:
    """Return a number of bytes as GB, or as MB where it is less than one GB."""
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.0f} MB"


def require(place: Place, planned: Sequence[Planned]) -> Need:
    """Return what the build of ``planned`` will need. Raises ``DiskError`` if that is more than is free."""
    suite, finished = suite_of(place.recipe), place.store.names(RECORDS)
    rows = open_bytes = all_bytes = 0
    for shard, key in planned:
        number, size = suite.room(place.recipe, shard)
        rows += number
        all_bytes += number * size
        if key not in finished:
            open_bytes += number * size
    need = Need(
        rows=rows,
        # A bucket has no limit.
        shards=round(SLACK * open_bytes) if isinstance(place.store, FolderStore) else 0,
        folder=round(SLACK * all_bytes),
        free=shutil.disk_usage(place.outputs).free,
    )
    if need.total > max(need.free, SMALL):
        raise DiskError(
            f"{place.recipe.dataset} needs {need} below {place.outputs}; free some space, {place.hint_if_unwritable}, "
            "or build less with --scale"
        )
    return need
