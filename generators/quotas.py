"""Divide a number of rows into whole quotas: the rows of a config among its cells, for example."""

from collections.abc import Mapping, Sequence
from itertools import pairwise


def scaled(total: int, scale: float) -> int:
    """Return ``total * scale``, the number of rows of a build at ``scale``, rounded half up and at least 1."""
    return max(1, int(total * scale + 0.5))


def apportion(total: int, weights: Sequence[float]) -> tuple[int, ...]:
    """Divide ``total`` into whole parts in proportion to ``weights``, by the method of largest remainders (Hamilton).

    The parts sum to ``total``. Among equal remainders the earlier part is preferred.

    Raises:
        ValueError: if no weight is positive or one is negative.
    """
    if min(weights) < 0 or sum(weights) <= 0:
        raise ValueError(f"need non-negative weights, not all zero, got {list(weights)}")
    exact = [total * weight / sum(weights) for weight in weights]
    parts = [int(share) for share in exact]
    by_remainder = sorted(range(len(parts)), key=lambda i: (parts[i] - exact[i], i))
    for i in by_remainder[: total - sum(parts)]:
        parts[i] += 1
    return tuple(parts)


def by_level(total: int, shares: Sequence[float], weights: Sequence[Sequence[float]]) -> tuple[tuple[int, ...], ...]:
    """Divide ``total`` rows among training levels in proportion to ``shares``, and each level's rows among its cells.

    ``weights``: for each level, the relative sizes of its cells (units with a quota). Returns the numbers of rows of
    the cells, a tuple for each level.
    """
    levels = apportion(total, shares)
    return tuple(apportion(quota, cells) for quota, cells in zip(levels, weights, strict=True))


def deal(total: int, eligible: Sequence[str], totals: Mapping[str, int]) -> dict[str, int]:
    """Distribute ``total`` rows over the ``eligible`` names, such as families, each to the name with the fewest so far.

    ``totals``: the rows that each name has from earlier calls. Among equals the alphabetically first name is preferred.
    Returns the rows that each name gets in this call, without zeros.

    Raises:
        ValueError: if there are rows to distribute and no name is eligible.
    """
    if total and not eligible:
        raise ValueError(f"no name is eligible for a quota of {total} rows; set the quota to 0 or allow more names")
    dealt = dict.fromkeys(sorted(eligible), 0)
    for _ in range(total):
        name = min(dealt, key=lambda n: (totals.get(n, 0) + dealt[n], n))
        dealt[name] += 1
    return {name: units for name, units in dealt.items() if units}


def spread(mean: float, number: int, start: int = 0) -> tuple[int, ...]:
    """Return ``number`` whole quotas with the mean ``mean``, or as near as whole numbers allow.

    Their sum is at least 1 unless ``mean`` is 0. Quotas differ by at most 1, and larger ones are spread evenly over the
    list; ``start``, from 0 to ``number`` - 1, shifts their positions.
    """
    total = max(1, int(mean * number + 0.5)) if mean else 0
    edges = [(i * total + start) // number for i in range(number + 1)]
    return tuple(high - low for low, high in pairwise(edges))
