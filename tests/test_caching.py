"""The key of a shard: what decides its bytes is in it, and nothing else."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from export.rejects import RejectExample
from flows import caching
from flows.errors import PlanimeterError
from flows.keeping import is_whole, keep, rejects_of, rows_of
from flows.shards import Made, Shard, from_json, to_json
from flows.storage import FolderStore
from flows.suites import marvl_qa as suite
from flows.work import make_shard
from recipes.loading import load
from recipes.marvl_qa import SuiteRecipe

RECIPE = load("marvl-qa-mini")
assert isinstance(RECIPE, SuiteRecipe)
SHARD = Shard(
    suite="marvl_qa",
    config="transformation",
    cell=("cone", "rotate_180"),
    first=0,
    count=1,
    modules=("generators.marvl_qa.families.cone",),
)


@pytest.mark.parametrize(
    "change",
    [
        {"version": "2.0.0"},
        {"dataset": "another"},
        {"title": "Another"},
        {"release_date": "2030-01-01"},
        {"scale": 10.0},
        {"rows_per_file": 7},
        {"counting": RECIPE.counting.model_copy(update={"attempts": 1})},
        {"transformation": RECIPE.transformation.model_copy(update={"pairs": 999})},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_decides_no_byte_of_the_shard_makes_nothing_again(change: dict[str, object]) -> None:
    assert caching.key_of(RECIPE.model_copy(update=change), SHARD) == caching.key_of(RECIPE, SHARD)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"transformation": RECIPE.transformation.model_copy(update={"styles": "all"})},
        {"transformation": RECIPE.transformation.model_copy(update={"attempts": 1})},
    ],
    ids=["seed", "styles", "attempts"],
)
def test_what_decides_a_byte_does(change: dict[str, object]) -> None:
    assert caching.key_of(RECIPE.model_copy(update=change), SHARD) != caching.key_of(RECIPE, SHARD)


def test_a_shard_of_one_split_is_not_taken_for_that_of_another() -> None:
    """The record of a finished shard names its split."""
    assert caching.key_of(RECIPE, replace(SHARD, split="train")) != caching.key_of(RECIPE, SHARD)


def test_every_shard_of_a_plan_has_a_key_of_its_own() -> None:
    shards = suite.plan(RECIPE)
    assert len({caching.key_of(RECIPE, shard) for shard in shards}) == len(shards)


def test_a_larger_build_starts_from_the_shards_of_a_smaller_one() -> None:
    small, large = (suite.plan(RECIPE.model_copy(update={"scale": scale})) for scale in (4.0, 8.0))
    keys = {caching.key_of(RECIPE, shard) for shard in large}
    kept = sum(caching.key_of(RECIPE, shard) in keys for shard in small)
    assert kept > len(small) / 2


def record_of(tmp_path: Path, key: str = "key") -> Path:
    made = suite.make(RECIPE, SHARD)
    made.rejects.append(
        RejectExample(
            config="transformation",
            stratum="cone",
            check="certify",
            reason="why",
            measured=1.5,
            limit=2.0,
            picture=b"png",
        )
    )
    record = keep(SHARD, made, FolderStore(tmp_path))
    path = tmp_path / caching.RECORDS / key
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"result": json.dumps(to_json(record))}))
    return path


def test_a_record_survives_json_and_gives_rows_and_rejects_back(tmp_path: Path) -> None:
    record_of(tmp_path)
    record = caching.finished(FolderStore(tmp_path), "key")
    assert record is not None
    assert from_json(json.loads(json.dumps(to_json(record)))) == record
    (table,) = record.tables
    assert sum(piece.num_rows for piece in rows_of(table, FolderStore(tmp_path))) == record.rows == 2
    assert table.rows_of_items == (2,)
    assert rejects_of(record, FolderStore(tmp_path))[-1].picture == b"png"


@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_a_damaged_file_is_never_a_hit(damage: str, tmp_path: Path) -> None:
    path = record_of(tmp_path)
    record = caching.finished(FolderStore(tmp_path), "key")
    assert record is not None
    spoil(tmp_path / record.tables[0].path, damage)
    assert not is_whole(record, FolderStore(tmp_path))
    assert caching.finished(FolderStore(tmp_path), "key") is None
    assert not path.exists(), "Prefect would take the record for a hit"


@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_a_file_damaged_after_it_was_checked_is_never_published(damage: str, tmp_path: Path) -> None:
    record_of(tmp_path)
    store = FolderStore(tmp_path)
    record = caching.finished(store, "key")
    assert record is not None
    spoil(tmp_path / record.tables[0].path, damage)
    spoil(tmp_path / record.rejects_path, damage)
    for read in (lambda: list(rows_of(record.tables[0], store)), lambda: rejects_of(record, store)):
        with pytest.raises(PlanimeterError, match="damaged or removed while the build was at work; run the same"):
            read()


def spoil(path: Path, damage: str) -> None:
    content = bytearray(path.read_bytes())
    if damage == "flip":
        content[100] ^= 4
        path.write_bytes(content)
    elif damage == "cut":
        path.write_bytes(content[:-1])
    else:
        path.unlink()


@pytest.mark.parametrize("text", ["", "{", '{"result": "{}"}', '{"result": "[1]"}', "[]", '{"result": "null"}'])
def test_a_damaged_record_is_never_a_hit(text: str, tmp_path: Path) -> None:
    path = record_of(tmp_path)
    path.write_text(text)
    assert caching.finished(FolderStore(tmp_path), "key") is None
    assert not path.exists()


def test_making_a_shard_twice_leaves_one_file(tmp_path: Path) -> None:
    first = keep(SHARD, Made(), FolderStore(tmp_path))
    assert replace(keep(SHARD, Made(), FolderStore(tmp_path)), seconds=first.seconds) == first
    assert len(list(tmp_path.rglob("*.arrow"))) == 2, "rows and rejects"
    assert not list(tmp_path.rglob(".tmp-*"))


def test_a_shard_that_the_worker_has_noted_is_kept_only_while_it_is_whole(tmp_path: Path) -> None:
    """Prefect's own record comes later than the worker's note; a kill in between costs nothing."""
    store = FolderStore(tmp_path)
    made = make_shard(RECIPE.model_dump(mode="json"), SHARD, store.url, "key")
    assert caching.finished(store, "key") is None
    assert caching.noted(store, "key") == made
    assert caching.noted(store, "other") is None
    spoil(tmp_path / made["tables"][0]["path"], "flip")
    assert caching.noted(store, "key") is None
    spoil(tmp_path / caching.NOTES / "key", "cut")
    assert caching.noted(store, "key") is None
