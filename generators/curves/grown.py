"""The way from a tree to curves that four styles share: seed, grow, trace, finish. A style is a ``Manner``.

Failures are rare and have a reason: the tree's seed does not fit the finest grid, or no finish keeps the gap.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from generators.curves.clearance import measure
from generators.curves.config import CurvesConfig, NoLayout
from generators.curves.growth import Energy, grow, smooth_fields, target_areas
from generators.curves.outlines import Bend, Curve, fit, resample, smooth, trace, turned
from generators.curves.packing import Labels, seed_labels
from generators.curves.trees import Parents


@dataclass(frozen=True, kw_only=True, slots=True)
class Manner:
    """How a style lets its curves grow.

    ``cells``: grid cells on a side, if the tree's seed is small enough; ``leaf_cells``: side of an empty curve's seed;
    ``fill``: the share of the grid's side that the seed covers; ``cover`` and ``spread``: see ``target_areas``;
    ``waves``: waves of the random fields on a side; ``sigma``: smoothing along the curve in cells; ``bend``: the largest
    slope of the final bending; ``turn``: whether the drawing may be turned by any angle.
    """

    cells: int
    leaf_cells: int
    fill: float
    cover: float
    spread: float
    waves: float
    energy: Energy
    sigma: float
    bend: float
    turn: bool = True


#: How much of the smoothing, the bending and the turning a finish keeps: the first that leaves the gap is taken.
_STEPS = ((1.0, 1.0, True), (1.0, 1.0, False), (0.6, 0.6, False), (0.3, 0.3, False), (0.0, 0.0, False))

Finish = Callable[[Curve, float], Curve]


def grown_labels(parents: Parents, manner: Manner, config: CurvesConfig, rng: np.random.Generator) -> Labels:
    """Return a grown label map of the tree on the manner's grid, or on a finer one if the tree needs it.

    Raises:
        NoLayout: if the tree does not fit the finest grid that keeps ``config.gap_px``.
    """
    finest = config.cells
    tries = sorted({min(manner.cells, finest), min(round(manner.cells * 1.5), finest), finest})
    for cells in tries:
        labels = seed_labels(parents, cells, manner.leaf_cells, manner.fill, rng)
        if labels is not None:
            break
    else:
        raise NoLayout("tree does not fit the canvas")
    targets = target_areas(parents, cells, rng, cover=manner.cover, spread=manner.spread)
    fields = smooth_fields(4, cells, manner.waves, rng)
    return grow(labels, parents, targets, fields, manner.energy, rng)


def finished(labels: Labels, parents: Parents, manner: Manner, config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return the curves of a label map in px, smoothed, bent and turned as far as the gap allows.

    Raises:
        NoLayout: if even the bare outlines come too near.
    """
    raw = trace(labels, parents)
    bend_seed, angle, mirrored = rng.spawn(1)[0], rng.random() * 2 * np.pi, bool(rng.random() < 0.5)
    size = len(labels)
    bend = Bend(size, manner.bend, bend_seed)
    for curves in _finishes(raw, manner, bend, (angle, mirrored)):
        fitted = fit(curves, config.canvas_px, config.margin_px)
        even = [resample(c, min(6.0, config.gap_px * 0.6)) for c in fitted]
        if not len(measure(even, config.gap_px + 0.1).tight(config.gap_px)):
            return even
    raise NoLayout("curves come too near")


def _finishes(raw: Sequence[Curve], manner: Manner, bend: Bend, turn: tuple[float, bool]) -> Iterator[list[Curve]]:
    for smoothing, bending, turning in _STEPS:
        if turning and not manner.turn:
            continue
        curves = [smooth(c, smoothing * manner.sigma) for c in raw]
        curves = [c + bending * (bend(c) - c) for c in curves]
        yield turned(curves, turn[0] if turning else round(turn[0]) * np.pi / 2, turn[1])


def grow_curves(parents: Parents, manner: Manner, config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return the curves of the tree (numbered in preorder) in ``manner``; raises NoLayout."""
    energy = replace(manner.energy, sweeps=manner.energy.sweeps * config.convolution)
    manner = replace(manner, energy=energy)
    return finished(grown_labels(parents, manner, config, rng), parents, manner, config, rng)
