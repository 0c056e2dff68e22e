"""A filter's decision on one candidate: kept or not, the measured value and the limit.

Never a bare bool: the funnel of the published dataset counts rejections by ``check`` and ``reason``, and the report
shows ``measured`` and ``limit``.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from planimeter.items import Reading

#: Slack of comparisons, px or degrees: far above the error of float64, far below the limits.
_NOISE = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """``reason`` is empty if ``kept``, and otherwise a short key without numbers."""

    check: str
    kept: bool
    measured: float
    limit: float
    reason: str = ""

    def __post_init__(self) -> None:
        if self.kept == bool(self.reason):
            raise ValueError(f"a rejection has a reason and nothing else has one, got {self}")

    @classmethod
    def of(cls, check: str, kept: bool, measured: float, limit: float, reason: str = "") -> Self:
        """Return the verdict of ``check``, whose rejection has the ``reason``, or the check's name by default."""
        reason = "" if kept else reason or check
        return cls(check=check, kept=bool(kept), measured=float(measured), limit=float(limit), reason=reason)


def at_least(check: str, measured: float, limit: float) -> Verdict:
    """Judge whether ``measured`` is ``limit`` or more, but for noise."""
    return Verdict.of(check, measured >= limit - _NOISE, measured, limit)


def at_most(check: str, measured: float, limit: float) -> Verdict:
    """Judge whether ``measured`` is ``limit`` or less, but for noise."""
    return Verdict.of(check, measured <= limit + _NOISE, measured, limit)


#: The reason for the rejection of a reading with an answer.
MISREAD = "reads another answer"


def agrees(reading: Reading, answer: str) -> Verdict:
    """Judge a certifier's reading of a picture against the generator's answer."""
    reason = reading.reason if reading.answer is None else MISREAD
    return Verdict.of("certify", reading.answer == answer, reading.margin, 0.0, reason)


def first_broken(verdicts: Iterable[Verdict], check: str) -> Verdict:
    """Return one verdict for all, under the name ``check``: the first rejection, or an acceptance."""
    for verdict in verdicts:
        if not verdict.kept:
            return replace(verdict, check=check)
    return Verdict(check=check, kept=True, measured=0.0, limit=0.0)


CHECK = "distinct"


class Distinct:
    """Judges items by their signatures, in order: the first of equal items is kept. The last check before a row."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def judge(self, signature: str) -> Verdict:
        """Judge the next item; ``measured`` is the number of equal earlier items (0 or 1), ``limit`` 0."""
        repeated = signature in self._seen
        self._seen.add(signature)
        return Verdict.of(CHECK, not repeated, repeated, 0.0, "equals an earlier item")
