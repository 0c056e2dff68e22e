import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter.generators.quotas import apportion, deal, spread


@given(st.integers(0, 10_000), st.lists(st.floats(0, 100), min_size=1, max_size=12).filter(lambda w: sum(w) > 1e-6))
def test_parts_sum_to_the_total_and_stay_within_one_of_the_share(total: int, weights: list[float]) -> None:
    parts = apportion(total, weights)
    assert sum(parts) == total
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part - total * weight / sum(weights)) < 1 + 1e-6


def test_quotas_are_those_of_the_papers_bins_and_a_start_moves_the_larger_ones() -> None:
    assert apportion(17, [71, 65, 30, 6]) == (7, 6, 3, 1)
    assert spread(0.5, 4) == (0, 1, 0, 1)
    assert spread(0.25, 4) == (0, 0, 0, 1)
    assert spread(0.25, 4, 1) == (0, 0, 1, 0)


@given(
    st.integers(0, 60),
    st.sets(st.sampled_from("abcdef"), min_size=1),
    st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 9)),
)
def test_dealing_goes_to_who_holds_the_fewest(total: int, eligible: set[str], held: dict[str, int]) -> None:
    dealt = deal(total, sorted(eligible), held)
    assert sum(dealt.values()) == total
    after = {name: held.get(name, 0) + dealt.get(name, 0) for name in eligible}
    for name in dealt:
        assert after[name] <= min(after.values()) + 1


def test_nobody_to_deal_to_and_negative_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="nobody"):
        deal(1, [], {})
    with pytest.raises(ValueError, match="not negative"):
        apportion(3, [1, -1])


@given(st.floats(0, 50), st.integers(1, 200), st.data())
def test_a_spread_is_even_and_sums_to_the_average(each: float, number: int, data: st.DataObject) -> None:
    quotas = spread(each, number, data.draw(st.integers(0, number - 1)))
    assert sum(quotas) == (max(1, int(each * number + 0.5)) if each else 0)
    assert len(quotas) == number
    assert max(quotas) - min(quotas) <= 1
