"""Scores are of the rows that a model was asked, and of the replies that a run ended with, not those of its faults."""

import json

import pandas as pd
import pyarrow.parquet as pq
import pytest
from reply_files import inspect_header, inspect_log, inspect_sample, lines, log
from simulated import counting_rows, tag

from planimeter.evals.scores import dataset, intake, scored, tables
from planimeter.evals.scores.replies.records import RepliesError
from planimeter.evals.scores.summary import coverage, marked
from planimeter.export.manifest import Manifest

OLD, NEW = "2026-11-23T06:00:00+00:00", "2026-11-23T07:00:00+00:00"


@pytest.fixture(scope="module")
def data():
    """A dataset of the size of marvl-qa-mini's: 1,548 rows of counting, and 12 more of a second config."""
    rows = pd.DataFrame(counting_rows(172)).set_index("id").assign(parameters=lambda frame: frame["question"])
    other = rows[:12].rename(index=lambda name: f"t{name}").assign(options="", transformation="", offset=0.0)
    manifest = Manifest.model_construct(dataset="marvl-qa-mini", version="1.2.0", recipe={"suite": "marvl_qa"})
    parts = {"counting": rows, "transformation": other}
    splits = {name: pd.Series("test", part.index) for name, part in parts.items()}
    return dataset.Dataset(manifest=manifest, rows=parts, splits=splits)


@pytest.fixture(scope="module")
def texts(data):
    """Gives replies to so many rows, of which the first ones are right."""
    answers = data.rows["counting"]["answer"]
    return lambda asked, right: {
        name: tag(answers[name] if place < right else 99) for place, name in enumerate(answers.index[:asked])
    }


@pytest.fixture
def taken(data):
    return lambda *files, **more: intake.take(files, data, list(data.rows), **more)


@pytest.fixture
def graded(data, taken):
    """Gives the accuracy of each reply in some files, and the notes that are printed about them."""

    def of(*files, **more):
        replies = taken(*files, **more)
        return scored.score(data, replies).frame["accuracy"], replies.notes

    return of


def test_a_part_is_not_scored_as_the_whole(data, texts, taken, tmp_path):
    part = inspect_log(tmp_path / "part.eval", texts(100, 68), model="part")
    whole = inspect_log(tmp_path / "whole.eval", texts(1548, 900), model="whole")
    alone = taken(part)
    scores = scored.score(data, alone)
    assert len(scores.frame) == len(alone.frame) == 100
    overview = tables.shared(scores)[0].frame
    assert overview[["accuracy", "n", "asked", "rows"]].to_numpy().tolist() == [[0.68, 100, 100, 1548]]
    assert alone.notes == ["no replies for transformation, 12 rows"]
    scores = scored.score(data, taken(part, whole))
    assert coverage(scores, ["model"]).to_numpy().tolist() == [["part", 100, 1548], ["whole", 1548, 1548]]
    shown = marked(scores)
    for table in tables.tables(shown):
        if "model" in table.frame:
            assert set(table.frame["model"]) <= {"part (100 of 1,548 rows)", "whole"}, table.name
    assert "part (100 of 1,548 rows)" in tables.figures(tables.tables(shown))[0].svg
    # The file has the model's own name, and how many rows there are.
    kept = pq.read_table(scored.write(scores, tmp_path))
    assert set(kept["model"].to_pylist()) == {"part", "whole"}
    assert json.loads(kept.schema.metadata[b"rows"]) == {"counting": {"test": 1548}}


def test_rows_that_a_killed_run_was_to_ask_count_as_wrong(texts, graded, tmp_path):
    samples = {f"samples/{n}_epoch_1.json": inspect_sample(n, text) for n, text in texts(4, 4).items()}
    start = {"_journal/start.json": inspect_header(ids=list(texts(10, 0)), epochs=2)}
    values, notes = graded(log(tmp_path / "x.eval", {**start, **samples}))
    assert (len(values), values.sum()) == (20, 4)
    assert notes[0] == "16 replies of mockllm/model are missing and count as wrong"


def test_json_lines_do_not_say_what_was_asked_but_a_user_can(texts, graded, tmp_path):
    path = lines(tmp_path / "x.jsonl", [{"id": name, "reply": text} for name, text in texts(100, 68).items()])
    values, (note, *_) = graded(path)
    assert (len(values), values.mean()) == (1548, 68 / 1548)
    assert note.endswith(
        "1,448 of 1,548 rows of counting have none (--asked-only leaves out rows that were never asked)"
    )
    values, notes = graded(path, asked_only=True)
    assert (len(values), values.mean()) == (100, 0.68) and "--asked-only" not in " ".join(notes)


def test_an_error_does_not_displace_a_reply_whichever_is_newer(texts, graded, tmp_path):
    """Two logs of one task: 22 of 200 samples end in an error, and then 18 of these are answered; names by no date."""
    right, files = texts(200, 200), []
    for name, errors, created in (("a.eval", 22, OLD), ("b.eval", 4, NEW)):
        failed = dict.fromkeys(list(right)[:errors])
        files.append(inspect_log(tmp_path / name, right | failed, created=created))
    assert graded(*files[::-1])[0].sum() == 196
    values, (first, second, *_) = graded(*files)
    assert values.sum() == 196
    assert first.startswith("200 replies are in several logs; the newest without an error counts: c0, c1, c2, ...")
    assert second == "4 replies ended in an error of the harness and count as wrong"
    ((name, text),) = texts(1, 1).items()
    error = {"id": name, "reply": "", "finish_reason": "error"}
    path = lines(tmp_path / "x.jsonl", [error, {"id": name, "reply": text}, error])
    assert graded(path, asked_only=True)[0].tolist() == [1.0]


def test_of_two_logs_the_newer_counts_whatever_their_names(texts, graded, tmp_path):
    for created in ((OLD, NEW), (NEW, OLD)):
        files = [
            inspect_log(tmp_path / f"{name}.eval", texts(100, 100 if when == NEW else 0), created=when)
            for name, when in zip("ab", created, strict=True)
        ]
        assert graded(*files)[0].mean() == 1.0
    undated = [{"id": name, "reply": text, "model": "mockllm/model"} for name, text in texts(1, 1).items()]
    dated = inspect_log(tmp_path / "dated.eval", texts(1, 0), created=NEW)
    values, (note, *_) = graded(lines(tmp_path / "undated.jsonl", undated), dated, asked_only=True)
    assert values.tolist() == [1.0] and note.startswith("1 repeated replies; the first without an error counts")
    whole = inspect_log(tmp_path / "whole.eval", texts(1548, 1548), created=OLD)
    few = inspect_log(tmp_path / "few.eval", texts(1, 1), epochs=(1, 2, 3), created=NEW)
    values, notes = graded(whole, few)
    assert len(values) == 1550 and not any("missing" in note for note in notes)


def test_a_foreign_file_in_a_folder_is_left_out(texts, taken, tmp_path):
    replies = lines(tmp_path / "x.jsonl", [{"id": name, "reply": "3"} for name in texts(3, 0)])
    foreign = lines(tmp_path / "y.jsonl", [{"step": 1, "loss": 0.5}])
    (note,) = [line for line in taken(replies, foreign, optional={replies, foreign}).notes if "left out:" in line]
    assert note.startswith(f"left out: {foreign} is not a known file of replies: its lines have step, loss")
    with pytest.raises(RepliesError, match="not a known file of replies"):
        taken(replies, foreign)
