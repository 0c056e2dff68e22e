"""Transformation questions: candidates, their two plots, and the items (MaRVL-QA, sections 3.2.2 and A.4).

Both plots of a question share one window, so that axis labels give nothing away. Translations keep the family's
window. Rotations are about the origin and use the smallest square centred there that holds the family's window: it
maps onto itself, and the centre of the picture is the centre of the rotation.

All random choices are made in ``propose``: parameters, the distances that Algorithm 1 tries in turn, the options'
order.
"""

from dataclasses import dataclass, replace
from math import ceil, floor, log10

import numpy as np

from planimeter.generators.marvl_qa.family import Family
from planimeter.generators.marvl_qa.sampling import Grid, sample
from planimeter.items import OPTIONS, STYLES, Domain, Option, Surface, Transformation, TransformationItem


@dataclass(frozen=True, kw_only=True, slots=True)
class ShiftRange:
    """Distances of translations; ``smallest`` and ``largest`` are fractions of the axis range."""

    tried: int = 10  # MaRVL-QA, Table 6: candidate samples per axis
    smallest: float = 0.08  # ours: a move that a reader sees against the axis ticks
    largest: float = 0.25  # MaRVL-QA, A.7: at most a quarter of the axis

    def __post_init__(self) -> None:
        if not (self.tried > 0 and 0 < self.smallest < self.largest < 1):
            raise ValueError(f"need tried > 0 and 0 < smallest < largest < 1, got {self}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A question before Algorithm 1 has judged it.

    ``surface.domain`` is the window of both plots. ``offsets`` are the distances to try in this order, in axis
    units, signed (positive: right or up); empty for rotations.
    """

    surface: Surface
    transformation: Transformation
    offsets: tuple[float, ...]
    options: tuple[Option, ...]


def propose(
    family: Family, transformation: Transformation, rng: np.random.Generator, shifts: ShiftRange = ShiftRange()
) -> Candidate:
    """Return the next candidate of ``family`` from ``rng``."""
    surface = family.surface(family.draw(rng))
    rotates = transformation.startswith("rotate")
    window = unified_domain(surface.domain) if rotates else surface.domain
    offsets = () if rotates else _draw_offsets(_axis_range(window, transformation), rng, shifts)
    order = rng.permutation(len(OPTIONS))
    return Candidate(
        surface=replace(surface, domain=window),
        transformation=transformation,
        offsets=offsets,
        options=tuple(OPTIONS[i] for i in order),
    )


def item(
    candidate: Candidate, *, offset: float, nrmse_identity: float, nrmse_confusable: float, seed: int
) -> TransformationItem:
    """Return the question of a candidate that was kept with ``offset`` (0 for rotations)."""
    return TransformationItem(
        surface=candidate.surface,
        transformation=candidate.transformation,
        offset=offset,
        options=candidate.options,
        nrmse_identity=nrmse_identity,
        nrmse_confusable=nrmse_confusable,
        seed=seed,
    )


def unified_domain(domain: Domain) -> Domain:
    """Return the smallest square centred on the origin that holds ``domain`` and its rotations by quarter turns."""
    half = max(abs(domain.x_min), abs(domain.x_max), abs(domain.y_min), abs(domain.y_max))
    return Domain(x_min=-half, x_max=half, y_min=-half, y_max=half)


def plot_a(family: Family, surface: Surface, points: int) -> Grid:
    """Return the heights of plot A: float64 (points, points), row 0 at the top."""
    return sample(family, surface.parameters, surface.domain, points)


def plot_b(family: Family, surface: Surface, transformation: Transformation, offset: float, points: int) -> Grid:
    """Return the heights of plot B: float64 (points, points), row 0 at the top.

    With y up: B(x, y) = f(-y, x) for a quarter turn clockwise, f(-x, -y) for a half turn, f(x - offset, y) and
    f(x, y - offset) for translations.

    Raises:
        ValueError: if a rotation is asked in a window that is not a square centred on the origin.
    """
    if transformation == "translate_x":
        return sample(family, surface.parameters, surface.domain, points, shift_x=offset)
    if transformation == "translate_y":
        return sample(family, surface.parameters, surface.domain, points, shift_y=offset)
    if surface.domain != unified_domain(surface.domain):
        raise ValueError(f"a rotation needs a square window about the origin (unified_domain), got {surface.domain}")
    return rotated(plot_a(family, surface, points), transformation)


def plots(family: Family, candidate: Candidate, offset: float, points: int) -> tuple[Grid, Grid]:
    """Return plots A and B, each (points, points); of a translation without ``offset``, which no filter kept, with the
    first distance that was tried.
    """
    surface, shift = candidate.surface, offset or next(iter(candidate.offsets), 0.0)
    return plot_a(family, surface, points), plot_b(family, surface, candidate.transformation, shift, points)


def style_pairs(styles: str, rng: np.random.Generator) -> tuple[int, ...]:
    """Return which of the 81 pairs of styles show a pair of plots: one with equal, one with different styles, or all.

    A pair is numbered 9 times the style of plot A plus that of plot B.
    """
    number = len(STYLES)
    if styles == "all":
        return tuple(range(number**2))
    same, left, step = (int(rng.integers(low, number)) for low in (0, 0, 1))
    return same * number + same, left * number + (left + step) % number


def rotated(picture: Grid, transformation: Transformation) -> Grid:
    """Return ``picture`` (row 0 at the top) turned about its centre, as a view.

    Raises:
        ValueError: if ``transformation`` is no rotation.
    """
    if transformation == "rotate_90_clockwise":
        return np.rot90(picture, -1)
    if transformation == "rotate_180":
        return picture[::-1, ::-1]
    raise ValueError(f"need a rotation, got {transformation!r}")


def _axis_range(domain: Domain, transformation: Transformation) -> float:
    return domain.x_max - domain.x_min if transformation == "translate_x" else domain.y_max - domain.y_min


def _draw_offsets(axis_range: float, rng: np.random.Generator, shifts: ShiftRange) -> tuple[float, ...]:
    """Draw signed distances: multiples of a power of ten near a thousandth of the axis, so never out of range."""
    decimals = 3 - ceil(log10(axis_range))
    unit = 10.0**-decimals
    low, high = ceil(shifts.smallest * axis_range / unit), floor(shifts.largest * axis_range / unit)
    multiples = rng.integers(low, high, size=shifts.tried, endpoint=True) * rng.choice((-1, 1), size=shifts.tried)
    return tuple(round(float(m) * unit, max(decimals, 0)) for m in multiples)
