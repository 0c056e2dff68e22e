"""Selecting: equal items are dropped, their quotas are filled again, and nothing else is."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from planimeter.flows.selection import Selection, Selector
from planimeter.flows.shards import REFILLS, Shard, ShardRecord
from planimeter.flows.suites import suite_of
from planimeter.recipes.loading import load
from planimeter.recipes.marvl_qa import SuiteRecipe

RECIPE = load("marvl-qa-mini")
assert isinstance(RECIPE, SuiteRecipe)


def shard(family: str, first: int, count: int) -> Shard:
    return Shard(suite="marvl_qa", config="counting", cell=(family, "maxima", 1, 5), first=first, count=count)


def record(*signatures: str, missing: int = 0) -> ShardRecord:
    return ShardRecord(
        shard="",
        split="test",
        tables=(),
        signatures=signatures,
        missing=missing,
        funnel={},
        rejects_path="",
        rejects_sha256="",
    )


def select(planned: Sequence[Shard], *rounds: Sequence[ShardRecord]) -> tuple[list[Shard], Selection]:
    """Judge ``planned`` and, round by round, the refills that this calls for; returns those of the last round."""
    selector, coming = Selector(RECIPE, planned), list(planned)
    for records in rounds:
        coming = [more for one, made in zip(coming, records, strict=True) for more in selector.judge(one, made)]
    return coming, selector.selection()


def refill(family: str, first: int, count: int) -> Shard:
    return replace(shard(family, first, count), refill=True)


def test_a_refill_takes_addresses_that_nobody_has_used() -> None:
    shards = [shard("a", 0, 2), shard("a", 2, 2), shard("b", 0, 2)]
    refills, selection = select(shards, [record("1", "2"), record("1", "3"), record("2", "4")])
    assert selection.kept == ((True, True), (False, True), (False, True))
    assert refills == [refill("a", 4, 1), refill("b", 2, 1)]


def test_a_refill_is_known_with_the_last_shard_of_its_quota_and_not_before() -> None:
    shards = [shard("a", 0, 2), shard("a", 2, 2), shard("b", 0, 2)]
    selector = Selector(RECIPE, shards)
    assert selector.judge(shards[0], record("1", "1")) == ()
    assert selector.judge(shards[1], record("2", "2")) == (refill("a", 4, 2),)
    assert selector.judge(shards[2], record("3", "4")) == ()


def test_a_quota_that_was_refilled_is_closed() -> None:
    refills, selection = select([shard("a", 0, 2)], [record("1", "1")], [record("2")])
    assert refills == []
    assert sum(map(sum, selection.kept)) == 2


def test_a_refill_that_brought_an_equal_item_is_refilled_further_on() -> None:
    refills, _ = select([shard("a", 0, 2)], [record("1", "1")], [record("1")])
    assert refills == [refill("a", 3, 1)]


def test_a_large_refill_is_cut_as_the_plan_is() -> None:
    cell, size = next(suite_of(RECIPE).cells(RECIPE))
    count = 2 * size + 2
    refills, _ = select([replace(cell, count=count)], [record(*["1"] * count)])
    parts = [(count, size), (count + size, size), (count + 2 * size, 1)]
    assert refills == [replace(cell, first=at, count=n, refill=True) for at, n in parts]
    # It goes on behind the last of them, once all have come.
    none = [record(missing=n) for _, n in parts]
    (first, *_), selection = select([replace(cell, count=count)], [record(*["1"] * count)], none)
    assert (first.first, first.count) == (2 * count - 1, size)
    end = 2 * count - 1 + count - 1
    assert selection.shortfall == (f"{cell.place}[{end}:{end + count - 1}]: none found that differ from the others",)


def test_refills_end_with_the_last_round() -> None:
    rounds = [[record("1", "1")], *[[record("1")]] * REFILLS]
    assert select([shard("a", 0, 2)], *rounds[:-1])[0] == [refill("a", 1 + REFILLS, 1)]
    refills, selection = select([shard("a", 0, 2)], *rounds)
    assert refills == []
    assert selection.shortfall == (f"{shard('a', 2 + REFILLS, 1)}: none found that differ from the others",)


@pytest.mark.parametrize("missing", [1, 2])
def test_what_could_not_be_found_is_not_searched_again(missing: int) -> None:
    found = [str(i) for i in range(2 - missing)]
    assert select([shard("a", 0, 2)], [record(*found, missing=missing)])[0] == []


def test_what_a_refill_did_not_find_stays_open_and_is_no_shortfall_once_it_is_found() -> None:
    rounds = [record("1", "1")], [record(missing=1)], [record("2")]
    refills, selection = select([shard("a", 0, 2)], *rounds[:2])
    assert refills == [refill("a", 3, 1)]
    # What is open lies behind the refill that is to come.
    assert selection.shortfall == (f"{shard('a', 4, 1)}: none found that differ from the others",)
    refills, selection = select([shard("a", 0, 2)], *rounds)
    assert (refills, selection.shortfall) == ([], ())


def test_what_a_shard_did_not_find_is_a_shortfall() -> None:
    _, selection = select([shard("a", 0, 2)], [record("1", missing=1)])
    assert selection.shortfall == ("counting/a/maxima/1/5: 1 of 2 items not found",)


def test_the_funnel_counts_every_item_once() -> None:
    _, selection = select([shard("a", 0, 3)], [record("1", "1", "2")])
    funnel = selection.funnel.table()
    assert funnel["counting"]["distinct"]["seen"] == 3
    assert funnel["counting"]["distinct"]["rejected"] == {"equals an earlier item": 1}
