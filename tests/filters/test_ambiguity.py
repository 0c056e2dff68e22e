"""Transformation questions: no picture may have two right answers, and fast must agree with plain."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from surfaces import WINDOW, bell, family_of

from planimeter.filters.marvl_qa.ambiguity import AmbiguityLimits, judge, wrong_options
from planimeter.filters.marvl_qa.duplicates import signature
from planimeter.filters.marvl_qa.nrmse import Plot, rms, shift_cells
from planimeter.generators.marvl_qa import plan
from planimeter.generators.marvl_qa.family import MOVED
from planimeter.generators.marvl_qa.sampling import axes, sample
from planimeter.generators.marvl_qa.transformation import item, plot_a, plot_b, propose
from planimeter.generators.seeding import item_seed, rng_of
from planimeter.items import OPTIONS, TRANSFORMATIONS

LIMITS = AmbiguityLimits()


def odd(x, y):
    """A surface without symmetry that is like no shift of itself."""
    return bell(x, y, -2, 2, 1.2, 0.8) + 0.7 * bell(x, y, 1.5, 1) - 0.8 * bell(x, y, 0.5, -2, 2, 0.7) + 0.05 * x


def first(family, transformation="rotate_180", seed=0):
    return propose(family, transformation, np.random.default_rng(seed))


def plots(family, surface, transformation, offset=0.0, points=400):
    return plot_a(family, surface, points), plot_b(family, surface, transformation, offset, points)


def test_turns_are_clockwise_and_offsets_go_right_and_up():
    family = family_of(odd)
    surface, (x, y) = family.surface({}), axes(WINDOW, 40)
    for transformation, moved in (("rotate_90_clockwise", odd(-y, x)), ("rotate_180", odd(-x, -y))):
        assert np.array_equal(plots(family, surface, transformation, points=40)[1], moved * np.ones((40, 40)))

    near = family_of(lambda x, y: bell(x, y, 0.1, 0.1))
    for transformation, moved in (("translate_x", (0, 4)), ("translate_y", (-4, 0))):
        moving = plots(near, near.surface({}), transformation, 0.8, 50)
        before, after = (np.unravel_index(z.argmax(), z.shape) for z in moving)
        assert tuple(np.subtract(after, before)) == moved


@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
def test_plot_a_reveals_no_transformation(transformation):
    family, rng = family_of(odd), np.random.default_rng(11)
    places, options = [], []
    for _ in range(4000):  # places along x and along y, in plots A and B, spread evenly over the same range
        candidate = propose(family, transformation, rng)
        x, y = (candidate.surface.parameters[name] for name in MOVED)
        after = {"rotate_90_clockwise": (y, -x), "rotate_180": (-x, -y), "translate_x": (x + candidate.offset, y)}
        places.append((x, y, *after.get(transformation, (x, y + candidate.offset))))
        options.append(candidate.options.index(transformation))
    for place in np.array(places).T:
        counts, _ = np.histogram(place, 8, (-1.645, 1.645))
        assert counts.sum() == 4000  # the largest place is 1.64 in a window of 10
        assert ((counts - 500) ** 2 / 500).sum() < 29.9  # chi squared, 7 degrees of freedom, p = 0.0001
    counts = np.bincount(options, minlength=len(OPTIONS))
    assert ((counts - 800) ** 2 / 800).sum() < 18.5  # chi squared, 4 degrees of freedom, p = 0.001


# The first surface of the first family lies so that threshold * range / range is less than the threshold.
@pytest.mark.parametrize("name", ["inverted_gaussian_mixture", "gabor_function", "sharp_ridge"])
def test_a_candidate_is_kept_if_all_its_questions_would_be(name):
    rng = rng_of(item_seed(20261120, ("transformation", name, "rotate_180", 7, 0)))
    family, verdict = plan.family(name), None
    while not (verdict and verdict.kept):
        candidate = propose(family, "rotate_180", rng)
        alone = [judge(family, replace(other, others=()), LIMITS) for other in (candidate, *candidate.others)]
        assert len(alone) == 4
        together = judge(family, candidate, LIMITS)
        verdict, verdicts = together.verdict, [judgement.verdict for judgement in alone]
        assert verdict.kept == all(other.kept for other in verdicts)
        if verdict.kept:
            assert together == alone[0]
        else:
            assert (verdict.measured, verdict.reason.rpartition(": ")[2]) in [(v.measured, v.reason) for v in verdicts]
    slope = family_of(lambda x, y: x + 2 * y)  # turns well and cannot be seen to move
    assert judge(slope, first(slope), LIMITS).verdict.kept and first(slope).others == ()
    slope = replace(slope, transformations=TRANSFORMATIONS)
    assert {other.transformation for other in first(slope).others} == set(TRANSFORMATIONS) - {"rotate_180"}
    assert judge(slope, first(slope), LIMITS).verdict.reason == "as translate_x: nothing to follow"


TWO_ANSWERS = [
    ("rotate_90_clockwise", lambda x, y: bell(x, y), "looks like no_change"),
    ("rotate_90_clockwise", lambda x, y: x**2 + 1.05 * y**2 + 0.1 * x, "looks like no_change"),
    ("rotate_90_clockwise", lambda x, y: bell(x, y, 1, 1, 0.7, 0.7), "looks like translate_y"),
    ("rotate_180", lambda x, y: np.sin(x) * np.cos(2 * y), "looks like translate_y"),
    ("rotate_90_clockwise", lambda x, y: bell(x, y, 1.5) - bell(x, y, -1.5) + 0.3 * bell(x, y, 0, 3), ""),
    ("translate_x", lambda x, y: x + 2 * y, "nothing to follow"),
    ("translate_x", lambda x, y: np.exp(-((y / 2) ** 2)) + 0 * x, "nothing to follow"),
    ("translate_y", lambda x, y: np.sin(1.7 * (x + y)), "looks like translate_x"),
    ("translate_x", lambda x, y: bell(x, y, 1, 2, 0.2, 0.2), "looks like no_change"),
    ("translate_y", odd, ""),
]


@pytest.mark.parametrize(("transformation", "height", "reason"), TWO_ANSWERS)
def test_a_picture_with_two_right_answers_is_rejected(transformation, height, reason):
    assert judge(family_of(height), first(family_of(height), transformation), LIMITS).verdict.reason == reason


@pytest.mark.parametrize("transformation", ["rotate_90_clockwise", "translate_x"])
def test_a_kept_item_beats_wrong_options_by_its_figures(transformation):
    family = family_of(odd)
    candidate = first(family, transformation, seed=3)
    judged = judge(family, candidate, LIMITS)
    a, b = plots(family, candidate.surface, transformation, candidate.offset)
    errors = {o: Plot(a, 0.25).errors(b, o).min() / np.ptp(a) for o in wrong_options(candidate)}
    assert transformation not in errors and len(errors) == 4
    # Over the whole panel: f itself, moved by each shift along the axes of the wrong options.
    axes = ["shift" + o.removeprefix("translate") for o in errors if o.startswith("translate")]
    shifts = [{axis: float(shift)} for axis in axes for shift in shift_cells(0.25) / 400 * 10.0]
    continued = [rms(sample(family, {}, WINDOW, 400, **shift), b) / np.ptp(a) for shift in shifts]
    assert judged.nrmse_confusable == pytest.approx(min(*errors.values(), *continued), abs=6e-5)
    assert judged.nrmse_confusable >= LIMITS.threshold
    assert judged.nrmse_identity == pytest.approx(errors["no_change"], abs=6e-5)
    asked = item(candidate, nrmse_identity=judged.nrmse_identity, nrmse_confusable=judged.nrmse_confusable, seed=0)
    assert asked.transformation == transformation and asked.offset == candidate.offset


GABOR = plan.family("gabor_function")
#: Turned by 180 degrees it is on what both plots show a little unlike itself moved in x (0.0712), and beyond it is not.
MOVED_GABOR = {"a": -1.0, "kx": -0.154, "ky": 5.924, "phase": -2.747, "wx": 1.24, "wy": 4.28, "x0": 0.89, "y0": 0.03}
LIKE_ITSELF_MOVED = replace(first(GABOR), surface=GABOR.surface(MOVED_GABOR), options=OPTIONS, others=())


def test_another_option_beyond_the_window_rejects_a_pair():
    verdict = judge(GABOR, LIKE_ITSELF_MOVED, LIMITS).verdict
    assert verdict.reason == "looks like translate_x, continued beyond the window"
    assert verdict.measured == pytest.approx(0.062, abs=5e-4)
    for wall in (1e4, -1e4):
        dull = family_of(lambda x, y, wall=wall: bell(x, y, 0, 0, 1.5, 1.5) + wall * np.maximum(0, np.abs(x) - 7.35))
        near = replace(first(dull, "translate_x"), offset=2.4, further=())
        assert judge(dull, near, LIMITS).verdict.reason == "pale on the shared colour scale"


def test_the_first_of_ten_distances_that_passes_is_asked():
    """MaRVL-QA, Algorithm 1, lines 13 to 28."""
    family = family_of(lambda x, y: np.sin(2 * np.pi * x / 2.4) + 0.4 * bell(x, y, 1, 1) + 0.05 * y)
    candidate = replace(first(family, "translate_x"), offset=2.4, further=(-2.4, 1.2, 1.3))
    judged = judge(family, candidate, LIMITS)
    alone = [judge(family, replace(tried, further=()), LIMITS) for tried in candidate.by_distance()]
    assert [j.verdict.kept for j in alone] == [False, False, True, True]
    assert (judged.offset, judged.verdict) == (1.2, alone[2].verdict)
    failing = judge(family, replace(candidate, further=(-2.4,)), LIMITS)
    assert (failing.offset, failing.verdict) == (2.4, alone[0].verdict)


@given(st.floats(0.01, 100), st.floats(-100, 100))
def test_surfaces_that_differ_in_amplitude_share_a_signature(amplitude, height):
    grid = sample(family_of(odd), {}, WINDOW, 400)
    assert signature(grid) == signature(amplitude * grid + height)
    moved = sample(family_of(odd), {}, WINDOW, 400, shift_x=0.5)
    assert len({signature(g) for g in (grid, moved, -grid, grid[::-1], grid.T, np.hstack([grid, moved]))}) == 6
