"""What a build reports while it makes shards: rows, rows a second, and the share that the checks reject.

Shards that were finished before count as rows and as judged, but not for the speed, which is that of the work going on.
"""

import time

from planimeter.flows.shards import ShardRecord


class Throughput:
    """Counts the records of shards as they come in."""

    def __init__(self) -> None:
        self._rows = self._made = self._candidates = self._kept = 0
        self._begun: set[str] = set()
        self._began = 0.0

    def begin(self, key: str) -> None:
        """Note that the shard of ``key`` has to be made; the clock starts with the first one."""
        if not self._begun:
            self._began = time.monotonic()
        self._begun.add(key)

    def add(self, key: str, record: ShardRecord) -> bool:
        """Count ``record`` and return whether its shard was made in this build."""
        self._rows += record.rows
        self._made += record.rows if key in self._begun else 0
        # Each candidate meets the first check of its config. Those that follow see what that one kept, and some of
        # them each picture of an item by itself: neither their counts nor the sum of all are numbers of candidates.
        self._candidates += sum(next(iter(checks.values()))["seen"] for checks in record.funnel.values() if checks)
        self._kept += sum(block.rows > 0 for table in record.tables for block in table.blocks)
        return key in self._begun

    @property
    def rejected(self) -> float:
        """Share of the candidates, 0 to 1, that became no item."""
        return 1 - self._kept / self._candidates if self._candidates else 0.0

    @property
    def speed(self) -> float | None:
        """Rows a second since the first shard went to a worker, or None where none has come back."""
        return self._made / (time.monotonic() - self._began) if self._made else None

    def __str__(self) -> str:
        """Return all of it in a few words."""
        speed = "" if self.speed is None else f", {self.speed:,.0f}/s"
        return f"{self._rows:,} rows{speed}, {self.rejected:.0%} rejected"
