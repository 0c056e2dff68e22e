"""Parts are the files that one stream of all rows would make, whatever shards they come from."""

from dataclasses import replace

import pytest

from planimeter.export.manifest import Manifest
from planimeter.export.parquet import row_table, write_split
from planimeter.export.rejects import RejectExample
from planimeter.export.schema import schema_of
from planimeter.export.verify.folder import verify
from planimeter.flows import parts, writing
from planimeter.flows.selection import Selector
from planimeter.flows.shards import Shard
from planimeter.flows.store.place import Place
from planimeter.flows.store.tables import write_shard
from planimeter.suites.loading import load
from planimeter.suites.pipeline import suite_of

RECIPE = load("marvl-qa-mini", scale=0.001)
suite = suite_of(RECIPE)
SHARD = Shard(suite="marvl_qa", config="transformation", cell=("cone", "rotate_180"), first=0, count=1)
SHARDS = [SHARD, replace(SHARD, first=3, count=2)]


@pytest.fixture(scope="module")
def made():
    return [suite.make(RECIPE, shard) for shard in SHARDS]


@pytest.mark.parametrize("rows_per_file", [1, 2, 3, 100])
def test_parts_are_the_files_that_one_stream_of_rows_would_make(rows_per_file, made, tmp_path):
    place = Place(RECIPE.model_copy(update={"rows_per_file": rows_per_file}), tmp_path)
    place.prepare()
    selector, records = Selector(place.recipe, SHARDS), []
    for shard, of_shard in zip(SHARDS, made, strict=True):
        records.append(write_shard(place.store, str(shard.first), shard, of_shard))
        selector.judge(shard, records[-1])
    selection = selector.selection()
    selection = replace(selection, kept=(*selection.kept[:-1], (False, True)))
    cut = parts.parts_of(place.recipe, records, selection)
    files = [(part, parts.write_part(part, place.store.url, place.parts.url)) for part in cut]
    items = [item["transformation"] for of_shard in made for item in of_shard.items]
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


def test_a_report_gets_three_examples_of_each_reason(made, tmp_path):
    place, named = Place(RECIPE, tmp_path), {"config": "transformation", "stratum": "cone", "check": "certify"}
    reject = RejectExample(**named, reason="why", measured=1.5, limit=2.0, picture=b"")
    two_each = [replace(of_shard, rejects=[reject, reject]) for of_shard in made]
    records = [write_shard(place.store, str(n), *pair) for n, pair in enumerate(zip(SHARDS, two_each, strict=True))]
    assert [*writing._examples(place, records)] == [reject] * 3
