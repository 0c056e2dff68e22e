"""What deployments publish, and runs that somebody disturbs: their states, their logs, and what is left over."""

import os
import signal
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import command_line
import prefect_server
import pytest
from command_line import wait_until

from planimeter.export.manifest import Manifest
from planimeter.flows.display.flow_names import FLOW_NAMES
from planimeter.suites.loading import load

pytestmark = pytest.mark.slow

#: A build long enough to be disturbed: 196 shards.
DATASET, SCALE, WORKERS = "traversal-hard", 0.03, 2
BUILD = f"build-{DATASET}"
VERSION = load(DATASET).version

UNDER_WAY = {"state": {"type": {"any_": ["PENDING", "RUNNING", "PAUSED", "CANCELLING"]}}}

ERROR = 40


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with the deployments of prefect.yaml and a worker."""
    with prefect_server.started(tmp_path_factory.mktemp("prefect")) as server:
        server.deploy()
        yield server


def run(server, flow, out, **more):
    return server.run(flow, **{"scale": SCALE, "workers": WORKERS, "out": str(out), **more})


def states(server, flow_run):
    """The names of all states of the run, but for those before a process runs it; repeated ones once."""
    history = server.get(f"flow_run_states/?flow_run_id={flow_run}")
    names = [s["name"] for s in sorted(history, key=lambda s: s["timestamp"]) if s["type"] != "PENDING"]
    return names[:1] + [after for before, after in pairwise(names) if after != before]


def within(server, flow_run):
    """The runs that the run called, those of all attempts, in the order of their start."""
    called = {"flow_runs": {"parent_flow_run_id": {"any_": [flow_run]}}, "sort": "START_TIME_ASC"}
    return server.post("flow_runs/filter", called)


def tasks(server, flow_run):
    """How many task runs of the run are in which state."""
    filtered, listed = {"flow_runs": {"id": {"any_": [flow_run]}}}, []
    while page := server.post("task_runs/filter", {**filtered, "offset": len(listed)}):
        listed += page
    return Counter(task["state_name"] for task in listed)


def logs(server, *flow_runs, level=0):
    filtered = {"logs": {"flow_run_id": {"any_": flow_runs}, "level": {"ge_": level}}}
    return [log["message"] for log in server.post("logs/filter", filtered)]


def under_way(server):
    """The runs that have not ended, of flows and of tasks."""
    flows, tasks = (server.post(f"{kind}/filter", {kind: UNDER_WAY}) for kind in ("flow_runs", "task_runs"))
    return [f"{run['name']} {run['state_name']}" for run in flows + tasks]


def engine(flow_run):
    """The process that runs the flow."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment, command = (process / "environ").read_bytes(), (process / "cmdline").read_bytes()
        except OSError:
            continue
        if f"PREFECT__FLOW_RUN_ID={flow_run}".encode() in environment and b"prefect.engine" in command:
            return int(process.name)
    raise AssertionError("no process runs it")


def disturbed(server, flow, out, **more):
    """The id of a new run that is in the middle of its shards."""
    flow_run = run(server, flow, out, **more)
    wait_until(lambda: command_line.shards_below(out) >= 3)
    return flow_run


def test_a_deployment_builds_every_dataset(server, tmp_path):
    # By its bare name, which our plugin completes.
    given = ("--param", "scale=0.001", "--param", f"out={tmp_path}", "--watch")
    ran = server.prefect("deployment", "run", "build-all", *given)
    assert ran.code == 0 and "build-all/default" in ran.out, ran.out + ran.err
    built = {path.parent.parent.name: path.parent.name for path in tmp_path.glob("*/*/manifest.json")}
    assert built == {name: load(name).version for name in load("all").datasets}
    parts = server.post("flow_runs/filter", {"flow_runs": {"parent_task_run_id": {"is_null_": False}}})
    within = {run["name"] for run in parts} & {f"build {name} {version} x0.001" for name, version in built.items()}
    assert len(within) == len(built), "each dataset is built in a run of its own, within that of the collection"


@pytest.fixture(scope="module")
def retried(server, tmp_path_factory):
    """A run whose process was killed, and that was then retried, and its outputs."""
    out = tmp_path_factory.mktemp("retried")
    flow_run = disturbed(server, BUILD, out)
    os.kill(engine(flow_run), signal.SIGKILL)
    assert server.ended(flow_run) == "Crashed"
    wait_until(lambda: not under_way(server))

    def works() -> bool:
        # The worker reports the death too; on a busy machine so late that it undoes the retry.
        if (name := server.get(f"flow_runs/{flow_run}")["state"]["name"]) == "Crashed":
            assert server.prefect("flow-run", "retry", flow_run).code == 0
        return name == "Running"

    wait_until(works)
    assert server.ended(flow_run) == "Completed"
    return flow_run, out


def test_a_retried_run_never_says_crashed_while_it_works(server, retried):
    flow_run, out = retried
    assert states(server, flow_run)[:3] == ["Scheduled", "Running", "Crashed"]
    assert states(server, flow_run)[-3:] == ["Scheduled", "Running", "Completed"]
    killed, made, *_ = within(server, flow_run)
    assert states(server, killed["id"]) == ["Running", "Crashed"]
    assert states(server, made["id"]) == ["Running", "Completed"]
    assert {*tasks(server, killed["id"])} == {"Completed", "Crashed"}
    assert {*tasks(server, made["id"])} == {"Completed", "Cached"}
    assert under_way(server) == []
    assert b"Failed to initialize plugins" not in server.log.read_bytes()
    place = out / DATASET / str(VERSION)
    rows = sum(record.rows for record in Manifest.read(place).files)
    message = f"built {DATASET} {VERSION}, {rows} rows, at {place}"
    assert server.get(f"flow_runs/{flow_run}")["state"]["message"] == message
    wait_until(lambda: any(message in line for line in logs(server, flow_run)))
    shown = server.artifacts(flow_run)
    assert str(place) in next(str(artifact["data"]) for artifact in shown if artifact["key"] == f"{DATASET}-dataset")


def test_a_refused_run_logs_one_message_and_no_stack(server, retried):
    _, out = retried
    code = (
        "from prefect.deployments import run_deployment\n"
        f"given = {{'scale': {SCALE}, 'out': {str(out)!r}}}\n"
        f"state = run_deployment('{BUILD}/default', parameters=given).state\n"
        "print(state.name, state.result(), sep='\\n')"
    )
    called = command_line.child(sys.executable, "-c", code, env=server.env)
    assert called.out.splitlines() == ["Unchanged", str(out / DATASET / str(VERSION))], called.err
    refused = run(server, BUILD, out, scale=0.02)
    assert server.ended(refused) == "Refused"
    message = server.get(f"flow_runs/{refused}")["state"]["message"]
    assert "exists with other content (its recipe differs: scale there 0.03, wanted 0.02)" in message
    assert wait_until(lambda: logs(server, refused, level=ERROR)) == [message]


def test_a_second_run_waits_and_a_cancelled_one_ends(server, tmp_path):
    # Ten times as long as the second: it must still make its shards when the second waits and the cancellation arrives.
    first = disturbed(server, BUILD, tmp_path / "long", scale=10 * SCALE)
    second = run(server, BUILD, tmp_path / "short")
    wait_until(lambda: "AwaitingConcurrencySlot" in states(server, second))
    # As `prefect flow-run cancel` does, which under load starts later than a step ends.
    server.post(f"flow_runs/{first}/set_state", {"state": {"type": "CANCELLING", "name": "Cancelling"}})
    assert server.ended(first) == "Cancelled"
    (made,) = within(server, first)
    assert states(server, made["id"]) == ["Running", "Cancelling", "Cancelled"]
    # Prefect's own states: of the tasks under way, and of those that waited for a thread.
    counts = wait_until(lambda: not (t := tasks(server, made["id"]))["Running"] and t)
    assert {*counts} <= {"Completed", "Failed", "Crashed", "Cancelled"} and counts["Failed"] <= WORKERS + 2
    assert not [error for error in logs(server, first, made["id"], level=ERROR) if "\n" in error]
    assert server.ended(second) == "Completed"
    assert states(server, second) == ["Scheduled", "AwaitingConcurrencySlot", "Running", "Completed"]


def test_serve_offers_every_flow_without_pool_or_worker(tmp_path):
    with prefect_server.started(tmp_path) as server:
        server.background(sys.executable, "-m", "planimeter.flows", "serve")
        served = wait_until(lambda: len(all_of := server.post("deployments/filter", {})) == len(FLOW_NAMES) and all_of)
        assert {flow["name"] for flow in server.post("flows/filter", {})} == FLOW_NAMES
    assert {(*each["tags"], each["global_concurrency_limit"]["limit"]) for each in served} == {("planimeter", 1)}
