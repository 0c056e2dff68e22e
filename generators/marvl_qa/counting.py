"""Counting questions: candidates, and the item of a candidate that the filters kept (MaRVL-QA, section 3.2.1).

The paper chose a window for each function. So does ``propose``, with no eye on the count: were the features always
spread over one window of their family, how many there are would show in how small they are and how busy the plot is. A
pattern that ends by itself is shown in a window of any size from a close one on, wherever in it, and squeezed along an
axis as the window is no square; one that the window cuts is shown elsewhere on the axes.
"""

from dataclasses import replace
from math import exp, log

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import uniform
from planimeter.generators.marvl_qa.family import MOVED, Family
from planimeter.items import CountingItem, Domain, Extremum, Feature, Surface

#: Sides of a window by those of the outline in it, least and most; and by each other, at most.
SIDES = (1.12, 1.8)
ASPECT = 2.0
#: Part of the room beside an outline that stays free at each end.
MARGIN = 0.25


def propose(family: Family, feature: Feature, rng: np.random.Generator) -> Surface:
    """Return the next candidate surface of ``family`` from ``rng``, in a window of its own.

    Raises:
        ValueError: if ``feature`` may not be asked of ``family`` (MaRVL-QA, Table 5).
    """
    if feature not in family.counts:
        allowed = ", ".join(sorted(family.counts)) or "no feature"
        raise ValueError(f"{family.name} may be asked for {allowed}, got {feature!r}")
    parameters = family.draw(rng)
    if family.outline is not None:
        return replace(family.surface(parameters), domain=_round(family.outline(parameters), rng))
    window = family.domain(parameters)
    right, up = (uniform(rng, -side, side, 1) for side in (window.x_max, window.y_max))
    moved = family.surface({**parameters, MOVED[0]: right, MOVED[1]: up})
    x_min, x_max, y_min, y_max = window.x_min + right, window.x_max + right, window.y_min + up, window.y_max + up
    return replace(moved, domain=Domain(x_min=x_min, x_max=x_max, y_min=y_min, y_max=y_max))


def item(surface: Surface, feature: Feature, extrema: tuple[Extremum, ...], seed: int) -> CountingItem:
    """Return the question about ``surface``, whose answer is ``len(extrema)``.

    Raises:
        ValueError: if ``extrema`` is empty: a question needs something to count.
    """
    if not extrema:
        raise ValueError(f"need at least one extremum, got none for {feature} of {surface.expression}")
    return CountingItem(surface=surface, feature=feature, extrema=extrema, seed=seed)


def _round(outline: Domain, rng: np.random.Generator) -> Domain:
    """Draw a window that holds ``outline``, to 1 decimal."""
    larger = exp(rng.uniform(log(SIDES[0]), log(SIDES[1])))
    own = [larger * side for side in (outline.x_max - outline.x_min, outline.y_max - outline.y_min)]
    squeeze = rng.uniform(1 / ASPECT, 1)
    width, height = (max(side, squeeze * max(own)) for side in own)

    def placed(low: float, high: float, side: float) -> tuple[float, float]:
        free = side - (high - low)
        start = round(low - rng.uniform(MARGIN, 1 - MARGIN) * free, 1)
        return start, round(start + side, 1)

    (x_min, x_max), (y_min, y_max) = (
        placed(outline.x_min, outline.x_max, width),
        placed(outline.y_min, outline.y_max, height),
    )
    return Domain(x_min=x_min, x_max=x_max, y_min=y_min, y_max=y_max)
