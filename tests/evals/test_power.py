"""The smallest difference that is promised before a run is found as often as promised after it."""

import math

import numpy as np
import pytest

from planimeter.evals.power import INDEPENDENT, POWER, TYPICAL, WITHIN_QUESTION, smallest_difference
from planimeter.evals.scores.intervals import differences

#: Rows of each question: all alone, nine of each, and unequal numbers.
DESIGNS = {"alone": [1] * 300, "nine": [9] * 80, "uneven": [1] * 60 + [4] * 40 + [12] * 10}
RUNS = 1_000


def share_found(pairs, sizes):
    """Return how often the interval of the mean of differences leaves out 0."""
    questions = np.repeat(np.arange(len(sizes)), sizes)
    found = [differences(a - b, questions) for a, b in pairs]
    return np.mean([interval.low > 0 or interval.high < 0 for interval in found])


def replies_of_two(rng, sizes, difference, correlation):
    """Return a reply of both models to each row; pairs of rows of one question correlate by ``WITHIN_QUESTION``."""
    better, spread = (1 + difference) / 2, (1 - difference**2) / 4
    both = better * (1 - better) + correlation * spread
    chances = [both, better - both, 1 - better - both, both]
    questions = np.repeat(np.arange(len(sizes)), sizes)
    own, shared = rng.choice(4, len(questions), p=chances), rng.choice(4, len(sizes), p=chances)
    outcome = np.where(rng.random(len(questions)) < math.sqrt(WITHIN_QUESTION), shared[questions], own)
    return np.isin(outcome, (0, 1)).astype(float), np.isin(outcome, (0, 2)).astype(float)


@pytest.mark.parametrize("correlation", [INDEPENDENT, TYPICAL])
@pytest.mark.parametrize("design", DESIGNS)
def test_the_stated_difference_is_found_in_80_of_100_runs(design, correlation):
    rng, sizes = np.random.default_rng(3), DESIGNS[design]
    difference = smallest_difference(sizes, correlation=correlation)
    pairs = (replies_of_two(rng, sizes, difference, correlation) for _ in range(RUNS))
    assert share_found(pairs, sizes) == pytest.approx(POWER, abs=0.05)


def test_more_questions_samples_and_correlation_tell_more_apart():
    plain = smallest_difference([1] * 500)
    assert plain == pytest.approx(0.0883, abs=5e-4)
    assert smallest_difference([1] * 2000) == pytest.approx(plain / 2, abs=1e-3)
    assert smallest_difference([5] * 100) > plain
    assert smallest_difference([1] * 500, samples=8) == pytest.approx(0.0571, abs=5e-4)
    assert smallest_difference([1] * 500, correlation=TYPICAL) < plain


def test_one_question_tells_nothing_apart():
    assert math.isnan(smallest_difference([9])) and math.isnan(smallest_difference([]))
    assert 0.5 < smallest_difference([1, 1]) < 1
