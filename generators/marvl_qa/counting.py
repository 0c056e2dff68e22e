"""Candidates of counting questions, and the item of an accepted candidate (MaRVL-QA, section 3.2.1).

The paper chose one window (the plotted range of x and y) for each function. In a fixed window a higher count would
always mean smaller features. Therefore ``propose`` puts a pattern of finite extent at a random place in a random
window, whose longer side is at most about 2.5 times that of the pattern. A pattern without end fills the window of its
family. The lengths of the axes (in axis units) and the position of the origin are random, too, and independent of the
pattern.
"""

from dataclasses import replace

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import rounded
from planimeter.generators.marvl_qa.family import MOVED, WIDENED, Family
from planimeter.items import CountingItem, Domain, Extremum, Feature, Surface

#: Least and greatest ratio of a side of the window to that of the outline; the greatest further stretch of one side.
ROOM = (1.1, 1.8)
STRETCH = 1.4
#: Before the stretch, the shorter side is at least this share of the longer one, to give a single row of peaks room.
SLIMMEST = 0.5
#: Least share of the free length along an axis that is on each side of the outline.
MARGIN = 0.25
#: Least and greatest length of an axis in axis units, and the greatest distance of the origin beyond its ends, as a
#: share of that length.
LENGTHS = (4.0, 16.0)
ASIDE = 0.25


def propose(family: Family, feature: Feature, rng: np.random.Generator) -> Surface:
    """Return a random surface of ``family`` in a random window, as a candidate for a question about ``feature``.

    Raises:
        ValueError: if ``family`` does not allow questions about ``feature`` (MaRVL-QA, Table 5).
    """
    if feature not in family.counts:
        allowed = ", ".join(sorted(family.counts)) or "no feature"
        raise ValueError(f"{family.name} allows questions about {allowed}, got {feature!r}")
    parameters = {**family.draw(rng)}
    window = _window(family.outline(parameters), rng) if family.outline else family.domain
    edges: list[float] = []
    for low, high, move, widen in zip(
        (window.x_min, window.y_min), (window.x_max, window.y_max), MOVED, WIDENED, strict=True
    ):
        length = LENGTHS[0] * (LENGTHS[1] / LENGTHS[0]) ** rng.random()
        times = rounded(length / (high - low), 3)
        start = rng.uniform(-1 - ASIDE, ASIDE) * length
        moved = rounded(start - times * low, 2)
        parameters |= {move: moved, widen: times}
        edges += [rounded(moved + times * edge, 2) for edge in (low, high)]
    x_min, x_max, y_min, y_max = edges
    return replace(family.surface(parameters), domain=Domain(x_min=x_min, x_max=x_max, y_min=y_min, y_max=y_max))


def item(surface: Surface, feature: Feature, extrema: tuple[Extremum, ...], seed: int) -> CountingItem:
    """Return the question of how many maxima or minima (``feature``) ``surface`` has; the answer is ``len(extrema)``.

    Raises:
        ValueError: if ``extrema`` is empty: a question needs something to count.
    """
    if not extrema:
        raise ValueError(f"need at least one extremum, got none for {feature} of {surface.expression}")
    return CountingItem(surface=surface, feature=feature, extrema=extrema, seed=seed)


def _window(outline: Domain, rng: np.random.Generator) -> Domain:
    """Return a random window that contains ``outline``, the bounding box of a pattern."""
    larger = ROOM[0] * (ROOM[1] / ROOM[0]) ** rng.random()
    stretch = rng.permutation([1.0, rng.uniform(1, STRETCH)]).tolist()
    shortest = rng.uniform(SLIMMEST, 1) * larger
    ends = ((outline.x_min, outline.x_max), (outline.y_min, outline.y_max))
    longest = max(high - low for low, high in ends)

    def placed(low: float, high: float, longer: float) -> tuple[float, float]:
        side = max(larger * (high - low), shortest * longest) * longer
        start = low - rng.uniform(MARGIN, 1 - MARGIN) * (side - (high - low))
        return start, start + side

    (x_min, x_max), (y_min, y_max) = (placed(*end, longer) for end, longer in zip(ends, stretch, strict=True))
    return Domain(x_min=x_min, x_max=x_max, y_min=y_min, y_max=y_max)
