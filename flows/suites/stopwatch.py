"""Which stage of a shard takes how long: CPU seconds of the process that makes it, for the table at the end of a build.

They are kept beside a shard's record and never reach the dataset.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

#: The stages of a shard in the order of the design; ``OTHER`` is what nothing was timed for.
OTHER = "other"
STAGES = ("generate", "filter", "render", "certify", "store", OTHER)


class Stopwatch:
    """CPU seconds by stage; what one stage calls of another counts for the other alone."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._stage = OTHER
        self._since = time.process_time()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Book what happens within for the stage ``name``."""
        outer = self._turn(name)
        try:
            yield
        finally:
            self._turn(outer)

    def stop(self) -> dict[str, float]:
        """Return the seconds of each stage so far, rounded to milliseconds."""
        self._turn(self._stage)
        return {stage: round(seconds, 3) for stage, seconds in self.seconds.items()}

    def _turn(self, stage: str) -> str:
        """Book the time since the last turn, go over to ``stage`` and return the one that it ends."""
        now = time.process_time()
        self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + now - self._since
        before, self._stage, self._since = self._stage, stage, now
        return before
