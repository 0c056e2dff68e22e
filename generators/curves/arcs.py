"""Open arcs that bound nothing: distractors, off by default."""

from collections.abc import Sequence

import numpy as np

from planimeter.generators.curves.clearance import open_clearance
from planimeter.generators.curves.config import CurvesConfig
from planimeter.generators.curves.outlines import Curve


def draw_arcs(curves: Sequence[Curve], config: CurvesConfig, rng: np.random.Generator, tries: int = 60) -> list[Curve]:
    """Return open arcs (n, 2; px) that keep ``config.gap_px`` from every curve, from each other and from themselves,
    and ``config.margin_px`` from the border.

    As many as drawn from ``config.arcs``, or fewer where there is no room in ``tries`` tries an arc.
    """
    wanted = int(rng.integers(config.arcs[0], config.arcs[1] + 1))
    if wanted == 0:
        return []
    taken = np.vstack([dense(c, 4.0) for c in curves])
    arcs: list[Curve] = []
    for _ in range(wanted * tries):
        if len(arcs) == wanted:
            break
        arc = _arc(config, rng)
        inside = arc.min() > config.margin_px and arc.max() < config.canvas_px - config.margin_px
        # Points stand for lines here: half a gap more than enough makes up for what lies between them.
        if inside and _apart(arc, taken, 1.5 * config.gap_px) and open_clearance(arc, config.gap_px) >= config.gap_px:
            arcs.append(arc)
            taken = np.vstack([taken, arc])
    return arcs


def dense(curve: Curve, spacing: float) -> Curve:
    """Return points on the closed curve at most ``spacing`` apart, its vertices among them."""
    step = np.roll(curve, -1, axis=0) - curve
    parts = np.maximum(1, np.ceil(np.sqrt((step**2).sum(axis=1)) / spacing)).astype(np.int64)
    share = np.concatenate([np.arange(p) / p for p in parts.tolist()])
    return np.repeat(curve, parts, axis=0) + np.repeat(step, parts, axis=0) * share[:, None]


def _arc(config: CurvesConfig, rng: np.random.Generator) -> Curve:
    steps = int(rng.integers(10, 40))
    heading = rng.random() * 2 * np.pi
    turn = rng.normal(0.0, 0.09)
    wobble = np.cumsum(rng.normal(0.0, 0.05, steps))
    angles = heading + turn * np.arange(steps) + wobble
    start = rng.uniform(config.margin_px, config.canvas_px - config.margin_px, 2)
    return start + 5.0 * np.cumsum(np.stack([np.cos(angles), np.sin(angles)], axis=1), axis=0)


def _apart(arc: Curve, points: Curve, least: float) -> bool:
    low, high = arc.min(axis=0) - least, arc.max(axis=0) + least
    near = points[((points > low) & (points < high)).all(axis=1)]
    squares = ((arc[:, None] - near[None]) ** 2).sum(axis=2)
    return bool(np.sqrt(squares.min(initial=np.inf)) > least)
