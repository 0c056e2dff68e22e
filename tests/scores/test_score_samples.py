"""pass@k against all draws, and votes with ties."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.scores.samples import pass_at, sampled


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
