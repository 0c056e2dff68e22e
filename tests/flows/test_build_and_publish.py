"""The way from a build to the Hub as one run of a deployment, killed once in each of its steps."""

import os
import signal
import subprocess
import sys
import time

import command_line
import prefect_server
import pytest
import stand_in_hub
from command_line import PATIENCE, digests, shards_below
from hub_repos import built
from prefect.settings import PREFECT_API_URL, temporary_settings
from stand_in_hub import REPO

from planimeter.flows.display.flow_names import CHAIN_FLOW
from planimeter.flows.service import serve
from planimeter.suites.loading import load

NAME, SCALE = "marvl-qa-mini", 0.02
VERSION = load(NAME).version

RUNNING = {"state": {"name": {"any_": ["Running"]}}}


def engine(server, hub, home, **given):
    """A process that carries out a new run, as a worker starts it; and the run."""
    flow_run = server.run(CHAIN_FLOW, **given)
    server.post(f"flow_runs/{flow_run}/set_state", {"state": {"type": "PENDING"}})
    env = {**server.env, **hub.environment(home), "PREFECT__FLOW_RUN_ID": flow_run}
    command = [sys.executable, "-m", "prefect.engine"]
    return subprocess.Popen(command, cwd=command_line.ROOT, env=env, stderr=subprocess.PIPE, text=True), flow_run


def runs_task(server, flow_run, name):
    """True if a task ``name`` of the run, or of a flow that it calls, is running."""
    parents = {"any_": [flow_run, *(run["id"] for run in called(server, flow_run))]}
    found = server.post("task_runs/filter", {"flow_runs": {"id": parents}, "task_runs": RUNNING})
    return [task["name"] for task in found if task["name"].split()[0] == name]


def called(server, flow_run):
    return server.post("flow_runs/filter", {"flow_runs": {"parent_flow_run_id": {"any_": [flow_run]}}})


@pytest.mark.slow
def test_a_run_that_is_killed_in_each_step_publishes_once(dataset, tmp_path):
    out = tmp_path / "out"
    given = {"recipe": NAME, "repo": REPO, "scale": SCALE, "workers": 1, "out": str(out)}
    (tmp_path / "prefect").mkdir()
    with prefect_server.started(tmp_path / "prefect") as server, stand_in_hub.started() as hub:
        with temporary_settings({PREFECT_API_URL: server.url}):
            (deployment,) = [each for each in serve._deployments() if each.flow_name == CHAIN_FLOW]
            deployment.apply()
        begun = {
            "generate": lambda run: shards_below(out) >= 3,
            "certify": lambda run: runs_task(server, run, "certify"),
            "probe": lambda run: runs_task(server, run, "probe"),
            "publish": lambda run: any("/commit/" in path or "/lfs/" in path for path in hub.writes()),
        }
        for step, is_under_way in begun.items():
            process, flow_run = engine(server, hub, tmp_path, **given)
            while not is_under_way(flow_run):
                assert process.poll() is None, f"it ended before {step}: {process.communicate()}"
                time.sleep(0.02)
            os.kill(process.pid, signal.SIGKILL)
            process.communicate(timeout=PATIENCE)
            # What the worker of a pool reports.
            server.post(f"flow_runs/{flow_run}/set_state", {"state": {"type": "CRASHED"}, "force": True})
        process, flow_run = engine(server, hub, tmp_path, **given)
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
        state = server.get(f"flow_runs/{flow_run}")["state"]
        assert state["name"] == "Completed", state["message"]
        assert hub.titles() == [f"{NAME} {VERSION}"]
        assert hub.files() == hub.files(revision=f"v{VERSION}")
        assert built(digests(dataset)).items() <= hub.files().items()
        (building,) = [run for run in called(server, flow_run) if run["name"].startswith("build")]
        assert building["state_name"] == "Unchanged"
