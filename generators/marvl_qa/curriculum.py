"""Training levels of all MaRVL-QA tasks, easiest first.

Levels are ordered by the score of a nearest-neighbour baseline on thumbnails (``suites/marvl_qa/probes.py``), as
measured on the published rows. In counting the score falls with the count, most of all if only contour lines show
heights. In transformations it falls with shorter translations, with different styles in the two plots, and with contour
lines. The score does not follow the tiers of difficulty that the paper assigns to families.

The seed of a training row is derived also from its level, so that it never has the random stream of a test row.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from planimeter.items import STYLES

#: Contour lines alone; the styles before it are filled with colour.
_CONTOUR = len(STYLES) - 1


@dataclass(frozen=True, kw_only=True, slots=True)
class CountingLevel:
    """A training level of counting questions.

    ``counts``: least and greatest number of maxima or minima to count; ``maxima``: the share of questions about maxima;
    ``lines``: the share of plots with both colours and contour lines; ``contour``: the share with contour lines only.
    """

    counts: tuple[int, int]
    maxima: float = 0.5
    lines: float = 0.0
    contour: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class TransformationLevel:
    """A training level of transformation questions, each about a pair of plots.

    ``shifts``: shortest and longest translation, as shares of the axis; ``translations``: the share of pairs in which
    the surface is translated rather than rotated; ``same``: the share of pairs with the same style in both plots;
    ``contour``: the share of pairs in which one plot (both, if the styles are the same) has contour lines only.
    """

    shifts: tuple[float, float]
    translations: float = 0.5
    same: float = 0.0
    contour: float = 0.0


COUNTING: tuple[CountingLevel, ...] = (
    CountingLevel(counts=(1, 3), maxima=1.0),
    CountingLevel(counts=(2, 5), maxima=0.75, lines=0.3),
    CountingLevel(counts=(3, 7), lines=0.4, contour=0.1),
    CountingLevel(counts=(4, 8), lines=0.4, contour=0.2),
    CountingLevel(counts=(6, 11), lines=0.3, contour=0.45),
    CountingLevel(counts=(8, 14), lines=0.3, contour=0.55),
    CountingLevel(counts=(10, 17), lines=0.2, contour=0.75),
    CountingLevel(counts=(12, 20), contour=1.0),
)

TRANSFORMATION: tuple[TransformationLevel, ...] = (
    TransformationLevel(shifts=(0.21, 0.25), same=1.0),
    TransformationLevel(shifts=(0.17, 0.25), same=0.75),
    TransformationLevel(shifts=(0.14, 0.22), same=0.5, contour=0.1),
    TransformationLevel(shifts=(0.12, 0.20), same=0.25, contour=0.2),
    TransformationLevel(shifts=(0.10, 0.17), translations=0.55, contour=0.4),
    TransformationLevel(shifts=(0.08, 0.14), translations=0.6, contour=0.7),
    TransformationLevel(shifts=(0.08, 0.11), translations=0.7, contour=1.0),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class CountingHardLevel:
    """A training level of counting questions for ``marvl-qa-hard``.

    ``counts``: the least and greatest number of maxima or minima to count; ``zoom``: the size of the counted features,
    divided by their size in the test rows of ``counting_hard``.
    """

    counts: tuple[int, int]
    zoom: float = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class MotionLevel:
    """A training level of transformation questions for ``marvl-qa-hard``.

    ``turned``: the share of pairs that are only rotated or reflected, not translated; ``zoom``: the size of bumps,
    divided by their size in the test rows of ``transformation_hard``.
    """

    turned: float
    zoom: float = 1.0


COUNTING_HARD: tuple[CountingHardLevel, ...] = (
    CountingHardLevel(counts=(3, 6), zoom=2.4),
    CountingHardLevel(counts=(5, 10), zoom=2.0),
    CountingHardLevel(counts=(8, 15), zoom=1.7),
    CountingHardLevel(counts=(10, 20), zoom=1.4),
    CountingHardLevel(counts=(14, 28), zoom=1.25),
    CountingHardLevel(counts=(20, 36), zoom=1.1),
    CountingHardLevel(counts=(26, 48)),
    CountingHardLevel(counts=(36, 60)),
)

#: The size of features on 3D surfaces relative to that in ``counting_hard``: a camera sees them foreshortened.
SURFACE_ZOOM = 1.4
SURFACE: tuple[CountingHardLevel, ...] = (
    CountingHardLevel(counts=(3, 6), zoom=2.4),
    CountingHardLevel(counts=(4, 8), zoom=2.2),
    CountingHardLevel(counts=(5, 10), zoom=2.0),
    CountingHardLevel(counts=(6, 12), zoom=1.9),
    CountingHardLevel(counts=(8, 15), zoom=1.8),
    CountingHardLevel(counts=(10, 18), zoom=1.6),
    CountingHardLevel(counts=(13, 22), zoom=1.5),
    CountingHardLevel(counts=(16, 28), zoom=SURFACE_ZOOM),
)

TRANSFORMATION_HARD: tuple[MotionLevel, ...] = (
    MotionLevel(turned=0.7, zoom=4.0),
    MotionLevel(turned=0.6, zoom=3.2),
    MotionLevel(turned=0.5, zoom=2.6),
    MotionLevel(turned=0.4, zoom=2.1),
    MotionLevel(turned=0.3, zoom=1.7),
    MotionLevel(turned=0.2, zoom=1.4),
    MotionLevel(turned=0.15, zoom=1.2),
    MotionLevel(turned=0.1),
)

#: The size of bumps on 3D surfaces relative to that in ``transformation_hard``: they hide one another.
SURFACE_MOTION_ZOOM = 2.5
SURFACE_TRANSFORMATION: tuple[MotionLevel, ...] = (
    MotionLevel(turned=0.7, zoom=5.0),
    MotionLevel(turned=0.6, zoom=4.5),
    MotionLevel(turned=0.5, zoom=4.1),
    MotionLevel(turned=0.4, zoom=3.7),
    MotionLevel(turned=0.3, zoom=3.4),
    MotionLevel(turned=0.2, zoom=3.1),
    MotionLevel(turned=0.15, zoom=2.8),
    MotionLevel(turned=0.1, zoom=SURFACE_MOTION_ZOOM),
)

#: Levels of each config of ``marvl-qa-hard``.
HARD_LEVELS = 8
#: The levels of pairs of fine bumps; the last has the bumps of tests.
MOTION_LEVELS: Mapping[str, tuple[MotionLevel, ...]] = MappingProxyType(
    {"transformation_hard": TRANSFORMATION_HARD, "surface_transformation": SURFACE_TRANSFORMATION}
)

#: Config -> its levels.
LEVELS: Mapping[str, tuple[CountingLevel | TransformationLevel | CountingHardLevel | MotionLevel, ...]] = (
    MappingProxyType(
        {
            "counting": COUNTING,
            "transformation": TRANSFORMATION,
            "counting_hard": COUNTING_HARD,
            "surface": SURFACE,
            **MOTION_LEVELS,
        }
    )
)


def style_of(number: int, rng: np.random.Generator) -> int:
    """Return a random plot style, as an index in ``STYLES``, for a counting question of level ``number`` (1 to 8)."""
    level, kind = COUNTING[number - 1], float(rng.random())
    if kind < level.contour:
        return _CONTOUR
    half = _CONTOUR // 2
    return int(rng.integers(half)) + (half if kind < level.contour + level.lines else 0)


def pair_of_styles(number: int, rng: np.random.Generator) -> int:
    """Return random styles of plots A and B for a transformation question of level ``number`` (1 to 7).

    The pair is one integer: 9 times the index of A's style in ``STYLES`` plus the index of B's.
    """
    level = TRANSFORMATION[number - 1]
    same, contour, swap = (float(draw) for draw in rng.random(3))
    left, step = int(rng.integers(_CONTOUR)), int(rng.integers(1, _CONTOUR))
    right = left if same < level.same else (left + step) % _CONTOUR
    if contour < level.contour:
        left, right = (_CONTOUR, _CONTOUR if same < level.same else right)
        left, right = (left, right) if swap < 0.5 else (right, left)
    return left * len(STYLES) + right
