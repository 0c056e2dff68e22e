"""Prefect as its users use it, against a real server on loopback: deployments, a worker, the bare name, `serve`."""

import hashlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import command_line
import prefect_server
import pytest
import stand_in_hub
from prefect_server import Server
from stand_in_hub import Hub

from planimeter.flows.display.flow_names import FLOW_NAMES
from planimeter.recipes.loading import Collection, load

SCALE = "0.01"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with prefect_server.started(tmp_path_factory.mktemp("prefect")) as server:
        yield server


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    with stand_in_hub.started() as hub:
        yield hub


@pytest.fixture(scope="module")
def deployed(server: Server, hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """The server with the deployments of prefect.yaml and a worker."""
    # The token is the worker's own: of the environment in which it is started.
    server.env |= hub.environment(tmp_path_factory.mktemp("client"))
    server.deploy()
    return server


def test_a_deployment_builds_a_dataset_and_shows_it(deployed: Server, tmp_path: Path) -> None:
    ran = deployed.prefect(
        "deployment",
        "run",
        "build-marvl-mini/default",
        "--param",
        f"scale={SCALE}",
        "--param",
        f"out={tmp_path}",
        "--watch",
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (tmp_path / "marvl-qa-mini" / "1.2.1" / "manifest.json").exists()
    shown = deployed.post("artifacts/filter", {})
    # Without a key is the result.
    kinds = {artifact["key"]: artifact["type"] for artifact in shown if artifact["key"]}
    assert kinds == {
        "marvl-qa-mini-dataset": "markdown",
        "marvl-qa-mini-progress": "progress",
        "marvl-qa-mini-funnel": "table",
        "marvl-qa-mini-gallery": "markdown",
        "marvl-qa-mini-timings": "table",
    }
    assert [artifact["data"] for artifact in shown if artifact["type"] == "progress"] == [100.0]


def test_progress_ends_at_a_hundred_however_fast_the_reports_come(server: Server, tmp_path: Path) -> None:
    """Seven shards are told at once, before the artifact is even there; the end follows upon the last."""
    code = (
        "from planimeter.flows.display import artifacts\nfrom prefect import flow\n"
        "@flow\ndef told():\n"
        "    for name in 'abcde':\n"
        "        with artifacts.progress(f'quick-{name}') as report:\n"
        "            for done in range(1, 8): report(done / 7)\n"
        "told()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=command_line.ROOT, env=server.env, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    found = server.post("artifacts/filter", {"artifacts": {"type": {"any_": ["progress"]}}})
    assert [artifact["data"] for artifact in found if str(artifact["key"]).startswith("quick-")] == [100.0] * 5


def test_the_graph_of_a_build_is_a_chain_of_steps(server: Server, built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / ".planimeter", tmp_path / ".planimeter")
    command = ("build", *command_line.TINY, "--out", str(tmp_path))
    ended = command_line.run(*command, home=tmp_path / "home", PREFECT_API_URL=server.url)
    assert ended.code == 0, ended.err
    runs = {
        str(run["name"]): str(run["id"])
        for run in server.post("flow_runs/filter", {"sort": "START_TIME_ASC"})
        if run["name"] in ("build marvl-qa-mini 1.2.1 x0.02", f"make {command_line.shards_below(built)} shards")
    }
    chain = ["plan", "make-shards", "select", "write-parts", "describe", "verify-parts", "commit"]
    deadline = time.monotonic() + 60
    built_by = runs["build marvl-qa-mini 1.2.1 x0.02"]
    assert ended.lines[0] == f"run: {server.url.removesuffix('/api')}/runs/flow-run/{built_by}"
    while len(graph := server.graph(built_by)) < len(chain) and time.monotonic() < deadline:
        time.sleep(0.5)
    steps = {str(node["label"]).partition(" / ")[0]: node for node in graph.values()}
    assert {name: node["kind"] for name, node in steps.items()} == {
        name: "flow-run" if name.endswith("s") else "task-run" for name in chain
    }
    for before, step in zip([None, *chain], chain, strict=False):
        parents = [] if before is None else [steps[before]["id"]]
        assert [parent["id"] for parent in steps[step]["parents"]] == parents
    # What an input with the type of a flow run would hide in Prefect's first UI.
    listed = server.post("task_runs/filter", {"flow_runs": {"id": {"any_": [built_by]}}})
    inputs = [found["input_type"] for task in listed for found in task["task_inputs"].get("wait_for", [])]
    assert inputs == ["task_run"] * (len(chain) - 1)
    folded = server.graph(next(run for name, run in runs.items() if name.startswith("make ")))
    assert len(folded) == command_line.shards_below(built)
    assert all(str(node["label"]).startswith(("counting/", "transformation/")) for node in folded.values())


def test_a_dataset_that_was_built_is_an_event_and_an_asset_and_one_that_was_found_is_neither(
    server: Server, built: Path, tmp_path: Path
) -> None:
    shutil.copytree(built / ".planimeter", tmp_path / ".planimeter")
    command = ("build", *command_line.TINY, "--out", str(tmp_path))
    for number in range(2):
        ended = command_line.run(*command, home=tmp_path / f"home-{number}", PREFECT_API_URL=server.url)
        assert ended.code == 0, ended.err
    (manifest,) = tmp_path.glob("marvl-qa-mini/*/manifest.json")
    (event,) = server.events("planimeter.dataset.built", "place", str(manifest.parent))
    assert event["resource"]["prefect.resource.id"] == "planimeter.dataset.marvl-qa-mini"
    summary = {
        "dataset": "marvl-qa-mini",
        "version": manifest.parent.name,
        "rows": sum(file["rows"] for file in json.loads(manifest.read_text())["files"]),
        "sha256": hashlib.sha256(manifest.read_bytes()).hexdigest(),
    }
    assert event["payload"] == {**summary, "place": str(manifest.parent)}
    # The same dataset, built elsewhere on this server, has the same hash: only this place is counted.
    assets = server.events("prefect.asset.materialization.succeeded", "sha256", summary["sha256"])
    (asset,) = (one for one in assets if one["resource"]["prefect.resource.id"] == f"file://{manifest.parent}")
    assert asset["payload"] == summary


@pytest.mark.slow
def test_a_deployment_builds_every_dataset(deployed: Server, tmp_path: Path) -> None:
    ran = deployed.prefect(
        "deployment", "run", "build-all/default", "--param", "scale=0.001", "--param", f"out={tmp_path}", "--watch"
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    built = {path.parent.parent.name: path.parent.name for path in tmp_path.glob("*/*/manifest.json")}
    collection = load("all")
    assert isinstance(collection, Collection)
    assert built == {name: load(name).version for name in collection.datasets}
    parts = deployed.post("flow_runs/filter", {"flow_runs": {"parent_task_run_id": {"is_null_": False}}})
    within = {str(run["name"]) for run in parts} & {f"build {name} {version} x0.001" for name, version in built.items()}
    assert len(within) == len(built), "each dataset is built in a run of its own, within that of the collection"


@pytest.mark.slow
def test_a_deployment_publishes_a_dataset_and_prefect_never_sees_the_token(
    deployed: Server, hub: Hub, certified: Path
) -> None:
    probe = deployed.prefect("deployment", "run", "probe-dataset/default", "--param", f"folder={certified}", "--watch")
    assert probe.returncode == 0, probe.stdout + probe.stderr
    command = ("deployment", "run", "publish-dataset/default", "--param", f"folder={certified}")
    ran = deployed.prefect(*command, "--param", "repo=tester/deployed", "--watch")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert hub.files("tester/deployed", "v1.0.0") == hub.files("tester/deployed") == command_line.digests(certified)
    assert hub.titles("tester/deployed") == ["marvl-qa-mini 1.0.0"]
    shown = [str(artifact["data"]) for artifact in deployed.post("artifacts/filter", {})]
    assert any(f"{hub.url}/datasets/tester/deployed/tree/v1.0.0" in text for text in shown)
    (event,) = deployed.events("planimeter.dataset.published", "dataset", "marvl-qa-mini")
    assert event["payload"]["place"] == f"{hub.url}/datasets/tester/deployed/tree/v1.0.0"
    (asset,) = deployed.events("prefect.asset.referenced", "", "")
    assert asset["resource"]["prefect.resource.id"] == f"file://{certified}"
    # The server gives 200 of each at most.
    asked = {"flow_runs": {"sort": "START_TIME_DESC"}, "logs": {"sort": "TIMESTAMP_DESC"}, "artifacts": {}}
    kept = json.dumps([deployed.post(f"{what}/filter", order) for what, order in asked.items()])
    assert "commit: add" in kept
    assert stand_in_hub.TOKEN not in kept
    refused = deployed.prefect(*command, "--param", "repo=nobody", "--watch")
    assert refused.returncode != 0
    assert "need a repository as owner/name, got 'nobody'" in json.dumps(deployed.post("flow_runs/filter", {}))


def test_the_bare_name_of_a_flow_works_in_the_projects_folder(deployed: Server) -> None:
    ran = deployed.prefect(
        "deployment", "run", "build-marvl-mini", "--start-in", "2 hours", "--param", f"scale={SCALE}"
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "build-marvl-mini/default" in ran.stdout


def test_a_parameter_out_of_range_is_refused(deployed: Server) -> None:
    ran = deployed.prefect("deployment", "run", "build-marvl-mini/default", "--param", "scale=-1")
    assert ran.returncode != 0
    assert "scale" in ran.stdout + ran.stderr


def test_without_the_plugin_all_else_works(deployed: Server) -> None:
    off = {"PREFECT_PLUGINS_ENABLED": "false"}
    assert deployed.prefect("deployment", "run", "build-marvl-mini", **off).returncode != 0
    assert deployed.prefect("deployment", "ls", **off).returncode == 0


def test_parameters_show_and_validate(deployed: Server) -> None:
    (deployment,) = [d for d in deployed.post("deployments/filter", {}) if "build_marvl_mini" in str(d["entrypoint"])]
    schema = deployment["parameter_openapi_schema"]
    assert isinstance(schema, dict)
    assert set(schema["properties"]) == {"scale", "seed", "workers", "out", "version", "runner", "address"}
    assert "Share of the recipe's quotas" in json.dumps(schema)
    assert "exclusiveMinimum" in json.dumps(schema["properties"]["scale"])


def test_no_deployment_asks_for_a_token(deployed: Server) -> None:
    parameters = {
        name for d in deployed.post("deployments/filter", {}) for name in d["parameter_openapi_schema"]["properties"]
    }  # type: ignore[index]
    assert {"folder", "repo", "private", "dry_run"} <= parameters
    assert not any("token" in name for name in parameters)


@pytest.mark.slow
def test_serve_offers_every_flow_without_pool_or_worker(tmp_path: Path) -> None:
    with prefect_server.started(tmp_path) as server:
        server.background(sys.executable, "-m", "planimeter.flows", "serve")
        served: list[dict[str, Any]] = []
        for _ in range(300):
            served = server.post("deployments/filter", {})
            if len(served) == len(FLOW_NAMES):
                break
            time.sleep(0.2)
        assert {str(flow["name"]) for flow in server.post("flows/filter", {})} == FLOW_NAMES
    for deployment in served:
        assert deployment["tags"] == ["planimeter"]
        assert deployment["global_concurrency_limit"]["limit"] == 1


def test_serve_without_a_server_is_one_line(tmp_path: Path) -> None:
    ended = command_line.run("serve", home=tmp_path, PREFECT_API_URL="http://127.0.0.1:9/api")
    assert ended.code == 1
    assert "http://127.0.0.1:9/api does not answer" in ended.err
    assert "Traceback" not in ended.err
