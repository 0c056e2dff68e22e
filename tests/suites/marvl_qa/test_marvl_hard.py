"""The edition marvl-qa-hard: what decides its answers, and that independent readings agree on them."""

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage
from skimage.morphology import h_maxima

from planimeter.filters.marvl_qa import expressions
from planimeter.filters.marvl_qa.motion_readings import COMPARED, motion_errors, plots
from planimeter.filters.marvl_qa.motions import MotionLimits, errors, judge
from planimeter.generators.marvl_qa import motion, plan
from planimeter.generators.marvl_qa.fine._family import HALF_WIDTH, CountedFamily
from planimeter.generators.marvl_qa.sampling import axes, sample
from planimeter.items.motions import ANSWERS, MOTIONS, TURNS
from planimeter.suites.account import Account
from planimeter.suites.loading import RecipeError, load, parse, values_of
from planimeter.suites.marvl_qa import hard
from planimeter.suites.marvl_qa.recipe import SuiteRecipe
from planimeter.suites.pipeline import suite_of

RECIPE = load("marvl-qa-hard")
assert isinstance(RECIPE, SuiteRecipe)
LIMITS = MotionLimits()
FIELDS = [family.name for family in plan.fine_families() if not family.counts]
COUNTED = [family.name for family in plan.fine_families() if family.counts]


def pair_of(name: str, answer: str, seed: int) -> motion.Pair:
    return motion.propose(plan.family(name), answer, np.random.default_rng(seed), 0.01, 0.06)


def first_row(config: str, *cell: str | int) -> dict[str, Any]:
    attempt = getattr(hard, config.removesuffix("_hard"))
    found = next(filter(None, (attempt(RECIPE, cell, seed << 8, Account(config)) for seed in range(60))))
    row: dict[str, Any] = found.rows[config][0]
    return row


def surface_of(row: dict[str, Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the heights of plot A, from the printed expression."""
    x = np.linspace(row["x_min"], row["x_max"], 401)
    y = np.linspace(row["y_max"], row["y_min"], 401)
    return np.asarray(expressions.surface(row["expression"])(x[None, :], y[:, None]))


@given(st.floats(0.002, 3))
def test_the_plan_deals_both_configs_at_any_scale(scale: float) -> None:
    dealt = Counter[str]()
    for shard in suite_of(RECIPE).plan(RECIPE.model_copy(update={"scale": scale})):
        dealt[shard.config] += shard.count
    configs = ("counting_hard", "transformation_hard", "surface", "surface_transformation")
    assert dealt == dict.fromkeys(configs, max(1, int(1000 * scale + 0.5)))


def test_a_tenth_of_the_pairs_is_turned_alone() -> None:
    assert RECIPE.transformation_hard
    quotas = Counter[str]()
    for (_, answer), quota in plan.motion_cells(1000, 0.1, 1.0):
        quotas[answer] += quota
    assert set(quotas) == set(ANSWERS) == set(MOTIONS) - {"no_change"}
    assert sum(quotas[turn] for turn in TURNS) == 100
    assert max(quotas.values()) <= 75


def test_a_recipe_without_any_config_is_refused() -> None:
    kept = ("dataset", "version", "suite", "title", "summary", "release_date", "license", "seed")
    values = {name: values_of("marvl-qa-hard")[name] for name in kept}
    with pytest.raises(RecipeError, match="need at least one of the tables counting, transformation"):
        parse(values, source="mine.toml")


@pytest.mark.parametrize("name", FIELDS)
def test_the_ground_fits_one_motion_of_most_turns(name: str) -> None:
    """Without its fine bumps plot B is plot A under several options, and under the right one."""
    family = plan.family(name)
    for seed, answer in enumerate(ANSWERS):
        pair = pair_of(name, answer, seed)
        smooth = {**pair.surface.parameters, "a": 0.0}
        flat = motion.Pair(surface=family.surface(smooth), motion=answer, offset=pair.offset, options=pair.options)
        a, b = motion.plots(family, flat, 100)
        x, y = smooth["ground_x"], smooth["ground_y"]
        assert abs(x) == abs(y)
        middles = {turn: tuple(np.array(motion.MATRICES[turn]) @ (x, y)) for turn in TURNS}
        moved = np.array(middles[MOTIONS[answer].turn])
        moved += [pair.offset * (MOTIONS[answer].axis == axis) for axis in "xy"]
        assert np.abs(moved) == pytest.approx([abs(x), abs(x)])
        fitting = [turn for turn, middle in middles.items() if (np.abs(moved - middle) < 1e-9).any()]
        assert len(fitting) >= 4
        for turn in fitting:
            shift = moved - middles[turn]
            other = family.surface({**smooth, "ground_x": middles[turn][0], "ground_y": middles[turn][1]})
            there = sample(family, other.parameters, other.domain, 100, shift_x=shift[0], shift_y=shift[1])
            assert np.abs(there - b).max() < 1e-9
        assert np.ptp(a) > 0


@pytest.mark.parametrize("answer", ["rotate_90_clockwise+translate_y", "reflect_diagonal+translate_x", "translate_y"])
def test_plot_b_is_the_moved_function(answer: str) -> None:
    pair = pair_of("rippled_dome", answer, 3)
    family, named = plan.family("rippled_dome"), MOTIONS[answer]
    _, b = motion.plots(family, pair, 50)
    x, y = np.broadcast_arrays(*axes(pair.surface.domain, 50))
    u, v = (x - pair.offset, y) if named.axis == "x" else (x, y - pair.offset)
    back = np.linalg.inv(np.array(motion.MATRICES[named.turn]))
    wanted = family.height(*(row[0] * u + row[1] * v for row in back), pair.surface.parameters)
    assert np.abs(b - wanted).max() < 1e-9


def test_each_error_agrees_with_a_slow_reading_of_the_expression() -> None:
    row = first_row("transformation_hard", "rippled_swell", "rotate_180+translate_x")
    a, b = plots(row)
    spread = max(a.max(), b.max()) - min(a.min(), b.min())
    found = motion_errors(a / spread, b / spread, 0.01, 0.06, COMPARED)
    assert found == pytest.approx(dict(zip(row["options"], row["nrmse_options"], strict=True)), abs=0.015)
    # The translation ends between two samples.
    assert min(found, key=found.__getitem__) == row["motion"]


def test_a_field_that_is_its_own_mirror_image_is_refused() -> None:
    x, y = axes(plan.family("rippled_dome").domain, 400)
    waves = np.cos(40 * x) * np.cos(38 * y)
    judged = judge(waves, np.ascontiguousarray(waves), "reflect_x", LIMITS)
    assert not judged.verdict.kept
    assert judged.verdict.reason.startswith("looks like ")
    assert errors(waves, waves, LIMITS)["rotate_180"] < 1e-3


@pytest.mark.parametrize(("name", "feature"), zip(COUNTED, ("maxima", "minima", "maxima"), strict=True))
def test_a_slow_filter_finds_as_many_extrema(name: str, feature: str) -> None:
    row = first_row("counting_hard", name, feature, 10, 25)
    heights = surface_of(row) * (1 if feature == "maxima" else -1)
    # Reconstruction by dilation, of everything that rises by 1% of the range; the frame's summits are not counted.
    tops = h_maxima(heights, 0.01 * np.ptp(heights))
    labels, number = ndimage.label(tops, np.ones((3, 3)))
    on_frame = {*labels[[0, -1]].ravel().tolist(), *labels[:, [0, -1]].ravel().tolist()} - {0}
    assert not on_frame
    assert number == row["count"] == int(row["answer"]) == len(row["extrema"])
    assert row["other_count"] > 0


@pytest.mark.parametrize("name", [*COUNTED, *FIELDS])
def test_the_printed_function_is_the_plotted_one(name: str) -> None:
    family = plan.family(name)
    parameters = json.loads(json.dumps(dict(family.draw(np.random.default_rng(8)))))
    x, y = axes(family.domain, 60)
    printed = expressions.surface(family.expression(parameters))(x, y)
    assert np.abs(printed - family.height(x, y, parameters)).max() < 1e-9
    assert isinstance(family, CountedFamily) == (name in COUNTED)


@pytest.mark.parametrize("name", COUNTED)
def test_a_window_cuts_no_feature(name: str) -> None:
    family = plan.counted_family(name)
    for seed in range(4):
        parameters = family.aim(np.random.default_rng(seed), "maxima", 40, HALF_WIDTH)
        edge = np.array([HALF_WIDTH])
        for place in np.linspace(-HALF_WIDTH, HALF_WIDTH, 101):
            for x, y in ((edge, [place]), (-edge, [place]), ([place], edge), ([place], -edge)):
                assert family.height(np.asarray(x, float), np.asarray(y, float), parameters)[0] == 0
