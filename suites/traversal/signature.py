"""The comparison of paths with published test items, by shape, whatever their numbers of points.

Two paths are near-duplicates if the distance of their shapes is below the recipe's limit, about the diameter of a
marker (``filters.traversal.duplicates``). A path is compared with the test items of its pool: those in the same ranges
of tortuosity and of crossings or, for a path in reading order, all test items in reading order.
"""

from collections.abc import Iterable

from planimeter.filters.traversal.duplicates import packed, unpacked
from planimeter.filters.verdict import Verdict
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.signatures import SignaturePool
from planimeter.generators.traversal.signatures import signature as shape_of
from planimeter.items.values import Row
from planimeter.suites.editions import Likeness, refusal
from planimeter.suites.traversal.recipe import SuiteRecipe

#: The last bin of crossings of `traversal`; `traversal-hard` divides the crossings beyond into further bins.
_LAST = 6


def likeness(config: str, row: Row) -> Likeness:
    """Return the part of a row that is compared with test items: its pool, and its vertices without spurs, as bytes."""
    bins = f"{row['tortuosity_bin']} {min(row['self_intersection_bin'], _LAST)}"
    return Likeness(config if config == "reading_order" else bins, packed(row["points"]))


class _Near:
    def __init__(self, items: Iterable[Likeness], rules: Limits) -> None:
        self._limit, self._room = rules.duplicate_distance, rules.room
        self._paths: dict[str, list[bytes]] = {}
        self._pools: dict[str, SignaturePool] = {}
        for pool, path in items:
            self._paths.setdefault(pool, []).append(path)

    def judge(self, item: Likeness) -> Verdict:
        # The shapes of all pools take seconds to compute; those of a pool are computed on first use.
        if item.pool not in self._pools:
            shapes = self._pools[item.pool] = SignaturePool(self._limit)
            for path in self._paths.get(item.pool, ()):
                shapes.add(shape_of(unpacked(path), self._room))
        gap = self._pools[item.pool].nearest(shape_of(unpacked(item.signature), self._room))
        return refusal(gap, self._limit, refused=gap < self._limit)


def judge_of(items: Iterable[Likeness], recipe: SuiteRecipe) -> _Near:
    """Return the judge that rejects a path whose shape is too near to that of one of ``items``, the test items.

    The limit is ``duplicate_distance`` in the table ``rules`` of ``recipe``.
    """
    return _Near(items, recipe.rules)
