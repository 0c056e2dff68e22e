"""Drawings of nested curves that keep every rule."""

import itertools

import numpy as np

from planimeter.filters.curves.rules import CurvesLimits, judge
from planimeter.generators.curves.config import LayoutError
from planimeter.generators.curves.styles import STYLES, candidates
from planimeter.generators.curves_maps import draw_planar_map


def first_good(name, config=None, seed=0, tries=12):
    """Return the first drawing of a style that no rule rejects; its ``config`` is by default the style's own."""
    reasons = []
    for candidate in itertools.islice(candidates(STYLES[name], config or STYLES[name].defaults, seed), tries):
        if isinstance(candidate, LayoutError):
            reasons.append(candidate.reason)
            continue
        rejected = [v.reason for v in judge(candidate, CurvesLimits()) if not v.kept]
        if not rejected:
            return candidate
        reasons.extend(rejected)
    raise AssertionError(f"{name}: no drawing in {tries} tries: {reasons}")


def planar_maps(config, count, seed):
    """Return the first ``count`` maps of crossing curves that can be drawn from the seed of a stream."""
    rng, items = np.random.default_rng(seed), []
    while len(items) < count:
        try:
            items.append(draw_planar_map(config, rng))
        except LayoutError:
            continue
    return items
