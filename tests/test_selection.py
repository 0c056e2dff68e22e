"""Selecting: equal items are dropped, their quotas are filled again, and nothing else is."""

from dataclasses import replace

import pytest

from planimeter.flows.selection import Selector
from planimeter.flows.shards import Shard, ShardRecord
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


def test_a_refill_takes_addresses_that_nobody_has_used() -> None:
    shards = [shard("a", 0, 2), shard("a", 2, 2), shard("b", 0, 2)]
    selection = Selector(RECIPE).select(shards, [record("1", "2"), record("1", "3"), record("2", "4")])
    assert selection.kept == ((True, True), (False, True), (False, True))
    assert selection.open_shards == (
        replace(shard("a", 4, 1), refill=True),
        replace(shard("b", 2, 1), refill=True),
    )


def test_a_quota_that_was_refilled_is_closed() -> None:
    shards = [shard("a", 0, 2), replace(shard("a", 2, 1), refill=True)]
    selection = Selector(RECIPE).select(shards, [record("1", "1"), record("2")])
    assert selection.open_shards == ()
    assert sum(map(sum, selection.kept)) == 2


def test_a_refill_that_brought_an_equal_item_is_refilled_further_on() -> None:
    shards = [shard("a", 0, 2), replace(shard("a", 2, 1), refill=True)]
    selection = Selector(RECIPE).select(shards, [record("1", "1"), record("1")])
    assert selection.open_shards == (replace(shard("a", 3, 1), refill=True),)


def test_a_large_refill_is_cut_as_the_plan_is() -> None:
    cell, size = next(suite_of(RECIPE).cells(RECIPE))
    count = 2 * size + 2
    selection = Selector(RECIPE).select([replace(cell, count=count)], [record(*["1"] * count)])
    parts = [(count, size), (count + size, size), (count + 2 * size, 1)]
    assert selection.open_shards == tuple(replace(cell, first=at, count=n, refill=True) for at, n in parts)
    assert selection.shortfall == (f"{cell.place}[{count}:{2 * count - 1}]: none found that differ from the others",)


@pytest.mark.parametrize("missing", [1, 2])
def test_what_could_not_be_found_is_not_searched_again(missing: int) -> None:
    found = [str(i) for i in range(2 - missing)]
    assert Selector(RECIPE).select([shard("a", 0, 2)], [record(*found, missing=missing)]).open_shards == ()


def test_what_a_refill_did_not_find_stays_open_and_is_no_shortfall_once_it_is_found() -> None:
    shards = [shard("a", 0, 2), replace(shard("a", 2, 1), refill=True), replace(shard("a", 3, 1), refill=True)]
    records = [record("1", "1"), record(missing=1), record("2")]
    selector = Selector(RECIPE)
    open_still = selector.select(shards[:2], records[:2])
    assert open_still.open_shards == (shards[2],)
    assert open_still.shortfall == (f"{shards[2]}: none found that differ from the others",)
    filled = selector.select(shards, records)
    assert filled.open_shards == filled.shortfall == ()


def test_what_a_shard_did_not_find_is_a_shortfall() -> None:
    selection = Selector(RECIPE).select([shard("a", 0, 2)], [record("1", missing=1)])
    assert selection.shortfall == ("counting/a/maxima/1/5: 1 of 2 items not found",)


def test_the_funnel_counts_every_item_once() -> None:
    funnel = Selector(RECIPE).select([shard("a", 0, 3)], [record("1", "1", "2")]).funnel.table()
    assert funnel["counting"]["distinct"]["seen"] == 3
    assert funnel["counting"]["distinct"]["rejected"] == {"equals an earlier item": 1}
