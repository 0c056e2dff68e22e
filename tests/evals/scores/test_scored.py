"""From replies to scores, also by the command: each is graded and counted, and equal replies are equal bytes."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import command_line
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from reply_files import inspect_header, inspect_sample, lines, log
from sample_folder import ROWS
from simulated import tag

from planimeter import evals
from planimeter.evals.scores import dataset, intake, scored
from planimeter.evals.scores.forms import COLUMNS, STRICT
from planimeter.evals.scores.grading import RowError
from planimeter.evals.scores.replies.records import RepliesError
from planimeter.export.atomic import ExportError


@pytest.fixture(scope="module")
def data(sample):
    return dataset.load(sample)


@pytest.fixture(scope="module")
def gold():
    """The perfect replies to every row."""
    return [{"id": row["id"], "reply": tag(row["answer"])} for part in ROWS.values() for row in part]


def taken(data, *files, configs=("counting", "transformation")):
    return intake.take(files, data, configs)


def scores(data, *files):
    return scored.score(data, taken(data, *files))


def test_perfect_replies_score_one_in_every_row_and_reading(data, gold, tmp_path):
    made = scores(data, lines(tmp_path / "perfect.jsonl", gold))
    frame, metrics = made.frame, list(evals.suite("marvl_qa").METRICS)
    assert (made.dataset, made.version, made.suite) == ("marvl-qa-mini", "1.0.0", "marvl_qa")
    assert list(frame.columns) == [*COLUMNS, *metrics, *(STRICT + name for name in metrics)]
    assert len(frame) == len(gold)
    assert (frame["accuracy"] == 1).all() and (frame[STRICT + "accuracy"] == 1).all()
    assert set(zip(frame["model"], frame["variant"], frame["split"], strict=True)) == {("perfect", "default", "test")}
    assert (frame["read"] == frame["answer"]).all() and frame["answered"].all()
    assert frame.loc[frame["config"] == "transformation", "signed_error"].isna().all()
    # The nine styles of a question are one cluster.
    counting = frame[frame["config"] == "counting"]
    assert 1 < counting["question"].nunique() < len(counting)
    assert set(made.rows) == {"counting", "transformation"} and "image" not in made.rows["counting"]


def test_the_strict_reading_stands_beside_the_lenient_one(data, gold, tmp_path):
    well = [{**one, "reply": f"Well: {one['reply']}"} for one in gold]
    frame = scores(data, lines(tmp_path / "x.jsonl", well)).frame
    assert (frame["accuracy"] == 1).all() and (frame["strict_accuracy"] == 0).all()
    assert set(frame["reason"]) == {""} and set(frame["strict_reason"]) == {"not the asked format"}
    path = lines(tmp_path / "x.jsonl", [{**gold[0], "prompt_variant": "zzz"}])
    with pytest.raises(RepliesError, match="counting has no prompt variant 'zzz'; it has default;"):
        taken(data, path)


def test_rows_and_samples_without_a_reply_count_as_wrong(data, gold, tmp_path):
    one, two, *_ = gold
    wrong = {"id": one["id"], "reply": "<final_answer>99</final_answer>"}
    records = [{**one, "sample": 1}, {**wrong, "sample": 2}, {**one, "sample": 4}, {**two, "sample": 4}]
    frame = scores(data, lines(tmp_path / "x.jsonl", records)).frame
    lost = frame[~frame["id"].isin([one["id"], two["id"]])]
    assert set(frame["config"]) == {"counting"} and len(frame) == len(data.rows["counting"]) * 3
    assert set(lost["reason"]) == set(lost["strict_reason"]) == {"no reply"} and not lost["answered"].any()
    frame = frame[~frame.index.isin(lost.index)]
    assert frame["id"].tolist() == [one["id"]] * 3 + [two["id"]] * 3
    first, second = [[0, 1, ""], [1, 0, ""], [2, 1, ""]], [[0, 0, "no reply"], [1, 0, "no reply"], [2, 1, ""]]
    assert frame[["sample", "accuracy", "reason"]].to_numpy().tolist() == first + second


def test_what_does_not_fit_is_reported_and_counted(data, gold, tmp_path):
    path = tmp_path / "x.jsonl"
    first = gold[0]
    strange = [{"id": "who", "reply": "3"}, {"id": "what", "reply": "3"}, {"id": "who", "reply": "4"}]
    lines(path, [*gold, {**first, "reply": "again"}, *strange, {**gold[1], "sample": 1, "finish_reason": "length"}])
    with path.open("a") as file:
        file.write('{"id": "counting-')
    failed = {"id": gold[2]["id"], "reply": "", "sample": 1, "finish_reason": "error"}
    replies = taken(data, path, lines(tmp_path / "y.jsonl", [{**gold[0], "model": "x"}, failed]))
    frame = scored.score(data, replies).frame
    assert replies.notes[:5] == [
        "3 replies to unknown ids: who, what",
        f"2 repeated replies; the first without an error counts: {first['id']}",
        f"{path}:{len(gold) + 6}: not JSON, or cut off",
        "1 replies ended in an error of the harness and count as wrong",
        "1 replies were cut off at the limit of tokens",
    ]
    assert frame.query("id == @first['id'] and model == 'x' and sample == 0")["accuracy"].item() == 1
    assert frame[(frame["model"] == "y") & (frame["finish_reason"] == "error")]["reason"].item() == "no reply"
    left_out = taken(data, path, configs=["counting"])
    assert f"{len(data.rows['transformation'])} replies to other configs are ignored" in left_out.notes
    empty = lines(path, [*gold[2:], {**gold[0], "reply": None}, {**gold[1], "reply": " "}])
    assert "2 replies are empty (null or blank)" in taken(data, empty).notes


def test_replies_to_another_dataset_are_refused_with_the_cause(data, gold, tmp_path):
    path = lines(tmp_path / "x.jsonl", [gold[0], *({"id": f"curves-{n}", "reply": "3"} for n in range(2))])
    with pytest.raises(RepliesError, match=r"2 of 3 replies are to ids not in marvl-qa-mini 1\.0\.0, such as cu"):
        taken(data, path)
    for name, version in (("curves", "1.0.0"), ("marvl-qa-mini", "2.0.0")):
        with pytest.raises(RepliesError, match=f"has replies to {name} {version}, not marvl-qa-mini"):
            taken(data, lines(path, [{"dataset": name, "version": version}, *gold]))
    assert taken(data, lines(path, [{"dataset": "marvl-qa-mini", "version": "1.0.0"}, *gold])).taken == len(gold)
    other = inspect_sample(gold[0]["id"], "3", metadata={"dataset": "marvl-qa", "version": "1.0.0"})
    with pytest.raises(RepliesError, match=r"has replies to marvl-qa 1\.0\.0"):
        taken(data, log(tmp_path / "x.eval", {"header.json": inspect_header(), "samples/1.json": other}))
    (tmp_path / "z.jsonl").write_text('{"dataset": "marvl-qa-mini"}\n{"id": "a", "re')
    with pytest.raises(RepliesError, match=r"no reply to a row of marvl-qa-mini 1\.0\.0; .*: not JSON"):
        taken(data, lines(path, [{"dataset": "marvl-qa-mini"}]), tmp_path / "z.jsonl")


def test_equal_replies_are_equal_bytes_whoever_grades_them(data, gold, tmp_path, monkeypatch):
    path = lines(tmp_path / "x.jsonl", [*gold, {**gold[0], "sample": 1, "reply": "\ud800 no \x00"}])
    one = scored.write(scores(data, path), tmp_path / "one")
    monkeypatch.setattr(scored, "CHUNK", 3)
    reported: list[int] = []
    with ThreadPoolExecutor(4) as threads:
        other = scored.score(data, taken(data, path), each=threads.map, progress=reported.append)
    assert scored.write(other, tmp_path / "two").read_bytes() == one.read_bytes()
    assert sum(reported) == len(other.frame)
    assert (pq.read_table(one).schema.metadata or {})[b"dataset"] == b"marvl-qa-mini"
    again = pd.read_parquet(one)
    assert again["signed_error"].dtype == again["completion_tokens"].dtype == np.float64


def test_unwritable_scores_and_unreadable_rows_are_errors(data, gold, tmp_path):
    path = lines(tmp_path / "x.jsonl", gold)
    with pytest.raises(ExportError, match="cannot be written"):
        scored.write(scores(data, path), path)
    rows = data.rows["counting"]
    spoilt = rows.assign(answer=["twelve", *rows["answer"][1:]])
    with pytest.raises(RowError, match=f"row {rows.index[0]} of counting cannot be scored: answer: need a whole numb"):
        scores(replace(data, rows={**data.rows, "counting": spoilt}), path)


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
    assert set(pd.read_parquet(home / "scores.parquet")["model"]) == {"perfect", "five"}
    for files in ("tables/*.csv", "tables/*.md", "tables/*.tex", "figures/*.svg"):
        assert list(home.glob(files))
    assert (home / "report.html").stat().st_size > 10_000
    assert not list(home.glob("**/.*")), "half-written files"


@pytest.mark.slow
def test_equal_replies_make_equal_files_whoever_grades(sample, ran, tmp_path):
    """Also where a copy of the first scores and other files are already."""
    shutil.copytree(ran[0].with_name("r.scores"), tmp_path / "second")
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
    overview = pd.read_csv(tmp_path / "r.scores" / "tables" / "overview.csv")
    found = overview[["cost", "errors", "cut_off"]].to_numpy().tolist()
    assert found == [[0.75, pytest.approx(1 / 18), pytest.approx(1 / 18)]]
