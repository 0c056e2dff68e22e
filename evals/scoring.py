"""Bins and tolerances that several suites' scores share."""

from collections.abc import Mapping

Row = Mapping[str, object]


def within(predicted: int, gold: int, percent: int) -> bool:
    """Whether ``predicted`` lies within ``percent`` of ``gold``; in whole numbers, so that 10% of 10 is exactly 1."""
    return 100 * abs(predicted - gold) <= percent * abs(gold)


def count_bin(count: int) -> str:
    """Return the bin of five that holds ``count``: "1-5", "6-10", "11-15", "16-20" (MaRVL-QA, Table 10), and so on.

    Raises:
        ValueError: if ``count`` is below 1.
    """
    if count < 1:
        raise ValueError(f"bins begin at 1, got count={count}")
    first = (count - 1) // 5 * 5 + 1
    return f"{first}-{first + 4}"
