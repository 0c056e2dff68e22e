"""An example of what a filter rejected, for the report: pictures of what is *not* in the dataset, and why."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class RejectExample:
    """``picture`` is a PNG, or empty where the candidate was rejected before it could be drawn."""

    config: str
    stratum: str
    check: str
    reason: str
    measured: float
    limit: float
    picture: bytes
