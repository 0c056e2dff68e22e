"""Candidates of transformation questions, their two plots, and their items (MaRVL-QA, sections 3.2.2 and A.4).

Both plots of a question have the same window, so that axis labels do not reveal the answer: the smallest square centred
on the origin that contains the family's window. A rotation about the origin maps it to itself.

Neither plot alone may reveal the answer. Families place their surfaces around the middle of the window; if plot A
showed them there, a surface off the middle of plot B would reveal a translation. Therefore the positions in plot A and
after a translation are random along both axes, in the same way for all transformations (``_draw_moves``), and a surface
is used only if every transformation that its family allows would make a clear question (``Candidate.others``).

``propose`` makes all random choices: parameters, positions, the order of the options.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil, floor, log10

import numpy as np

from planimeter.generators.marvl_qa.family import MOVED, Family
from planimeter.generators.marvl_qa.sampling import RENDER_POINTS, Grid, sample
from planimeter.items import OPTIONS, STYLES, Option, Surface, Transformation, TransformationItem


@dataclass(frozen=True, kw_only=True, slots=True)
class ShiftRange:
    """The range of the lengths of translations in transformation questions (MaRVL-QA, Table 6 and A.7)."""

    smallest: float = 0.08
    """Shortest translation, as a share of the axis."""
    largest: float = 0.25
    """Longest translation, as a share of the axis."""
    candidates: int = 10
    """The number of distances to try along an axis; the question uses the first that passes."""

    def __post_init__(self) -> None:
        if self.candidates < 1:
            raise ValueError(f"need candidates >= 1, got {self.candidates}")
        if not 0 < self.smallest < self.largest <= 0.25:
            raise ValueError(f"need 0 < smallest < largest <= 0.25, got {self.smallest} and {self.largest}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A question before Algorithm 1 of the MaRVL-QA paper decides if its answer is clear.

    ``surface.domain``: the window of both plots; ``offset``: the translation in axis units, positive to the right or
    up, 0 for rotations; ``options``: the answers in the order of the question; ``further``: other translations, to be
    tried in this order if ``offset`` makes no clear question (Algorithm 1, lines 13 to 28); ``others``: questions about
    the same surface with each other transformation that its family allows. They must be clear, too: otherwise the
    shape of a plot could reveal the answer.
    """

    surface: Surface
    transformation: Transformation
    offset: float
    options: tuple[Option, ...]
    others: tuple["Candidate", ...] = ()
    further: tuple[float, ...] = ()

    def by_distance(self) -> Iterator["Candidate"]:
        """Yield this candidate, then a copy for each translation in ``further``, with that as ``offset``."""
        yield self
        for offset in self.further:
            yield replace(self, offset=offset)


def propose(
    family: Family, transformation: Transformation, rng: np.random.Generator, shifts: ShiftRange = ShiftRange()
) -> Candidate:
    """Return a random candidate question about ``transformation`` with a surface of ``family``."""
    parameters = family.draw(rng)
    # Further distances come from a separate stream: their number changes nothing else of the candidate.
    further = rng.spawn(1)[0]
    (start_x, moves_x), (start_y, moves_y) = (_draw_moves(2 * family.window, rng, further, shifts) for _ in "xy")
    order = rng.permutation(len(OPTIONS))
    surface = family.surface({**parameters, MOVED[0]: start_x, MOVED[1]: start_y})
    along: Mapping[Transformation, tuple[float, ...]] = {"translate_x": moves_x, "translate_y": moves_y}

    def question(kind: Transformation, others: tuple[Candidate, ...] = ()) -> Candidate:
        first, *later = along.get(kind, (0.0,))
        return Candidate(
            surface=surface,
            transformation=kind,
            offset=first,
            further=tuple(later),
            options=tuple(OPTIONS[i] for i in order),
            others=others,
        )

    return question(transformation, tuple(question(kind) for kind in family.transformations if kind != transformation))


def item(candidate: Candidate, *, nrmse_identity: float, nrmse_confusable: float, seed: int) -> TransformationItem:
    """Return the question of an accepted candidate; the errors ``nrmse_*``: see Algorithm 1 of the MaRVL-QA paper."""
    return TransformationItem(
        surface=candidate.surface,
        transformation=candidate.transformation,
        offset=candidate.offset,
        options=candidate.options,
        nrmse_identity=nrmse_identity,
        nrmse_confusable=nrmse_confusable,
        seed=seed,
    )


def plot_a(family: Family, surface: Surface, points: int) -> Grid:
    """Return the heights of plot A, before the transformation: float64 (points, points), row 0 at the top."""
    return sample(family, surface.parameters, surface.domain, points)


def plot_b(family: Family, surface: Surface, transformation: Transformation, offset: float, points: int) -> Grid:
    """Return the heights of plot B, the surface f after ``transformation``: float64 (points, points), row 0 at the top.

    With y up: B(x, y) = f(-y, x) for a clockwise quarter turn, f(-x, -y) for a half turn, f(x - offset, y) and f(x, y -
    offset) for translations; ``offset`` is in axis units.

    Raises:
        ValueError: for a rotation in a window that is not a square centred on the origin.
    """
    if transformation == "translate_x":
        return sample(family, surface.parameters, surface.domain, points, shift_x=offset)
    if transformation == "translate_y":
        return sample(family, surface.parameters, surface.domain, points, shift_y=offset)
    window = surface.domain
    if not -window.x_min == window.x_max == -window.y_min == window.y_max:
        raise ValueError(f"a rotation needs a square window about the origin, got {window}")
    return rotated(plot_a(family, surface, points), transformation)


def plots(family: Family, candidate: Candidate) -> tuple[Grid, Grid]:
    """Return the heights in plots A and B at the resolution in which they are drawn: float64 (400, 400) each."""
    a = plot_a(family, candidate.surface, RENDER_POINTS)
    return a, plot_b(family, candidate.surface, candidate.transformation, candidate.offset, RENDER_POINTS)


def style_pairs(styles: str, rng: np.random.Generator) -> tuple[int, ...]:
    """Return the pairs of styles in which a pair of plots is shown, one row of the dataset for each.

    A pair is one integer: 9 times the index of plot A's style in ``STYLES`` plus the index of B's. ``styles``: "all"
    for all 81 pairs; otherwise two random pairs, one of equal and one of different styles.
    """
    number = len(STYLES)
    if styles == "all":
        # Pairs of the same plot types differ in colour only, and compress better next to each other.
        return tuple(sorted(range(number**2), key=lambda pair: [STYLES[i].plot_type for i in divmod(pair, number)]))
    same, left, step = (int(rng.integers(low, number)) for low in (0, 0, 1))
    return same * number + same, left * number + (left + step) % number


def rotated(picture: Grid, transformation: Transformation) -> Grid:
    """Return a view of ``picture`` (row 0 at the top) rotated about its centre as ``transformation`` names.

    Raises:
        ValueError: if ``transformation`` is not a rotation.
    """
    if transformation == "rotate_90_clockwise":
        return np.rot90(picture, -1)
    if transformation == "rotate_180":
        return picture[::-1, ::-1]
    raise ValueError(f"need a rotation, got {transformation!r}")


def _draw_moves(
    axis_range: float, rng: np.random.Generator, further: np.random.Generator, shifts: ShiftRange
) -> tuple[float, tuple[float, ...]]:
    """Return a random position of a surface on one axis, relative to the axis's middle, and random translations.

    All are signed, in axis units, and multiples of a power of ten near a thousandth of the axis. The first translation
    is drawn from ``rng``, the others from ``further``. A position plus a translation wraps around, as on a circle, with
    a period of the smallest plus the largest shift. So the positions before and after are both uniformly distributed,
    neither alone reveals the translation, and the length of every translation is in the range ``shifts``.
    """
    decimals = 3 - ceil(log10(axis_range))
    unit = 10.0**-decimals
    low, high = ceil(shifts.smallest * axis_range / unit), floor(shifts.largest * axis_range / unit)
    places = (low + high - 1) | 1  # odd, to lie evenly about the middle
    start = int(rng.integers(places))

    def units(number: int) -> float:
        return round(number * unit, max(decimals, 0))

    def distance(stream: np.random.Generator) -> float:
        return units((start + int(stream.integers(low, places - low, endpoint=True))) % places - start)

    moves = distance(rng), *(distance(further) for _ in range(shifts.candidates - 1))
    return units(start - places // 2), moves
