"""Shards are known by what decides their bytes, parts by their content: the files that a stream of all rows makes."""

from dataclasses import replace
from functools import cache

import pytest

from planimeter.export.manifest import Manifest
from planimeter.export.parquet import row_table, write_split
from planimeter.export.rejects import RejectExample
from planimeter.export.schema import schema_of
from planimeter.export.verify.folder import verify
from planimeter.export.verify.problems import Problem
from planimeter.filters.funnel import Funnel
from planimeter.flows import parts, writing
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.selection import Selection, Selector
from planimeter.flows.shards import Made, Shard
from planimeter.flows.store import cached, shard_cache
from planimeter.flows.store.place import Place
from planimeter.flows.store.shard_cache import MADE
from planimeter.flows.store.storage import FolderStore
from planimeter.flows.store.tables import is_whole, keep, rejects_of, rows_of
from planimeter.flows.suites import suite_of
from planimeter.flows.work import make_shard
from planimeter.recipes.loading import load

RECIPE = load("marvl-qa-mini", scale=0.001)
suite = suite_of(RECIPE)
SHARD = Shard(suite="marvl_qa", config="transformation", cell=("cone", "rotate_180"), first=0, count=1)


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
    cached.keep(store, MADE, "key", keep(SHARD, made, store))
    return store


def test_a_record_survives_json_and_gives_rows_and_rejects_back(store):
    record = finished(store, "key")
    (table,) = record.tables
    assert [batch.num_rows for batch in read(table, store)] == [2]
    ((seed, rows, *_),) = table.blocks
    assert seed % 256 == 0 and rows == record.rows == 2
    assert rejects_of(record, store)[-1].picture == b"png"
    assert finished(store, "other") is None


def finished(store, key):
    return cached.find(store, MADE, key, lambda record: is_whole(record, store))


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
    record = finished(store, "key")
    readers = {record.tables[0].path: lambda: read(record.tables[0], store)}
    for path, reading in (readers | {record.rejects_path: lambda: rejects_of(record, store)}).items():
        whole = (store.folder / path).read_bytes()
        spoil(store.folder / path, damage)
        assert not is_whole(record, store)
        assert finished(store, "key") is None
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
        assert finished(store, "key") is None, content
    path.write_bytes(kept)
    assert finished(store, "key") is not None


def test_making_a_shard_twice_leaves_one_file(tmp_path):
    first, again = (keep(SHARD, Made(), FolderStore(tmp_path)) for _ in range(2))
    assert again.model_copy(update={"seconds": first.seconds}) == first
    assert len(list(tmp_path.glob("shards/*/*"))) == 2, "rows and rejects"
    assert not list(tmp_path.rglob(".tmp-*"))


def test_a_shard_that_a_worker_has_made_is_finished_only_while_it_is_whole(tmp_path):
    store = FolderStore(tmp_path)
    recipe = RECIPE.model_dump(mode="json")
    made = cached.made(store.url, MADE, "key", make_shard, recipe, SHARD, store.url)
    assert finished(store, "key") == made
    spoil(tmp_path / made.tables[0].path, "flip")
    assert finished(store, "key") is None


def test_a_shard_of_paths_whose_pictures_are_read_back_is_not_empty():
    recipe = load("traversal")
    shard = replace(next(iter(suite_of(recipe).plan(recipe))), first=0, count=1)
    assert len(suite_of(recipe).make(recipe, shard).items) == 1


@cache
def items_of(shard):
    return suite.make(RECIPE, shard)


@pytest.fixture
def place(tmp_path):
    place = Place(RECIPE, tmp_path)
    place.prepare()
    return place


def written(place, shards, rows_per_file):
    """Make the shards and write the parts of their rows."""
    place.recipe = place.recipe.model_copy(update={"rows_per_file": rows_per_file})
    records = [keep(shard, items_of(shard), place.store) for shard in shards]
    selector = Selector(place.recipe, shards)
    for shard, record in zip(shards, records, strict=True):
        selector.judge(shard, record)
    selection = selector.selection()
    if len(shards) > 1:
        selection = replace(selection, kept=(*selection.kept[:-1], (False, True)))
    cut = parts.parts_of(place.recipe, records, selection)
    files = [(part, parts.write_part(part, place.store.url, place.parts.url)) for part in cut]
    return records, selection, files


@pytest.mark.parametrize("rows_per_file", [1, 2, 3, 100])
def test_parts_are_the_files_that_one_stream_of_rows_would_make(rows_per_file, place, tmp_path):
    shards = [SHARD, replace(SHARD, first=3, count=2)]
    records, selection, files = written(place, shards, rows_per_file)
    items = [item["transformation"] for shard in shards for item in items_of(shard).items]
    kept = (item for item, wanted in zip(items, sum(selection.kept, ()), strict=True) if wanted)
    rows = [row for item in sorted(kept, key=lambda rows: rows[0]["seed"] >> 8) for row in item]
    assert rows[0]["seed"] != items[0][0]["seed"], "not the order in which they are made"
    schema = replace(schema_of("marvl_qa", "transformation"), canary=files[0][0].canary)
    whole = [row_table(rows, schema)]
    wanted = write_split(tmp_path / "whole", "transformation", "test", whole, schema, rows_per_file)
    assert sum(record.rows for record in wanted) == sum(record.rows for record in records) - 2
    folder = tmp_path / "described"
    writing.describe(folder, place, records, selection, files)
    assert Manifest.read(folder).files == tuple(wanted)
    for record in wanted:
        assert (folder / record.path).read_bytes() == (tmp_path / "whole" / record.path).read_bytes()
    assert verify(folder) == []


def test_a_part_is_known_by_what_is_in_it_and_not_by_its_name(place):
    _, _, [(part, _)] = written(place, [SHARD], 100)
    assert part.model_copy(update={"number": 3}).key("code") == part.key("code") != part.key("other code")
    (piece,) = part.pieces
    other = part.model_copy(update={"pieces": (piece._replace(last=piece.last - 1),)})
    assert other.key("code") != part.key("code")


def test_what_breaks_a_promise_is_listed_in_part_and_a_split_without_rows_is_one_empty_file(place, tmp_path):
    problems = [Problem("data", f"row {i} is wrong", "look") for i in range(30)]
    with pytest.raises(PlanimeterError, match="row 0 is wrong") as caught:
        writing.require_sound(tmp_path, problems)
    assert "and 10 more" in str(caught.value)
    writing.require_sound(tmp_path, [])
    record = keep(SHARD, Made(), place.store)
    (part,) = parts.parts_of(place.recipe, [record], Selection(kept=((),), funnel=Funnel()))
    assert (part.path, part.rows) == ("data/transformation/test-00000-of-00001.parquet", 0)
