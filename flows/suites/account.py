"""The account of one shard: what each check said, a few rejected examples with pictures, and where the time went."""

from collections.abc import Callable

from planimeter.export.rejects import RejectExample
from planimeter.filters.funnel import Funnel
from planimeter.filters.verdict import Verdict
from planimeter.flows.suites.stopwatch import Stopwatch


class Account:
    """Judgements on the candidates of one config, and what goes with it, in the order in which they were made."""

    def __init__(self, config: str) -> None:
        self.funnel = Funnel()
        self.watch = Stopwatch()
        self.rejects: list[RejectExample] = []
        self._config = config
        self._shown: set[tuple[str, str, str]] = set()

    def judge(
        self, verdict: Verdict, picture: bytes | Callable[[], bytes], stratum: str, *further: str, config: str = ""
    ) -> bool:
        """Count ``verdict`` and return whether it keeps the candidate; ``picture`` shows it in the report if not.

        ``config`` is that of the candidate, where it is not that of the account.
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
                )
            )
        return verdict.kept
