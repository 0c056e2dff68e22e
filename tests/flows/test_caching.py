"""The key of a shard: what decides its bytes is in it, and nothing else."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from planimeter.export.rejects import RejectExample
from planimeter.export.schema import schema_of
from planimeter.flows import work
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Made, Shard, StoredTable
from planimeter.flows.store import shard_cache, sources
from planimeter.flows.store.storage import FolderStore
from planimeter.flows.store.tables import is_whole, keep, rejects_of, rows_of
from planimeter.flows.suites import suite_of
from planimeter.flows.work import make_shard
from planimeter.recipes.loading import load
from planimeter.recipes.marvl_qa import SuiteRecipe

RECIPE = load("marvl-qa-mini")
assert isinstance(RECIPE, SuiteRecipe)
suite = suite_of(RECIPE)
SHARD = Shard(
    suite="marvl_qa",
    config="transformation",
    cell=("cone", "rotate_180"),
    first=0,
    count=1,
    modules=("planimeter.generators.marvl_qa.families.cone",),
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
    assert shard_cache.key_of(RECIPE.model_copy(update=change), SHARD) == shard_cache.key_of(RECIPE, SHARD)


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
    assert shard_cache.key_of(RECIPE.model_copy(update=change), SHARD) != shard_cache.key_of(RECIPE, SHARD)


def test_a_shard_of_one_split_is_not_taken_for_that_of_another() -> None:
    """The record of a finished shard names its split."""
    assert shard_cache.key_of(RECIPE, replace(SHARD, split="train")) != shard_cache.key_of(RECIPE, SHARD)


def test_every_shard_of_a_plan_has_a_key_of_its_own() -> None:
    shards = suite.plan(RECIPE)
    assert len({shard_cache.key_of(RECIPE, shard) for shard in shards}) == len(shards)


def test_a_larger_build_starts_from_the_shards_of_a_smaller_one() -> None:
    small, large = (suite.plan(RECIPE.model_copy(update={"scale": scale})) for scale in (4.0, 8.0))
    keys = {shard_cache.key_of(RECIPE, shard) for shard in large}
    kept = sum(shard_cache.key_of(RECIPE, shard) in keys for shard in small)
    assert kept > len(small) / 3


def read(table: StoredTable, store: FolderStore) -> list[pa.RecordBatch]:
    return rows_of([(table.path, block) for block in table.blocks], schema_of("marvl_qa", table.config).arrow, store)


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
    store = FolderStore(tmp_path)
    shard_cache.keep_record(store, key, keep(SHARD, made, store))
    return tmp_path / shard_cache.RECORDS / key


def test_a_record_survives_json_and_gives_rows_and_rejects_back(tmp_path: Path) -> None:
    record_of(tmp_path)
    record = shard_cache.finished(FolderStore(tmp_path), "key")
    assert record is not None
    (table,) = record.tables
    assert [batch.num_rows for batch in read(record.tables[0], FolderStore(tmp_path))] == [2]
    ((seed, rows, *_),) = table.blocks
    assert seed % 256 == 0 and rows == record.rows == 2
    assert rejects_of(record, FolderStore(tmp_path))[-1].picture == b"png"


@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_a_damaged_file_is_never_a_hit(damage: str, tmp_path: Path) -> None:
    record_of(tmp_path)
    record = shard_cache.finished(FolderStore(tmp_path), "key")
    assert record is not None
    spoil(tmp_path / record.tables[0].path, damage)
    assert not is_whole(record, FolderStore(tmp_path))
    assert shard_cache.finished(FolderStore(tmp_path), "key") is None


@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_a_file_damaged_after_it_was_checked_is_never_published(damage: str, tmp_path: Path) -> None:
    record_of(tmp_path)
    store = FolderStore(tmp_path)
    record = shard_cache.finished(store, "key")
    assert record is not None
    spoil(tmp_path / record.tables[0].path, damage)
    spoil(tmp_path / record.rejects_path, damage)
    for reading in (lambda: read(record.tables[0], store), lambda: rejects_of(record, store)):
        with pytest.raises(PlanimeterError, match="damaged or removed while the build was at work; run the same"):
            reading()


def spoil(path: Path, damage: str) -> None:
    content = bytearray(path.read_bytes())
    if damage == "flip":
        content[100] ^= 4
        path.write_bytes(content)
    elif damage == "cut":
        path.write_bytes(content[:-1])
    else:
        path.unlink()


@pytest.mark.parametrize("text", ["", "\n", "{", '{"record": {}}', f"{'0' * 64}\n{{}}"])
def test_a_damaged_record_is_never_a_hit(text: str, tmp_path: Path) -> None:
    path = record_of(tmp_path)
    path.write_text(text)
    assert shard_cache.finished(FolderStore(tmp_path), "key") is None


def test_a_flipped_bit_in_a_record_is_never_published(tmp_path: Path) -> None:
    """A digit of a count, a letter of a reason: the JSON is as good as before."""
    path = record_of(tmp_path)
    store = FolderStore(tmp_path)
    record = shard_cache.finished(store, "key")
    assert record is not None
    kept = path.read_bytes()
    for position in range(0, len(kept), 5):
        flipped = bytearray(kept)
        flipped[position] ^= 1 << position % 7
        path.write_bytes(flipped)
        assert shard_cache.finished(store, "key") is None, flipped[position - 20 : position + 20]


def test_making_a_shard_twice_leaves_one_file(tmp_path: Path) -> None:
    first = keep(SHARD, Made(), FolderStore(tmp_path))
    again = keep(SHARD, Made(), FolderStore(tmp_path))
    assert again.model_copy(update={"seconds": first.seconds}) == first
    assert len(list(tmp_path.rglob("*.arrow"))) == 2, "rows and rejects"
    assert not list(tmp_path.rglob(".tmp-*"))


def test_a_shard_that_a_worker_has_made_is_finished_only_while_it_is_whole(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    made = make_shard(RECIPE.model_dump(mode="json"), SHARD, store.url, "key", shard_cache.code_of(RECIPE, SHARD))
    assert shard_cache.finished(store, "key") == made
    assert shard_cache.finished(store, "other") is None
    code = shard_cache.code_of(RECIPE, replace(SHARD, modules=()))
    again = work.ensure_shard({}, SHARD, store.url, "key", code)
    assert again == made, "a worker died after it had noted the shard"
    spoil(tmp_path / made.tables[0].path, "flip")
    assert shard_cache.finished(store, "key") is None


def test_a_shard_of_other_code_is_not_kept_under_the_key_of_the_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor, or `git checkout`, in the middle of a build, before a worker has imported the family."""
    store, recipe = FolderStore(tmp_path), RECIPE.model_dump(mode="json")
    code = shard_cache.code_of(RECIPE, SHARD)
    content = sources._content
    monkeypatch.setattr(sources, "_HELD", set())
    monkeypatch.setattr(sources, "_content", lambda name: content(name) + b"\nMORE = 1\n")
    sources._holds.cache_clear()
    with pytest.raises(PlanimeterError, match="the code changed while the build ran; what is finished is kept, run"):
        make_shard(recipe, SHARD, store.url, "key", code)
    monkeypatch.setattr(sources, "_content", content)
    with pytest.raises(PlanimeterError, match="the code changed"):
        make_shard(recipe, SHARD, store.url, "key", code)
    assert not store.names(shard_cache.RECORDS), "a process that has loaded the edit is not to be trusted any more"
    named = (*code.modules, "planimeter.flows.work")
    monkeypatch.setattr(sources, "_content", lambda name: content(name) + b"\nMORE = 1\n")
    assert work.likeness(named)["code"] == "mixed", "nor by the next build on the same Dask cluster"
    # What was read of the edit is not to be met again.
    monkeypatch.undo()
    for cached in (
        work.likeness,
        sources._holds,
        sources.digest,
        sources._tree,
        sources._tree_digest,
        sources._imports,
    ):
        cached.cache_clear()
