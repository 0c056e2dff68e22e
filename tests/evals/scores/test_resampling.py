"""Statistics of resamples, samples and regressions: laws, agreement with the plain way, and honest intervals."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.evals.scores.intervals import clustered, wilson
from planimeter.evals.scores.regression import dummies, least_squares
from planimeter.evals.scores.resampling import Draws, Resamples, ratio
from planimeter.evals.scores.samples import pass_at, sampled


def simulated(rng: np.random.Generator, clusters: int = 60, size: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Values from 0 to 1 that vary between clusters, and their clusters."""
    level = np.repeat(rng.uniform(0.2, 0.8, clusters), size)
    return np.clip(level + rng.normal(0, 0.1, clusters * size), 0, 1), np.repeat(np.arange(clusters), size)


# --- resamples


def test_the_first_draw_is_the_sample_and_the_others_lie_around_it():
    values, clusters = simulated(np.random.default_rng(1))
    found = Resamples(clusters).shares(values[:, None], np.ones((len(values), 1)))
    columns = found.columns("x")
    assert columns["x"][0] == pytest.approx(values.mean(), abs=1e-12)
    expected = clustered(values, clusters)
    assert columns["x_low"][0] == pytest.approx(expected.low, abs=0.01)
    assert columns["x_high"][0] == pytest.approx(expected.high, abs=0.01)


def test_whole_clusters_are_drawn():
    """Values that agree within their clusters: the interval is that of the clusters, not of the values."""
    rng = np.random.default_rng(2)
    level = rng.uniform(0, 1, 100)
    wide = Resamples(np.repeat(np.arange(100), 25)).shares(np.repeat(level, 25)[:, None], np.ones((2500, 1)))
    low, high = (wide.columns("x")[f"x_{end}"][0] for end in ("low", "high"))
    assert (high - low) / 2 == pytest.approx(1.96 * level.std() / 10, rel=0.1)


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_sums_are_those_of_the_chosen_values(lines):
    clusters, values, chosen = (np.array(part) for part in zip(*lines, strict=True))
    where = np.flatnonzero(chosen)
    resamples = Resamples(clusters, resamples=20)
    found = resamples.sums(values[where][:, None], where)
    assert found.shape == (21, 1)
    assert found[0, 0] == pytest.approx(values[where].sum())
    every = resamples.sums(np.ones((len(values), 1)))
    sizes = np.bincount(clusters)
    assert every[0, 0] == len(values)
    assert every[:, 0].min() >= sizes[sizes > 0].min() * resamples.count - 1e-3
    assert resamples.clusters_with(np.ones((len(where), 1)), where) == len(set(clusters[where]))


def test_a_wrong_number_of_values_is_refused():
    with pytest.raises(ValueError, match="got 2 values and 3 clusters"):
        Resamples([1, 2, 3]).sums([1.0, 2.0])


def test_differences_are_taken_resample_by_resample():
    values, clusters = simulated(np.random.default_rng(3))
    resamples, ones = Resamples(clusters), np.ones((len(values), 1))
    one, other = (resamples.shares(found[:, None], ones) for found in (values, values - 0.1))
    columns = (one - other).columns("d")
    assert [columns[name][0] for name in ("d", "d_low", "d_high")] == pytest.approx([0.1] * 3, abs=0.05)
    assert columns["d_low"][0] < 0.1 < columns["d_high"][0]


def test_where_all_agree_the_bound_is_wilsons():
    ones = np.ones((40, 1))
    found = Resamples(np.repeat(np.arange(10), 4)).shares(ones, ones)
    columns = found.columns("x")
    assert (columns["x"][0], columns["x_high"][0]) == (1.0, 1.0)
    assert columns["x_low"][0] == pytest.approx(1 - wilson(0, 10).high)
    less = (found - found).columns("d")
    assert less["d_low"][0] == pytest.approx(-wilson(0, 10).high)
    assert less["d_high"][0] == pytest.approx(wilson(0, 10).high)


def test_means_of_statistics_leave_out_what_the_sample_lacks():
    values = np.array([[1.0, np.nan, 3.0], [2.0, 5.0, np.nan]])
    found = Draws(values=values, clusters=np.array([2.0, 0.0, 3.0])).mean()
    assert found.values.tolist() == [2.0, 2.0]
    assert found.clusters == 5
    assert np.isnan(ratio(np.ones(1), np.zeros(1))).all()


# --- samples


@given(st.integers(0, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, 10))))
def test_pass_at_k_is_the_share_of_draws_with_one_that_is_right(case):
    n, right, k = case
    draws = list(combinations([True] * right + [False] * (n - right), k))
    expected = np.mean([any(draw) for draw in draws]) if draws else np.nan
    assert pass_at(n, right, k) == pytest.approx(expected, nan_ok=True)


def test_a_tie_of_votes_is_drawn_by_lot():
    reads = {"a": ["1", "2", "", ""], "b": ["1", "1", "2", "3"], "c": ["", "", "", ""], "d": ["2", "2", "1", "3"]}
    lines = [
        {"id": name, "read": read, "accuracy": float(read == "1"), "answered": bool(read)}
        for name, answers in reads.items()
        for read in answers
    ]
    shared = {"config": "c", "split": "s", "model": "m", "variant": "v"}
    frame = pd.DataFrame(lines).assign(**shared, question=lambda lines: lines["id"])
    found = sampled(frame, "accuracy").set_index("id")["maj_at_4"]
    assert found.to_dict() == {"a": 0.5, "b": 1.0, "c": 0.0, "d": 0.0}


# --- regressions


def test_coefficients_are_those_of_least_squares():
    rng = np.random.default_rng(4)
    design = pd.DataFrame(rng.normal(size=(50, 3)), columns=["a", "b", "c"])
    outcome = rng.normal(size=50)
    found = least_squares(outcome, [design], np.arange(50))
    expected, *_ = np.linalg.lstsq(np.column_stack([design, np.ones(50)]), outcome, rcond=None)
    assert list(found.index) == ["a", "b", "c", "constant"]
    assert found["coefficient"].to_numpy() == pytest.approx(expected)


def test_the_interval_of_a_constant_is_that_of_a_mean():
    """With nothing but a constant and clusters of one, the sandwich is the variance of the mean."""
    values = np.random.default_rng(5).normal(size=80)
    row = least_squares(values, [pd.DataFrame(index=range(80))], np.arange(80)).loc["constant"]
    assert row["coefficient"] == pytest.approx(values.mean())
    half = 1.990 * values.std(ddof=1) / np.sqrt(80)
    assert row["coefficient_high"] - row["coefficient"] == pytest.approx(half, rel=1e-3)


@pytest.mark.parametrize(("times", "margin"), [(100, 0.06), pytest.param(400, 0.03, marks=pytest.mark.slow)])
def test_intervals_of_coefficients_hold_the_truth_in_95_of_100_cases_clusters_being_drawn(times, margin):
    rng, clusters, held = np.random.default_rng(6), np.repeat(np.arange(150), 5), []
    for _ in range(times):
        x = np.repeat(rng.normal(size=150), 5)
        y = 0.3 * x + np.repeat(rng.normal(size=150), 5) + rng.normal(0, 0.3, 750)
        fits = [least_squares(y, [pd.DataFrame({"x": x})], rows).loc["x"] for rows in (clusters, np.arange(750))]
        held.append([row["coefficient_low"] <= 0.3 <= row["coefficient_high"] for row in fits])
    by_clusters, by_rows = np.mean(held, axis=0)
    assert by_clusters == pytest.approx(0.95, abs=margin)
    assert by_rows < 0.75


def test_a_term_that_the_data_do_not_determine_is_no_number():
    x = np.arange(10.0)
    terms = pd.DataFrame({"x": x, "twice": 2 * x, "y": x % 3})
    found = least_squares(1 + x + 5 * (x % 3), [terms], np.arange(10))
    assert found.loc[["x", "twice"], "coefficient"].isna().all()
    assert found.loc["y", "coefficient"] == pytest.approx(5)
    empty = least_squares([], [terms.iloc[:0]], [])
    assert empty.isna().all(axis=None)
    assert list(empty.index) == ["x", "twice", "y", "constant"]


def test_one_cluster_or_a_fit_without_residuals_has_no_interval():
    few = least_squares([1.0, 2.0, 4.0], [pd.DataFrame({"x": [0.0, 1.0, 2.0]})], [7, 7, 7])
    x = np.arange(6.0)
    exact = least_squares(2 * x, [pd.DataFrame({"x": x})], np.arange(6))
    for fit, slope in ((few, 1.5), (exact, 2)):
        assert fit.loc["x", "coefficient"] == pytest.approx(slope)
        assert fit[["coefficient_low", "coefficient_high"]].isna().all(axis=None)


def test_dummies_leave_out_the_least_value():
    values = pd.Series([13, 9, 11, 9])
    assert dummies("n", values).to_dict("list") == {"n=11": [0, 0, 1, 0], "n=13": [1, 0, 0, 0]}
