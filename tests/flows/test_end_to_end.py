"""A build as its users run it: the real command line, and a deployment on a real Prefect server on loopback."""

import hashlib
import json
import signal
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import command_line
import prefect_server
import pytest
import stand_in_hub
from command_line import PATIENCE, TINY, digests, here, run, wait_until
from hub_repos import built
from huggingface_hub import HfApi
from prefect.settings import PREFECT_API_URL, temporary_settings
from small_datasets import probe
from stand_in_hub import REPO, TOKEN

from planimeter.flows.service import serve
from planimeter.suites.loading import load

NAME, VERSION = "marvl-qa-mini", load("marvl-qa-mini").version
DATASET = Path(NAME) / VERSION
CHAIN = ["plan", "generate", "deduplicate", "sample", "write", "describe", "verify", "commit"]

#: Those with a task for each shard or file.
MAPPED = ("generate", "write", "verify")
STOPPED = "planimeter: stopped; finished work is kept, and the same command goes on from there"


def shards_of(outputs):
    """The notes of the finished shards, and when each was written."""
    return {path: path.stat().st_mtime_ns for path in (outputs / ".planimeter" / "results").glob("?" * 64)}


def of(home, query, *given):
    """The rows that the database of the server has for ``query``."""
    with closing(sqlite3.connect(home / "prefect.db")) as database:
        return database.execute(query, given).fetchall()


def runs(home):
    """(name, state of each task run) of every flow run that the database knows, in the order of their start."""
    tasks = "select name, state_name from task_run where flow_run_id = ?"
    return [
        (name, dict(of(home, tasks, run)))
        for run, name in of(home, "select id, name from flow_run order by start_time")
    ]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with prefect_server.started(tmp_path_factory.mktemp("prefect")) as server:
        yield server


@pytest.mark.slow
def test_a_deployment_finishes_a_stopped_build_in_equal_bytes(server, built, dataset, tmp_path):
    out, home = tmp_path / "out", tmp_path / "home"
    command, total = ("build", *TINY, "--workers", "1"), len(shards_of(built))
    stopped = command_line.start(*command, "--out", str(out), home=home, PREFECT_API_URL=server.url)
    wait_until(lambda: stopped.poll() is not None or shards_of(out))
    stopped.send_signal(signal.SIGINT)
    _, err = stopped.communicate(timeout=PATIENCE)
    address, *end = err.strip().splitlines()
    assert (stopped.returncode, end) == (130, [STOPPED])
    assert address.startswith(f"run: {server.url.removesuffix('/api')}/runs/flow-run/")
    assert not (out / DATASET).exists(), "a half-done dataset looks finished"
    finished, status = shards_of(out), here("status", *TINY, "--out", str(out)).out
    assert 0 < len(finished) < total and f"not built: {len(finished)} of {total} shards are finished" in status

    flow_run, (state, message) = run_of_a_deployment(server, scale=0.02, out=str(out), workers=1)
    assert (state, message) == ("Completed", f"built {NAME} {VERSION}, 51 rows, at {out / DATASET}")
    assert digests(out / DATASET) == digests(dataset)
    assert shards_of(out).items() >= finished.items(), "a shard was lost, or made again"
    assert f"built: {total} of {total} shards are finished" in here("status", *TINY, "--out", str(out)).out
    is_a_chain_of_steps(server, flow_run, total)
    is_an_event_and_an_asset(server, out / DATASET)
    wait_until(lambda: of(server.home, "select 1 from log where message like ?", f"%{message}%"))
    holds_what_a_finished_build_did(
        server.home, flow_run, out, {"Cached": len(finished), "Completed": total - len(finished)}
    )

    again = command_line.run(*command, "--out", str(out), home=home)
    assert again.code == 0, again.err
    assert again.err.startswith(f"found built and sound: {NAME} {VERSION}, 51 rows, at ")


def run_of_a_deployment(server, **given):
    """The id of a run as a worker starts it, and the state in which it ended."""
    with temporary_settings({PREFECT_API_URL: server.url}):
        (deployment,) = [each for each in serve._deployments() if each.flow_name == "build-marvl-mini"]
        deployment.apply()
    schema = server.get("deployments/name/build-marvl-mini/default")["parameter_openapi_schema"]["properties"]
    assert {*schema} == {"recipe", "scale", "seed", "workers", "out", "version", "runner", "address", "sealed"}
    assert "exclusiveMinimum" in json.dumps(schema["scale"]) and "recipe's numbers" in schema["scale"]["description"]
    flow_run = server.run("build-marvl-mini", **given)
    server.post(f"flow_runs/{flow_run}/set_state", {"state": {"type": "PENDING"}})
    engine = {**server.env, "PREFECT__FLOW_RUN_ID": flow_run}
    ended = command_line.child(sys.executable, "-m", "prefect.engine", env=engine)
    assert ended.code == 0, ended.err
    state = server.get(f"flow_runs/{flow_run}")["state"]
    return flow_run, (state["name"], state["message"])


@pytest.mark.slow
def test_the_command_publishes_and_never_shows_the_token(server, certified, tmp_path, monkeypatch):
    home = tmp_path / "prefect"
    home.mkdir()
    # A database that is set up already, which takes as long as all else.
    with (
        closing(sqlite3.connect(server.home / "prefect.db")) as there,
        closing(sqlite3.connect(home / "prefect.db")) as db,
    ):
        there.backup(db)
    probe(certified)
    with stand_in_hub.started() as hub:
        env = hub.environment(tmp_path) | {"PREFECT_LOGGING_LEVEL": "DEBUG"}
        # Prefect repeats the step, whose first commit stands: no second one is made.
        hub.fault("lost", "POST", "/commit/main")
        done = run("publish", str(certified), "--repo", REPO, "--no-space", home=home, **env)
        assert done.code == 0, done.err
        assert f"{hub.url}/datasets/{REPO}/tree/v1.0.0" in done.out
        assert f'load_dataset("{REPO}", "counting", revision="v1.0.0")' in done.out
        assert "lost" in {request["fault"] for request in hub.log}
        assert hub.files() == hub.files(revision="v1.0.0") and built(digests(certified)).items() <= hub.files().items()
        assert hub.titles() == ["marvl-qa-mini 1.0.0"]
        stand_in_hub.log_in(tmp_path / "cache", monkeypatch)
        monkeypatch.setattr("planimeter.flows.service.hub.client", lambda: HfApi(hub.url))
        again = here("publish", str(certified), "--repo", REPO, "--dry-run")
    assert again.code == 0 and f"nothing: {REPO} has v1.0.0 with this content" in again.out
    assert TOKEN not in done.out + done.err
    assert of(home, "select 1 from flow_run where name like 'publish %' and state_name = 'Completed'") == [(1,)]
    # Prefect's database, its logs, its results; the folder; the client's cache.
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size < 50_000_000]
    assert [str(path) for path in written if TOKEN.encode() in path.read_bytes()] == []


def is_a_chain_of_steps(server, flow_run, shards):
    def graph(of_run):
        return server.get(f"flow_runs/{of_run}/graph-v2")["nodes"]

    nodes = wait_until(lambda: len(nodes := dict(graph(flow_run)).values()) >= len(CHAIN) and nodes, 60)
    steps = {node["label"].partition(" / ")[0]: node for node in nodes}
    kinds = {name: "flow-run" if name in MAPPED else "task-run" for name in CHAIN}
    assert {name: node["kind"] for name, node in steps.items()} == kinds
    for before, step in zip([None, *CHAIN], CHAIN, strict=False):
        parents = {parent["id"] for parent in steps[step]["parents"]}
        assert steps[before]["id"] in parents if before else not parents
    # What a person sets a concurrency limit or an automation on.
    tasks = server.post("task_runs/filter", {"flow_runs": {"id": {"any_": [flow_run]}}})
    keys = {task["name"]: task["task_key"].rpartition("-")[0] for task in tasks if task["name"] in CHAIN}
    assert keys == {name: name for name in CHAIN if name not in MAPPED}
    named = {"name": {"any_": [f"{shards} shards"]}, "parent_flow_run_id": {"any_": [flow_run]}}
    (making,) = server.post("flow_runs/filter", {"flow_runs": named})
    made = server.post("task_runs/filter", {"flow_runs": {"id": {"any_": [making["id"]]}}})
    assert {(task["task_key"].rpartition("-")[0], *task["tags"]) for task in made} == {("make_shard", "make-shard")}
    labels = [node["label"] for _, node in graph(making["id"])]
    assert len(labels) == shards and all(label.startswith(("counting/", "transformation/")) for label in labels)


def is_an_event_and_an_asset(server, folder):
    manifest = (folder / "manifest.json").read_bytes()
    (event,) = server.events("planimeter.dataset.built", "place", str(folder))
    assert event["resource"]["prefect.resource.id"] == f"planimeter.dataset.{NAME}"
    rows, sha256 = sum(file["rows"] for file in json.loads(manifest)["files"]), hashlib.sha256(manifest).hexdigest()
    summary = {"dataset": NAME, "version": VERSION, "rows": rows, "sha256": sha256}
    assert event["payload"] == {**summary, "place": str(folder)}
    (asset,) = server.events("prefect.asset.materialization.succeeded", "sha256", sha256)
    assert (asset["resource"]["prefect.resource.id"], asset["payload"]) == (f"file://{folder}", summary)


def holds_what_a_finished_build_did(home, flow_run, outputs, shards):
    """The database of the server, as it can be looked at afterwards."""
    *_, root, make, write, verify = runs(home)
    assert root[0] == f"build {NAME} {VERSION} x0.02"
    assert {name.rpartition("-")[0] or name for name in root[1]} == {*CHAIN}
    assert {*root[1].values()} == {"Completed"}
    assert Counter(make[1].values()) == shards
    files = sorted((outputs / DATASET).glob("data/*/*.parquet"))
    for verb, (_, tasks) in (("write", write), ("verify", verify)):
        done = {name.replace(" data/", " "): state for name, state in tasks.items()}
        assert done == {f"{verb} {path.parent.name}/{path.name}": "Completed" for path in files}
    # On the page of the run itself, not of the step that makes the shards.
    shown = of(home, "select key, type, data from artifact where key is not null and flow_run_id = ?", flow_run)
    kinds = {"dataset": "markdown", "funnel": "table", "timings": "table"}
    assert {key: kind for key, kind, _ in shown} == {f"{NAME}-{key}": kind for key, kind in kinds.items()}
    assert any("rows, about" in message for (message,) in of(home, "select message from log"))
