"""Scores are of the rows that a model was asked, and of the replies that a run ended with, not those of its faults."""

import gzip
import json
from pathlib import Path
from typing import Any

import command_line
import pandas as pd
import pyarrow.parquet as pq
import pytest
from asked_folders import write_small
from reply_files import inspect_header, inspect_sample, lines, lmms_sample, log
from simulated import counting_rows

from planimeter.export.manifest import Manifest
from planimeter.scores import dataset, intake, scored, tables
from planimeter.scores.coverage import coverage, marked
from planimeter.scores.intake import Intake
from planimeter.scores.replies import RepliesError

OLD, NEW = "2026-11-23T06:00:00+00:00", "2026-11-23T07:00:00+00:00"


@pytest.fixture(scope="module")
def data() -> dataset.Dataset:
    """A dataset of the size of marvl-qa-mini's: 1,548 rows of counting, and 12 more of a second split and config."""
    rows = pd.DataFrame(counting_rows(172)).set_index("id").assign(parameters=lambda frame: frame["question"])
    other = rows[:12].rename(index=lambda name: f"t{name}").assign(options="", transformation="", offset=0.0)
    manifest = Manifest.model_construct(dataset="marvl-qa-mini", version="1.2.0", recipe={"suite": "marvl_qa"})
    return dataset.Dataset(
        manifest=manifest,
        rows={"counting": rows, "transformation": other},
        splits={name: pd.Series("test", part.index) for name, part in (("counting", rows), ("transformation", other))},
    )


def reply(data: dataset.Dataset, name: str, right: bool = True) -> str:
    return f"<final_answer>{data.rows['counting'].loc[name, 'answer'] if right else 99}</final_answer>"


def ids(data: dataset.Dataset, count: int) -> list[str]:
    return list(data.rows["counting"].index[:count])


def limited(data: dataset.Dataset, path: Path, right: int, asked: int, **header: Any) -> Path:
    """A log of Inspect whose run was to ask so many rows, and was right on some of them."""
    names = ids(data, asked)
    samples = {
        f"samples/{name}_epoch_1.json": inspect_sample(name, reply(data, name, place < right))
        for place, name in enumerate(names)
    }
    return log(path, {**samples, "header.json": inspect_header(ids=names, **header)})


def taken(data: dataset.Dataset, *files: Path, asked_only: bool = False) -> Intake:
    return intake.take(files, data, list(data.rows), asked_only=asked_only)


def test_rows_that_a_limited_run_never_asked_are_not_wrong(data, tmp_path):
    found = taken(data, limited(data, tmp_path / "x.eval", right=68, asked=100))
    scores = scored.score(data, found)
    assert len(scores.frame) == scored.number_of(data, found) == 100
    overview = tables.shared(scores)[0].frame
    assert overview[["accuracy", "n", "asked", "rows"]].to_numpy().tolist() == [[0.68, 100, 100, 1548]]
    assert list(found.notes()) == ["no replies for transformation, 12 rows"]


def test_a_part_is_never_ranked_beside_the_whole_without_a_mark(data, tmp_path):
    part = limited(data, tmp_path / "part.eval", right=68, asked=100, model="part")
    whole = limited(data, tmp_path / "whole.eval", right=900, asked=1548, model="whole")
    scores = scored.score(data, taken(data, part, whole))
    of_part, of_whole = coverage(scores, ["model"]).itertuples(index=False, name=None)
    assert (of_part, of_whole) == (("part", 100, 1548), ("whole", 1548, 1548))
    shown = marked(scores)
    for table in tables.tables(shown):
        if "model" in table.frame:
            assert set(table.frame["model"]) <= {"part (100 of 1,548 rows)", "whole"}, table.name
    assert "part (100 of 1,548 rows)" in tables.figures(shown)[0].svg
    # What is kept, and compared, has the model's own name, and how many rows there are.
    kept = pq.read_table(scored.write(scores, tmp_path))
    assert set(kept["model"].to_pylist()) == {"part", "whole"}
    assert json.loads((kept.schema.metadata or {})[b"rows"]) == {"counting": {"test": 1548}}


def test_rows_and_samples_of_a_killed_run_that_it_was_to_ask_count_as_wrong(data, tmp_path):
    names = ids(data, 10)
    samples = {f"samples/{name}_epoch_1.json": inspect_sample(name, reply(data, name)) for name in names[:4]}
    start = {"_journal/start.json": inspect_header(ids=names, epochs=2)}
    found = taken(data, log(tmp_path / "x.eval", {**start, **samples}))
    frame = scored.score(data, found).frame
    assert (len(frame), frame["accuracy"].sum()) == (20, 4)
    assert next(found.notes()) == "16 replies of mockllm/model are missing and count as wrong"


def test_a_longer_run_of_few_rows_asks_no_more_of_the_others(data, tmp_path):
    whole = limited(data, tmp_path / "whole.eval", right=1548, asked=1548, created=OLD)
    (name, *_) = ids(data, 1)
    samples = {
        f"samples/{name}_epoch_{epoch}.json": inspect_sample(name, reply(data, name), epoch=epoch)
        for epoch in (1, 2, 3)
    }
    header = inspect_header(ids=[name], epochs=3, created=NEW)
    found = taken(data, whole, log(tmp_path / "few.eval", {**samples, "header.json": header}))
    assert len(scored.score(data, found).frame) == 1550 and found.missing == {("mockllm/model", "default"): 0}


@pytest.mark.parametrize("asked_only", [False, True])
def test_json_lines_do_not_say_what_was_asked_but_a_user_can(data, tmp_path, asked_only):
    records = [{"id": name, "reply": reply(data, name, place < 68)} for place, name in enumerate(ids(data, 100))]
    found = taken(data, lines(tmp_path / "x.jsonl", records), asked_only=asked_only)
    frame = scored.score(data, found).frame
    assert (len(frame), frame["accuracy"].mean()) == ((100, 0.68) if asked_only else (1548, 68 / 1548))
    said = (
        "1,448 replies of x are missing and count as wrong: 1,448 of 1,548 rows of counting have none (--asked-only "
        "leaves out rows that were never asked)"
    )
    assert (said in found.notes()) != asked_only


def test_a_limit_of_lmms_eval_is_known_from_its_results(data, tmp_path):
    task = "planimeter_marvl_qa_counting"
    records = [lmms_sample(name, reply(data, name, place < 14)) for place, name in enumerate(ids(data, 20))]
    path = lines(tmp_path / f"20261122_101112_samples_{task}.jsonl", records)
    assert scored.score(data, taken(data, path)).frame["accuracy"].mean() == 14 / 1548
    sizes = {"original": 1548, "effective": 20}
    (tmp_path / "20261122_101112_results.json").write_text(json.dumps({"n-samples": {task: sizes}}))
    assert scored.score(data, taken(data, path)).frame["accuracy"].mean() == 0.7


def rerun(data: dataset.Dataset, folder: Path) -> list[Path]:
    """Two logs of one task: 22 of 200 samples end in an error, and then 18 of these are answered; names by no date."""
    names = ids(data, 200)
    good = {name: inspect_sample(name, reply(data, name)) for name in names}
    bad = {name: {"id": name, "epoch": 1, "output": {}, "error": {"message": "500"}} for name in names}
    first = {name: bad[name] if place < 22 else good[name] for place, name in enumerate(names)}
    second = {name: bad[name] if place < 4 else good[name] for place, name in enumerate(names)}
    return [
        log(
            folder / f"{name}.eval",
            {
                **{f"samples/{sample['id']}_epoch_1.json": sample for sample in samples.values()},
                "header.json": inspect_header(ids=names, created=created),
            },
        )
        for name, samples, created in (("a", first, OLD), ("b", second, NEW))
    ]


def test_an_error_of_the_first_run_does_not_displace_the_reply_of_the_second(data, tmp_path):
    found = taken(data, *rerun(data, tmp_path))
    assert scored.score(data, found).frame["accuracy"].sum() == 196
    told = list(found.notes())
    assert told[0].startswith("200 replies are in several logs; the newest that is no error counts: c0, c1, c2, ...")
    assert told[1] == "4 replies ended in an error of the harness and count as wrong"


def test_a_newer_error_does_not_displace_an_older_reply(data, tmp_path):
    old, new = rerun(data, tmp_path)
    found = taken(data, new, old)
    assert scored.score(data, found).frame["accuracy"].sum() == 196
    (name,) = ids(data, 1)
    error = {"id": name, "reply": "", "finish_reason": "error"}
    records = [error, {"id": name, "reply": reply(data, name)}, error]
    found = taken(data, lines(tmp_path / "x.jsonl", records), asked_only=True)
    assert scored.score(data, found).frame["accuracy"].tolist() == [1.0]


@pytest.mark.parametrize("newer_first", [False, True])
def test_of_two_logs_the_newer_counts_whatever_their_names(data, tmp_path, newer_first):
    created = (NEW, OLD) if newer_first else (OLD, NEW)
    right = (100, 0) if newer_first else (0, 100)
    files = [
        limited(data, tmp_path / f"{name}.eval", right=count, asked=100, created=when)
        for name, count, when in zip("ab", right, created, strict=True)
    ]
    assert scored.score(data, taken(data, *files)).frame["accuracy"].mean() == 1.0


def test_a_foreign_file_in_a_folder_is_left_out_by_name_and_one_that_is_named_is_refused(data, tmp_path):
    own = lines(tmp_path / "x.jsonl", [{"id": name, "reply": "3"} for name in ids(data, 3)])
    foreign = lines(tmp_path / "y.jsonl", [{"step": 1, "loss": 0.5}])
    found = intake.take([own, foreign], data, ["counting"], optional={own, foreign})
    (said,) = [line for line in found.notes() if line.startswith("left out")]
    assert f"left out: {foreign} is no file of replies that is known: its lines have step, loss" in said
    with pytest.raises(RepliesError, match="no file of replies that is known"):
        intake.take([own, foreign], data, ["counting"])


def test_the_terminal_the_page_and_the_tables_say_how_many_rows_were_asked(folder, tmp_path):
    rows = [row for file in folder.glob("data/counting/*.parquet") for row in pq.read_table(file).to_pylist()]
    names = [row["id"] for row in rows[:5]]
    answers = {row["id"]: f"<final_answer>{row['answer']}</final_answer>" for row in rows}
    samples = {f"samples/{name}_epoch_1.json": inspect_sample(name, answers[name], metadata={}) for name in names}
    (tmp_path / "logs").mkdir()
    log(tmp_path / "logs" / "x.eval", {**samples, "header.json": inspect_header("m", ids=names)})
    lines(tmp_path / "logs" / "metrics.jsonl", [{"step": 1}])
    home = tmp_path / "scores"
    ended = command_line.here("score", str(folder), str(tmp_path / "logs"), "--out", str(home))
    assert ended.code == 0, ended.err
    mark = f"5 of {len(rows)}"
    (shown,) = [line for line in ended.out.splitlines() if "counting" in line]
    assert shown.count(mark) == 2 and " 100.0 " in shown, "in the label and in the column"
    assert f"no replies for transformation, {8} rows" in ended.lines
    assert f"m ({mark} rows)" in (home / "report.html").read_text()
    overview = pd.read_csv(home / "tables" / "overview.csv")
    assert overview[["asked", "rows"]].to_numpy().tolist() == [[5, len(rows)]]


def test_a_limit_and_epochs_of_inspect_itself_are_known_from_its_log(tmp_path):
    inspect_ai = pytest.importorskip("inspect_ai", reason="the extra `inspect` is not installed")
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def output(*_: object) -> ModelOutput:
        said = ModelOutput.from_content("mock", "<answer>\n1\n1 0\n</answer>")
        said.usage = ModelUsage()
        return said

    place = write_small(tmp_path / "curves", "curves", {"train": 2, "test": 6})
    (done,) = inspect_ai.eval(
        "planimeter/curves_easy",
        task_args={"folder": str(place)},
        model=get_model("mockllm/model", custom_outputs=output),
        display="none",
        log_dir=str(tmp_path / "logs"),
        limit=4,
        epochs=2,
    )
    data = dataset.load(place)
    scores = scored.score(data, intake.take([Path(done.location.removeprefix("file://"))], data, ["easy"]))
    assert len(scores.frame) == 8
    assert coverage(scores, ["config"]).to_numpy().tolist() == [["easy", 4, 6]]


def test_the_terminal_does_not_pool_training_rows_and_test_rows(tmp_path):
    place = write_small(tmp_path / "curves", "curves", {"train": 2, "test": 6})
    manifest = json.loads((place / "manifest.json").read_text())
    manifest["recipe"]["title"] = "Curves"
    (place / "manifest.json").write_text(json.dumps(manifest))
    rows = dataset.load(place).rows["easy"]
    path = lines(tmp_path / "r.jsonl", [{"id": name, "reply": "no"} for name in rows.index])
    packed = tmp_path / "r.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    ended = command_line.here("score", str(place), str(packed))
    assert ended.code == 0, ended.err
    assert (tmp_path / "r.scores" / "scores.parquet").is_file()
    shown = [line.split()[:4] for line in ended.out.splitlines()]
    assert ["r", "easy", "train", "2"] in shown and ["r", "easy", "test", "6"] in shown
