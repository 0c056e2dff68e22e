"""Seeds of addresses, and how numbers of items are shared."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.generators.quotas import apportion, deal, spread
from planimeter.generators.seeding import VARIANT_BITS, item_seed, rng_of, with_variant, without_variant

ADDRESS = ("counting", "gabor_function", "maxima", 3)


def test_seeds_are_golden_and_neighbours_share_no_item() -> None:
    # Under whatever salt of strings' hashes Python draws for this process.
    assert item_seed(0, ADDRESS) == 17590396305577157632
    zero, one = ({item_seed(root, ("c", index)) for index in range(500)} for root in (0, 1))
    assert len(zero | one) == 1000
    assert item_seed(0, ("ab", "c")) != item_seed(0, ("a", "bc")), "joined alike"
    for part in (-1, 2**32):
        with pytest.raises(ValueError, match="0 to 2\\*\\*32 - 1"):
            item_seed(0, (part,))


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**VARIANT_BITS - 1))
def test_a_variant_changes_neither_the_question_nor_its_stream(root: int, variant: int) -> None:
    seed = item_seed(root, ADDRESS)
    row = with_variant(seed, variant)
    assert (without_variant(row), row - without_variant(row)) == (seed, variant)
    assert rng_of(row).integers(2**32) == rng_of(seed).integers(2**32)
    assert 0 <= row < 2**64 and isinstance(rng_of(row), np.random.Generator)
    with pytest.raises(ValueError, match="variant"):
        with_variant(0, 2**VARIANT_BITS)


@given(st.integers(0, 10_000), st.lists(st.floats(0, 100), min_size=1, max_size=12).filter(lambda w: sum(w) > 1e-6))
def test_parts_sum_to_the_total_and_stay_within_one_of_the_share(total: int, weights: list[float]) -> None:
    parts = apportion(total, weights)
    assert sum(parts) == total
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part - total * weight / sum(weights)) < 1 + 1e-6


def test_quotas_are_those_of_the_papers_bins() -> None:
    assert apportion(17, [71, 65, 30, 6]) == (7, 6, 3, 1)
    assert [spread(0.5, 4), spread(0.25, 4), spread(0.25, 4, 1)] == [(0, 1, 0, 1), (0, 0, 0, 1), (0, 0, 1, 0)]
    with pytest.raises(ValueError, match="eligible"):
        deal(1, [], {})
    with pytest.raises(ValueError, match="non-negative"):
        apportion(3, [1, -1])


LETTERS = st.sampled_from("abcdef")


@given(st.integers(0, 60), st.sets(LETTERS, min_size=1), st.dictionaries(LETTERS, st.integers(0, 9)))
def test_dealing_goes_to_who_holds_the_fewest(total: int, eligible: set[str], held: dict[str, int]) -> None:
    dealt = deal(total, sorted(eligible), held)
    assert sum(dealt.values()) == total
    after = {name: held.get(name, 0) + dealt.get(name, 0) for name in eligible}
    assert all(after[name] <= min(after.values()) + 1 for name in dealt)


@given(st.floats(0, 50), st.integers(1, 200), st.data())
def test_a_spread_is_even_and_sums_to_the_average(each: float, number: int, data: st.DataObject) -> None:
    quotas = spread(each, number, data.draw(st.integers(0, number - 1)))
    assert sum(quotas) == (max(1, int(each * number + 0.5)) if each else 0)
    assert len(quotas) == number and max(quotas) - min(quotas) <= 1
