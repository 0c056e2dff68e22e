"""The command `score`: from files of replies to scores, tables, figures and a report; each error is one line."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import command_line
import pandas as pd
import pyarrow.parquet as pq
import pytest
from reply_files import lines

from planimeter import evals

pytest.importorskip("planimeter.scores.tables")
pytest.importorskip("planimeter.scores.page")


def replies(folder: Path) -> list[dict[str, Any]]:
    """Perfect replies, and those of a model that always says 5."""
    rows = [row for file in sorted(folder.glob("data/*/*.parquet")) for row in pq.read_table(file).to_pylist()]
    render = evals.suite("marvl_qa").render
    perfect = [{"id": row["id"], "reply": render(row["answer"]), "model": "perfect"} for row in rows]
    return perfect + [{"id": row["id"], "reply": render("5"), "model": "five"} for row in rows]


@pytest.fixture
def asked(folder, tmp_path) -> Path:
    return lines(tmp_path / "r.jsonl", replies(folder))


def test_scores_tables_figures_and_report_lie_beside_the_replies(folder, asked, tmp_path):
    before = command_line.digests(folder)
    ended = command_line.run("score", str(folder), str(asked), home=tmp_path / "prefect")
    assert (ended.code, ended.err) == (0, "")
    home = tmp_path / "r.scores"
    assert f"scores: {home / 'scores.parquet'}, report: {home / 'report.html'}" in ended.out
    shown = [line.split() for line in ended.out.splitlines()]
    assert ["perfect", "counting"] in [line[:2] for line in shown]
    rate = next(line for line in shown if line[:2] == ["perfect", "counting"])[3:6]
    assert rate[0] == "100.0" and rate[1].startswith("[") and rate[2] == "100.0]", "low to high: 100 is no middle"
    assert "by rows" not in ended.out
    frame = pd.read_parquet(home / "scores.parquet")
    assert set(frame["model"]) == {"perfect", "five"}
    assert list((home / "tables").glob("*.csv")) and list((home / "tables").glob("*.md"))
    assert list((home / "figures").glob("*.svg")) and (home / "report.html").stat().st_size > 10_000
    assert not list(home.glob("**/.*")), "half-written files"
    assert command_line.digests(folder) == before, "a dataset is read, not changed"


def test_the_same_replies_make_the_same_files_and_a_second_run_leaves_nothing_of_the_first(folder, asked, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for home, workers in ((first, "1"), (second, "2")):
        arguments = ("--out", str(home), "--workers", workers)
        assert command_line.run("score", str(folder), str(asked), *arguments, home=tmp_path / "p").code == 0
    assert command_line.digests(first) == command_line.digests(second)
    (second / "tables" / "stale.csv").touch()
    (second / "notes.txt").touch()
    assert command_line.run("score", str(folder), str(asked), "--out", str(second), home=tmp_path / "p").code == 0
    assert not (second / "tables" / "stale.csv").exists() and (second / "notes.txt").exists()


def test_faults_of_the_replies_are_told_beside_the_scores(folder, tmp_path):
    short, *others = replies(folder)[:18]
    path = lines(tmp_path / "r.jsonl", [short | {"finish_reason": "length"}, *others, {"id": "who", "reply": "3"}])
    with path.open("a") as file:
        file.write("{")
    ended = command_line.here("score", str(folder), str(path), "--config", "counting", "--model", "mine")
    assert ended.code == 0
    assert ended.lines[0] == "1 replies to ids that no row has: who"
    assert ended.lines[1].endswith("r.jsonl:20: no JSON, or cut off")
    (shown,) = [line for line in ended.out.splitlines() if line.split()[:2] == ["perfect", "counting"]]
    assert shown.split()[-1] == "5.6", "the share of replies that were cut off, one of 18, in per cent"


def test_cost_and_errors_are_in_the_table_of_models(folder, tmp_path):
    first, second, *others = replies(folder)[:18]
    costly = [first | {"cost": 0.25}, second | {"cost": 0.5, "reply": "", "finish_reason": "error"}, *others]
    path = lines(tmp_path / "r.jsonl", costly)
    assert command_line.here("score", str(folder), str(path), "--config", "counting").code == 0
    overview = pd.read_csv(tmp_path / "r.scores" / "tables" / "overview.csv")
    assert overview["cost"].tolist() == [0.75]
    assert overview["errors"].tolist() == [pytest.approx(1 / 18)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("{folder}", "{replies}", "--config", "counts"),
            "--config: marvl-qa-mini 1.0.0 has no 'counts'; it has counting",
        ),
        (("{folder}", "nothing.jsonl"), "nothing.jsonl: no such file or folder"),
        (("{folder}/data", "{replies}"), "holds no dataset"),
        (("{folder}", "{folder}"), "holds no replies; needed are JSON lines"),
        (("{folder}", "{folder}/README.md"), "is no file of replies that is known"),
        (("{folder}", "{replies}", "--out", "{replies}"), "cannot be written"),
    ],
)
def test_an_error_is_one_line(folder, asked, arguments, said):
    filled = [one.format(folder=folder, replies=asked) for one in arguments]
    ended = command_line.here("score", *filled)
    assert ended.code == 1
    assert len(ended.lines) == 1 and ended.lines[0].startswith("planimeter: ") and said in ended.lines[0]


def test_a_damaged_dataset_is_an_error_and_no_traceback(folder, asked):
    file = next(folder.glob("data/*/*.parquet"))
    os.truncate(file, 100)
    ended = command_line.here("score", str(folder), str(asked))
    assert ended.code == 1 and len(ended.lines) == 1
    assert f"{file} cannot be read" in ended.lines[0]


def test_ctrl_c_ends_without_a_traceback_and_leaves_no_scores(folder, asked, tmp_path):
    records = [json.loads(line) for line in asked.read_text().splitlines()]
    many = lines(tmp_path / "many.jsonl", [{**one, "sample": k} for k in range(2000) for one in records])
    process = command_line.start("score", str(folder), str(many), home=tmp_path / "p")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(4)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert not (tmp_path / "many.scores" / "report.html").exists()
