"""Selecting: equal items are dropped, their quotas are filled again, and nothing else is."""

from collections.abc import Sequence
from dataclasses import replace

from planimeter.filters.near import Sets
from planimeter.filters.verdict import Verdict
from planimeter.flows.selection import Selection, Selector
from planimeter.flows.shards import REFILLS, Kept, Shard, ShardRecord
from planimeter.suites.account import Account
from planimeter.suites.editions import Likeness, Near
from planimeter.suites.loading import load
from planimeter.suites.pipeline import suite_of

RECIPE = load("marvl-qa-mini")


def shard(family: str, first: int, count: int) -> Shard:
    return Shard(suite="marvl_qa", config="counting", cell=(family, "maxima", 1, 5), first=first, count=count)


def refill(family: str, first: int, count: int) -> Shard:
    return replace(shard(family, first, count), refill=True)


def record(*signatures: str, missing: int = 0) -> ShardRecord:
    empty = {"tables": (), "funnel": {}, "rejects": Kept(path="", sha256="")}
    return ShardRecord(key="", shard="", split="test", signatures=signatures, missing=missing, **empty)


def select(planned: Sequence[Shard], *rounds: Sequence[ShardRecord]) -> tuple[list[Shard], Selection]:
    """Judge ``planned`` and, round by round, the refills that this calls for; returns those of the last round."""
    selector, coming = Selector(RECIPE, planned), list(planned)
    for records in rounds:
        coming = [more for part, made in zip(coming, records, strict=True) for more in selector.judge(part, made)]
    return coming, selector.selection()


PAIR = [shard("a", 0, 2)]


def test_a_refill_takes_unused_addresses() -> None:
    shards = [shard("a", 0, 2), shard("a", 2, 2), shard("b", 0, 2)]
    refills, selection = select(shards, [record("1", "2"), record("1", "3"), record("2", "4")])
    assert selection.kept == ((True, True), (False, True), (False, True))
    assert refills == [refill("a", 4, 1), refill("b", 2, 1)]
    selector, records = Selector(RECIPE, shards), [record("1", "1"), record("2", "2"), record("3", "4")]
    coming = [selector.judge(part, made) for part, made in zip(shards, records, strict=True)]
    assert coming == [(), (refill("a", 4, 2),), ()]


def test_a_large_refill_is_cut_as_the_plan_is() -> None:
    cell, size = next(suite_of(RECIPE).cells(RECIPE))
    count = 2 * size + 2
    planned = [replace(cell, count=count)]
    refills, _ = select(planned, [record(*["1"] * count)])
    parts = [(count, size), (count + size, size), (count + 2 * size, 1)]
    assert refills == [replace(cell, first=at, count=n, refill=True) for at, n in parts]
    # It goes on behind the last of them, once all have come.
    (first, *_), selection = select(planned, [record(*["1"] * count)], [record(missing=n) for _, n in parts])
    assert (first.first, first.count) == (2 * count - 1, size)
    end = 2 * count - 1 + count - 1
    assert selection.shortfall == (f"{cell.place}[{end}:{end + count - 1}]: none found that differ from the others",)


def test_a_quota_is_refilled_until_the_rounds_end() -> None:
    refills, selection = select(PAIR, [record("1", "1")], [record("2")])
    assert refills == [] and sum(map(sum, selection.kept)) == 2, "closed"
    assert select(PAIR, [record("1", "1")], [record("1")])[0] == [refill("a", 3, 1)], "an equal item again"
    rounds = [[record("1", "1")], *[[record("1")]] * REFILLS]
    assert select(PAIR, *rounds[:-1])[0] == [refill("a", 1 + REFILLS, 1)]
    refills, selection = select(PAIR, *rounds)
    assert refills == []
    assert selection.shortfall == (f"{shard('a', 2 + REFILLS, 1)}: none found that differ from the others",)


def test_only_what_a_refill_did_not_find_is_searched_again() -> None:
    assert select(PAIR, [record(missing=2)])[0] == []
    refills, selection = select(PAIR, [record("1", missing=1)])
    assert (refills, selection.shortfall) == ([], ("counting/a/maxima/1/5: 1 of 2 items not found",))
    rounds = [record("1", "1")], [record(missing=1)], [record("2")]
    refills, selection = select(PAIR, *rounds[:2])
    assert refills == [refill("a", 3, 1)]
    # What is open lies behind the refill that is to come.
    assert selection.shortfall == (f"{shard('a', 4, 1)}: none found that differ from the others",)
    refills, selection = select(PAIR, *rounds)
    assert (refills, selection.shortfall) == ([], ()), "no shortfall once it is found"


def test_the_funnel_counts_every_item_once() -> None:
    _, selection = select([shard("a", 0, 3)], [record("1", "1", "2")])
    distinct = selection.funnel.table()["counting"]["distinct"]
    assert (distinct["seen"], distinct["rejected"]) == (3, {"equals an earlier item": 1})


def test_an_account_has_one_example_of_each_kind_and_config() -> None:
    account, refused = Account("base"), Verdict(check="rules", kept=False, measured=0.0, limit=1.0, reason="turn")
    assert not any(account.judge(refused, b"", "13", config=config) for config in ("", "confounded") * 2)
    assert [example.config for example in account.rejects] == ["base", "confounded"]


def test_an_item_as_similar_as_the_limit_is_refused() -> None:
    judge = Near([Likeness("a", Sets.pack("abcd"))], Sets(0.75))
    items = (Likeness("a", Sets.pack("abc")), Likeness("a", Sets.pack("ab")), Likeness("b", Sets.pack("abcd")))
    assert [judge.judge(item).kept for item in items] == [False, True, True]
