"""Drawings of nested curves that keep every rule."""

import itertools

from planimeter.filters.curves.rules import CurvesLimits, judge
from planimeter.generators.curves.config import LayoutError
from planimeter.generators.curves.style import candidates, style


def first_good(name, config, seed, tries=12):
    reasons = []
    for candidate in itertools.islice(candidates(style(name), config, seed), tries):
        if isinstance(candidate, LayoutError):
            reasons.append(candidate.reason)
            continue
        rejected = [v.reason for v in judge(candidate, CurvesLimits()) if not v.kept]
        if not rejected:
            return candidate
        reasons.extend(rejected)
    raise AssertionError(f"{name}: no drawing in {tries} tries: {reasons}")
