"""The account of one shard: the verdicts of each check, a few rejected examples with pictures, CPU time by stage."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from planimeter.export.rejects import RejectExample
from planimeter.filters.funnel import Funnel
from planimeter.filters.verdict import Verdict

#: Time outside of the stages of a shard.
OTHER = "other"


class Stopwatch:
    """CPU seconds by stage, for the table at the end of a build; of nested stages only the inner one counts."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._stage = OTHER
        self._since = time.process_time()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Book the time of this block for the stage ``name``."""
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
        """Book the time since the last turn, begin ``stage`` and return the previous one."""
        now = time.process_time()
        self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + now - self._since
        before, self._stage, self._since = self._stage, stage, now
        return before


class Account:
    """Judgements of the candidates of one config, with their examples, in their order."""

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
        """Count ``verdict`` and return whether it keeps the candidate; ``picture`` shows it in the report if not.

        ``config`` is that of the candidate, if it is not that of the account. ``details`` are further fields of an
        example: ``answer`` and ``fits``.
        """
        config = config or self._config
        self.funnel.add(config, verdict, stratum, *further)
        kind = (config, verdict.check, verdict.reason)
        # One example of each kind is enough for the report, which shows a few of the whole dataset.
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
