"""The laws of a stratified sample, and how rows fall into strata."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.filters.strata import Population, Stratum, chosen, priority, shares

STRATA = st.lists(st.builds(Stratum, st.integers(1, 40), st.just(1)), min_size=1, max_size=8)


@given(STRATA, st.data())
def test_shares_are_as_equal_or_proportional_as_can_be(strata, data):
    total = sum(stratum.units for stratum in strata)
    rows = data.draw(st.integers(0, total))
    for equal in (True, False):
        taken = shares(rows, strata, equal=equal)
        pairs = list(zip(taken, strata, strict=True))
        assert sum(taken) == rows
        assert all(0 <= number <= stratum.units for number, stratum in pairs)
        assert shares(total, strata, equal=equal) == tuple(stratum.units for stratum in strata)
        if equal:
            least = min((number for number, stratum in pairs if number < stratum.units), default=rows)
            assert max(taken) <= least + 1
        else:
            # The law of Sainte-Lague: no stratum could give its last row to another and leave both nearer to their due.
            last = max((Fraction(2 * n - 1, s.units) for n, s in pairs if n), default=Fraction(0))
            following = min((Fraction(2 * n + 1, s.units) for n, s in pairs if n < s.units), default=Fraction(3))
            assert last <= following


def test_equal_shares_count_rows_and_not_units():
    # Pinned: a sample drawn again must be the same one.
    assert priority(0, "row-0") == 6169645708314115787
    names = [f"row-{i}" for i in range(100)]
    assert sorted(names, key=partial(priority, 0)) != sorted(names, key=partial(priority, 1))
    assert shares(18, [Stratum(50, 1), Stratum(50, 3)], equal=True) == (9, 3)
    assert shares(16, [Stratum(8, 1), Stratum(8, 3)], equal=False) == (4, 4)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.integers(0, 2**64 - 1), st.data())
def test_a_smaller_sample_lies_in_a_larger_one(numbers, seed, data):
    strata = np.array(numbers, np.int64)
    queue = np.array([priority(seed, f"row-{i}") for i in range(len(numbers))], np.uint64)
    counts = np.bincount(strata, minlength=4)
    large = [data.draw(st.integers(0, int(count))) for count in counts]
    small = [data.draw(st.integers(0, number)) for number in large]
    inner, outer = chosen(strata, queue, small), chosen(strata, queue, large)
    assert np.bincount(strata[outer], minlength=4).tolist() == large
    assert not (inner & ~outer).any()
    for stratum in range(4):
        taken, left = queue[(strata == stratum) & outer], queue[(strata == stratum) & ~outer]
        assert not len(taken) or not len(left) or taken.max() < left.min()


def test_strata_are_those_that_occur_in_order_of_numbers() -> None:
    labels = [("base", "10"), ("base", "none"), ("base", "9"), ("base", "-1")]
    units = {"a": np.array([0, 0, 1, 1]), "b": np.array([2])}
    strata = Population.of(labels, np.array([0, 0, 2]), np.arange(3, dtype=np.uint64), units)
    assert (strata.labels, strata.counts, strata.sizes) == ((("base", "9"), ("base", "10")), (1, 2), (1, 2))

    with pytest.raises(ValueError, match=r"the units .* of base/x must have equal numbers of rows"):
        Population.of([("base", "x")], np.zeros(2, np.int64), np.arange(2, dtype=np.uint64), {"a": np.array([0, 1, 1])})
