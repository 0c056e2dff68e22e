"""Bookkeeping for one worker that makes a shard, which is a batch of items.

It counts the verdicts of checks, keeps a few rejected candidates with pictures, and measures CPU time by stage.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from planimeter.export.rejects import RejectExample
from planimeter.filters.funnel import Funnel
from planimeter.filters.verdict import Verdict

#: The name of the time outside all stages.
OTHER = "other"


class Stopwatch:
    """A stopwatch that adds up CPU seconds by stage (generate, render, ...), for the table at the end of a build.

    Time in a nested stage counts for that stage only.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._stage = OTHER
        self._since = time.process_time()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the CPU time of this ``with`` block to the stage ``name``."""
        outer = self._turn(name)
        try:
            yield
        finally:
            self._turn(outer)

    def stop(self) -> dict[str, float]:
        """Return the CPU seconds of each stage so far, rounded to milliseconds; ``OTHER`` is time outside stages."""
        self._turn(self._stage)
        return {stage: round(seconds, 3) for stage, seconds in self.seconds.items()}

    def _turn(self, stage: str) -> str:
        """Switch to ``stage``: add the CPU time since the last switch to the stage that ends, and return that stage."""
        now = time.process_time()
        self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + now - self._since
        before, self._stage, self._since = self._stage, stage, now
        return before


class Account:
    """The record of the checks on the candidates of one shard: counts, and an example of each kind of rejection."""

    def __init__(self, config: str) -> None:
        self.funnel = Funnel()
        self.watch = Stopwatch()
        self.rejects: list[RejectExample] = []
        self._config = config
        self._shown: set[tuple[str, str, str]] = set()

    def judge(
        self,
        verdict: Verdict,
        picture: bytes | Callable[[], bytes],
        stratum: str,
        *further: str,
        config: str = "",
        details: Callable[[], Mapping[str, str]] = dict,
    ) -> bool:
        """Count ``verdict``, and return True if it accepts the candidate.

        The first rejection of each kind (config, check, reason) becomes an example in the report, with ``picture``
        (PNG). ``stratum``, ``further``: names of groups for which the verdict is counted, too; ``config``: that of the
        candidate, by default the account's; ``details``: a function that returns further fields of the example.
        """
        config = config or self._config
        self.funnel.add(config, verdict, stratum, *further)
        kind = (config, verdict.check, verdict.reason)
        # One example of each kind in each shard: the report shows only a few for the whole dataset.
        if not verdict.kept and kind not in self._shown:
            self._shown.add(kind)
            self.rejects.append(
                RejectExample(
                    config=config,
                    stratum=stratum,
                    check=verdict.check,
                    reason=verdict.reason,
                    measured=verdict.measured,
                    limit=verdict.limit,
                    picture=picture() if callable(picture) else picture,
                    **details(),
                )
            )
        return verdict.kept
