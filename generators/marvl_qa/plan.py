"""Divide the questions of a recipe among cells, the smallest units with a quota, for each MaRVL-QA task.

A cell is (family, feature, range of counts) for counting and (family, transformation) for transformations. A family
states which questions it allows. The questions of one kind are divided among the families that allow it: one by one,
each to the family that has received the fewest so far. So a new family gets its share without a change here.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import cycle

from planimeter.generators import registry
from planimeter.generators.marvl_qa.curriculum import COUNTING, TRANSFORMATION
from planimeter.generators.marvl_qa.family import Family, movable
from planimeter.generators.marvl_qa.fine._family import CountedFamily
from planimeter.generators.quotas import apportion, deal, scaled
from planimeter.items import FEATURES, TRANSFORMATIONS, Feature, Transformation
from planimeter.items.motions import ANSWERS, MOTIONS

FAMILIES = "planimeter.generators.marvl_qa.families"
#: Those of the edition ``marvl-qa-hard``.
FINE = "planimeter.generators.marvl_qa.fine"


#: The subject of a cell, and its quota: (family, feature, its least and greatest number), or (family, transformation).
CountingCell = tuple[tuple[str, Feature, int, int], int]
TransformationCell = tuple[tuple[str, Transformation], int]


def family(name: str) -> Family:
    """Return the family called ``name``, of the paper or of ``marvl-qa-hard``, made movable (see ``family.movable``).

    Raises:
        LookupError: if there is no such family.
    """
    known = {**registry.members(FAMILIES, Family), **registry.members(FINE, Family)}
    if name not in known:
        raise LookupError(f"there is no family {name!r}; there are: {', '.join(known)}")
    return movable(known[name][1])


def counted_family(name: str) -> CountedFamily:
    """Return the family called ``name``, which can choose random parameters for a given number of maxima or minima.

    Raises:
        LookupError: if there is no such family, or it is not a ``CountedFamily``.
    """
    found = family(name)
    if not isinstance(found, CountedFamily):
        raise LookupError(f"need a family with surfaces of a given count (CountedFamily, in {FINE}), got {name!r}")
    return found


@cache
def families() -> tuple[Family, ...]:
    """Return the families of the paper, sorted by name."""
    return tuple(family(name) for name in registry.members(FAMILIES, Family))


@cache
def fine_families() -> tuple[Family, ...]:
    """Return the families of ``marvl-qa-hard``, sorted by name."""
    return tuple(family(name) for name in registry.members(FINE, Family))


def counting_cells(
    questions: Sequence[int],
    count_bins: Sequence[tuple[int, int]],
    maxima_share: float,
    scale: float,
    among: Sequence[Family] | None = None,
) -> tuple[CountingCell, ...]:
    """Return the cells (family, feature, range of counts) of counting questions, each with its quota.

    ``count_bins``: ranges of the right answer (least, greatest); ``questions``: the number of questions in each range,
    before it is multiplied by ``scale``; ``maxima_share``: the share of questions about maxima; ``among``: the
    families, by default those of the paper.

    Raises:
        ValueError: if a range has a quota, but no family has surfaces with so many maxima or minima.
    """
    among = families() if among is None else among
    by_bin = apportion(scaled(sum(questions), scale), questions)
    totals: Counter[str] = Counter()
    dealt: Counter[Feature] = Counter()
    cells: list[CountingCell] = []
    for number, (low, high) in zip(by_bin, count_bins, strict=True):
        # The share is that of the running total, so that the next bin compensates for the rounding of one.
        maxima = round((dealt.total() + number) * maxima_share) - dealt["maxima"]
        maxima = min(max(maxima, 0), number)
        for feature, quota in zip(FEATURES, (maxima, number - maxima), strict=True):
            able = [f.name for f in among if _reaches(f, feature, low, high)]
            quotas = deal(quota, able, totals)
            totals.update(quotas)
            dealt[feature] += quota
            cells += [((name, feature, low, high), units) for name, units in quotas.items()]
    return tuple(cells)


def transformation_cells(pairs: int, scale: float) -> tuple[TransformationCell, ...]:
    """Return the cells (family, transformation) of ``pairs * scale`` pairs of plots with their quotas.

    Pairs are divided evenly among the transformations, and then among the families that allow each. Pairs are assigned
    one by one, so that no quota decreases when ``pairs`` grows: a smaller dataset is a subset of a larger one.
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


def motion_cells(pairs: int, turned_share: float, scale: float) -> tuple[tuple[tuple[str, str], int], ...]:
    """Return the cells (family, motion) of ``pairs * scale`` pairs of plots for ``marvl-qa-hard``, with their quotas.

    ``turned_share``: the share of pairs without a translation. The motions without a translation are equally frequent;
    so are those with one, and so are the families.
    """
    shares = motion_shares(turned_share)
    able = [f.name for f in fine_families() if not f.counts]
    totals: Counter[str] = Counter()
    cells: list[tuple[tuple[str, str], int]] = []
    for motion, quota in zip(ANSWERS, apportion(scaled(pairs, scale), [shares[m] for m in ANSWERS]), strict=True):
        quotas = deal(quota, able, totals)
        totals.update(quotas)
        cells += [((name, motion), units) for name, units in quotas.items()]
    return tuple(cells)


def motion_shares(turned_share: float) -> Mapping[str, float]:
    """Return the share of questions for each motion that can be the right answer; the shares sum to 1.

    ``turned_share``: the sum of the shares of motions without a translation.
    """
    turned = [name for name in ANSWERS if not MOTIONS[name].axis]
    one, other = turned_share / len(turned), (1 - turned_share) / (len(ANSWERS) - len(turned))
    return {name: one if name in turned else other for name in ANSWERS}


def counting_course(number: int) -> Iterator[tuple[tuple[str, Feature, int, int], float]]:
    """Yield (cell, share of the questions) for each cell of training level ``number``, 1 to 8; the shares sum to 1.

    A cell is (family, feature, least count, greatest count). A family's share is proportional to the number of answers
    of this level that its surfaces can have, so that all answers are about equally frequent.
    """
    level = COUNTING[number - 1]
    for feature, share in zip(FEATURES, (level.maxima, 1 - level.maxima), strict=True):
        spans = {f.name: _common(f.counts.get(feature, (1, 0)), level.counts) for f in families()}
        total = sum(spans.values())
        for name, span in spans.items():
            if span and share:
                yield (name, feature, *level.counts), share * span / total


def transformation_course(number: int) -> Iterator[tuple[tuple[str, Transformation], float]]:
    """Yield (cell, share of the questions) for each cell of training level ``number``, 1 to 7; the shares sum to 1.

    A cell is (family, transformation).
    """
    level = TRANSFORMATION[number - 1]
    for kind in TRANSFORMATIONS:
        share = (level.translations if kind.startswith("translate") else 1 - level.translations) / 2
        able = [f.name for f in families() if kind in f.transformations]
        yield from (((name, kind), share / len(able)) for name in able)


def _reaches(candidate: Family, feature: Feature, low: int, high: int) -> bool:
    reach: Mapping[Feature, tuple[int, int]] = candidate.counts
    return feature in reach and reach[feature][0] <= high and reach[feature][1] >= low


def _common(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Return the number of integers that two ranges (least, greatest) have in common; ends are included."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]) + 1)
