"""The way from a tree to curves that four styles share: seed, grow, trace, finish. A style is a ``Manner``.

Failures are rare and have a reason: the tree's seed does not fit the finest grid, or no finish keeps the gap.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from generators.curves.clearance import keeps
from generators.curves.config import CurvesConfig, LayoutError
from generators.curves.growth import Energy, grow, relieve, smooth_fields
from generators.curves.outlines import Bend, Curve, fit, resample, smooth, trace, turned
from generators.curves.packing import Labels, seed_labels
from generators.curves.planting import arena, face_targets, folded_targets, needs, planted_labels
from generators.curves.trees import Parents


@dataclass(frozen=True, kw_only=True, slots=True)
class Manner:
    """How a style lets its curves grow.

    ``cells``: grid cells on a side, unless the tree needs more; ``planted``: whether curves swell from planted cells
    (see ``planting``) or start from packed rectangles; ``squareness`` and ``aspect``: see ``arena``; ``cover`` and
    ``spread``: see ``needs``; ``leaf_cells`` and ``fill``: see ``seed_labels``; ``waves``: waves of the random fields
    on a side; ``fold``: a last growth in which both sides of every curve get the same room; ``sigma``: smoothing along
    the curve in cells; ``bend``: the largest slope of the final bending; ``turn``: whether the drawing may be turned by
    any angle.
    """

    cells: int
    planted: bool = True
    squareness: float = 3.0
    aspect: float = 1.0
    cover: float
    spread: float
    leaf_cells: int = 4
    fill: float = 0.9
    waves: float
    energy: Energy
    fold: Energy | None = None
    sigma: float
    bend: float
    turn: bool = True


#: How much of the smoothing and the bending a finish keeps, and whether it turns: the first that leaves the gap.
_STEPS = (
    (1.0, 1.0, True),
    (1.0, 1.0, False),
    (1.0, 0.5, False),
    (0.8, 0.0, False),
    (0.5, 0.0, False),
    (0.25, 0.0, False),
    (0.0, 0.0, False),
)


def grown_labels(parents: Parents, manner: Manner, config: CurvesConfig, rng: np.random.Generator) -> Labels:
    """Return a grown label map of the tree on the manner's grid, or on a finer one if the tree needs it.

    Raises:
        LayoutError: if the tree does not fit the finest grid that keeps ``config.gap_px``.
    """
    labels, areas, fields = _started(parents, manner, config, rng)
    targets, energy = face_targets(parents, areas), manner.energy
    if manner.fold is not None:
        targets = folded_targets(parents, len(labels), rng)
        energy = replace(manner.fold, sweeps=manner.fold.sweeps * config.convolution)
        labels = grow(labels, parents, targets, fields, energy, rng)
    return relieve(labels, parents, targets, fields, energy, rng)


def _started(
    parents: Parents, manner: Manner, config: CurvesConfig, rng: np.random.Generator
) -> tuple[Labels, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    finest = config.cells
    grids = sorted({min(manner.cells, finest), min(round(manner.cells * 1.4), finest), finest})
    for cells in grids[:2] if manner.planted else ():
        areas = needs(parents, cells, manner.cover, manner.spread, rng)
        ground = arena(cells, manner.squareness, manner.aspect)
        fields = smooth_fields(4, cells, manner.waves, rng)
        planted = planted_labels(parents, ground, areas, manner.energy, fields, rng)
        if planted is not None:
            return planted, areas, fields
    # Leaves of a single cell only where nothing larger fits: they hardly show an opening.
    for cells, least in (*((c, 2) for c in grids), (finest, 1)):
        packed = seed_labels(parents, cells, (least, manner.leaf_cells), manner.fill if least > 1 else 1.0, rng)
        if packed is not None:
            areas = needs(parents, cells, manner.cover, manner.spread, rng)
            fields = smooth_fields(4, cells, manner.waves, rng)
            grown = grow(packed, parents, face_targets(parents, areas), fields, manner.energy, rng)
            return grown, areas, fields
    raise LayoutError("tree does not fit the canvas")


def finished(
    labels: Labels, parents: Parents, manner: Manner, config: CurvesConfig, rng: np.random.Generator
) -> list[Curve]:
    """Return the curves of a label map in px, smoothed, bent and turned as far as the gap allows.

    Raises:
        LayoutError: if even the bare outlines come too near.
    """
    angle, mirrored = rng.random() * 2 * np.pi, bool(rng.random() < 0.5)
    bend = Bend(len(labels), manner.bend, rng)
    for curves in _finishes(trace(labels, parents), manner, bend, (angle, mirrored)):
        fitted = fit(curves, config.canvas_px, config.margin_px)
        even = [resample(c, min(6.0, config.gap_px * 0.6)) for c in fitted]
        if keeps(even, config.gap_px):
            return even
    raise LayoutError("curves come too near")


def _finishes(raw: Sequence[Curve], manner: Manner, bend: Bend, turn: tuple[float, bool]) -> Iterator[list[Curve]]:
    angle, mirrored = turn
    for smoothing, bending, turning in _STEPS:
        if turning and not manner.turn:
            continue
        curves = [smooth(c, smoothing * manner.sigma) for c in raw]
        curves = [c + bending * (bend(c) - c) for c in curves]
        yield turned(curves, angle if turning else round(angle) * np.pi / 2, mirrored)


def grow_curves(parents: Parents, manner: Manner, config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return the curves of the tree (numbered in preorder) in ``manner``; raises LayoutError."""
    return finished(grown_labels(parents, manner, config, rng), parents, manner, config, rng)
