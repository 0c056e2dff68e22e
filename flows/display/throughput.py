"""What a build reports while it makes shards: rows, rows a second, and the share that the checks reject.

Shards that were finished before count as rows and as judged, but not for the speed, which is that of the work going on.
"""

import time

from planimeter.flows.shards import ShardRecord


class Throughput:
    """Counts the records of shards as they come in."""

    def __init__(self) -> None:
        self._rows = self._made = self._candidates = self._kept = 0
        self._began = time.monotonic()

    def add(self, record: ShardRecord, *, is_made: bool) -> None:
        """Count ``record``, whose shard was made now or was finished before."""
        self._rows += record.rows
        self._made += record.rows if is_made else 0
        # Each candidate meets the first check of its config. Those that follow see what that one kept, and some of
        # them each picture of an item by itself: neither their counts nor the sum of all are numbers of candidates.
        self._candidates += sum(next(iter(checks.values()))["seen"] for checks in record.funnel.values() if checks)
        self._kept += sum(block.rows > 0 for table in record.tables for block in table.blocks)
        if not self._made:
            # The clock starts where the earlier shards end.
            self._began = time.monotonic()

    def __str__(self) -> str:
        """Return all of it in a few words."""
        speed = f", {self._made / (time.monotonic() - self._began):,.0f}/s" if self._made else ""
        rejected = 1 - self._kept / self._candidates if self._candidates else 0.0
        return f"{self._rows:,} rows{speed}, {rejected:.0%} rejected"
