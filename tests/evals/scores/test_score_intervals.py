"""Intervals and regressions hold the truth as often as they say, and agree with tests and plain ways."""

import math
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from simulated import by_rows

from planimeter.evals.scores.intervals import clustered, combined, differences, dummies, least_squares, sign_flip
from planimeter.evals.scores.summary import pass_at, sampled

#: Rows of each question: as many, or unequal numbers.
EVEN, UNEVEN = np.full(172, 9), np.random.default_rng(3).integers(1, 18, size=172)


def simulated(rng, sizes, share, correlation):
    """Rows of questions that are hard or easy each: their shares are Beta, with this correlation within a question."""
    strength = (1 - correlation) / correlation
    ease = np.clip(rng.beta(share * strength, (1 - share) * strength, len(sizes)), 0, 1)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    return (rng.random(len(clusters)) < ease[clusters]).astype(float), clusters


@pytest.mark.parametrize(("sizes", "correlation", "share"), [(EVEN, 0.24, 0.9), (EVEN, 0.6, 0.5), (UNEVEN, 0.3, 0.1)])
def test_a_clustered_interval_covers_the_truth(sizes, correlation, share):
    rng = np.random.default_rng(11)
    runs = [simulated(rng, sizes, share, correlation) for _ in range(400)]
    ours = [clustered(values, clusters) for values, clusters in runs]
    rows = [by_rows(int(values.sum()), len(values)) for values, _ in runs]
    covered, by_row = (np.mean([one.low <= share <= one.high for one in each]) for each in (ours, rows))
    # Taken as independent, rows leave the truth out at least four times as often as promised.
    assert covered == pytest.approx(0.95, abs=0.03) and by_row < 0.80


@pytest.mark.parametrize("sizes", [UNEVEN[:100], EVEN[:8]])
def test_the_interval_of_a_mean_covers_the_truth(sizes):
    rng, clusters = np.random.default_rng(5), np.repeat(np.arange(len(sizes)), sizes)
    levels = rng.normal(3.0, 1.0, (400, len(sizes)))
    intervals = [clustered(level[clusters] + rng.normal(0, 1, len(clusters)), clusters) for level in levels]
    assert np.mean([one.low <= 3.0 <= one.high for one in intervals]) == pytest.approx(0.95, abs=0.0375)


@pytest.mark.parametrize("mean", [clustered, differences])
def test_few_equal_values_are_not_said_to_be_exact(mean):
    few, many = (mean(np.full(n, 0.1 + 0.2), np.arange(n)) for n in (4, 400))
    assert few.low < 0.1 < 0.3 < 0.7 < few.high
    assert 0.28 < many.low < 0.3 < many.high < 0.32
    assert math.isnan(mean([7.0, 7.0, 7.0], [1, 2, 3]).low), "where no bound is known, nothing is said"
    few, many = (differences(np.zeros(9 * n), np.repeat(np.arange(n), 9)) for n in (5, 500))
    assert few.estimate == many.estimate == 0
    assert few.low == -few.high < -0.3
    assert 0 < many.high < 0.01
    # Differences of rates stay within their range.
    within = differences([1.0, 1.0, -0.5], [1, 2, 3])
    assert (within.low, within.high) == (-1, 1)
    assert differences([2.0, 1.0, -0.5], [1, 2, 3]).high > 1
    half = clustered(np.full(8, 0.5), np.arange(8))
    assert 0.0 < half.low < 0.5 and half.high - 0.5 == pytest.approx(0.5 - half.low)


def flipped(sums):
    """The share of all combinations of signs whose sum is as far from zero as that of the sample."""
    totals = np.array(list(product((-1, 1), repeat=len(sums)))) @ sums
    return np.mean(np.abs(totals) >= abs(sums.sum()) - 1e-9)


def test_sign_flips_are_all_combinations_of_signs():
    rng = np.random.default_rng(1)
    for unit in np.repeat([1.0, 1 / 3, 0.25], 10):
        clusters, difference = rng.integers(0, 10, 40), unit * rng.integers(-3, 4, 40)
        expected = flipped(np.bincount(clusters, difference))
        assert sign_flip(difference, clusters) == pytest.approx(expected)
    # Sums without a common denominator are rounded.
    sums = rng.normal(0.4, 1.0, 12)
    assert sign_flip(sums, range(12)) == pytest.approx(flipped(sums), abs=2 / 2**12)


def test_sign_flips_of_single_pairs_are_mcnemars_test():
    rng = np.random.default_rng(3)
    a, b = (rng.random((2, 11_000)) < [[0.6], [0.587]]).astype(float)

    def mcnemar(less):
        """McNemar's exact p, by SciPy."""
        return binomtest(int((less > 0).sum()), int((less != 0).sum())).pvalue

    less = a - b
    assert sign_flip(less[:300], range(300)) == pytest.approx(mcnemar(less[:300]))
    assert (less != 0).sum() > 5000
    assert 0.01 < sign_flip(less, range(11_000)) < 0.1
    assert sign_flip(less, range(11_000)) == pytest.approx(mcnemar(less), abs=0.002)
    assert sign_flip([0.0, math.nan], ["a", "b"]) == sign_flip([], []) == 1


def test_cases_without_much_to_say():
    assert np.isnan([*clustered([], []), *differences([math.nan], ["a"])]).all()
    assert clustered([1.0, 0.0], ["a", "a"]) == clustered([0.0, 1.0, math.nan], ["a", "a", "b"])
    assert (clustered([1.0, 0.0], ["a", "a"]).low, clustered([1.0, 0.0], ["a", "a"]).high) == (0, 1)
    assert math.isnan(clustered([2.0, 3.0], ["a", "a"]).low)
    # All right: as many questions, not rows, say so.
    assert clustered(np.ones(90), np.repeat(np.arange(10), 9)).low == clustered(np.ones(10), np.arange(10)).low
    with pytest.raises(ValueError, match="cluster for each value, got 2 values and 1 clusters"):
        clustered([1.0, 2.0], ["a"])


rows = st.lists(st.tuples(st.sampled_from([0.0, 1.0, 0.25, -2.0]), st.integers(0, 9)), min_size=2, max_size=40)


@given(rows)
def test_a_weight_of_two_is_a_value_twice(pairs):
    values, clusters = (np.array(column) for column in zip(*pairs, strict=True))
    times = np.arange(len(values)) % 3
    for mean in (clustered, differences):
        weighed = mean(values, clusters, times)
        repeated = mean(np.repeat(values, times), np.repeat(clusters, times))
        assert weighed.estimate == pytest.approx(repeated.estimate, nan_ok=True)
        assert [*mean(values[::-1], clusters[::-1])] == pytest.approx([*mean(values, clusters)], nan_ok=True)
        # Of independent rows the repeated ones promise more, and then the interval of the clusters may be theirs.
        assert math.isnan(weighed.low) or weighed.low <= repeated.low + 1e-9


def test_bounds_of_sums_add_up_squared():
    rates = ([0.5, 0.8], [0.2, 0.7], [0.9, 0.85])
    assert [float(number) for number in combined(rates, 0.5)] == pytest.approx(
        [0.65, 0.65 - math.hypot(0.15, 0.05), 0.65 + math.hypot(0.2, 0.025)]
    )
    assert [float(number) for number in combined(rates, (1, -1))] == pytest.approx(
        [-0.3, -0.3 - math.hypot(0.3, 0.05), -0.3 + math.hypot(0.4, 0.1)]
    )


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


def test_coefficients_are_those_of_least_squares():
    rng = np.random.default_rng(4)
    design = pd.DataFrame(rng.normal(size=(50, 3)), columns=["a", "b", "c"])
    outcome = rng.normal(size=50)
    fit = least_squares(outcome, [design], np.arange(50))
    expected, *_ = np.linalg.lstsq(np.column_stack([design, np.ones(50)]), outcome, rcond=None)
    assert list(fit.index) == ["a", "b", "c", "constant"]
    assert fit["coefficient"].to_numpy() == pytest.approx(expected)
    # With nothing but a constant and clusters of one, the sandwich is the variance of the mean.
    values = np.random.default_rng(5).normal(size=80)
    row = least_squares(values, [pd.DataFrame(index=range(80))], np.arange(80)).loc["constant"]
    assert row["coefficient"] == pytest.approx(values.mean())
    half = 1.990 * values.std(ddof=1) / np.sqrt(80)
    assert row["coefficient_high"] - row["coefficient"] == pytest.approx(half, rel=1e-3)
    # Nine rows of one question count once.
    nine = least_squares(np.repeat(values, 9), [pd.DataFrame(index=range(720))], np.repeat(np.arange(80), 9))
    assert nine.loc["constant"].to_numpy() == pytest.approx(row.to_numpy(), rel=0.02)


def test_coefficients_that_the_data_do_not_determine_are_nan():
    x = np.arange(10.0)
    terms = pd.DataFrame({"x": x, "twice": 2 * x, "y": x % 3})
    fit = least_squares(1 + x + 5 * (x % 3), [terms], np.arange(10))
    assert fit.loc[["x", "twice"], "coefficient"].isna().all()
    assert fit.loc["y", "coefficient"] == pytest.approx(5)
    empty = least_squares([], [terms.iloc[:0]], [])
    assert empty.isna().all(axis=None)
    assert list(empty.index) == ["x", "twice", "y", "constant"]
    # One cluster, or a fit without residuals, has no interval.
    few = least_squares([1.0, 2.0, 4.0], [pd.DataFrame({"x": [0.0, 1.0, 2.0]})], [7, 7, 7])
    exact = least_squares(2 * np.arange(6.0), [pd.DataFrame({"x": np.arange(6.0)})], np.arange(6))
    for fit, slope in ((few, 1.5), (exact, 2)):
        assert fit.loc["x", "coefficient"] == pytest.approx(slope)
        assert fit[["coefficient_low", "coefficient_high"]].isna().all(axis=None)
    assert dummies("n", pd.Series([13, 9, 11, 9])).to_dict("list") == {"n=11": [0, 0, 1, 0], "n=13": [1, 0, 0, 0]}
