"""Prefect as its operators use it, against a real server on loopback: what deployments publish, and their runs as
somebody disturbs them: their states, what their logs say, and what is left over.
"""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import command_line
import prefect_server
import pytest
import stand_in_hub
from command_line import wait_until
from prefect_server import Server
from stand_in_hub import Hub

from planimeter.export.manifest import Manifest
from planimeter.flows.display.flow_names import FLOW_NAMES
from planimeter.recipes.loading import Collection, load

pytestmark = pytest.mark.slow

#: A build long enough to be disturbed: 196 shards.
DATASET, SCALE, WORKERS = "traversal-hard", 0.03, 2
VERSION = load(DATASET).version

UNDER_WAY = ("PENDING", "RUNNING", "PAUSED", "CANCELLING")

ERROR = 40


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    with stand_in_hub.started() as hub:
        yield hub


@pytest.fixture(scope="module")
def server(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the deployments of prefect.yaml and a worker."""
    with prefect_server.started(tmp_path_factory.mktemp("prefect")) as server:
        # The token is the worker's own: of the environment in which it is started.
        server.env |= hub.environment(tmp_path_factory.mktemp("client"))
        server.deploy()
        yield server


def run(server: Server, deployment: str, out: Path, **more: object) -> str:
    """The id of a new run of `<deployment>/default`."""
    given = {"scale": SCALE, "workers": WORKERS, "out": str(out), **more}
    found = next(d for d in server.post("deployments/filter", {}) if str(d["entrypoint"]).endswith(f":{deployment}"))
    made: Any = server.post(f"deployments/{found['id']}/create_flow_run", {"parameters": given})
    return str(made["id"])


def ended(server: Server, flow_run: str) -> str:
    """The name of the state in which the run ended."""
    ends = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")
    state = wait_until(lambda: (s := server.get(f"flow_runs/{flow_run}")["state"])["type"] in ends and s)
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


def disturbed(server: Server, deployment: str, out: Path, **more: object) -> str:
    """The id of a new run that is in the middle of its shards."""
    flow_run = run(server, deployment, out, **more)
    wait_until(lambda: command_line.shards_below(out) >= 3)
    return flow_run


def killed_and_retried(server: Server, deployment: str, out: Path) -> str:
    """The id of a run whose process was killed, and that was then retried."""
    flow_run = disturbed(server, deployment, out)
    os.kill(engine(flow_run), signal.SIGKILL)
    assert ended(server, flow_run) == "Crashed"
    wait_until(lambda: not under_way(server))
    assert server.prefect("flow-run", "retry", flow_run).returncode == 0
    wait_until(lambda: server.get(f"flow_runs/{flow_run}")["state"]["name"] == "Running")
    return flow_run


def test_a_deployment_builds_every_dataset(server: Server, tmp_path: Path) -> None:
    ran = server.prefect(
        "deployment", "run", "build-all/default", "--param", "scale=0.001", "--param", f"out={tmp_path}", "--watch"
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    built = {path.parent.parent.name: path.parent.name for path in tmp_path.glob("*/*/manifest.json")}
    collection = load("all")
    assert isinstance(collection, Collection)
    assert built == {name: load(name).version for name in collection.datasets}
    parts = server.post("flow_runs/filter", {"flow_runs": {"parent_task_run_id": {"is_null_": False}}})
    within = {str(run["name"]) for run in parts} & {f"build {name} {version} x0.001" for name, version in built.items()}
    assert len(within) == len(built), "each dataset is built in a run of its own, within that of the collection"


def test_a_deployment_publishes_a_dataset_and_prefect_never_sees_the_token(
    server: Server, hub: Hub, certified: Path
) -> None:
    probe = server.prefect("deployment", "run", "probe-dataset/default", "--param", f"folder={certified}", "--watch")
    assert probe.returncode == 0, probe.stdout + probe.stderr
    command = ("deployment", "run", "publish-dataset/default", "--param", f"folder={certified}")
    ran = server.prefect(*command, "--param", "repo=tester/deployed", "--watch")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert hub.files("tester/deployed", "v1.0.0") == hub.files("tester/deployed") == command_line.digests(certified)
    assert hub.titles("tester/deployed") == ["marvl-qa-mini 1.0.0"]
    shown = [str(artifact["data"]) for artifact in server.post("artifacts/filter", {})]
    assert any(f"{hub.url}/datasets/tester/deployed/tree/v1.0.0" in text for text in shown)
    (event,) = server.events("planimeter.dataset.published", "dataset", "marvl-qa-mini")
    assert event["payload"]["place"] == f"{hub.url}/datasets/tester/deployed/tree/v1.0.0"
    (asset,) = server.events("prefect.asset.referenced", "", "")
    assert asset["resource"]["prefect.resource.id"] == f"file://{certified}"
    # The server gives 200 of each at most.
    asked = {"flow_runs": {"sort": "START_TIME_DESC"}, "logs": {"sort": "TIMESTAMP_DESC"}, "artifacts": {}}
    kept = json.dumps([server.post(f"{what}/filter", order) for what, order in asked.items()])
    assert "commit: add" in kept
    assert stand_in_hub.TOKEN not in kept
    refused = server.prefect(*command, "--param", "repo=nobody", "--watch")
    assert refused.returncode != 0
    assert "need a repository as owner/name, got 'nobody'" in json.dumps(server.post("flow_runs/filter", {}))


@pytest.fixture(scope="module")
def retried(server: Server, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A run that was killed and retried, and its outputs."""
    out = tmp_path_factory.mktemp("retried")
    flow_run = killed_and_retried(server, "build_traversal_hard", out)
    assert ended(server, flow_run) == "Completed"
    return flow_run, out


def test_a_retried_run_never_says_crashed_while_it_works_and_then_where_its_dataset_is(
    server: Server, retried: tuple[str, Path]
) -> None:
    flow_run, out = retried
    assert states(server, flow_run) == ["Scheduled", "Running", "Crashed", "Scheduled", "Running", "Completed"]
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
    asked = {"logs": {"flow_run_id": {"any_": [flow_run]}}}
    wait_until(lambda: message in [log["message"] for log in server.post("logs/filter", asked)])
    shown = server.post("artifacts/filter", {"artifacts": {"flow_run_id": {"any_": [flow_run]}}})
    assert str(place) in next(str(artifact["data"]) for artifact in shown if artifact["key"] == f"{DATASET}-dataset")
    # Of the run's own page, not only of the page of the step that makes the shards; once for each attempt.
    assert [str(artifact["key"]) for artifact in shown].count(f"{DATASET}-progress") == 2


def test_a_run_with_nothing_to_do_returns_the_folder_and_a_refused_one_logs_one_message_and_no_stack(
    server: Server, retried: tuple[str, Path]
) -> None:
    _, out = retried
    code = (
        "from prefect.deployments import run_deployment\n"
        f"given = {{'scale': {SCALE}, 'out': {str(out)!r}}}\n"
        "state = run_deployment('build-traversal-hard/default', parameters=given).state\n"
        "print(state.name, state.result(), sep='\\n')"
    )
    called = subprocess.run(
        [sys.executable, "-c", code], cwd=command_line.ROOT, env=server.env, capture_output=True, text=True
    )
    assert called.stdout.splitlines() == ["Unchanged", str(out / DATASET / str(VERSION))], called.stderr
    refused = run(server, "build_traversal_hard", out, scale=0.02)
    assert ended(server, refused) == "Refused"
    message = server.get(f"flow_runs/{refused}")["state"]["message"]
    assert "exists with other content (its recipe differs: scale there 0.03, wanted 0.02)" in message
    wait_until(lambda: errors(server, refused))
    assert errors(server, refused) == [message]


def test_a_resumed_run_never_says_crashed_and_leaves_nothing_under_way(
    server: Server, retried: tuple[str, Path], tmp_path: Path
) -> None:
    flow_run = disturbed(server, "build_traversal_hard", tmp_path)
    process = engine(flow_run)
    paused = {"type": "PAUSED", "name": "Suspended", "state_details": {"pause_reschedule": True}}
    server.post(f"flow_runs/{flow_run}/set_state", {"state": paused})
    wait_until(lambda: not Path(f"/proc/{process}").exists())
    wait_until(lambda: under_way(server) == [f"build {DATASET} {VERSION} x{SCALE} Suspended"])
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
    first = disturbed(server, "build_traversal_hard", tmp_path / "long", scale=10 * SCALE)
    second = run(server, "build_traversal_hard", tmp_path / "short")
    wait_until(lambda: "AwaitingConcurrencySlot" in states(server, second))
    cancel(server, first)
    assert ended(server, first) == "Cancelled"
    (made,) = within(server, first)
    assert states(server, made["id"]) == ["Running", "Cancelling", "Cancelled"]
    found = wait_until(lambda: not (t := tasks(server, made["id"]))["Running"] and t)
    assert {*found} == {"Completed", "Cancelled"} and found["Cancelled"] <= WORKERS + 2
    # Prefect's own line for each task that did not complete.
    said = "Finished in state Cancelled('the build was stopped; finished shards are kept')"
    assert {*errors(server, first, made["id"])} <= {said}
    assert ended(server, second) == "Completed"
    assert states(server, second) == ["Scheduled", "AwaitingConcurrencySlot", "Running", "Completed"]


def test_the_dataset_of_a_retried_collection_never_says_crashed_while_it_is_built(
    server: Server, tmp_path: Path
) -> None:
    flow_run = killed_and_retried(server, "build_all", tmp_path)
    wait_until(lambda: "COMPLETED" in [one["state_type"] for one in within(server, flow_run)])
    killed, built, *_ = within(server, flow_run)
    assert states(server, killed["id"]) == ["Running", "Crashed"]
    assert states(server, built["id"]) == ["Running", "Completed"]
    cancel(server, flow_run)
    assert ended(server, flow_run) == "Cancelled"
    assert states(server, flow_run) == [
        *("Scheduled", "Running", "Crashed"),
        *("Scheduled", "Running", "Cancelling", "Cancelled"),
    ]
    wait_until(lambda: not under_way(server))


def test_a_parameter_out_of_range_and_a_bare_name_without_the_plugin_are_refused(server: Server) -> None:
    ran = server.prefect("deployment", "run", "build-marvl-mini/default", "--param", "scale=-1")
    assert ran.returncode != 0
    assert "scale" in ran.stdout + ran.stderr
    off = {"PREFECT_PLUGINS_ENABLED": "false"}
    assert server.prefect("deployment", "run", "build-marvl-mini", **off).returncode != 0
    assert server.prefect("deployment", "ls", **off).returncode == 0


def test_serve_offers_every_flow_without_pool_or_worker(tmp_path: Path) -> None:
    with prefect_server.started(tmp_path) as server:
        server.background(sys.executable, "-m", "planimeter.flows", "serve")
        served: Any = wait_until(
            lambda: len(all_of := server.post("deployments/filter", {})) == len(FLOW_NAMES) and all_of
        )
        assert {str(flow["name"]) for flow in server.post("flows/filter", {})} == FLOW_NAMES
    for deployment in served:
        assert deployment["tags"] == ["planimeter"]
        assert deployment["global_concurrency_limit"]["limit"] == 1
