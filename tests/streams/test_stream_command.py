"""`planimeter stream`: the same file from any number of workers and after a kill; faults are named.

With `--mixture` one file says what several suites train on and are scored by, ours and those of other distributions.
"""

import json
import shutil
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import command_line
import outsiders
import plain
import pyarrow.parquet as pq
import pytest
from rich.console import Console
from trainer_environments import SCRIPTS, python_of, run

from planimeter.export.columns import STRING
from planimeter.flows.commands import stream as command
from planimeter.flows.errors import PlanimeterError
from planimeter.streams import again, mixture, stream
from planimeter.streams.items import Items

SILENT = Console(quiet=True)
ASKED = ("curves", 1, 6, 20)

FILE = """
seed = 3
[[stream]]
ladder = "curves"
weight = 3
[[stream]]
ladder = "dots"
seed = 5
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stream") / "rows.parquet"
    command.run(*ASKED, path, SILENT, workers=1)
    return path


def test_the_file_holds_the_first_rows_of_the_stream_and_the_account_its_checks(file: Path) -> None:
    rows = pq.read_table(file).to_pylist()
    assert [row["address"] for row in rows] == [row["address"] for row in islice(stream("curves", seed=6), 20)]
    assert again(rows[7]["address"]) == rows[7]
    assert pq.read_schema(file).field("address").type == STRING
    account = json.loads(file.with_name("rows.funnel.json").read_text())
    assert (account["rows"], account["addresses"], account["repeats"]) == (20, 24, 0)
    assert account["funnel"]["curriculum"]["certify"]["kept"] == 24
    assert sorted(path.name for path in file.parent.iterdir()) == ["rows.funnel.json", "rows.parquet"]


def test_repeats_are_left_out_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Items.item
    command._stream.cache_clear()
    monkeypatch.setattr(Items, "item", lambda self, k: made(self, k // 3))
    command.run("curves", 1, 6, 4, tmp_path / "rows.jsonl", SILENT, workers=1)
    lines = (tmp_path / "rows.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["address"] for row in rows] == [f"curves/1/6/{k}" for k in range(4)]
    assert rows[0]["image"].startswith("data:image/png;base64,")
    assert json.loads((tmp_path / "rows.funnel.json").read_text())["repeats"] == 6
    monkeypatch.setattr(Items, "item", lambda self, _: made(self, 0))
    command._stream.cache_clear()
    with pytest.raises(PlanimeterError, match="used up"):
        command.run("curves", 1, 7, 4, tmp_path / "none.jsonl", SILENT, workers=1)


def here(*arguments: object) -> command_line.Ended:
    return command_line.here(*map(str, arguments))


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        ("", ("nothing",), "there is no ladder 'nothing'"),
        ("", ("curves", "--level", 9), "levels 1 (easiest) to 8, got 9"),
        ("", ("curves", "--out", "x.csv"), "a file that ends in .parquet or .jsonl"),
        ("", ("curves", "--out", "/dev/null/x.jsonl"), "cannot be written"),
        (FILE, ("curves",), "LADDER does not go with --mixture"),
        (FILE, ("--level", 2), "--level does not go with --mixture"),
        ("seed = -1\n[[stream]]\nladder = 3", (), r"stream.0.ladder: Input should be a valid string, got 3"),
        ("[[stream]]\nladder = 'curves'\nweight = 0", (), "stream.0.weight: Input should be greater than 0"),
        ("[[dataset]]\nfolder = 'x'\nreplies = ['y']", (), "names no streams"),
        ("[[stream]]\nladder = 'rings'", (), "there is no ladder 'rings'"),
        ("[[stream", (), "is not TOML"),
    ],
)
def test_what_is_wrong_with_a_command_or_its_file_is_named(
    tmp_path: Path, text: str, more: tuple[object, ...], said: str
) -> None:
    (tmp_path / "two.toml").write_text(text)
    asked = ("--mixture", tmp_path / "two.toml") if text else ("--count", 1)
    ended = here("stream", *asked, "--out", tmp_path / "rows.jsonl", *more)
    assert (ended.code, said in ended.err, "Traceback" in ended.err) == (1, True, False), ended.err


def test_a_file_without_datasets_or_with_one_twice_scores_nothing(tmp_path: Path, dataset: Path) -> None:
    (tmp_path / "none.toml").write_text(FILE)
    assert "names no datasets" in here("score", "--mixture", tmp_path / "none.toml").err
    assert "FOLDER does not go with --mixture" in here("score", dataset, "--mixture", tmp_path / "none.toml").err
    assert "name the folder of a built dataset and files of replies" in here("score").err


@pytest.fixture
def outside() -> Iterator[None]:
    with outsiders.installed():
        yield


def test_its_rows_are_those_of_the_mixture_with_the_columns_of_all_suites(outside: None, tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(FILE)
    asked = ("stream", "--mixture", tmp_path / "two.toml", "--count", 12, "--out", tmp_path / "rows.parquet")
    ended = here(*asked, "--workers", 1)
    assert "12 rows of curves at level 1 and dots at level 1" in ended.out, ended.err
    rows = pq.read_table(tmp_path / "rows.parquet").to_pylist()
    same = mixture({stream("curves"): 3, stream("dots", seed=5): 1}, seed=3)
    assert [row["address"] for row in rows] == [row["address"] for row in islice(same, 12)]
    assert {row["address"].partition("/")[0] for row in rows} == {"curves", "dots"}
    assert all(json.loads(row["row"])["level"] == 1 for row in rows if row["address"].startswith("curves"))
    account = json.loads((tmp_path / "rows.funnel.json").read_text())
    assert [part["weight"] for part in account["mixture"]] == [3.0, 1.0]
    assert {"curriculum", "train"} == account["funnel"].keys()


@pytest.mark.slow
def test_datasets_are_scored_in_one_table_with_a_macro_average(outside: None, tmp_path: Path) -> None:
    for name, scale in (("dots", 0.1), ("curves-maps", 0.01)):
        folder = plain.build(name, tmp_path / "built", scale=scale).folder
        shutil.move(folder, tmp_path / name)
        here("solve", tmp_path / name, "--by", "certifier", "--out", tmp_path / f"replies/{name}/certifier.jsonl")
        here("solve", tmp_path / name, "--by", "random", "--out", tmp_path / f"replies/{name}/random.jsonl")
    tables = (f'[[dataset]]\nfolder = "{name}"\nreplies = ["replies/{name}"]\n' for name in ("dots", "curves-maps"))
    (tmp_path / "two.toml").write_text("".join(tables))
    ended = here("score", "--mixture", tmp_path / "two.toml", "--out", tmp_path / "scores", "--workers", 1)
    (line,) = [line for line in (tmp_path / "scores/leaderboard.md").read_text().splitlines() if "certifier" in line]
    assert line.count("100.0") >= 3, ended.err
    assert {"dots-0.1.0", "leaderboard.html"} <= {path.name for path in (tmp_path / "scores").iterdir()}
    assert "macro average" in ended.out


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


@pytest.mark.slow
def test_workers_and_nodes_of_torch_share_the_rows_and_a_state_goes_on(tmp_path: Path) -> None:
    """With torch of a trainer's environment, behind the packages of this one."""
    (torch,) = python_of("trl").parent.parent.glob("lib/python3*/site-packages")
    calls, result = tmp_path / "calls.json", tmp_path / "result.json"
    calls.write_text('[["everywhere", {}]]')
    run(sys.executable, SCRIPTS / "calling.py", "in_dataloader", calls, result, torch, home=tmp_path)
    (loaded,) = json.loads(result.read_text())
    node, whole = loaded.pop("a node"), loaded["0 workers"]
    assert [address for address, _ in whole] == [f"curves/1/11/{k}" for k in range(48)]
    for rows in loaded.values():
        assert sorted(rows) == sorted(whole)
    assert loaded["resumed"] == whole
    assert len(node) == 24
