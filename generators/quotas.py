"""Shares out whole numbers fairly: quotas over cells, cells over families."""

from collections.abc import Mapping, Sequence


def apportion(total: int, weights: Sequence[float]) -> tuple[int, ...]:
    """Split ``total`` in proportion to ``weights`` by the largest remainders (Hamilton); the parts sum to ``total``.

    Ties go to the earlier part. Raises ``ValueError`` if no weight is positive or one is negative.
    """
    if min(weights) < 0 or sum(weights) <= 0:
        raise ValueError(f"need weights that are not negative and not all zero, got {list(weights)}")
    exact = [total * weight / sum(weights) for weight in weights]
    parts = [int(share) for share in exact]
    by_remainder = sorted(range(len(parts)), key=lambda i: (parts[i] - exact[i], i))
    for i in by_remainder[: total - sum(parts)]:
        parts[i] += 1
    return tuple(parts)


def deal(total: int, eligible: Sequence[str], held: Mapping[str, int]) -> dict[str, int]:
    """Deal ``total`` units to the names in ``eligible``, each to the one that then holds the fewest.

    ``held`` counts what the names hold from earlier deals; ties go by name. Returns what this deal gave, without zeros.
    Raises ``ValueError`` if there is something to deal and nobody to take it.
    """
    if total and not eligible:
        raise ValueError(f"nobody can take a quota of {total}")
    given = dict.fromkeys(sorted(eligible), 0)
    for _ in range(total):
        name = min(given, key=lambda n: (held.get(n, 0) + given[n], n))
        given[name] += 1
    return {name: units for name, units in given.items() if units}
