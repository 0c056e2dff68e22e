"""An example of what a filter rejected, for the report: pictures of what is *not* in the dataset, and why."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class RejectExample:
    """A rejected candidate; ``picture`` is a PNG, or empty if it was rejected before it was drawn.

    For a question with several answers, ``answer`` is the intended one and ``fits`` has the others, in words.
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
