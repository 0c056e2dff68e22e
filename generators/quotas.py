"""Split whole numbers in proportion: the rows of a config over its cells, the rows of a cell over its families."""

from collections.abc import Mapping, Sequence
from itertools import pairwise


def scaled(total: int, scale: float) -> int:
    """Return ``total`` times ``scale``, rounded half up, at least 1."""
    return max(1, int(total * scale + 0.5))


def apportion(total: int, weights: Sequence[float]) -> tuple[int, ...]:
    """Split ``total`` in proportion to ``weights`` by the largest remainders (Hamilton); the parts sum to ``total``.

    Among equal remainders the earlier part is preferred.

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
    """Split ``total`` among levels by ``shares``, and the part of each level among its cells by ``weights``."""
    levels = apportion(total, shares)
    return tuple(apportion(quota, cells) for quota, cells in zip(levels, weights, strict=True))


def deal(total: int, eligible: Sequence[str], totals: Mapping[str, int]) -> dict[str, int]:
    """Distribute ``total`` units over the ``eligible`` names, each unit to the name with the fewest so far.

    ``totals`` counts the units of earlier calls; among equals the alphabetically first name is preferred. Returns the
    units of each name in this call, without zeros.

    Raises:
        ValueError: if there are units to distribute and no name is eligible.
    """
    if total and not eligible:
        raise ValueError(f"no name is eligible for a quota of {total}")
    dealt = dict.fromkeys(sorted(eligible), 0)
    for _ in range(total):
        name = min(dealt, key=lambda n: (totals.get(n, 0) + dealt[n], n))
        dealt[name] += 1
    return {name: units for name, units in dealt.items() if units}


def spread(mean: float, number: int, start: int = 0) -> tuple[int, ...]:
    """Return ``number`` whole quotas with the mean ``mean``; their sum is at least 1 unless ``mean`` is 0.

    If ``mean`` is not an integer, the quotas differ by 1, with the larger ones spread evenly. ``start``, from 0 to
    ``number`` - 1, shifts the indices of the larger ones.
    """
    total = max(1, int(mean * number + 0.5)) if mean else 0
    edges = [(i * total + start) // number for i in range(number + 1)]
    return tuple(high - low for low, high in pairwise(edges))
