"""Runs of deployments as an operator disturbs them: their states, what their logs say, and what is left over."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import command_line
import prefect_server
import pytest
from prefect_server import Server

from planimeter.export.manifest import Manifest
from planimeter.recipes.loading import load

pytestmark = pytest.mark.slow

#: A build long enough to be disturbed: 196 shards.
DATASET, SCALE, WORKERS = "traversal-hard", 0.03, 2
VERSION = load(DATASET).version

UNDER_WAY = ("PENDING", "RUNNING", "PAUSED", "CANCELLING")

ERROR = 40


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with prefect_server.started(tmp_path_factory.mktemp("prefect")) as server:
        server.deploy()
        yield server


def run(server: Server, deployment: str, out: Path, **more: object) -> str:
    """The id of a new run of `<deployment>/default`."""
    given = {"scale": SCALE, "workers": WORKERS, "out": str(out), **more}
    found = next(d for d in server.post("deployments/filter", {}) if str(d["entrypoint"]).endswith(f":{deployment}"))
    made: Any = server.post(f"deployments/{found['id']}/create_flow_run", {"parameters": given})
    return str(made["id"])


def until(done: Callable[[], Any], seconds: float = 300) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := done()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found


def ended(server: Server, flow_run: str) -> str:
    """The name of the state in which the run ended."""
    ends = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")
    state = until(lambda: (s := server.get(f"flow_runs/{flow_run}")["state"])["type"] in ends and s)
    return str(state["name"])


def states(server: Server, flow_run: str) -> list[str]:
    """The names of all states of the run, but for those before a process runs it; repeated ones once."""
    found = server.get(f"flow_run_states/?flow_run_id={flow_run}")
    names = [s["name"] for s in sorted(found, key=lambda s: s["timestamp"]) if s["type"] != "PENDING"]
    return names[:1] + [after for before, after in pairwise(names) if after != before]


def within(server: Server, flow_run: str) -> list[dict[str, Any]]:
    """The runs that the run called, those of all attempts, in the order of their start."""
    asked = {"flow_runs": {"parent_flow_run_id": {"any_": [flow_run]}}, "sort": "START_TIME_ASC"}
    return server.post("flow_runs/filter", asked)


def tasks(server: Server, flow_run: str) -> Counter[str]:
    """How many task runs of the run are in which state."""
    asked = {"flow_runs": {"id": {"any_": [flow_run]}}}
    found: list[dict[str, Any]] = []
    while page := server.post("task_runs/filter", {**asked, "offset": len(found)}):
        found += page
    return Counter(task["state_name"] for task in found)


def errors(server: Server, *flow_runs: str) -> list[str]:
    """What the runs logged as errors."""
    asked = {"logs": {"flow_run_id": {"any_": flow_runs}, "level": {"ge_": ERROR}}}
    return [str(log["message"]) for log in server.post("logs/filter", asked)]


def under_way(server: Server) -> list[str]:
    """The runs that have not ended, of flows and of tasks."""
    asked = {"state": {"type": {"any_": UNDER_WAY}}}
    runs = server.post("flow_runs/filter", {"flow_runs": asked}) + server.post("task_runs/filter", {"task_runs": asked})
    return [f"{run['name']} {run['state_name']}" for run in runs]


def engine(flow_run: str) -> int:
    """The process that runs the flow."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment, command = (process / "environ").read_bytes(), (process / "cmdline").read_bytes()
        except OSError:
            continue
        if f"PREFECT__FLOW_RUN_ID={flow_run}".encode() in environment and b"prefect.engine" in command:
            return int(process.name)
    raise AssertionError("no process runs it")


def cancel(server: Server, flow_run: str) -> None:
    """What `prefect flow-run cancel` does, but at once: under load that command starts later than a step ends."""
    server.post(f"flow_runs/{flow_run}/set_state", {"state": {"type": "CANCELLING", "name": "Cancelling"}})


def disturbed(out: Path) -> None:
    """Wait until a build is in the middle of its shards."""
    until(lambda: command_line.shards_below(out) >= 3)


@pytest.fixture(scope="module")
def retried(server: Server, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A run whose process was killed, and that was then retried, and its outputs."""
    out = tmp_path_factory.mktemp("retried")
    flow_run = run(server, "build_traversal_hard", out)
    disturbed(out)
    os.kill(engine(flow_run), signal.SIGKILL)
    assert ended(server, flow_run) == "Crashed"
    until(lambda: not under_way(server), 60)
    assert server.prefect("flow-run", "retry", flow_run).returncode == 0
    until(lambda: server.get(f"flow_runs/{flow_run}")["state"]["name"] == "Running")
    assert ended(server, flow_run) == "Completed"
    return flow_run, out


def test_a_retried_run_never_says_crashed_while_it_works(server: Server, retried: tuple[str, Path]) -> None:
    flow_run, _ = retried
    assert states(server, flow_run) == ["Scheduled", "Running", "Crashed", "Scheduled", "Running", "Completed"]
    killed, made, *_ = within(server, flow_run)
    assert states(server, killed["id"]) == ["Running", "Crashed"]
    assert states(server, made["id"]) == ["Running", "Completed"]
    assert {*tasks(server, killed["id"])} == {"Completed", "Crashed"}
    assert {*tasks(server, made["id"])} == {"Completed", "Cached"}
    assert under_way(server) == []
    assert b"Failed to initialize plugins" not in server.log.read_bytes()


def test_a_finished_run_says_where_its_dataset_is(server: Server, retried: tuple[str, Path]) -> None:
    flow_run, out = retried
    place = out / DATASET / str(VERSION)
    rows = sum(record.rows for record in Manifest.read(place).files)
    message = f"built {DATASET} {VERSION}, {rows} rows, at {place}"
    assert server.get(f"flow_runs/{flow_run}")["state"]["message"] == message
    asked = {"logs": {"flow_run_id": {"any_": [flow_run]}}}
    until(lambda: message in [log["message"] for log in server.post("logs/filter", asked)], 30)
    shown = server.post("artifacts/filter", {"artifacts": {"flow_run_id": {"any_": [flow_run]}}})
    assert str(place) in next(str(artifact["data"]) for artifact in shown if artifact["key"] == f"{DATASET}-dataset")
    # Of the run's own page, not only of the page of the step that makes the shards; once for each attempt.
    assert [str(artifact["key"]) for artifact in shown].count(f"{DATASET}-progress") == 2


def test_a_caller_gets_the_folder_and_reads_that_nothing_was_to_do(server: Server, retried: tuple[str, Path]) -> None:
    _, out = retried
    given = {"scale": SCALE, "out": str(out)}
    code = (
        "from prefect.deployments import run_deployment\n"
        f"state = run_deployment('build-traversal-hard/default', parameters={given!r}).state\n"
        "print(state.name, state.result(), sep='\\n')"
    )
    called = subprocess.run(
        [sys.executable, "-c", code], cwd=command_line.ROOT, env=server.env, capture_output=True, text=True
    )
    assert called.stdout.splitlines() == ["Unchanged", str(out / DATASET / str(VERSION))], called.stderr


def test_a_refused_run_logs_its_one_message_and_no_stack(server: Server, retried: tuple[str, Path]) -> None:
    _, out = retried
    flow_run = run(server, "build_traversal_hard", out, scale=0.02)
    assert ended(server, flow_run) == "Refused"
    message = server.get(f"flow_runs/{flow_run}")["state"]["message"]
    assert "exists with other content (its recipe differs: scale there 0.03, wanted 0.02)" in message
    until(lambda: errors(server, flow_run), 30)
    assert errors(server, flow_run) == [message]


def test_a_resumed_run_never_says_crashed_and_leaves_nothing_under_way(
    server: Server, retried: tuple[str, Path], tmp_path: Path
) -> None:
    flow_run = run(server, "build_traversal_hard", tmp_path)
    disturbed(tmp_path)
    process = engine(flow_run)
    paused = {"type": "PAUSED", "name": "Suspended", "state_details": {"pause_reschedule": True}}
    server.post(f"flow_runs/{flow_run}/set_state", {"state": paused})
    until(lambda: not Path(f"/proc/{process}").exists(), 60)
    until(lambda: under_way(server) == [f"build {DATASET} {VERSION} x{SCALE} Suspended"], 60)
    server.post(f"flow_runs/{flow_run}/resume", {})
    assert ended(server, flow_run) == "Completed"
    assert states(server, flow_run) == ["Scheduled", "Running", "Suspended", "Resuming", "Running", "Completed"]
    made = within(server, flow_run)[0]["id"]
    assert states(server, made) == ["Running", "Cancelled", "Running", "Completed"]
    assert {*tasks(server, made)} <= {"Completed", "Cancelled", "Cached"}
    assert not [error for error in errors(server, flow_run, made) if "\n" in error]
    # Killed or suspended, the bytes are the same.
    assert command_line.digests(tmp_path / DATASET) == command_line.digests(retried[1] / DATASET)


def test_of_two_runs_one_waits_and_a_cancelled_one_leaves_no_failure(server: Server, tmp_path: Path) -> None:
    # Ten times as long as the second: it must still make its shards when the second waits and the cancellation arrives.
    first = run(server, "build_traversal_hard", tmp_path / "long", scale=10 * SCALE)
    disturbed(tmp_path / "long")
    second = run(server, "build_traversal_hard", tmp_path / "short")
    until(lambda: "AwaitingConcurrencySlot" in states(server, second), 60)
    cancel(server, first)
    assert ended(server, first) == "Cancelled"
    (made,) = within(server, first)
    assert states(server, made["id"]) == ["Running", "Cancelling", "Cancelled"]
    found = until(lambda: not (t := tasks(server, made["id"]))["Running"] and t, 60)
    assert {*found} == {"Completed", "Cancelled"} and found["Cancelled"] <= WORKERS + 2
    # Prefect's own line for each task that did not complete.
    said = "Finished in state Cancelled('the build was stopped; finished shards are kept')"
    assert {*errors(server, first, made["id"])} <= {said}
    assert ended(server, second) == "Completed"
    assert states(server, second) == ["Scheduled", "AwaitingConcurrencySlot", "Running", "Completed"]


def test_the_dataset_of_a_retried_collection_never_says_crashed_while_it_is_built(
    server: Server, tmp_path: Path
) -> None:
    flow_run = run(server, "build_all", tmp_path)
    disturbed(tmp_path)
    os.kill(engine(flow_run), signal.SIGKILL)
    assert ended(server, flow_run) == "Crashed"
    until(lambda: not under_way(server), 60)
    assert server.prefect("flow-run", "retry", flow_run).returncode == 0
    until(lambda: "COMPLETED" in [one["state_type"] for one in within(server, flow_run)])
    killed, built, *_ = within(server, flow_run)
    assert states(server, killed["id"]) == ["Running", "Crashed"]
    assert states(server, built["id"]) == ["Running", "Completed"]
    cancel(server, flow_run)
    assert ended(server, flow_run) == "Cancelled"
    assert states(server, flow_run) == [
        *("Scheduled", "Running", "Crashed"),
        *("Scheduled", "Running", "Cancelling", "Cancelled"),
    ]
    until(lambda: not under_way(server), 60)
