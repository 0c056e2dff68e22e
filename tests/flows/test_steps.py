"""The steps of a build as they can be looked at afterwards, and what a kill in the middle of one costs."""

import json
import shutil
import signal
import sqlite3
import time
from collections import Counter
from pathlib import Path

import command_line
import pytest
from command_line import ROOT, digests

from planimeter.flows.workers.processes import AHEAD

#: Rows of a Parquet file, so that there are parts enough to be killed among.
ROWS = 3


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """marvl-qa-mini in small files."""
    path = tmp_path_factory.mktemp("recipe") / "small.toml"
    text = (ROOT / "recipes" / "marvl-qa-mini.toml").read_text()
    path.write_text(f"rows_per_file = {ROWS}\n{text}")
    return path


@pytest.fixture
def outputs(built: Path, tmp_path: Path) -> Path:
    """A folder in which all shards are finished."""
    shutil.copytree(built / ".planimeter", tmp_path / "out" / ".planimeter")
    return tmp_path / "out"


def runs(home: Path) -> list[tuple[str, str, dict[str, str]]]:
    """(flow, name, state of each task run) of every flow run that the database knows, in the order of their start."""
    with sqlite3.connect(home / "prefect.db") as database:
        flows = database.execute(
            "select r.id, f.name, r.name from flow_run r join flow f on f.id = r.flow_id order by r.start_time"
        ).fetchall()
        return [
            (flow, name, dict(database.execute("select name, state_name from task_run where flow_run_id = ?", (run,))))
            for run, flow, name in flows
        ]


def test_a_build_without_a_server_can_be_looked_at_afterwards(recipe: Path, outputs: Path, tmp_path: Path) -> None:
    command = ("build", str(recipe), "--scale", "0.02", "--workers", "2", "--out", str(outputs))
    ended = command_line.run(*command, home=tmp_path / "home")
    assert ended.code == 0, ended.err
    (root, make, write, verify) = runs(tmp_path / "home")
    assert root[1] == "build marvl-qa-mini 1.2.1 x0.02"
    steps = {name.rpartition("-")[0] or name for name in root[2]}
    assert steps == {"plan", "make-shards", "select", "write-parts", "describe", "verify-parts", "commit"}
    assert set(root[2].values()) == {"Completed"}
    assert len(make[2]) == command_line.shards_below(outputs) and set(make[2].values()) == {"Cached"}
    files = sorted((outputs / "marvl-qa-mini").glob("*/data/*/*.parquet"))
    for verb, (_, _, found) in (("write", write), ("verify", verify)):
        assert set(found) == {f"{verb} {path.parent.name}/{path.name}" for path in files}
        assert set(found.values()) == {"Completed"}
    with sqlite3.connect(tmp_path / "home" / "prefect.db") as database:
        logged = {message for (message,) in database.execute("select message from log")}
        # On the page of the run itself, not of the step that makes the shards; without a key is its result.
        shown = {
            key
            for (key,) in database.execute(
                "select a.key from artifact a join flow_run r on r.id = a.flow_run_id "
                "where r.parent_task_run_id is null"
            )
        }
        inputs = {
            found["input_type"]
            for (text,) in database.execute("select task_inputs from task_run")
            for sources in json.loads(text).values()
            for found in sources
        }
        tagged = database.execute("select count(*) from task_run where tags != '[]'").fetchone()
    # A task with a tag asks the server for leave to run.
    assert tagged == (0,)
    assert inputs == {"task_run"}, "Prefect's first UI shows no task runs at all if one has the input of a flow run"
    assert any("rows, about" in message for message in logged)
    assert f"built marvl-qa-mini 1.2.1, 51 rows, at {outputs / 'marvl-qa-mini' / '1.2.1'}" in logged
    kinds = ("dataset", "progress", "funnel", "gallery", "timings")
    assert shown == {None, *(f"marvl-qa-mini-{name}" for name in kinds)}


def test_a_task_runs_while_a_worker_makes_its_shard_not_while_it_waits_for_one(built: Path) -> None:
    """Else each would show the time of its wait, and all would begin at once."""
    with sqlite3.connect(built / "home" / "prefect.db") as database:
        spans = database.execute("select start_time, end_time from task_run where name like '%/%'").fetchall()
    assert len(spans) > 10
    assert max(sum(begun <= start < ended for begun, ended in spans) for start, _ in spans) <= 2 + AHEAD


def test_no_two_rows_of_the_timings_have_one_name(built: Path) -> None:
    with sqlite3.connect(built / "home" / "prefect.db") as database:
        (table,) = database.execute("select data from artifact where key = 'marvl-qa-mini-timings'").fetchone()
    stages = [row["stage"] for row in json.loads(json.loads(table))]
    assert {"generate", "generate: render", "generate: generate", "write", "verify"} <= {*stages}
    assert len({*stages}) == len(stages)


@pytest.mark.slow
@pytest.mark.parametrize(("what", "flow"), [("written", "write-parts"), ("checked", "verify-parts")])
def test_a_kill_in_the_middle_of_the_parts_costs_those_under_way(
    what: str, flow: str, recipe: Path, outputs: Path, tmp_path: Path
) -> None:
    command = ("build", str(recipe), "--scale", "0.02", "--workers", "1", "--out", str(outputs))
    process = command_line.start(*command, home=tmp_path / "home")
    notes = outputs / ".planimeter" / "parts" / "marvl-qa-mini" / what
    deadline = time.monotonic() + 240
    while len(list(notes.glob("?" * 64))) < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    done = len(list(notes.glob("?" * 64)))
    assert process.returncode == -signal.SIGKILL
    assert not list((outputs / "marvl-qa-mini").glob("[0-9]*")), "a half-done dataset looks finished"
    again = command_line.run(*command, home=tmp_path / "home")
    assert again.code == 0, again.err
    (tasks,) = [tasks for name, _, tasks in runs(tmp_path / "home")[-3:] if name == flow]
    parts = len(tasks)
    # A worker may have noted one more before it saw that its parent was gone.
    found = Counter(tasks.values())
    assert found["Cached"] in (done, done + 1)
    assert found["Completed"] == parts - found["Cached"] > 0
    assert not list(outputs.rglob(".planimeter/parts/*")), "finished parts are left"
    whole = command_line.run(*command[:-1], str(tmp_path / "whole"), home=tmp_path / "home")
    assert whole.code == 0, whole.err
    wanted = digests(tmp_path / "whole" / "marvl-qa-mini")
    assert digests(outputs / "marvl-qa-mini") == wanted
