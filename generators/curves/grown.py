"""Grow the curves of a nesting tree, in steps that four of the five categories of CurveBench share.

The steps: make a label map of the tree (for each cell of a grid, the innermost curve around it), let it grow, trace its
outlines, and smooth, bend and rotate them. Categories differ by their ``Growth`` parameters. The steps fail rarely: if
the tree does not fit on the finest grid, or if even unsmoothed curves are closer than ``gap_px``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from planimeter.generators.curves.clearance import has_clearance, measure
from planimeter.generators.curves.config import CurvesConfig, LayoutError
from planimeter.generators.curves.growth import Energy, fold, grow, relieve, smooth_fields
from planimeter.generators.curves.outlines import Bend, Curve, divided, fit, resample, smooth, trace, turned
from planimeter.generators.curves.packing import Labels, least_side, seed_labels
from planimeter.generators.curves.planting import arena, face_targets, folded_targets, planted_labels, target_areas
from planimeter.generators.curves.snug import snug_labels
from planimeter.generators.curves.trees import Parents


@dataclass(frozen=True, kw_only=True, slots=True)
class Growth:
    """The parameters by which one category of CurveBench grows its curves.

    ``cells``: grid cells on a side, unless the tree needs more; ``planted``: True to let curves swell from small discs
    (see ``planting``), False to start from packed rectangles (see ``packing``); ``squareness``, ``aspect``, ``bays``:
    the shape of the region where curves may run (``arena``); ``cover``, ``spread``: the areas of curves
    (``target_areas``); ``leaf_cells``, ``fill``: the sides of empty curves and of the drawing (``seed_labels``);
    ``waves``: the number of lobes (``smooth_fields``); ``energy``: the weights of the growth; ``fold``: those of a
    second growth that folds curves into a labyrinth; ``sigma``: standard deviation of the smoothing, in vertices;
    ``bend``: the ``strength`` of a ``Bend``; ``turn``: True to rotate by any angle, False by multiples of 90 degrees.
    """

    cells: int
    planted: bool = True
    squareness: float = 3.0
    aspect: float = 1.0
    bays: float = 0.0
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


#: Attempts to finish a drawing: the share of bending, and True for a rotation. The first that keeps the gap is used.
_STEPS = ((1.0, True), (1.0, False), (0.5, False))

#: If all fail, the smoothing of curves that are too near is multiplied by this factor in each round; the last has none.
_LESS, _ROUNDS = 0.6, 7

#: Planted curves need room to swell: of 98 plantings of trees whose least side is above this share of the grid's, one
#: had a site for every curve, and they take half of the time of a crowded drawing.
_PLANTABLE = 0.32

#: A tolerance in px, so that curves exactly one gap apart do not fail by the last bit of a float.
ROUNDING = 1e-6


def grown_labels(parents: Parents, growth: Growth, config: CurvesConfig, rng: np.random.Generator) -> Labels:
    """Return a grown label map of the tree: for each cell of a square grid, the node of the innermost curve around it.

    Cells outside all curves are 0, the exterior, or -1 where no curve may be. The grid has ``growth.cells`` cells on a
    side, or more if the tree needs more.

    Raises:
        LayoutError: if the tree does not fit on the finest grid that keeps ``config.gap_px``.
    """
    labels, areas, fields = _started(parents, growth, config, rng)
    targets, energy = face_targets(parents, areas), growth.energy
    if growth.fold is not None:
        targets = folded_targets(parents, int(np.count_nonzero(labels >= 0)), rng)
        energy = replace(growth.fold, sweeps=growth.fold.sweeps * config.convolution)
        labels = fold(labels, parents, targets, fields, energy, rng)
    return relieve(labels, parents, targets, fields, energy, rng)


def _started(
    parents: Parents, growth: Growth, config: CurvesConfig, rng: np.random.Generator
) -> tuple[Labels, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    finest = config.cells
    grids = sorted({min(growth.cells, finest), min(round(growth.cells * 1.4), finest), finest})
    for cells in grids[:2] if growth.planted else ():
        if least_side(parents) > _PLANTABLE * cells:
            continue
        areas = target_areas(parents, cells, growth.cover, growth.spread, rng)
        ground = arena(cells, growth.squareness, growth.aspect, growth.bays, rng)
        fields = smooth_fields(4, cells, growth.waves, rng)
        planted = planted_labels(parents, ground, areas, growth.energy, fields, rng)
        if planted is not None:
            return planted, areas, fields
    packed = _packed(parents, grids, growth, config, rng)
    areas = target_areas(parents, len(packed), growth.cover, growth.spread, rng)
    fields = smooth_fields(4, len(packed), growth.waves, rng)
    return grow(packed, parents, face_targets(parents, areas), fields, growth.energy, rng), areas, fields


def _packed(
    parents: Parents, grids: Sequence[int], growth: Growth, config: CurvesConfig, rng: np.random.Generator
) -> Labels:
    """Return a label map of the tree with tightly packed curves, which can then grow.

    ``grids``: numbers of cells on a side, tried in this order; the finest possible grid is tried last. Raises
    LayoutError if the tree fits on none.
    """
    for cells in grids:
        packed = seed_labels(parents, cells, (2, growth.leaf_cells), growth.fill, rng)
        if packed is not None:
            return packed
    # Leaves of a single cell only if nothing larger fits: they hardly show an opening.
    tightest = config.tightest_cells
    for least in (2, 1):
        packed = seed_labels(parents, tightest, (least, least), 1.0, rng)
        if packed is None:
            packed = snug_labels(parents, tightest, least, 1.0, rng)
        if packed is not None:
            return packed
    raise LayoutError("tree does not fit the canvas")


def finished(
    labels: Labels, parents: Parents, growth: Growth, config: CurvesConfig, rng: np.random.Generator
) -> list[Curve]:
    """Trace the curves of a label map and scale them to the canvas; return a curve (n, 2; px) for each node.

    Curves are smoothed, and bent and rotated at random, as much as is possible with gaps of ``config.gap_px``.

    Raises:
        LayoutError: if even the unsmoothed outlines are nearer to each other.
    """
    angle, mirrored = rng.random() * 2 * np.pi, bool(rng.random() < 0.5)
    upright = round(angle) * np.pi / 2
    bend = Bend(len(labels), growth.bend, rng)
    raw = trace(labels, parents)
    smoothed = [smooth(c, growth.sigma) for c in raw]
    plain, bent = np.concatenate(smoothed), np.concatenate(bend(smoothed))
    for bending, turning in _STEPS:
        if turning and not growth.turn:
            continue
        curves = divided(plain + bending * (bent - plain), raw)
        even = _fitted(turned(curves, angle if turning else upright, mirrored), config)
        if has_clearance(even, config.gap_px):
            return even
    return _eased(turned(raw, upright, mirrored), growth.sigma, config)


def _eased(raw: Sequence[Curve], sigma: float, config: CurvesConfig) -> list[Curve]:
    """Return the curves in px, each smoothed as much as is possible if gaps must be at least ``config.gap_px``.

    Raises LayoutError if even unsmoothed curves are closer. ``sigma``: the smoothing that is tried first, in vertices.
    """
    sigmas = np.full(len(raw), sigma)
    for number in range(_ROUNDS + 1):
        kept = sigmas.tolist()
        curves = _fitted([smooth(c, s) for c, s in zip(raw, kept, strict=True)], config, kept)
        tight = measure(curves, config.gap_px + 0.1).tight(config.gap_px - ROUNDING)
        if not len(tight):
            return curves
        if not sigmas[tight].any():
            break
        sigmas[tight] *= _LESS if number < _ROUNDS - 1 else 0.0
    raise LayoutError("curves come too near")


def _fitted(curves: Sequence[Curve], config: CurvesConfig, sigmas: Sequence[float] = ()) -> list[Curve]:
    """Return the curves scaled to the canvas, in px, with evenly spaced vertices.

    ``sigmas``: the smoothing of each curve. An unsmoothed one (0) keeps its own vertices: even spacing would cut its
    corners.
    """
    fitted = fit(curves, config.canvas_px, config.margin_px)
    spacing = min(6.0, config.gap_px * 0.6)
    bare = [s == 0 for s in sigmas] or [False] * len(fitted)
    return [c if b else resample(c, spacing) for c, b in zip(fitted, bare, strict=True)]


def grow_curves(parents: Parents, growth: Growth, config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return the curves (n, 2; px) of the tree: a label map grown with the parameters ``growth``, traced and smoothed.

    ``parents``: the tree, with nodes numbered in preorder.

    Raises:
        LayoutError: if the tree does not fit, or the curves come too near to each other.
    """
    return finished(grown_labels(parents, growth, config, rng), parents, growth, config, rng)
