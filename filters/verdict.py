"""The decision of a filter on one candidate: kept or rejected, with the measured value and the limit.

Rejections are counted by ``check`` and ``reason``; reports show ``measured`` and ``limit``.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from planimeter.items import Reading

#: Slack of comparisons, px or degrees: far above the error of float64, far below the limits.
_NOISE = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """The result of one check on one candidate.

    ``reason`` is a short key without numbers for a rejection, and empty if the candidate is ``kept``.
    """

    check: str
    kept: bool
    measured: float
    limit: float
    reason: str = ""

    def __post_init__(self) -> None:
        if self.kept == bool(self.reason):
            raise ValueError(f"need a reason for a rejection and none for an acceptance, got {self}")

    @classmethod
    def of(cls, check: str, kept: bool, measured: float, limit: float, reason: str = "") -> Self:
        """Return the verdict of ``check``; a rejection without a ``reason`` has the check's name as its reason."""
        reason = "" if kept else reason or check
        return cls(check=check, kept=bool(kept), measured=float(measured), limit=float(limit), reason=reason)


def at_least(check: str, measured: float, limit: float) -> Verdict:
    """Judge whether ``measured`` is ``limit`` or more, up to rounding errors."""
    return Verdict.of(check, measured >= limit - _NOISE, measured, limit)


def at_most(check: str, measured: float, limit: float) -> Verdict:
    """Judge whether ``measured`` is ``limit`` or less, up to rounding errors."""
    return Verdict.of(check, measured <= limit + _NOISE, measured, limit)


#: The reason for the rejection of a reading with an answer.
MISREAD = "reads another answer"


def agrees(reading: Reading, answer: str) -> Verdict:
    """Judge whether a certifier's ``reading`` of a picture equals the generator's ``answer``."""
    reason = reading.reason if reading.answer is None else MISREAD
    return Verdict.of("certify", reading.answer == answer, reading.margin, 0.0, reason)


def first_broken(verdicts: Iterable[Verdict], check: str) -> Verdict:
    """Return the first rejection among ``verdicts``, renamed to ``check``, or an acceptance if there is none."""
    for verdict in verdicts:
        if not verdict.kept:
            return replace(verdict, check=check)
    return Verdict(check=check, kept=True, measured=0.0, limit=0.0)


CHECK = "distinct"


class Distinct:
    """A filter that rejects each item with the signature of an earlier one: the last check before a row is written."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def judge(self, signature: str) -> Verdict:
        """Judge the item with ``signature``; ``measured`` is 1 if an earlier item had it, else 0; ``limit`` is 0."""
        repeated = signature in self._seen
        self._seen.add(signature)
        return Verdict.of(CHECK, not repeated, repeated, 0.0, "equals an earlier item")
