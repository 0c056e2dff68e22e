"""The steps of a build as they can be looked at afterwards, and what a kill in the middle of one costs."""

import shutil
import signal
import sqlite3
import time
from collections import Counter
from pathlib import Path

import command_line
import pytest
from command_line import ROOT, digests

from planimeter.flows import tasks
from planimeter.flows.display.bars import bars
from planimeter.flows.store.remote_place import place_of
from planimeter.flows.workers.processes import WorkerPool
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load

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
    assert root[1] == "build marvl-qa-mini 1.2.0 x0.02"
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
        shown = {key for (key,) in database.execute("select key from artifact")}
        tagged = {
            name.rpartition("-")[0] for (name,) in database.execute("select name from task_run where tags != '[]'")
        }
        unmarked = database.execute("select count(*) from flow_run where tags = '[]'").fetchone()
    # A task with a tag asks the server for leave to run; these are not tasks but flows, as the task above sees them.
    assert tagged == {"make-shards", "write-parts", "verify-parts"} and unmarked == (0,)
    assert any("rows, about" in message for message in logged)
    assert shown == {f"marvl-qa-mini-{name}" for name in ("progress", "funnel", "gallery", "timings")}


@pytest.mark.parametrize(("workers", "threads"), [(2, 128), (64, 128), (65, 130), (1000, 2000)])
def test_a_large_cluster_gets_shards_enough(
    workers: int, threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(max_workers: int) -> None:
        raise LookupError(max_workers)

    monkeypatch.setattr(tasks, "ThreadPoolTaskRunner", told)
    recipe = load("marvl-qa-mini")
    assert isinstance(recipe, Recipe)
    with WorkerPool(workers) as pool, bars() as shown, pytest.raises(LookupError) as caught:
        tasks.Steps(place_of(recipe, str(tmp_path)), pool, pool, shown).make([])
    assert caught.value.args == (threads,)


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
