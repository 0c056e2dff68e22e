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


ELSEWHERE = ("../../x", "/tmp/x", "a/b", ".hidden", "a\x1b[31m")
REFUSED: list[tuple[str, object, str]] = [
    *(("id", name, "rename it at its source") for name in ELSEWHERE),
    *(("prompt", f"See {text}.", f"the prompt of the row easy-.* contains {text}") for text in PLACEHOLDERS),
    ("image", {"bytes": None, "path": "/etc/passwd"}, "cannot be read .* shows the details"),
]


@pytest.mark.parametrize(("column", "value", "message"), REFUSED)
def test_a_row_that_no_harness_can_take_is_refused(
    column: str, value: object, message: str, curves: Built, tmp_path: Path
) -> None:
    (path,) = curves.files("easy", "test")
    table = pq.read_table(path)
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())]) if column == "image" else pa.string()
    values = pa.array([value, *table[column].to_pylist()[1:]], kind)
    pq.write_table(table.set_column(table.column_names.index(column), column, values), path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ExportError, match=message):
        export(curves, tmp_path / "out", "default")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_split_that_leads_elsewhere_is_no_dataset(curves: Built) -> None:
    path = curves.folder / "manifest.json"
    path.write_text(path.read_text().replace('"validation": 3', '"../../../escaped": 3'))
    ended = command_line.here("export", str(curves.folder), "--out", str(curves.folder.parent / "out"))
    assert (ended.code, len(ended.lines)) == (1, 1) and "cannot be read" in ended.err
