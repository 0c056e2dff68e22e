"""Parquet files: the same bytes however the rows arrive, and a layout that suits the Hub's viewer."""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import digests
from hypothesis import given
from hypothesis import strategies as st
from sample_folder import COUNTING, ROWS

from planimeter.export.atomic import ExportError
from planimeter.export.parquet import _Rows, row_table, write_split


@pytest.fixture(scope="module")
def many() -> pa.Table:
    noise = np.random.default_rng(0)  # as large as real pictures: more than one page a row group
    rows = [ROWS["counting"][i % 18] | {"id": f"row-{i:04d}", "image": noise.bytes(20_000 + i)} for i in range(330)]
    return row_table(rows, COUNTING)


@pytest.fixture(scope="module")
def whole(many: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("whole")
    write_split(folder, "counting", "test", [many], COUNTING, 250)
    return digests(folder)


@given(cuts=st.lists(st.integers(0, 330), max_size=12), nested=st.booleans(), masked=st.booleans())
def test_bytes_do_not_depend_on_how_rows_arrive(
    cuts: list[int], nested: bool, masked: bool, many: pa.Table, whole: dict[str, str], tmp_path_factory: Any
) -> None:
    ends = [0, *sorted(cuts), 330]
    pieces = [many.slice(start, end - start) for start, end in itertools.pairwise(ends)]
    if masked:
        pieces = [piece.filter(pa.array([True] * piece.num_rows, pa.bool_())) for piece in pieces]
    if nested:
        pieces = [pa.concat_tables(pieces)]
    folder = tmp_path_factory.mktemp("cut")
    write_split(folder, "counting", "test", pieces, COUNTING, 250)
    assert digests(folder) == whole


def test_a_row_group_is_one_chunk(many: pa.Table) -> None:
    """Content-defined chunking hides the chunks from the writer in pyarrow 26; without it their bounds show."""
    pieces = [many.slice(start, 7) for start in range(0, 330, 7)]
    rows = _Rows(pieces, COUNTING)
    groups = [*rows.groups(250), *rows.groups(250)]
    assert not rows.are_left()
    assert [group.num_rows for group in groups] == [100, 100, 50, 80]
    assert all(column.num_chunks == 1 for group in groups for column in group.columns)


def test_memory_holds_no_more_than_a_row_group_of_the_file(many: pa.Table, tmp_path: Path) -> None:
    on_disk: list[int] = []

    def tables() -> Iterator[pa.Table]:
        for start in range(0, 330, 110):
            on_disk.append(sum(path.stat().st_size for path in tmp_path.rglob("*.tmp")))
            yield many.slice(start, 110)

    write_split(tmp_path, "counting", "test", tables(), COUNTING, 1_000)
    group = 100 * 20_000
    assert [size // group for size in on_disk] == [0, 1, 2]


def test_layout_of_the_files(many: pa.Table, tmp_path: Path) -> None:
    records = write_split(tmp_path, "counting", "test", [many], COUNTING, 250)
    assert [record.path for record in records] == [
        "data/counting/test-00000-of-00002.parquet",
        "data/counting/test-00001-of-00002.parquet",
    ]
    assert [record.rows for record in records] == [250, 80]
    assert sorted(digests(tmp_path)) == [record.path for record in records]  # no temporary file is left
    for record in records:
        assert record.sha256 == digests(tmp_path)[record.path]
        assert record.bytes == (tmp_path / record.path).stat().st_size
    footer = pq.ParquetFile(tmp_path / records[0].path).metadata
    assert [footer.row_group(i).num_rows for i in range(footer.num_row_groups)] == [100, 100, 50]
    column = footer.row_group(0).column(0)
    assert column.compression == "ZSTD"
    assert column.has_offset_index
    assert pa.concat_tables(pq.read_table(tmp_path / r.path) for r in records).equals(many)


def test_a_split_without_rows_still_loads(tmp_path: Path) -> None:
    (record,) = write_split(tmp_path, "counting", "test", [], COUNTING, 100)
    assert (record.path, record.rows) == ("data/counting/test-00000-of-00001.parquet", 0)
    assert pq.read_table(tmp_path / record.path).schema.equals(COUNTING.arrow)


def test_foreign_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="has the columns"):
        write_split(tmp_path, "counting", "test", [pa.table({"id": ["a"]})], COUNTING, 100)


def test_writing_does_not_gather_all_rows_in_memory(tmp_path: Path) -> None:
    """Thirty tables of 5 MB each; an accumulating writer would hold 150 MB at the end."""
    held: list[int] = []
    before = pa.total_allocated_bytes()

    def stream() -> Any:
        for part in range(30):
            held.append(pa.total_allocated_bytes() - before)
            rows = [ROWS["counting"][0] | {"id": f"{part}-{i}", "image": os.urandom(100_000)} for i in range(50)]
            yield row_table(rows, COUNTING)

    write_split(tmp_path, "counting", "test", stream(), COUNTING, 100_000)
    assert max(held) < 40e6
