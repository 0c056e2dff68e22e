"""Decisions hang on no last bit: what the C library and LAPACK return is moved by a few units in the last place, as
another processor would, and everything that is published must stay as it is."""

import math
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from planimeter.filters.certify.geogram.certificate import certify, measure
from planimeter.filters.geogram import leakage
from planimeter.filters.marvl_qa import extrema
from planimeter.generators.curves.signatures import pack, signature
from planimeter.generators.geogram.propose import propose, templates
from planimeter.generators.marvl_qa import counting
from planimeter.generators.marvl_qa.plan import family
from planimeter.generators.seeding import rng_of
from planimeter.items import LANGUAGES, LEVELS

#: What the processor decides the last bits of; roundings, + - * / and sqrt are the same everywhere.
LIBRARY = {np: ("sin", "cos", "tan", "arctan2", "exp", "log", "hypot")}
LIBRARY |= {math: ("sin", "cos", "tan", "atan2", "exp", "log", "hypot"), np.linalg: ("solve", "norm")}


def moved(values, ulps=3):
    """Each of ``values`` moved by -ulps to ulps units in the last place, the same value always in the same way."""
    array = np.asarray(values, float)
    by = (array.view(np.int64) * np.int64(0x9E3779B97F4A7C1) >> np.int64(40)) % (2 * ulps + 1) - ulps
    out = (array.view(np.int64) + np.where(np.isfinite(array) & (array != 0), by, 0)).view(np.float64)
    return out if isinstance(values, np.ndarray) else float(out[()])


@pytest.fixture
def another_processor(monkeypatch):
    def apply():
        for module, names in LIBRARY.items():
            for name in names:
                plain = getattr(module, name)
                monkeypatch.setattr(module, name, lambda *a, _plain=plain, **k: moved(_plain(*a, **k)))

    return apply


def problem_and_verdicts(template, language, seed):
    try:
        item = propose(template, language, rng_of(seed), seed)
    except ValueError:
        return "no draft"
    reading = certify(item.problem, item.code, language, item.givens, item.answer_latex)
    drawn = measure(item.code, language, item.givens)
    trivial = leakage.check_trivial(leakage.trivial_measures(item.drawing), item.answer_value, 0.005).kept
    rulers = [leakage.check_ruler(item.answer_value, "dist(A, B)", f[0], (), 0.02).kept for f in drawn.facts]
    shown = (item.problem, item.code, item.givens, item.answer_latex, item.answer_value)
    return shown, reading.answer, reading.reason, trivial, rulers


@pytest.mark.parametrize("level", LEVELS)
def test_a_problem_and_its_verdicts_hang_on_no_last_bit(level, another_processor, subtests):
    ours = [template for template in templates() if template.level == level]
    cases = [(template, language, seed) for template in ours for language in LANGUAGES for seed in (3, 4)]
    before = [problem_and_verdicts(*case) for case in cases]
    another_processor()
    for (template, language, seed), earlier in zip(cases, before, strict=True):
        with subtests.test(template.name, language=language, seed=seed):
            assert problem_and_verdicts(template, language, seed) == earlier


def test_drawings_are_compared_by_the_same_numbers(another_processor):
    t = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    curves = [np.round(np.stack([300 * r * np.cos(t), 260 * r * np.sin(t) ** 3], axis=1), 2) for r in (1.0, 0.6, 0.3)]
    before = pack(signature(curves))
    another_processor()
    assert pack(signature(curves)) == before


@pytest.mark.parametrize("name", ["gaussian_mixture", "beaded_rings", "windowed_waves"])
def test_extrema_lie_at_the_same_places(name):
    shape, limits = family(name), extrema.CurationLimits()
    feature = next(iter(shape.counts))
    noisy = replace(shape, height=lambda x, y, parameters: moved(np.asarray(shape.height(x, y, parameters), float)))
    surfaces = (counting.propose(shape, feature, rng_of(seed)) for seed in range(200))
    found = ((surface, extrema.curate(shape, surface, feature, limits)) for surface in surfaces)
    kept = list(islice(((surface, plain) for surface, plain in found if plain[0].kept), 2))
    assert len(kept) == 2
    for surface, (verdict, places) in kept:
        again = extrema.curate(noisy, surface, feature, limits)
        assert (again[0].kept, again[1]) == (verdict.kept, places)
