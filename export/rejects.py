"""The record of a rejected candidate, which the report shows as an example of what a check rejects."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class RejectExample:
    """A candidate that ``check`` rejected, because ``measured`` is on the wrong side of ``limit``.

    ``picture`` is a PNG, or empty if the candidate was rejected before it was drawn. If the question has several right
    answers, ``answer`` is the intended one, and ``fits`` is a text that lists the others.
    """

    config: str
    stratum: str
    check: str
    reason: str
    measured: float
    limit: float
    picture: bytes
    answer: str = ""
    fits: str = ""
