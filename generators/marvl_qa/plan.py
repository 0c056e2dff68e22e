"""Splits the recipe's quotas over the cells of the two MaRVL-QA tasks.

A cell is the smallest unit with a quota: (family, feature, count bin) for counting, (transformation, family) for
transformations. Families declare their questions, and every quota is dealt in turn to those that can take it and have
the fewest so far, so that a new family takes its share without a line here.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import cycle

from planimeter.generators import registry
from planimeter.generators.marvl_qa.curriculum import COUNTING, TRANSFORMATION
from planimeter.generators.marvl_qa.family import Family, movable
from planimeter.generators.quotas import apportion, deal, scaled
from planimeter.items import FEATURES, TRANSFORMATIONS, Feature, Transformation

FAMILIES = "planimeter.generators.marvl_qa.families"


#: The subject of a cell, and its quota: (family, feature, its least and greatest number), or (family, transformation).
CountingCell = tuple[tuple[str, Feature, int, int], int]
TransformationCell = tuple[tuple[str, Transformation], int]


def family(name: str) -> Family:
    """Return the family called ``name``; ``LookupError`` if there is none."""
    known = registry.members(FAMILIES, Family)
    if name not in known:
        raise LookupError(f"there is no family {name!r}; there are: {', '.join(known)}")
    return movable(known[name][1])


@cache
def families() -> tuple[Family, ...]:
    """Return all families, sorted by name."""
    return tuple(family(name) for name in registry.members(FAMILIES, Family))


def counting_cells(
    questions: Sequence[int], count_bins: Sequence[tuple[int, int]], maxima_share: float, scale: float
) -> tuple[CountingCell, ...]:
    """Deal ``sum(questions) * scale`` questions to cells, bin by bin; ``maxima_share`` of them ask for maxima.

    Raises ``ValueError`` if no family reaches a bin that has a quota.
    """
    by_bin = apportion(scaled(sum(questions), scale), questions)
    totals: Counter[str] = Counter()
    dealt: Counter[Feature] = Counter()
    cells: list[CountingCell] = []
    for number, (low, high) in zip(by_bin, count_bins, strict=True):
        # The share is that of the running total, so that the next bin compensates for the rounding of one.
        maxima = round((dealt.total() + number) * maxima_share) - dealt["maxima"]
        maxima = min(max(maxima, 0), number)
        for feature, quota in zip(FEATURES, (maxima, number - maxima), strict=True):
            able = [f.name for f in families() if _reaches(f, feature, low, high)]
            quotas = deal(quota, able, totals)
            totals.update(quotas)
            dealt[feature] += quota
            cells += [((name, feature, low, high), units) for name, units in quotas.items()]
    return tuple(cells)


def transformation_cells(pairs: int, scale: float) -> tuple[TransformationCell, ...]:
    """Deal ``pairs * scale`` pairs of plots: evenly over the transformations, then in turn over the families.

    They are dealt one by one, so that no quota of a smaller number of pairs is above that of a larger one: the smaller
    dataset is a part of the larger.
    """
    able = {t: sorted(f.name for f in families() if t in f.transformations) for t in TRANSFORMATIONS}
    dealt = {t: dict.fromkeys(names, 0) for t, names in able.items()}
    totals: Counter[str] = Counter()
    for transformation, _ in zip(cycle(TRANSFORMATIONS), range(scaled(pairs, scale)), strict=False):
        quotas = dealt[transformation]
        # The next goes to the family with the fewest of this transformation, among equals with the fewest of all.
        name = min(quotas, key=lambda n: (quotas[n], totals[n], n))
        quotas[name] += 1
        totals[name] += 1
    return tuple(
        ((name, transformation), quota)
        for transformation, quotas in dealt.items()
        for name, quota in quotas.items()
        if quota
    )


def counting_course(number: int) -> Iterator[tuple[tuple[str, Feature, int, int], float]]:
    """Yield each (family, feature, least, most) of level ``number``, 1 to 8, and its weight.

    The weight of a family is the number of counts of the level that it reaches, so that all counts come about equally
    often.
    """
    level = COUNTING[number - 1]
    for feature, share in zip(FEATURES, (level.maxima, 1 - level.maxima), strict=True):
        spans = {f.name: _common(f.counts.get(feature, (1, 0)), level.counts) for f in families()}
        total = sum(spans.values())
        for name, span in spans.items():
            if span and share:
                yield (name, feature, *level.counts), share * span / total


def transformation_course(number: int) -> Iterator[tuple[tuple[str, Transformation], float]]:
    """Yield each (family, transformation) of level ``number``, 1 to 7, and its weight."""
    level = TRANSFORMATION[number - 1]
    for kind in TRANSFORMATIONS:
        share = (level.translations if kind.startswith("translate") else 1 - level.translations) / 2
        able = [f.name for f in families() if kind in f.transformations]
        yield from (((name, kind), share / len(able)) for name in able)


def _reaches(candidate: Family, feature: Feature, low: int, high: int) -> bool:
    reach: Mapping[Feature, tuple[int, int]] = candidate.counts
    return feature in reach and reach[feature][0] <= high and reach[feature][1] >= low


def _common(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Return the number of integers that both ranges contain."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]) + 1)
