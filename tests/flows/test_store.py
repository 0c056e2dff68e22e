"""The store keeps what it promises: whole or absent, never run, never outside, the same in a folder and in a bucket."""

import hashlib
import json
import os
import pickle
from dataclasses import replace

import pyarrow as pa
import pytest

from planimeter.export.rejects import RejectExample
from planimeter.export.schema import schema_of
from planimeter.flows.blocks import StoreResults
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.shards import Shard
from planimeter.flows.store import keys, sources
from planimeter.flows.store.keys import plan, shard_key
from planimeter.flows.store.results import PLAIN, Kind, finished_keys
from planimeter.flows.store.storage import Store
from planimeter.flows.store.tables import LARGE, is_whole, read_items, read_rejects, stem_of, write_shard
from planimeter.suites.loading import load
from planimeter.suites.pipeline import suite_of

RECIPE = load("marvl-qa-mini", scale=0.001)
SHARD = Shard(suite="marvl_qa", config="transformation", cell=("cone", "rotate_180"), first=0, count=2)
SCHEMA = schema_of("marvl_qa", "transformation").arrow
KEY = "ab" * 32
REJECT = RejectExample(
    config="transformation", stratum="cone", check="certify", reason="why", measured=1.5, limit=2.0, picture=b"png"
)


@pytest.fixture(scope="module")
def made():
    made = suite_of(RECIPE).make(RECIPE, SHARD)
    # One item was rejected, another has no rows in this config.
    return replace(made, items=[made.items[0], {}, made.items[1]], rejects=[REJECT])


@pytest.fixture(params=["folder", "bucket"])
def store(request, tmp_path):
    if request.param == "folder":
        return Store(str(tmp_path / "store"))
    return Store(f"memory://shelf/{hashlib.sha256(str(tmp_path).encode()).hexdigest()[:12]}")


@pytest.fixture
def record(made, store):
    return write_shard(store, KEY, SHARD, made)


def rows(record, store):
    (table,) = record.tables
    return [batch.to_pylist() for batch in read_items(store, [(table.path, b) for b in table.blocks], SCHEMA)]


def test_items_are_read_at_random_from_an_arrow_file(record, made, store):
    (table,) = record.tables
    assert [block.rows for block in table.blocks] == [2, 0, 2]
    assert record.rows == 4 and table.blocks[0].seed % 256 == 0
    with store.open(table.path) as file:
        reader = pa.ipc.open_file(file)
        batches = [reader.get_batch(number).to_pylist() for number in (2, 0, 1)]
        assert "huggingface" not in str(reader.schema.metadata or "") or reader.schema.equals(SCHEMA)
    first, none, last = rows(record, store)
    assert batches == [last, first, none] and none == []
    assert first[0]["seed"] == made.items[0]["transformation"][0]["seed"]
    assert read_rejects(store, record) == [REJECT]


def test_a_file_is_compressed_if_an_item_repeats_pictures(made, store):
    rows_of_item = made.items[0]["transformation"]
    many = -(-LARGE // sum(len(row["image"]["bytes"]) for row in rows_of_item)) * rows_of_item
    record = write_shard(store, KEY, SHARD, replace(made, items=[{"transformation": many}, made.items[2]]))
    assert len(store.read(record.tables[0].path)) < LARGE / 4
    first, last = rows(record, store)
    assert [row["image"]["bytes"] for row in first] == [row["image"]["bytes"] for row in many]
    assert [row["seed"] for row in last] == [row["seed"] for row in made.items[2]["transformation"]]


@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_a_damaged_file_is_found_and_never_read(damage, record, store):
    for file, reading in zip(
        record.files, (lambda: rows(record, store), lambda: read_rejects(store, record)), strict=True
    ):
        whole = store.read(file.path)
        for place in range(len(whole) // 9, len(whole), len(whole) // 4):
            if damage == "remove":
                store.delete(file.path)
            else:
                flipped = bytes([whole[place] ^ 4]) + whole[place + 1 :]
                store.write(file.path, whole[:place] + flipped if damage == "flip" else whole[: len(whole) // 4])
            assert not is_whole(record, store)
            with pytest.raises(PlanimeterError, match="damaged or removed during the build; run the same"):
                reading()
        store.write(file.path, whole)
    assert is_whole(record, store)


LEADING = ("/etc/passwd", "../outside.arrow", f"{stem_of(KEY)}/../../../../outside.arrow", "", ".", "a//b", "./a")


@pytest.mark.parametrize("path", LEADING)
def test_a_store_refuses_names_that_lead_out_of_it(path, record, store, tmp_path):
    (tmp_path / "outside.arrow").write_bytes(store.read(record.tables[0].path))
    hostile = record.model_copy(update={"tables": (record.tables[0].model_copy(update={"path": path}),)})
    assert not is_whole(hostile, store)
    for attempt in (lambda: rows(hostile, store), lambda: store.write(path, b"x"), lambda: store.read(path)):
        with pytest.raises(PlanimeterError, match=r"is outside of .*record was changed"):
            attempt()


REPLACED = {
    "a pipe": lambda path: os.mkfifo(path),
    "a folder": lambda path: path.mkdir(),
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a circle": lambda path: path.symlink_to(path),
    "a huge file": lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 2**40),
}


@pytest.mark.parametrize("name", REPLACED)
def test_only_files_that_a_build_wrote_are_read(name, made, tmp_path):
    store = Store(str(tmp_path))
    record = write_shard(store, KEY, SHARD, made)
    Kind("counted", int).keep(store, "key", 3)
    for kept in ("counted/key", record.rejects.path):
        (tmp_path / kept).unlink()
        REPLACED[name](tmp_path / kept)
        with pytest.raises(FileNotFoundError):
            store.read(kept)
    assert Kind("counted", int).find(store, "key") is None
    with pytest.raises(PlanimeterError, match="damaged"):
        read_rejects(store, record)


class Bomb:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_a_pickle_in_the_store_is_never_run(record, store, tmp_path):
    bomb = pickle.dumps(Bomb(tmp_path / "exploded"))
    kind = Kind("counted", int)
    signed = hashlib.sha256(bomb).hexdigest().encode() + b"\n" + bomb
    for content in (bomb, signed):
        for name in ("counted/key", record.tables[0].path, record.rejects.path):
            store.write(name, content)
        assert kind.find(store, "key") is None and not is_whole(record, store)
        with pytest.raises(PlanimeterError, match="damaged"):
            rows(record, store)
    assert not (tmp_path / "exploded").exists()


HOSTILE = [
    {"type": "pickle", "picklelib": "cloudpickle"},
    {"type": "compressed/pickle"},
    PLAIN | {"object_decoder": "os.system"},
    PLAIN | {"jsonlib": "pickle"},
    PLAIN | {"loads_kwargs": {"cls": "x"}},
    None,
    "json",
]


@pytest.mark.parametrize("serializer", HOSTILE)
def test_a_result_of_prefect_that_names_a_program_is_refused(serializer, tmp_path):
    block = StoreResults(url=str(tmp_path))
    block.write_path("key", json.dumps({"metadata": {"serializer": serializer}, "result": "{}"}).encode())
    with pytest.raises(ValueError, match="not plain JSON"):
        block.read_path("key")


def test_a_store_returns_what_was_stored(store):
    assert store.sizes("some") == {}
    with pytest.raises(FileNotFoundError):
        store.read("some/name")
    store.delete("some/name")
    store.write("some/name", b"one")
    store.write("some/[o]ther*", b"two")
    assert (store.read("some/name"), store.sizes("some")) == (b"one", {"name": 3, "[o]ther*": 3})
    assert store.exists("some/name") and not store.exists("some/none")
    assert store.sha256("some/name") == hashlib.sha256(b"one").hexdigest()
    assert store.slices([("some/[o]ther*", 1, 2), ("some/name", 0, 2), ("some/name", 2, 9)]) == [b"wo", b"on", b"e"]
    store.delete("some/name")
    assert store.sha256("some/name") == "" == store.sha256("some")


def test_a_damaged_result_is_never_read(store):
    """Nor one in which a digit of a count is another, so that the JSON is as good as before."""
    kind, block = Kind("counts", dict[str, int]), StoreResults(url=store.url)
    kind.keep(store, "key", {"a": 1})
    assert kind.find(store, "key") == {"a": 1}
    block.write_path("key", b'{"metadata": {"serializer": %s}, "result": "1"}' % json.dumps(PLAIN).encode())
    assert json.loads(block.read_path("key"))["result"] == "1" and finished_keys(store) == {"key"}
    for name, old, new in (("counts/key", b"1}", b"2}"), ("results/key", b'"1"', b'"2"')):
        store.write(name, store.read(name).replace(old, new))
    assert kind.find(store, "key") is None
    with pytest.raises(ValueError, match="is damaged"):
        block.read_path("key")


# --- keys


def pairs(**change):
    return {"transformation": RECIPE.transformation.model_copy(update=change)}


def key_of(shard=SHARD, **change):
    return shard_key(RECIPE.model_copy(update=change), shard)


def test_a_key_depends_on_what_decides_bytes_only():
    counting = RECIPE.counting.model_copy(update={"attempts": 1})
    names = {"version": "2.0.0", "dataset": "another", "title": "Another", "release_date": "2030-01-01"}
    idle = [{key: value} for key, value in {**names, "scale": 10.0, "rows_per_file": 7, "counting": counting}.items()]
    for change in (*idle, pairs(pairs=999)):
        assert key_of(**change) == key_of(), change
    for change in ({"seed": 1}, pairs(styles="all"), pairs(attempts=1)):
        assert key_of(**change) != key_of(), change
    for change in ({"split": "train"}, {"first": 1}, {"count": 1}, {"cell": ("cone", "rotate_90")}):
        assert key_of(replace(SHARD, **change)) != key_of(), change


def test_the_key_of_a_training_shard_depends_on_published_tests(monkeypatch):
    shards = [replace(SHARD, split=split) for split in ("train", "test")]
    before = [key_of(shard) for shard in shards]
    monkeypatch.setattr(keys, "_tests", lambda suite: ["another edition"])
    assert [key_of(shard) != key for shard, key in zip(shards, before, strict=True)] == [True, False]


def test_a_larger_build_starts_from_the_shards_of_a_smaller_one():
    keys = [{key for _, key in plan(RECIPE.model_copy(update={"scale": scale}))} for scale in (4.0, 8.0)]
    assert len(keys[0] & keys[1]) > len(keys[0]) / 3


DECIDES = ("generators/marvl_qa/cone.py", "rendering/font.ttf", "items/values.py", "suites/curves/x.py")
DECIDES += ("filters/x.py", "evals/marvl_qa/prompt.py")
IDLE = ("evals/marvl_qa/grader.py", "export/atomic.py", "flows/build.py", "filters/x.pyc")


@pytest.mark.parametrize("name", [*DECIDES, *IDLE])
def test_an_edit_of_code_that_makes_rows_changes_every_key(name, tmp_path, monkeypatch):
    digests = []
    for content in ("one", "another"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
        monkeypatch.setattr(sources, "ROOT", tmp_path)
        sources.code_digest.cache_clear()
        digests.append(sources.code_digest("marvl_qa"))
    sources.code_digest.cache_clear()
    assert (digests[0] != digests[1]) == (name in DECIDES)
