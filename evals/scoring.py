"""Turns scores of rows into tables: shares with 95% confidence intervals, by any columns of the rows.

The interval is Wilson's, which stays inside [0, 1] and says something at 0 and 1. The figure after the paper's "±" is
half its width too: of Table 1's "0.65 ± 0.42", "0.19 ± 0.25" and Table 13's "0.0 ± 0.6" the normal approximation would
give 0.40, 0.22 and 0.0. (Table 12's two zeros, "0.00 ± 0.47", are the whole width.) Rows are taken as
independent, as in the paper. The nine styles of one question are not, so read the interval as one of rows.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

Row = Mapping[str, object]
Result = TypeVar("Result")

#: The 97.5% quantile of the standard normal distribution.
Z_95 = 1.959963984540054


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """``successes`` of ``n`` rows, with the bounds of the 95% Wilson interval; all shares lie in [0, 1]."""

    successes: int
    n: int
    estimate: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the width of the interval: comparable with the paper's "±" once multiplied by 100."""
        return (self.high - self.low) / 2


def wilson(successes: int, n: int) -> Share:
    """Return ``successes / n`` with its 95% Wilson score interval (Wilson, 1927).

    Raises:
        ValueError: unless 0 <= successes <= n and n > 0.
    """
    if not 0 <= successes <= n or n == 0:
        raise ValueError(f"need 0 <= successes <= n and n > 0, got successes={successes} n={n}")
    p, z2 = successes / n, Z_95 * Z_95
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = Z_95 / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    # The bounds are exactly 0 and 1 at the ends, which rounding misses by an ulp.
    low = 0.0 if successes == 0 else max(0.0, min(p, centre - half))
    high = 1.0 if successes == n else min(1.0, max(p, centre + half))
    return Share(successes=successes, n=n, estimate=p, low=low, high=high)


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line of a table: the stratum as (column, value) pairs, empty for all rows, and a share for each metric."""

    stratum: tuple[tuple[str, str], ...]
    n: int
    metrics: Mapping[str, Share]


def tabulate(rows: Sequence[Row], scores: Sequence[Mapping[str, float]], by: Sequence[str] = ()) -> tuple[Line, ...]:
    """Return one line for each combination of values of the columns ``by`` that occurs, in natural order of the values.

    ``scores`` holds for each row a mapping from metric to 0.0 or 1.0, all with the same metrics. No rows give no lines.

    Raises:
        ValueError: if the lengths differ, a row lacks a column, or a score is neither 0 nor 1.
    """
    if len(rows) != len(scores):
        raise ValueError(f"need one score for each row, got {len(rows)} rows and {len(scores)} scores")
    strata: dict[tuple[tuple[str, str], ...], list[Mapping[str, float]]] = {}
    for row, score in zip(rows, scores, strict=True):
        strata.setdefault(tuple((column, _cell(row, column)) for column in by), []).append(score)
    return tuple(
        Line(stratum=stratum, n=len(group), metrics={metric: _share(metric, group) for metric in group[0]})
        for stratum, group in sorted(strata.items(), key=lambda pair: _natural(pair[0]))
    )


def by_stratum(scored: Iterable[tuple[tuple[str, ...], Result]]) -> list[tuple[str, list[Result]]]:
    """Return (name, its results) for each stratum, sorted by name, of results that come with all strata they are in."""
    grouped: dict[str, list[Result]] = {}
    for names, result in scored:
        for name in names:
            grouped.setdefault(name, []).append(result)
    return sorted(grouped.items())


def _cell(row: Row, column: str) -> str:
    if column not in row:
        raise ValueError(f"the rows have no column {column!r}; they have: {', '.join(sorted(row))}")
    value = row[column]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _share(metric: str, group: Iterable[Mapping[str, float]]) -> Share:
    values = [score[metric] for score in group]
    odd = [value for value in values if value not in (0.0, 1.0)]
    if odd:
        raise ValueError(f"an interval for shares needs scores of 0 or 1, got {odd[0]} for {metric!r}")
    return wilson(int(sum(values)), len(values))


def _natural(stratum: tuple[tuple[str, str], ...]) -> list[tuple[int, int | str]]:
    """Order "6-10" before "11-15": runs of digits compare as numbers, and before letters."""
    pieces = [piece for _, value in stratum for piece in (*re.findall(r"\d+|\D+", value), "")]
    return [(0, int(piece)) if piece.isdecimal() else (1, piece) for piece in pieces]
