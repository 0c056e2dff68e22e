"""The smallest difference that a plan promises before a run is found as often as promised after it."""

import math

import command_line
import numpy as np
import pytest
from asked_folders import ROWS, write_small
from sample_folder import ROWS as SAMPLE_ROWS

from planimeter.evals import prompt_of
from planimeter.evals.harnesses.plan import CHARACTERS, plan
from planimeter.evals.power import INDEPENDENT, POWER, TYPICAL, WITHIN_QUESTION, smallest_difference
from planimeter.evals.scores.intervals import differences
from planimeter.export.built import Built

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


def test_a_plan_counts_questions_and_what_they_tell_apart(sample):
    table = plan(Built.at(sample), ["counting", "transformation"], "default").frame.set_index("config")
    assert table[["rows", "questions", "replies"]].to_numpy().tolist() == [[18, 2, 18], [8, 4, 8]]
    (counting, _) = table["difference_correlated"]
    assert counting == smallest_difference([9, 9], correlation=TYPICAL)
    texts = [prompt_of(row, suite="marvl_qa", config="counting") for row in SAMPLE_ROWS["counting"]]
    assert table["prompt_tokens"]["counting"] == sum(len(part) for text in texts for part in text) // CHARACTERS


def test_a_plan_has_the_samples_and_the_limit_of_the_paper(tmp_path):
    table = plan(Built.at(write_small(tmp_path / "curves", "curves")), ["easy"], "default").frame
    numbers = table[["samples", "replies", "most_reply_tokens"]].to_numpy().tolist()
    assert numbers == [[4, 4 * ROWS, 4 * ROWS * 8192]]


def test_a_plan_asks_nothing_and_writes_nothing(sample):
    before = command_line.digests(sample.parent)
    ended = command_line.here("evaluate", str(sample), "--plan", "--config", "counting")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[1].split()[:6] == ["counting", "test", "18", "2", "1", "18"]
    assert command_line.digests(sample.parent) == before
