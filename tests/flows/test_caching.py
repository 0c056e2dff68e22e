"""The key of a shard: what decides its bytes is in it, and nothing else."""

from dataclasses import replace

import pytest

from planimeter.export.rejects import RejectExample
from planimeter.export.schema import schema_of
from planimeter.flows import work
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Made, Shard
from planimeter.flows.store import shard_cache, sources
from planimeter.flows.store.storage import FolderStore
from planimeter.flows.store.tables import is_whole, keep, rejects_of, rows_of
from planimeter.flows.suites import suite_of
from planimeter.flows.work import make_shard
from planimeter.recipes.loading import load

RECIPE = load("marvl-qa-mini")
suite = suite_of(RECIPE)
FAMILY = "planimeter.generators.marvl_qa.families.cone"
SHARD = Shard(
    suite="marvl_qa", config="transformation", cell=("cone", "rotate_180"), first=0, count=1, modules=(FAMILY,)
)


def pairs(**change):
    return {"transformation": RECIPE.transformation.model_copy(update=change)}


def key_of(shard=SHARD, **change):
    return shard_cache.key_of(RECIPE.model_copy(update=change), shard)


def test_what_decides_a_byte_of_the_shard_changes_its_key_and_nothing_else():
    counting = RECIPE.counting.model_copy(update={"attempts": 1})
    names = {"version": "2.0.0", "dataset": "another", "title": "Another", "release_date": "2030-01-01"}
    idle = [{key: value} for key, value in {**names, "scale": 10.0, "rows_per_file": 7, "counting": counting}.items()]
    for change in (*idle, pairs(pairs=999)):
        assert key_of(**change) == key_of(), change
    for change in ({"seed": 1}, pairs(styles="all"), pairs(attempts=1)):
        assert key_of(**change) != key_of(), change
    # The record of a finished shard names its split.
    assert key_of(replace(SHARD, split="train")) != key_of()


def test_a_larger_build_starts_from_the_shards_of_a_smaller_one():
    plans = (suite.plan(RECIPE.model_copy(update={"scale": scale})) for scale in (4.0, 8.0))
    small, large = ({shard_cache.key_of(RECIPE, shard) for shard in plan} for plan in plans)
    assert len(small & large) > len(small) / 3


def read(table, store):
    return rows_of([(table.path, block) for block in table.blocks], schema_of("marvl_qa", table.config).arrow, store)


@pytest.fixture(scope="module")
def made():
    """The shard as it is made, with one reject more."""
    made = suite.make(RECIPE, SHARD)
    named = {"config": "transformation", "stratum": "cone", "check": "certify", "reason": "why"}
    made.rejects.append(RejectExample(**named, measured=1.5, limit=2.0, picture=b"png"))
    return made


@pytest.fixture
def store(made, tmp_path):
    """A store that keeps it under the key `key`."""
    store = FolderStore(tmp_path)
    shard_cache.keep_record(store, "key", keep(SHARD, made, store))
    return store


def test_a_record_survives_json_and_gives_rows_and_rejects_back(store):
    record = shard_cache.finished(store, "key")
    (table,) = record.tables
    assert [batch.num_rows for batch in read(table, store)] == [2]
    ((seed, rows, *_),) = table.blocks
    assert seed % 256 == 0 and rows == record.rows == 2
    assert rejects_of(record, store)[-1].picture == b"png"
    assert shard_cache.finished(store, "other") is None


def spoil(path, damage):
    content = bytearray(path.read_bytes())
    if damage == "flip":
        content[100] ^= 4
        path.write_bytes(content)
    elif damage == "cut":
        path.write_bytes(content[:-1])
    else:
        path.unlink()


@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_a_damaged_file_is_never_a_hit_and_never_published(damage, store):
    record = shard_cache.finished(store, "key")
    readers = {record.tables[0].path: lambda: read(record.tables[0], store)}
    for path, reading in (readers | {record.rejects_path: lambda: rejects_of(record, store)}).items():
        whole = (store.folder / path).read_bytes()
        spoil(store.folder / path, damage)
        assert not is_whole(record, store)
        assert shard_cache.finished(store, "key") is None
        # As a build sees it that has looked before.
        with pytest.raises(PlanimeterError, match="damaged or removed while the build was at work; run the same"):
            reading()
        (store.folder / path).write_bytes(whole)
    assert is_whole(record, store)


def test_a_damaged_record_is_never_a_hit(store):
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


def test_making_a_shard_twice_leaves_one_file(tmp_path):
    first, again = (keep(SHARD, Made(), FolderStore(tmp_path)) for _ in range(2))
    assert again.model_copy(update={"seconds": first.seconds}) == first
    assert len(list(tmp_path.rglob("*.arrow"))) == 2, "rows and rejects"
    assert not list(tmp_path.rglob(".tmp-*"))


def test_a_shard_that_a_worker_has_made_is_finished_only_while_it_is_whole(tmp_path):
    store = FolderStore(tmp_path)
    made = make_shard(RECIPE.model_dump(mode="json"), SHARD, store.url, "key", shard_cache.code_of(RECIPE, SHARD))
    assert shard_cache.finished(store, "key") == made
    code = shard_cache.code_of(RECIPE, replace(SHARD, modules=()))
    again = work.ensure_shard({}, SHARD, store.url, "key", code)
    assert again == made, "a worker died after it had noted the shard"
    spoil(tmp_path / made.tables[0].path, "flip")
    assert shard_cache.finished(store, "key") is None


def test_a_shard_of_other_code_is_not_kept_under_the_key_of_the_old(tmp_path, monkeypatch):
    """An editor, or `git checkout`, in the middle of a build, before a worker has imported the family."""
    store, recipe = FolderStore(tmp_path), RECIPE.model_dump(mode="json")
    code, content = shard_cache.code_of(RECIPE, SHARD), sources._content
    edited = lambda name: content(name) + b"\nMORE = 1\n"  # noqa: E731
    monkeypatch.setattr(sources, "_HELD", set())
    monkeypatch.setattr(sources, "_content", edited)
    sources._holds.cache_clear()
    with pytest.raises(PlanimeterError, match="the code changed while the build ran; what is finished is kept, run"):
        make_shard(recipe, SHARD, store.url, "key", code)
    monkeypatch.setattr(sources, "_content", content)
    with pytest.raises(PlanimeterError, match="the code changed"):
        make_shard(recipe, SHARD, store.url, "key", code)
    assert not store.names(shard_cache.RECORDS), "a process that has loaded the edit is not to be trusted any more"
    monkeypatch.setattr(sources, "_content", edited)
    named = (*code.modules, "planimeter.flows.work")
    assert work.likeness(named)["code"] == "mixed", "nor by the next build on the same Dask cluster"
    # What was read of the edit is not to be met again.
    monkeypatch.undo()
    caches = (work.likeness, sources._holds, sources.digest, sources._tree, sources._tree_digest, sources._imports)
    for cached in caches:
        cached.cache_clear()


def test_a_shard_of_paths_whose_pictures_are_read_back_is_not_empty():
    recipe = load("traversal")
    shard = replace(next(iter(suite_of(recipe).plan(recipe))), first=0, count=1)
    assert len(suite_of(recipe).make(recipe, shard).items) == 1
