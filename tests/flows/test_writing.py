"""Writing: parts are the files that a stream of all rows would make, and are known again by their content."""

from dataclasses import replace
from functools import cache

import pytest

from planimeter.export.manifest import Manifest
from planimeter.export.parquet import row_table, write_split
from planimeter.export.schema import schema_of
from planimeter.export.verify.folder import verify
from planimeter.export.verify.part import Job
from planimeter.export.verify.problems import Problem
from planimeter.filters.funnel import Funnel
from planimeter.flows import parts, writing
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.selection import Selection, Selector
from planimeter.flows.shards import Made, Shard
from planimeter.flows.store.place import Place
from planimeter.flows.store.tables import keep
from planimeter.flows.suites.marvl_qa import SUITE
from planimeter.recipes.loading import load

SHARD = Shard(suite="marvl_qa", config="transformation", cell=("cone", "rotate_180"), first=0, count=1)
RECIPE = load("marvl-qa-mini", scale=0.001)


@cache
def made(shard):
    return SUITE.make(RECIPE, shard)


@pytest.fixture
def place(tmp_path):
    place = Place(RECIPE, tmp_path)
    place.prepare()
    return place


def written(place, shards, rows_per_file):
    """Make the shards and write the parts of their rows."""
    place.recipe = place.recipe.model_copy(update={"rows_per_file": rows_per_file})
    records = [keep(shard, made(shard), place.store) for shard in shards]
    selector = Selector(place.recipe, shards)
    for shard, record in zip(shards, records, strict=True):
        selector.judge(shard, record)
    selection = selector.selection()
    if len(shards) > 1:
        selection = replace(selection, kept=(*selection.kept[:-1], (False, True)))
    code, (store, store_of_parts) = parts.code_of("marvl_qa"), (place.store.url, place.parts.url)
    cut = parts.parts_of(place.recipe, records, selection)
    files = [(part, parts.write_part(part, store, store_of_parts, part.key(code), code)) for part in cut]
    return records, selection, files


@pytest.mark.parametrize("rows_per_file", [1, 2, 3, 100])
def test_parts_are_the_files_that_one_stream_of_rows_would_make(rows_per_file, place, tmp_path):
    shards = [SHARD, replace(SHARD, first=3, count=2)]
    records, selection, files = written(place, shards, rows_per_file)
    items = [item["transformation"] for shard in shards for item in made(shard).items]
    kept = (item for item, wanted in zip(items, sum(selection.kept, ()), strict=True) if wanted)
    rows = [row for item in sorted(kept, key=lambda rows: rows[0]["seed"] >> 8) for row in item]
    assert rows[0]["seed"] != items[0][0]["seed"], "not the order in which they are made"
    schema = schema_of("marvl_qa", "transformation")
    whole = [row_table(rows, schema)]
    wanted = write_split(tmp_path / "whole", "transformation", "test", whole, schema, rows_per_file)
    assert sum(record.rows for record in wanted) == sum(record.rows for record in records) - 2
    folder = tmp_path / "described"
    writing.describe(folder, place, records, selection, files)
    assert Manifest.read(folder).files == tuple(wanted)
    for record in wanted:
        assert (folder / record.path).read_bytes() == (tmp_path / "whole" / record.path).read_bytes()
    assert verify(folder) == []


def damage(path):
    path.write_bytes(path.read_bytes()[:-1] + b"?")


def test_a_part_that_is_whole_is_known_and_a_damaged_one_is_not(place):
    code = parts.code_of("marvl_qa")
    _, _, [(part, record)] = written(place, [SHARD], 100)
    assert parts.find_written(place.parts, part.key(code)) == record
    renamed = part.model_copy(update={"number": 3})
    assert parts.find_written(place.parts, renamed.key(code)) == record, "its name is free"
    (piece,) = part.pieces
    other = part.model_copy(update={"pieces": (piece._replace(last=piece.last - 1),)})
    assert parts.find_written(place.parts, other.key(code)) is None
    damage(place.parts.folder / record.path)
    assert parts.find_written(place.parts, part.key(code)) is None


def test_a_file_that_was_found_sound_is_known_until_it_changes(place, tmp_path):
    code = parts.code_of("marvl_qa")
    records, selection, files = written(place, [SHARD], 100)
    writing.describe(tmp_path / "d", place, records, selection, files)
    manifest = Manifest.read(tmp_path / "d")
    (record,) = manifest.files
    job = Job(folder=tmp_path / "d", record=record, suite="marvl_qa", recipe=manifest.recipe)
    key = parts.key_of_check(job, code)
    assert parts.find_checked(job, place.parts, key) is None
    checked = parts.check_part(job, place.parts.url, key, code)
    assert checked.is_clean and checked.rows == 2
    known = parts.find_checked(job, place.parts, key)
    assert list(known.own.whole()) == list(checked.own.whole())
    note = place.parts.folder / "checked" / key
    whole = note.read_bytes()
    note.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert parts.find_checked(job, place.parts, key) is None
    note.write_bytes(whole)
    damage(job.folder / record.path)
    assert parts.find_checked(job, place.parts, key) is None
    assert not parts.check_part(job, place.parts.url, "other", code).is_clean
    assert not (place.parts.folder / "checked" / "other").exists()


def test_what_breaks_a_promise_is_listed_in_part_and_a_split_without_rows_is_one_empty_file(place, tmp_path):
    problems = [Problem("data", f"row {i} is wrong", "look") for i in range(30)]
    with pytest.raises(PlanimeterError, match="row 0 is wrong") as caught:
        writing.require_sound(tmp_path, problems)
    assert "and 10 more" in str(caught.value)
    writing.require_sound(tmp_path, [])
    record = keep(SHARD, Made(), place.store)
    (part,) = parts.parts_of(place.recipe, [record], Selection(kept=((),), funnel=Funnel()))
    assert (part.path, part.rows) == ("data/transformation/test-00000-of-00001.parquet", 0)
