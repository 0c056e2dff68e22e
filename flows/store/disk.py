"""Estimates the disk space of a build, and refuses a build that would fill the disk hours later."""

import shutil
from collections.abc import Sequence

from planimeter.flows.errors import DiskError
from planimeter.flows.shards import Planned
from planimeter.flows.store.place import Place
from planimeter.flows.store.results import finished_keys
from planimeter.suites.pipeline import suite_of

#: Estimates below this number of bytes refuse no build: they are rough, and a full disk is reported anyway.
SMALL = 100_000_000


def require(place: Place, planned: Sequence[Planned]) -> str:
    """Return one line with the rows of the ``planned`` shards, the disk space that they need, and the free space.

    A row needs space once in the dataset and once in its shard, unless the shard is finished or in a bucket. Raises
    ``DiskError`` if the free space is too small.
    """
    suite, done = suite_of(place.recipe), finished_keys(place.store)
    rows = size = 0
    for shard, key in planned:
        number, row_bytes = suite.estimate_size(place.recipe, shard)
        rows += number
        size += number * row_bytes * (1 + (place.bucket is None and key not in done))
    free = shutil.disk_usage(place.outputs).free
    need = f"{rows:,} rows, about {size / 1e9:,.2f} GB of disk; {free / 1e9:,.2f} GB are free"
    if size > max(free, SMALL):
        raise DiskError(
            f"{place.recipe.dataset} needs {need} below {place.outputs}; free some space, {place.hint_if_unwritable}, "
            "or build less with --scale"
        )
    return need
