"""Laws that hold for every suite and dataset: a new suite, or another recipe, is held to them without a line here."""

import pickle
from collections import Counter
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import contradictions
import pytest
import suite_items
from hypothesis import given
from hypothesis import strategies as st
from suite_items import NAMES, Part, alone, digest, make, recipe_of

from planimeter import evals
from planimeter.evals.places import place_of
from planimeter.export.checks import Checker
from planimeter.export.schema import checker, schema_of
from planimeter.export.texts import text_of
from planimeter.flows.selection import Selector
from planimeter.flows.shards import REFILLS, Shard
from planimeter.flows.store.keys import plan as planned
from planimeter.flows.store.storage import Store
from planimeter.flows.store.tables import write_shard
from planimeter.generators.seeding import without_variant
from planimeter.suites.base import Recipe
from planimeter.suites.loading import load
from planimeter.suites.pipeline import suite_of

#: The dataset of each suite whose rows are made again in the shortest time.
CHEAP = ("curves-polygons", "curves-maps", "geogram-programs", "marvl-qa-mini", "traversal-hard")

Parts = dict[str, list[Part]]


@pytest.fixture(scope="module")
def parts(kept: Callable[[str, Callable[[Path], object]], Path]) -> Parts:
    """The items of all datasets."""

    def make_all(file: Path) -> None:
        parts = {name: [Part(name, shard, make(name, shard)) for shard in suite_items.shards(name)] for name in NAMES}
        file.write_bytes(pickle.dumps(parts))

    made: Parts = pickle.loads(kept("parts", make_all).read_bytes())
    return made


def judge_of(name: str) -> Checker:
    return checker(recipe_of(name).suite, recipe_of(name).model_dump(mode="json"))


def last_rows(parts: list[Part]) -> dict[str, dict[str, Any]]:
    """Return the last row of each config, with its split, as a verifier sees it."""
    return {config: {**row, "split": part.shard.split} for part in parts for config, row in part.rows}


# --- rows


@pytest.mark.process
@pytest.mark.parametrize("names", [CHEAP, pytest.param(NAMES, marks=pytest.mark.slow)], ids=["cheap", "all"])
def test_no_row_depends_on_its_process_or_on_earlier_ones(names: tuple[str, ...], parts: Parts, tmp_path: Path) -> None:
    here = {
        f"{name} {alone(part.shard)} {part.shard.split}": digest(part.made) for name in names for part in parts[name]
    }
    assert len(here) >= 2 * len(names)
    assert suite_items.in_another_process(tmp_path, names) == {**here, "templates": suite_items.problems()}


@pytest.mark.parametrize("name", NAMES)
def test_every_row_is_sound_certified_and_scores_one(name: str, parts: Parts) -> None:
    suite, look = recipe_of(name).suite, judge_of(name)
    for part in parts[name]:
        assert (part.made.missing, len(part.made.items)) == (0, part.shard.count)
        for config, row in part.rows:
            assert list(look.row(config, {**row, "split": part.shard.split})) == []
            assert row["certified_by"] == look.certifier(config)
            assert place_of(row)[0] == suite
            assert evals.gold_score(suite, config, row) == 1.0


def test_every_column_is_filled_and_ids_are_unique(parts: Parts, subtests: pytest.Subtests) -> None:
    for name, made in parts.items():
        with subtests.test(name):
            names = {(row["id"], row["seed"]) for part in made for _, row in part.rows}
            assert len(names) == len({name for name, _ in names}) == len({seed for _, seed in names})
            for part in made:
                assert len({row["id"] for _, row in part.rows}) == len(part.rows)
                for config, row in part.rows:
                    columns = schema_of(part.shard.suite, config, [part.shard.split]).by_name
                    assert set(row) == set(columns)
                    assert [column for column in row if row[column] is None and not columns[column].nullable] == []
                    assert row["prompt"] and row["answer"] and row["id"] and row["image"]["bytes"][:4] == b"\x89PNG"
                for item in part.made.items:
                    assert len({without_variant(row["seed"]) for rows in item.values() for row in rows}) == 1
                rows = suite_of(recipe_of(name)).estimate_size(recipe_of(name), part.shard)[0]
                assert rows == len(part.rows), "the disk is reserved for so many rows"


def test_every_check_has_a_sentence(parts: Parts, subtests: pytest.Subtests) -> None:
    for name, made in parts.items():
        with subtests.test(name):
            distinct = suite_of(recipe_of(name)).distinct(recipe_of(name))
            for part in made:
                (verdict,) = distinct(part.shard, [part.made.signatures[0].hex()])
                checks = {verdict.check, *(check for table in part.made.funnel.values() for check in table)}
                assert checks <= set(text_of(part.shard.suite).checks)


@pytest.mark.parametrize("name", NAMES)
def test_a_row_is_made_again_from_its_seed(name: str, parts: Parts) -> None:
    suite = suite_of(recipe_of(name))
    # The second item of the first shard of each config; `REFILLS` is where the last address lies.
    for part in {part.shard.config: part for part in reversed(parts[name])}.values():
        _, row = part.rows[-1]
        assert suite.rebuild(recipe_of(name), row) == row


@pytest.mark.parametrize("name", CHEAP)
def test_a_row_of_the_last_refill_is_made_again(name: str) -> None:
    """In each round a cell may need as many refills as it has items."""
    recipe, suite = recipe_of(name), suite_of(recipe_of(name))
    cell = min((cell for cell, _ in suite.cells(recipe)), key=lambda cell: cell.count)
    end = (1 + REFILLS) * cell.count
    for index, known in ((end - 1, True), (end, False)):
        (item,) = make(name, replace(cell, first=index, count=1)).items
        row = item[cell.config][0]
        assert suite.rebuild(recipe, row) == (row if known else None)


# --- plans


@pytest.mark.parametrize("name", NAMES)
@given(scale=st.floats(0.0005, 4))
def test_shards_cover_each_cell_once_without_a_gap(name: str, scale: float) -> None:
    recipe = load(name, scale=scale)
    assert isinstance(recipe, Recipe)
    suite, reached = suite_of(recipe), Counter[Any]()
    sizes = {cell.quota: (cell.count, size) for cell, size in suite.cells(recipe)}
    plan = suite.plan(recipe)
    # The order of refills, and so which of two equal items stays, follows from it.
    assert len([quota for quota, _ in groupby(shard.quota for shard in plan)]) == len({shard.quota for shard in plan})
    for shard in plan:
        assert (shard.suite, shard.refill) == (recipe.suite, False)
        assert shard.first == reached[shard.quota], "a gap or an overlap"
        assert 0 < shard.count <= sizes[shard.quota][1]
        reached[shard.quota] += shard.count
    assert reached == {quota: count for quota, (count, _) in sizes.items() if count}
    assert {config for config, _, _ in reached} <= set(text_of(recipe.suite).configs)


@pytest.mark.parametrize("name", NAMES)
def test_the_verifier_wants_as_many_rows_as_the_plan_makes(name: str) -> None:
    recipe = load(name)
    assert isinstance(recipe, Recipe)
    suite, quotas = suite_of(recipe), list(checker(recipe.suite, recipe.model_dump(mode="json")).quotas())
    assert sum(quota.rows for quota in quotas) == sum(
        suite.estimate_size(recipe, shard)[0] for shard in suite.plan(recipe)
    )
    assert len({(quota.config, tuple(quota.values.items())) for quota in quotas}) == len(quotas)


@pytest.mark.parametrize("name", NAMES)
def test_no_two_shards_share_a_key(name: str) -> None:
    plan = planned(recipe_of(name))
    assert len({key for _, key in plan}) == len(plan)


def test_a_repeated_item_is_dropped_and_its_quota_filled_anew(
    parts: Parts, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    store = Store(str(tmp_path))
    for name in NAMES:
        with subtests.test(name):
            shard, made = parts[name][0].shard, parts[name][0].made
            twin = replace(shard, first=shard.count)
            selector = Selector(recipe_of(name), [shard, twin])
            assert selector.judge(shard, write_shard(store, "first", shard, made)) == ()
            (refill,) = selector.judge(twin, write_shard(store, "twin", twin, made))
            assert refill == replace(twin, first=2 * shard.count, refill=True)
            selection = selector.selection()
            assert selection.kept == ((True,) * shard.count, (False,) * shard.count)
            assert sum(map(sum, (c["rejected"].values() for c in selection.funnel.table()[shard.config].values())))
            assert len(selection.shortfall) == 1


# --- what is wrong is noticed


@pytest.mark.parametrize("name", NAMES)
def test_a_row_that_contradicts_itself_is_noticed(name: str, parts: Parts, subtests: pytest.Subtests) -> None:
    apart = contradictions.ALONE[recipe_of(name).suite] | contradictions.COMMON
    for config, row in last_rows(parts[name]).items():
        for column in (column for column in row if column not in apart and row[column] != []):
            with subtests.test(config=config, column=column):
                other = contradictions.changed(row[column])
                assert list(judge_of(name).row(config, {**row, column: other})) != []


@pytest.mark.parametrize(("name", "config", "change", "words"), contradictions.FURTHER)
def test_a_row_that_breaks_a_rule_is_noticed(name: str, config: str, change: Any, words: str, parts: Parts) -> None:
    row = last_rows(parts[name])[config]
    broken = {**row, **(change(row) if callable(change) else change)}
    assert words in "\n".join(judge_of(name).row(config, broken))


def cell(config: str, *values: str | int, count: int = 2) -> dict[str, Any]:
    return {"config": config, "cell": values, "count": count}


#: Dataset, tables of its recipe that nothing can keep to, a cell of it, and which check rejects.
HOPELESS: list[tuple[str, dict[str, dict[str, Any]], dict[str, Any], str]] = [
    (
        "marvl-qa-mini",
        {"counting": {"attempts": 3}},
        cell("counting", "gabor_function", "maxima", 900, 999),
        "curation",
    ),
    (
        "curves",
        {"easy": {"attempts": 2, "sizes": ((19, 19),), "every_tree": False, "depth": (19, 19)}},
        cell("easy", " 19 to 19 curves", "test", 19, 19),
        "layout",
    ),
    (
        "curves-maps",
        {"planar_map": {"attempts": 2, "face_px2": 90_000.0}},
        cell("planar_map", "  3 to 4 curves", "test", 3, 4),
        "layout",
    ),
    (
        "traversal",
        {"confounded": {"to_path": 200.0, "attempts": 40}, "base": {"attempts": 2}},
        cell("base", 13, 3, 4, "paired"),
        "spurs",
    ),
    (
        "geogram",
        {"geogram": {"attempts": 3, "leakage": {"coincidence": 0.9, "measured": 0.95}}},
        cell("geogram", "primitive", "matplotlib"),
        "leakage",
    ),
]


def changed(table: Any, values: dict[str, Any]) -> Any:
    """Return a table of a recipe, a pydantic model or a dataclass of the generators, with other ``values``."""
    return replace(table, **values) if is_dataclass(table) else table.model_copy(update=values)


@pytest.mark.parametrize(("name", "tables", "asked", "check"), HOPELESS, ids=[case[0] for case in HOPELESS])
def test_a_cell_that_cannot_be_filled_says_so(name: str, tables: Any, asked: Any, check: str, tmp_path: Path) -> None:
    changes = {}
    for table, values in tables.items():
        given_table = getattr(recipe_of(name), table)
        inner = {
            key: changed(getattr(given_table, key), value) if isinstance(value, dict) else value
            for key, value in values.items()
        }
        changes[table] = changed(given_table, inner)
    recipe = recipe_of(name).model_copy(update=changes)
    shard = Shard(suite=recipe.suite, first=0, **asked)
    made = suite_of(recipe).make(recipe, shard)
    assert (made.items, made.missing) == ([], shard.count)
    if check == "layout":
        assert [checks[check]["seen"] for checks in made.funnel.values()] == [2 * shard.count], "attempts at each index"
    rejected = [checks[check]["rejected"] for checks in made.funnel.values() if check in checks]
    assert any(map(sum, (reasons.values() for reasons in rejected))) and made.rejects
    selector = Selector(recipe_of(name), [shard])
    assert selector.judge(shard, write_shard(Store(str(tmp_path)), "key", shard, made)) == ()
    assert selector.selection().shortfall == (f"{shard.place}: {shard.count} of {shard.count} items not found",)
