"""Exports of foreign datasets: no name becomes a path, and a broken row ends in one line."""

from pathlib import Path

import command_line
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from asked_folders import write_small

from planimeter.evals.harnesses.export import PLACEHOLDERS, export
from planimeter.evals.harnesses.rows import source
from planimeter.export.atomic import ExportError
from planimeter.export.built import Built


@pytest.fixture
def curves(tmp_path: Path) -> Built:
    return source(str(write_small(tmp_path / "curves", "curves", {"train": 5, "validation": 3, "test": 2})))


@pytest.mark.parametrize("name", ["../../escaped", "/tmp/escaped", "a/b", ".hidden", "a\x1b[31m"])
def test_an_id_that_leads_elsewhere_is_refused(name: str, curves: Built, tmp_path: Path) -> None:
    (path,) = curves.files("easy", "test")
    table = pq.read_table(path)
    ids = pa.array([name, *table["id"].to_pylist()[1:]])
    pq.write_table(table.set_column(table.column_names.index("id"), "id", ids), path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ExportError, match="rename it at its source"):
        export(curves, tmp_path / "out", "default")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("placeholder", PLACEHOLDERS)
def test_a_prompt_that_contains_a_placeholder_is_refused(placeholder: str, curves: Built, tmp_path: Path) -> None:
    (path,) = curves.files("easy", "train")
    table = pq.read_table(path)
    prompts = pa.array([f"Look at the {placeholder}."] * len(table))
    pq.write_table(table.set_column(table.column_names.index("prompt"), "prompt", prompts), path)
    with pytest.raises(ExportError, match=f"the prompt of the row easy-0000000000000000 contains {placeholder}"):
        export(curves, tmp_path / "out", "default")
    assert not (tmp_path / "out").exists()


def test_a_row_without_picture_is_refused_in_one_line(curves: Built, tmp_path: Path) -> None:
    (path,) = curves.files("easy", "test")
    table = pq.read_table(path)
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    images = pa.array([{"bytes": None, "path": "/etc/passwd"}] * len(table), kind)
    pq.write_table(table.set_column(table.column_names.index("image"), "image", images), path)
    with pytest.raises(ExportError, match=r"cannot be read .* shows the details"):
        export(curves, tmp_path / "out", "default")
    assert not (tmp_path / "out").exists()


def test_a_split_that_leads_elsewhere_is_no_dataset(curves: Built) -> None:
    path = curves.folder / "manifest.json"
    path.write_text(path.read_text().replace('"validation": 3', '"../../../escaped": 3'))
    ended = command_line.here("export", str(curves.folder), "--out", str(curves.folder.parent / "out"))
    assert (ended.code, len(ended.lines)) == (1, 1) and "cannot be read" in ended.err
