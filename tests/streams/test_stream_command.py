"""`planimeter stream`: the same file from any number of workers and after a kill; faults are named."""

import json
from itertools import islice
from pathlib import Path

import command_line
import pyarrow.parquet as pq
import pytest

from planimeter.export.columns import STRING
from planimeter.flows import streaming as command
from planimeter.flows.errors import PlanimeterError
from planimeter.streams import row_at, stream
from planimeter.streams.items import Items

ASKED = ("curves", 1, 6, 20)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stream") / "rows.parquet"
    command.write_stream(*ASKED, path, 1)
    return path


def test_the_file_holds_the_first_rows_of_the_stream(file: Path) -> None:
    rows = pq.read_table(file).to_pylist()
    assert [row["address"] for row in rows] == [row["address"] for row in islice(stream("curves", seed=6), 20)]
    assert row_at(rows[7]["address"]) == rows[7]
    assert pq.read_schema(file).field("address").type == STRING
    account = json.loads(file.with_name("rows.funnel.json").read_text())
    assert (account["rows"], account["addresses"], account["repeats"]) == (20, 24, 0)
    assert account["funnel"]["curriculum"]["certify"]["kept"] == 24
    assert sorted(path.name for path in file.parent.iterdir()) == ["rows.funnel.json", "rows.parquet"]


def test_repeats_are_left_out_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Items.item
    command._stream.cache_clear()
    monkeypatch.setattr(Items, "item", lambda self, k: made(self, k // 3))
    command.write_stream("curves", 1, 6, 4, tmp_path / "rows.jsonl", 1)
    lines = (tmp_path / "rows.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["address"] for row in rows] == [f"curves/1/6/{k}" for k in range(4)]
    assert rows[0]["image"].startswith("data:image/png;base64,")
    assert json.loads((tmp_path / "rows.funnel.json").read_text())["repeats"] == 6
    monkeypatch.setattr(Items, "item", lambda self, _: made(self, 0))
    command._stream.cache_clear()
    with pytest.raises(PlanimeterError, match="consecutive addresses"):
        command.write_stream("curves", 1, 7, 4, tmp_path / "none.jsonl", 1)


@pytest.mark.slow
def test_neither_a_kill_nor_the_number_of_workers_changes_a_byte(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    line = ("stream", "curves", "--seed", "6", "--count", "20", "--workers", "2", "--out", str(out / "rows.parquet"))
    process = command_line.start(*line, home=tmp_path)
    command_line.wait_until(lambda: process.poll() is not None or list(out.glob(".*.tmp")))
    process.kill()
    process.communicate()
    assert not (out / "rows.parquet").exists()
    assert command_line.run(*line, home=tmp_path).code == 0
    assert command_line.digests(out) == command_line.digests(file.parent)
