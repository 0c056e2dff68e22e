"""The command `score`: from files of replies to scores, tables, figures and a report."""

import command_line
import pandas as pd
import pytest
from reply_files import lines
from sample_folder import ROWS
from simulated import tag


@pytest.fixture(scope="module")
def replies():
    """Perfect replies, and those of a model that always says 5."""
    rows = [row for part in ROWS.values() for row in part]
    perfect = [{"id": row["id"], "reply": tag(row["answer"]), "model": "perfect"} for row in rows]
    return perfect + [{"id": row["id"], "reply": tag(5), "model": "five"} for row in rows]


@pytest.fixture(scope="module")
def ran(sample, replies, tmp_path_factory):
    """The file of replies, and how the command ended that scored it."""
    path, before = lines(tmp_path_factory.mktemp("replies") / "r.jsonl", replies), command_line.digests(sample)
    ended = command_line.here("score", str(sample), str(path))
    assert command_line.digests(sample) == before, "a dataset is read, not changed"
    return path, ended


def test_scores_tables_figures_and_report_lie_beside_the_replies(ran):
    path, ended = ran
    home = path.with_name("r.scores")
    assert (ended.code, ended.err) == (0, "")
    assert f"scores: {home / 'scores.parquet'}, report: {home / 'report.html'}" in ended.out
    (rate,) = [line.split()[3:6] for line in ended.out.splitlines() if line.split()[:2] == ["perfect", "counting"]]
    assert rate[0] == "100.0" and rate[1].startswith("[") and rate[2] == "100.0]", "low to high: 100 is no middle"
    assert "by rows" not in ended.out
    assert set(pd.read_parquet(home / "scores.parquet")["model"]) == {"perfect", "five"}
    for files in ("tables/*.csv", "tables/*.md", "tables/*.tex", "figures/*.svg"):
        assert list(home.glob(files))
    assert (home / "report.html").stat().st_size > 10_000
    assert not list(home.glob("**/.*")), "half-written files"


@pytest.mark.slow
def test_equal_replies_make_equal_files_whoever_grades(sample, ran, tmp_path):
    """Also where another table and another file are already."""
    (tmp_path / "second" / "tables").mkdir(parents=True)
    for other in ("tables/stale.csv", "notes.txt"):
        (tmp_path / "second" / other).touch()
    ended = command_line.here("score", str(sample), str(ran[0]), "--out", str(tmp_path / "second"), "--workers", "2")
    assert ended.code == 0, ended.err
    (tmp_path / "second" / "notes.txt").unlink()
    assert command_line.digests(tmp_path / "second") == command_line.digests(ran[0].with_name("r.scores"))


def test_faults_and_costs_of_replies_are_reported(sample, replies, tmp_path, undrawn):
    first, second, *others = replies[:18]
    costly = [first | {"cost": 0.25, "finish_reason": "length"}]
    costly += [second | {"cost": 0.5, "reply": "", "finish_reason": "error"}, *others, {"id": "who", "reply": "3"}]
    path = lines(tmp_path / "r.jsonl", costly)
    ended = command_line.here("score", str(sample), str(path), "--config", "counting", "--model", "mine")
    assert ended.code == 0 and ended.lines[0] == "1 replies to unknown ids: who"
    (shown,) = [line for line in ended.out.splitlines() if line.split()[:2] == ["perfect", "counting"]]
    assert "5.6" in shown.split()[-2:], "the share of replies that were cut off, one of 18, in per cent"
    overview = pd.read_csv(tmp_path / "r.scores" / "tables" / "overview.csv")
    assert overview[["cost", "errors"]].to_numpy().tolist() == [[0.75, pytest.approx(1 / 18)]]
