"""TraversalBench from plan to verifier: quotas, twins, near-duplicates, and what the verifier and a recipe refuse."""

from collections import Counter
from dataclasses import replace

import pytest

from planimeter.flows.shards import Made, Shard
from planimeter.flows.store.keys import shard_key
from planimeter.generators.seeding import without_variant
from planimeter.items import REGIMES
from planimeter.suites.loading import load
from planimeter.suites.pipeline import suite_of
from planimeter.suites.traversal.checks import checker

RECIPE = load("traversal")
suite = suite_of(RECIPE)
VALUES = RECIPE.model_dump(mode="json")
PAIRED = Shard(suite="traversal", config="base", cell=(13, 3, 4, "paired"), first=3, count=3)
SINGLE = replace(PAIRED, cell=(9, 0, 2, "single"), first=0)
LANES = replace(PAIRED, config="reading_order", cell=("ttb_rl", 3, 11), first=5, count=1)


@pytest.fixture(scope="module")
def paired() -> Made:
    return suite.make(RECIPE, PAIRED)


def test_the_plan_deals_40_items_to_each_of_195_cells() -> None:
    shards = suite.plan(RECIPE)
    items, sources = Counter(), Counter()
    for shard in (shard for shard in shards if shard.config == "base"):
        items[shard.cell[:3]] += shard.count
        sources[shard.cell[:3]] += shard.count * (shard.cell[3] == "paired")
    assert (len(items), set(items.values()), set(sources.values())) == (195, {40}, {20})
    assert sum(s.count for s in shards if s.config == "reading_order") == 4 * 3 * 5 * 10
    assert len(shards) <= 500


def test_twins_share_their_sources_address_and_name_it(paired: Made) -> None:
    for item in paired.items:
        (source,), (low, high) = item["base"], item["confounded"]
        rows = (source, low, high)
        assert [row["seed"] - source["seed"] for row in rows] == [0, 1, 2]
        assert {without_variant(row["seed"]) for row in rows} == {source["seed"]}
        assert {low["source_id"], high["source_id"]} == {source["id"]}
        assert [low["condition"], high["condition"]] == ["low", "high"]
        assert len({row["image"]["bytes"] for row in rows}) == 3


def test_near_duplicates_are_judged_across_point_counts() -> None:
    judge, seen = suite.distinct(RECIPE), [suite.make(RECIPE, SINGLE).signatures[0].hex()]
    assert judge(SINGLE, seen)[0].kept
    assert judge(replace(SINGLE, cell=(11, 0, 2, "paired")), seen)[0].reason == "near-duplicate"
    assert judge(replace(SINGLE, cell=(9, 0, 3, "paired")), seen)[0].kept


def test_a_search_whose_budget_ends_relaxes_no_rule() -> None:
    base = RECIPE.base.model_copy(update={"steps": 1})
    made = suite.make(RECIPE.model_copy(update={"base": base}), replace(SINGLE, cell=(17, 1, 6, "single")))
    assert 0 < made.missing == 3 - len(made.items)
    assert sum(made.funnel["base"]["search"]["rejected"].values()) > 0


def test_quotas_leave_the_cache_key_alone_and_limits_do_not() -> None:
    def key(table: str = "base", **update: object) -> str:
        values = RECIPE.model_dump()
        return shard_key(RECIPE.model_validate({**values, table: values[table] | update}), PAIRED)

    assert key() == key("base", items_per_cell=80, points=(9, 13)) == key("reading_order", items_per_group=3)
    for table, update in [("rules", {"turn": 160.0}), ("style", {"ink": 20}), ("confounded", {"to_spur": 13.0})]:
        assert key(table, **update) != key()


def test_the_verifier_notices_lost_twins_and_cells_not_full(paired: Made) -> None:
    # As if of half the rows, whose quotas hold for no cell.
    judge, sound = (checker({**VALUES, "scale": 0.5}) for _ in range(2))
    first, second, third = paired.items
    for item in paired.items:
        assert list(judge.row("base", item["base"][0])) == []
        assert [fault for config, rows in item.items() for row in rows for fault in sound.row(config, row)] == []
    assert list(sound.whole()) == []
    list(judge.row("confounded", first["confounded"][0]))
    for row in second["confounded"]:
        list(judge.row("confounded", {**row, "source_id": third["base"][0]["id"]}))
    said = "\n".join(line for _, line in judge.whole())
    assert "need 3, each once" in said and "generator_family, answer, tortuosity" in said
    (lanes,) = suite.make(RECIPE, LANES).items[0]["reading_order"]
    for regime in set(REGIMES) - {"ttb_rl"}:
        assert "does not run in 3 lanes" in "".join(judge.row("reading_order", {**lanes, "regime": regime}))
    missing = "\n".join(line for _, line in checker(VALUES).whole())
    assert "40 rows of n_points 9, tortuosity_bin 0, self_intersection_bin 0, found 0" in missing
    assert "10 rows of regime ltr_tb, lanes 2, n_points 9, found 0" in missing
