"""An example of what a filter rejected, for the report: pictures of what is *not* in the dataset, and why."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class RejectExample:
    """``picture`` is a PNG, or empty where the candidate was rejected before it could be drawn.

    Of a question that has more answers than one, ``answer`` is the one meant and ``fits`` the others, in words.
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
