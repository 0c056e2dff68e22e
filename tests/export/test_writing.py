"""What is written: columns of the contract, Parquet files of the same bytes, and a folder whole or not at all."""

import errno
import itertools
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

from planimeter.export.atomic import ExportError, Staging
from planimeter.export.parquet import row_table, write_split
from planimeter.export.schema import COLUMNS, schema_of

#: The dataset contract: columns of each config, and behind them those of training rows. Only additions are allowed.
CONTRACT = dict(line.split(": ", 1) for line in (Path(__file__).parent / "columns.txt").read_text().splitlines())


@pytest.mark.parametrize("suite", COLUMNS)
def test_no_promised_column_is_missing_renamed_or_retyped(suite: str) -> None:
    promised = [name.removeprefix(f"{suite}/") for name in CONTRACT if name.startswith(f"{suite}/")]
    assert sorted(COLUMNS[suite]) == sorted(promised)
    for config in COLUMNS[suite]:
        schemas = [schema_of(suite, config, splits).arrow for splits in ([], ["train"])]
        plain, training = ([f"{field.name}:{field.type}" for field in schema] for schema in schemas)
        assert training[: len(plain)] == plain
        line = " ".join([*plain, "|", *training[len(plain) :]])
        assert line.replace("element: ", "").replace("item: ", "") == CONTRACT[f"{suite}/{config}"]


def test_a_row_that_does_not_fit_is_refused() -> None:
    (first, *_) = ROWS["counting"]
    for row, message in (
        (first | {"colour": "red"}, "differs in: colour"),
        ({name: value for name, value in first.items() if name != "extrema"}, "differs in: extrema"),
        (first | {"count": "three"}, r"counting.count must be int32"),
        (first | {"seed": -1}, r"counting.seed must be uint64"),
        (first | {"tier": 400}, r"counting.tier must be int8"),
    ):
        with pytest.raises(ExportError, match=message):
            row_table([row], COUNTING)
    with pytest.raises(LookupError, match=r"no columns are declared for marvl_qa/counts; there are: marvl_qa/counting"):
        schema_of("marvl_qa", "counts")


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
    pieces = [many.slice(start, end - start) for start, end in itertools.pairwise([0, *sorted(cuts), 330])]
    if masked:
        pieces = [piece.filter(pa.array([True] * piece.num_rows, pa.bool_())) for piece in pieces]
    if nested:
        pieces = [pa.concat_tables(pieces)]
    folder = tmp_path_factory.mktemp("cut")
    write_split(folder, "counting", "test", pieces, COUNTING, 250)
    assert digests(folder) == whole


def test_layout_of_the_files(many: pa.Table, tmp_path: Path) -> None:
    records = write_split(tmp_path, "counting", "test", [many], COUNTING, 250)
    paths = [f"data/counting/test-0000{part}-of-00002.parquet" for part in range(2)]
    assert [(record.path, record.rows) for record in records] == [*zip(paths, (250, 80), strict=True)]
    sizes = [(tmp_path / path).stat().st_size for path in paths]
    assert {record.path: record.sha256 for record in records} == digests(tmp_path)
    assert [record.bytes for record in records] == sizes
    footer = pq.ParquetFile(tmp_path / paths[0]).metadata
    assert [footer.row_group(i).num_rows for i in range(footer.num_row_groups)] == [100, 100, 50]
    column = footer.row_group(0).column(0)
    assert column.compression == "ZSTD" and column.has_offset_index
    assert pa.concat_tables(pq.read_table(tmp_path / path) for path in paths).equals(many)


def test_a_split_without_rows_still_loads(tmp_path: Path) -> None:
    (record,) = write_split(tmp_path, "counting", "test", [], COUNTING, 100)
    assert (record.path, record.rows) == ("data/counting/test-00000-of-00001.parquet", 0)
    assert pq.read_table(tmp_path / record.path).schema.equals(COUNTING.arrow)
    with pytest.raises(ExportError, match="has the columns"):
        write_split(tmp_path, "counting", "test", [pa.table({"id": ["a"]})], COUNTING, 100)


def test_a_folder_appears_at_its_commit(tmp_path: Path) -> None:
    final, stale = tmp_path / "d" / "1.0.0", tmp_path / "d" / ".1.0.0.staging"
    stale.mkdir(parents=True)
    (stale / "old").touch()
    with Staging(final) as staging:
        (staging.path / "file").write_text("content")
        assert not final.exists()
        assert staging.path.parent == final.parent  # a rename across file systems is not atomic
        assert staging.commit() == final
    assert [path.relative_to(final.parent).as_posix() for path in final.parent.rglob("*")] == ["1.0.0", "1.0.0/file"]
    assert (final / "file").read_text() == "content"


@pytest.mark.parametrize("empty", [True, False])
def test_an_existing_version_is_never_replaced(tmp_path: Path, empty: bool) -> None:
    final = tmp_path / "1.0.0"
    with pytest.raises(ExportError, match="never overwritten"), Staging(final) as staging:
        final.mkdir()  # appears while the build runs; rename alone would replace it if it is empty
        if not empty:
            (final / "precious").touch()
        staging.commit()
    assert final.is_dir()
    with pytest.raises(ExportError, match="give another version"), Staging(final):
        pytest.fail("a version that exists must stop the build at once")
    assert [path.name for path in tmp_path.iterdir()] == ["1.0.0"]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "no space left on the disk; free some"),
        (OSError("[Errno 28] Error writing bytes to file"), "no space left on the disk; free some"),
        (PermissionError(errno.EACCES, "Permission denied"), "no right to write there"),
        (OSError(errno.EIO, "Input/output error"), "the disk fails to read or write; look at the system's log"),
        (OSError(errno.EXDEV, "Invalid cross-device link"), "cannot be written: .*cross-device"),
        (KeyboardInterrupt(), ""),
    ],
)
def test_an_interrupted_staging_leaves_no_folder(tmp_path: Path, error: BaseException, message: str) -> None:
    kind = ExportError if message else KeyboardInterrupt
    with pytest.raises(kind, match=message or None), Staging(tmp_path / "1.0.0") as staging:
        (staging.path / "half").touch()
        raise error
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "d").touch()
    with pytest.raises(ExportError, match="cannot be written"), Staging(tmp_path / "d" / "1.0.0"):
        pytest.fail("the folder cannot have been made below a file")
