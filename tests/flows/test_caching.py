"""The key of a shard: what decides its bytes is in it, and nothing else."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from planimeter.export.rejects import RejectExample
from planimeter.export.schema import schema_of
from planimeter.flows import work
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Made, Shard, ShardRecord, StoredTable
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


def with_pairs(**change: object) -> dict[str, object]:
    return {"transformation": RECIPE.transformation.model_copy(update=change)}


@pytest.mark.parametrize(
    ("change", "decides"),
    [
        ({"version": "2.0.0"}, False),
        ({"dataset": "another"}, False),
        ({"title": "Another"}, False),
        ({"release_date": "2030-01-01"}, False),
        ({"scale": 10.0}, False),
        ({"rows_per_file": 7}, False),
        ({"counting": RECIPE.counting.model_copy(update={"attempts": 1})}, False),
        (with_pairs(pairs=999), False),
        ({"seed": 1}, True),
        (with_pairs(styles="all"), True),
        (with_pairs(attempts=1), True),
    ],
    ids=str,
)
def test_what_decides_a_byte_of_the_shard_changes_its_key_and_nothing_else(
    change: dict[str, object], decides: bool
) -> None:
    changed = shard_cache.key_of(RECIPE.model_copy(update=change), SHARD)
    assert (changed != shard_cache.key_of(RECIPE, SHARD)) == decides


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


@pytest.fixture(scope="module")
def made() -> Made:
    """The shard as it is made, with one reject more."""
    made = suite.make(RECIPE, SHARD)
    named = {"config": "transformation", "stratum": "cone", "check": "certify", "reason": "why"}
    made.rejects.append(RejectExample(**named, measured=1.5, limit=2.0, picture=b"png"))
    return made


@pytest.fixture
def store(made: Made, tmp_path: Path) -> FolderStore:
    """A store that keeps it under the key `key`."""
    store = FolderStore(tmp_path)
    shard_cache.keep_record(store, "key", keep(SHARD, made, store))
    return store


def kept_in(store: FolderStore) -> ShardRecord:
    record = shard_cache.finished(store, "key")
    assert record is not None
    return record


def test_a_record_survives_json_and_gives_rows_and_rejects_back(store: FolderStore) -> None:
    record = kept_in(store)
    (table,) = record.tables
    assert [batch.num_rows for batch in read(table, store)] == [2]
    ((seed, rows, *_),) = table.blocks
    assert seed % 256 == 0 and rows == record.rows == 2
    assert rejects_of(record, store)[-1].picture == b"png"
    assert shard_cache.finished(store, "other") is None


@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_a_damaged_file_is_never_a_hit_and_never_published(damage: str, store: FolderStore) -> None:
    record = kept_in(store)
    for path, reading in (
        (record.tables[0].path, lambda: read(record.tables[0], store)),
        (record.rejects_path, lambda: rejects_of(record, store)),
    ):
        whole = (store.folder / path).read_bytes()
        spoil(store.folder / path, damage)
        assert not is_whole(record, store)
        assert shard_cache.finished(store, "key") is None
        # As a build sees it that has looked before.
        with pytest.raises(PlanimeterError, match="damaged or removed while the build was at work; run the same"):
            reading()
        (store.folder / path).write_bytes(whole)
    assert is_whole(record, store)


def spoil(path: Path, damage: str) -> None:
    content = bytearray(path.read_bytes())
    if damage == "flip":
        content[100] ^= 4
        path.write_bytes(content)
    elif damage == "cut":
        path.write_bytes(content[:-1])
    else:
        path.unlink()


def test_a_damaged_record_is_never_a_hit(store: FolderStore) -> None:
    """Also where a digit of a count or a letter of a reason is another, so that the JSON is as good as before."""
    path = store.folder / shard_cache.RECORDS / "key"
    kept = path.read_bytes()
    damaged = [b"", b"\n", b"{", b'{"record": {}}', b"0" * 64 + b"\n{}"]
    for position in range(0, len(kept), 5):
        flipped = bytearray(kept)
        flipped[position] ^= 1 << position % 7
        damaged.append(bytes(flipped))
    for content in damaged:
        path.write_bytes(content)
        assert shard_cache.finished(store, "key") is None, content
    path.write_bytes(kept)
    assert shard_cache.finished(store, "key") is not None


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
    caches = (work.likeness, sources._holds, sources.digest, sources._tree, sources._tree_digest, sources._imports)
    for cached in caches:
        cached.cache_clear()
