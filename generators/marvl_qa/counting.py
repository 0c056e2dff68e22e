"""Counting questions: candidates, and the item of a candidate that the filters kept (MaRVL-QA, section 3.2.1)."""

import numpy as np

from planimeter.generators.marvl_qa.family import Family
from planimeter.items import CountingItem, Extremum, Feature, Surface


def propose(family: Family, feature: Feature, rng: np.random.Generator) -> Surface:
    """Return the next candidate surface of ``family`` from ``rng``.

    Raises:
        ValueError: if ``feature`` may not be asked of ``family`` (MaRVL-QA, Table 5).
    """
    if feature not in family.counts:
        allowed = ", ".join(sorted(family.counts)) or "no feature"
        raise ValueError(f"{family.name} may be asked for {allowed}, got {feature!r}")
    return family.surface(family.draw(rng))


def item(surface: Surface, feature: Feature, extrema: tuple[Extremum, ...], seed: int) -> CountingItem:
    """Return the question about ``surface``, whose answer is ``len(extrema)``.

    Raises:
        ValueError: if ``extrema`` is empty: a question needs something to count.
    """
    if not extrema:
        raise ValueError(f"need at least one extremum, got none for {feature} of {surface.expression}")
    return CountingItem(surface=surface, feature=feature, extrema=extrema, seed=seed)
