"""Polygons: straight edges, sharp corners, notches and spikes, hardly ever convex (CurveBench, section 3).

Outlines are simplified (Douglas and Peucker) as coarsely as the gap allows, curve by curve.
"""

import numpy as np
import shapely

from planimeter.generators.curves.clearance import measure
from planimeter.generators.curves.config import LEAST_OPENING_PX, CurvesConfig, LayoutError
from planimeter.generators.curves.grown import ROUNDING, Growth, grown_labels
from planimeter.generators.curves.growth import Energy
from planimeter.generators.curves.outlines import Bend, Curve, area, fit, openings, trace, turned
from planimeter.generators.curves.style import Style
from planimeter.generators.curves.trees import Parents

#: How much finer the simplification of a curve becomes each time it comes too near, and how often.
_FINER, _ROUNDS = 0.62, 8


def lay_out(parents: Parents, config: CurvesConfig, rng: np.random.Generator) -> list[Curve]:
    """Return polygons; raises LayoutError."""
    relief = rng.uniform(2.5, 5.0) * config.convolution
    growth = Growth(
        cells=int(rng.integers(36, 52)),
        planted=bool(rng.random() < 0.7),
        squareness=rng.uniform(2.5, 5.0),
        aspect=rng.uniform(0.7, 1.0),
        cover=rng.uniform(0.45, 0.65),
        spread=rng.uniform(0.3, 0.8),
        leaf_cells=6,
        fill=rng.uniform(0.6, 0.95),
        waves=rng.uniform(2.0, 4.0),
        energy=Energy(tension=0.15, pressure=20.0, relief=relief, noise=1.5, sweeps=45.0),
        sigma=0.0,
        bend=0.35,
    )
    labels = grown_labels(parents, growth, config, rng)
    raw = trace(labels, parents)
    bend = Bend(len(labels), growth.bend, rng)
    angle, mirrored, coarseness = rng.random() * 2 * np.pi, bool(rng.random() < 0.5), rng.uniform(0.9, 1.4)
    bent = bend(raw)
    for curves in (turned(bent, angle, mirrored), bent, raw):
        fitted = fit(curves, config.canvas_px, config.margin_px)
        cell = (config.canvas_px - 2 * config.margin_px) / len(labels)
        simplified = _simplified(fitted, coarseness * cell, config)
        if simplified is not None:
            return simplified
    raise LayoutError("curves come too near")


def _simplified(curves: list[Curve], tolerance: float, config: CurvesConfig) -> list[Curve] | None:
    # A small curve that loses a corner loses its opening.
    tolerances = np.array([min(tolerance, 0.2 * np.sqrt(abs(area(c)))) for c in curves])
    simple = [_simplify(c, t) for c, t in zip(curves, tolerances.tolist(), strict=True)]
    open_px = config.stroke_px[0] + LEAST_OPENING_PX + 0.2
    for _ in range(_ROUNDS):
        near = measure(simple, config.gap_px + 0.1).tight(config.gap_px - ROUNDING)
        tight = np.union1d(near, np.flatnonzero(openings(simple, open_px) < open_px))
        if not len(tight):
            return simple
        tolerances[tight] *= _FINER
        for i in tight.tolist():
            simple[i] = _simplify(curves[i], float(tolerances[i]))
    return None


def _simplify(curve: Curve, tolerance: float) -> Curve:
    ring = shapely.simplify(shapely.LinearRing(curve), tolerance)
    return np.asarray(shapely.get_coordinates(ring))[:-1]


STYLE = Style(name="polygon", title="Polygon", lay_out=lay_out, defaults=CurvesConfig(nodes=(2, 12), gap_px=10.0))
