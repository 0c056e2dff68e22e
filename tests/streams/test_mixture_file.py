"""One file says what several suites train on and are scored by, ours and those of other distributions."""

import json
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import command_line
import outsiders
import plain
import pyarrow.parquet as pq
import pytest

from planimeter.streams import mixture, stream

FILE = """
seed = 3
[[stream]]
ladder = "curves"
weight = 3
[[stream]]
ladder = "dots"
seed = 5
"""


@pytest.fixture
def outside() -> Iterator[None]:
    with outsiders.installed():
        yield


def run(*arguments: object) -> command_line.Ended:
    return command_line.here(*map(str, arguments))


def test_its_rows_are_those_of_the_mixture_with_the_columns_of_all_suites(outside: None, tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(FILE)
    asked = ("stream", "--mixture", tmp_path / "two.toml", "--count", 12, "--out", tmp_path / "rows.parquet")
    ended = run(*asked, "--workers", 1)
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
        run("solve", tmp_path / name, "--by", "certifier", "--out", tmp_path / f"replies/{name}/certifier.jsonl")
        run("solve", tmp_path / name, "--by", "random", "--out", tmp_path / f"replies/{name}/random.jsonl")
    tables = (f'[[dataset]]\nfolder = "{name}"\nreplies = ["replies/{name}"]\n' for name in ("dots", "curves-maps"))
    (tmp_path / "two.toml").write_text("".join(tables))
    ended = run("score", "--mixture", tmp_path / "two.toml", "--out", tmp_path / "scores", "--workers", 1)
    (line,) = [line for line in (tmp_path / "scores/leaderboard.md").read_text().splitlines() if "certifier" in line]
    assert line.count("100.0") >= 3, ended.err
    assert {"dots-0.1.0", "leaderboard.html"} <= {path.name for path in (tmp_path / "scores").iterdir()}
    assert "macro average" in ended.out


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        (FILE, ("curves",), "LADDER does not go with --mixture"),
        (FILE, ("--level", 2), "--level does not go with --mixture"),
        ("seed = -1\n[[stream]]\nladder = 3", (), r"stream.0.ladder: Input should be a valid string, got 3"),
        ("[[stream]]\nladder = 'curves'\nweight = 0", (), "stream.0.weight: Input should be greater than 0"),
        ("[[dataset]]\nfolder = 'x'\nreplies = ['y']", (), "names no streams"),
        ("[[stream]]\nladder = 'rings'", (), "there is no ladder 'rings'"),
        ("[[stream", (), "is not TOML"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(tmp_path: Path, text: str, more: tuple[object, ...], said: str) -> None:
    (tmp_path / "two.toml").write_text(text)
    ended = run("stream", *more, "--mixture", tmp_path / "two.toml", "--out", tmp_path / "rows.jsonl")
    assert (ended.code, said in ended.err) == (1, True), ended.err


def test_a_file_without_datasets_or_with_one_twice_scores_nothing(tmp_path: Path, dataset: Path) -> None:
    (tmp_path / "none.toml").write_text(FILE)
    assert "names no datasets" in run("score", "--mixture", tmp_path / "none.toml").err
    assert "FOLDER does not go with --mixture" in run("score", dataset, "--mixture", tmp_path / "none.toml").err
    assert "name the folder of a built dataset and files of replies" in run("score").err
