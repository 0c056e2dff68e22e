"""A build as its users run it: the real command line, a real Prefect server on loopback, a deployment and its worker.

What `make test` runs of it is a chain of scenarios, for each process takes seconds to start; all else is slow.
"""

import hashlib
import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import command_line
import prefect_server
import pytest
from command_line import TINY, digests, here, run, start_until, wait_until
from prefect_server import Server

from planimeter.flows.workers.processes import AHEAD
from planimeter.recipes.loading import load

NAME, VERSION = "marvl-qa-mini", load("marvl-qa-mini").version
DATASET = Path(NAME) / VERSION
CHAIN = ["plan", "make-shards", "select", "write-parts", "describe", "verify-parts", "commit"]
STOPPED = "planimeter: stopped; what is finished is kept, and the same command goes on from there"

#: The command line, where whoever starts a server, loads the verifier or starts a process is named on stderr.
WATCHED = """
import sys
from planimeter.flows.commands import cli

def watch(event, arguments):
    if event in ("subprocess.Popen", "os.posix_spawn", "os.fork"):
        print("WATCHED", event, file=sys.stderr)

sys.addaudithook(watch)
sys.argv[0] = "planimeter"
try:
    cli.main()
finally:
    for name in ("prefect.server", "uvicorn", "planimeter.flows.steps", "planimeter.export.verify.folder"):
        if name in sys.modules:
            print("WATCHED", name, file=sys.stderr)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with prefect_server.started(tmp_path_factory.mktemp("prefect")) as server:
        yield server


@pytest.fixture(scope="module")
def deployed(server: Server) -> Server:
    """The server with a deployment of prefect.yaml and a worker."""
    server.deploy("build-marvl-mini/default")
    return server


def shards_of(outputs: Path) -> dict[Path, int]:
    """The notes of the finished shards, and when each was written."""
    return {path: path.stat().st_mtime_ns for path in (outputs / ".planimeter" / "made").glob("?" * 64)}


def of(home: Path, query: str, *given: object) -> list[Any]:
    """The rows that the database of the embedded server has for ``query``."""
    with closing(sqlite3.connect(home / "prefect.db")) as database:
        return database.execute(query, given).fetchall()


def runs(home: Path) -> list[tuple[str, str, dict[str, str]]]:
    """(flow, name, state of each task run) of every flow run that the database knows, in the order of their start."""
    flows = of(
        home, "select r.id, f.name, r.name from flow_run r join flow f on f.id = r.flow_id order by r.start_time"
    )
    tasks = "select name, state_name from task_run where flow_run_id = ?"
    return [(flow, name, dict(of(home, tasks, run))) for run, flow, name in flows]


@pytest.mark.process
def test_a_build_that_was_stopped_and_killed_goes_on_and_ends_in_the_same_bytes(
    server: Server, built: Path, dataset: Path, tmp_path: Path
) -> None:
    out, home = tmp_path / "out", tmp_path / "home"
    command, total = ("build", *TINY, "--workers"), len(shards_of(built))
    stopped = start_until("make_shard", 1, *command, "1", out=out, home=home, PREFECT_API_URL=server.url)
    stopped.send_signal(signal.SIGINT)
    _, err = stopped.communicate(timeout=300)
    assert stopped.returncode == 130
    address, need, *end = err.strip().splitlines()
    assert address.startswith(f"run: {server.url.removesuffix('/api')}/runs/flow-run/")
    assert re.fullmatch(r"\d+ rows, about .* of disk \(.*\); .* are free", need), "also without a terminal"
    assert end == [STOPPED]
    assert len(shards_of(out)) == 1

    finished = shards_of(out)
    killed = start_until("make_shard", 4, *command, "1", out=out, home=home, PREFECT_API_URL=server.url)
    killed.kill()
    killed.communicate(timeout=300)
    assert shards_of(out).items() >= finished.items(), "a finished shard was lost, or made again"
    assert not (out / DATASET).exists(), "a half-done dataset looks finished"
    finished = shards_of(out)
    status = here("status", "--out", str(out)).out
    assert f"4 of {total} shards finished; stopped; go on with: planimeter build" in status

    # From here on without a server but the build's own, which is not asked through a proxy that lets nobody through.
    proxies = dict.fromkeys(
        ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9"
    )
    ended = run(*command, "2", "--out", str(out), home=home, **proxies)
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[0] == str(out / DATASET)
    assert digests(out / DATASET) == digests(dataset)
    assert shards_of(out).items() >= finished.items(), "a finished shard was made again"
    assert "no unfinished build" in here("status", "--out", str(out)).out
    holds_what_a_finished_build_did(home, out, {"Cached": 4, "Completed": total - 4})

    again = subprocess.run(
        [sys.executable, "-c", WATCHED, *command, "2", "--out", str(out)],
        cwd=command_line.ROOT,
        env=command_line.environment(home),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (again.returncode, "WATCHED" in again.stderr) == (0, False), again.stderr
    assert again.stderr.startswith(f"found built and sound: {NAME} {VERSION}, 51 rows, at ")


def holds_what_a_finished_build_did(home: Path, outputs: Path, shards: dict[str, int]) -> None:
    """The database of the embedded server, as it can be looked at afterwards."""
    (root, make, write, verify) = runs(home)
    assert root[1] == f"build {NAME} {VERSION} x0.02"
    assert {name.rpartition("-")[0] or name for name in root[2]} == {*CHAIN}
    assert {*root[2].values()} == {"Completed"}
    assert Counter(make[2].values()) == shards
    files = sorted((outputs / DATASET).glob("data/*/*.parquet"))
    for verb, (_, _, tasks) in (("write", write), ("verify", verify)):
        assert tasks == {f"{verb} {path.parent.name}/{path.name}": "Completed" for path in files}
    # On the page of the run itself, not of the step that makes the shards; without a key is its result.
    shown = of(
        home,
        "select a.key from artifact a join flow_run r on r.id = a.flow_run_id where r.parent_task_run_id is null",
    )
    kinds = ("dataset", "progress", "funnel", "gallery", "timings")
    assert {key for (key,) in shown} == {None, *(f"{NAME}-{kind}" for kind in kinds)}
    sources = [
        source for (text,) in of(home, "select task_inputs from task_run") for source in json.loads(text).values()
    ]
    inputs = {given["input_type"] for source in sources for given in source}
    assert inputs == {"task_run"}, "Prefect's first UI shows no task runs at all if one has the input of a flow run"
    assert of(home, "select count(*) from task_run where tags != '[]'") == [(0,)], "a tag asks the server for leave"
    logged = {message for (message,) in of(home, "select message from log")}
    assert any("rows, about" in message for message in logged)
    assert f"built {NAME} {VERSION}, 51 rows, at {outputs / DATASET}" in logged
    # A task runs while a worker makes its shard, not while it waits for one: else all would begin at once.
    made = "name like '%/%' and name not like '% %' and state_name = 'Completed'"
    spans = of(home, f"select start_time, end_time from task_run where {made}")
    assert len(spans) == shards["Completed"] > 5
    assert max(sum(begun <= start < ended for begun, ended in spans) for start, _ in spans) <= 2 + AHEAD
    ((table,),) = of(home, f"select data from artifact where key = '{NAME}-timings'")
    stages = [row["stage"] for row in json.loads(json.loads(table))]
    assert {"generate", "generate: render", "generate: generate", "write", "verify"} <= {*stages}
    assert len({*stages}) == len(stages), "two rows of the timings have one name"


@pytest.mark.process
def test_a_deployment_builds_a_dataset_and_shows_it(deployed: Server, tmp_path: Path) -> None:
    given = ("--param", "scale=0.005", "--param", f"out={tmp_path}", "--param", "workers=1")
    # By its bare name, which our plugin completes.
    ran = deployed.prefect("deployment", "run", "build-marvl-mini", *given, "--watch")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "build-marvl-mini/default" in ran.stdout
    manifest = (tmp_path / DATASET / "manifest.json").read_bytes()
    (flow_run,) = deployed.post(
        "flow_runs/filter", {"flow_runs": {"name": {"any_": [f"build {NAME} {VERSION} x0.005"]}}}
    )
    built_by = str(flow_run["id"])
    shown = deployed.post("artifacts/filter", {"artifacts": {"flow_run_id": {"any_": [built_by]}}})
    # Without a key is the result.
    assert {artifact["key"]: artifact["type"] for artifact in shown if artifact["key"]} == {
        f"{NAME}-dataset": "markdown",
        f"{NAME}-progress": "progress",
        f"{NAME}-funnel": "table",
        f"{NAME}-gallery": "markdown",
        f"{NAME}-timings": "table",
    }
    assert [artifact["data"] for artifact in shown if artifact["type"] == "progress"] == [100.0]
    shards = len(shards_of(tmp_path))
    is_a_chain_of_steps(deployed, built_by, shards)
    is_an_event_and_an_asset(deployed, tmp_path / DATASET, manifest)
    shows_parameters_that_validate(deployed)


def is_a_chain_of_steps(server: Server, built_by: str, shards: int) -> None:
    wait_until(lambda: len(server.graph(built_by)) >= len(CHAIN), 60)
    steps = {str(node["label"]).partition(" / ")[0]: node for node in server.graph(built_by).values()}
    assert {name: node["kind"] for name, node in steps.items()} == {
        name: "flow-run" if name.endswith("s") else "task-run" for name in CHAIN
    }
    for before, step in zip([None, *CHAIN], CHAIN, strict=False):
        parents = [] if before is None else [steps[before]["id"]]
        assert [parent["id"] for parent in steps[step]["parents"]] == parents
    # What an input with the type of a flow run would hide in Prefect's first UI.
    listed: Any = server.post("task_runs/filter", {"flow_runs": {"id": {"any_": [built_by]}}})
    inputs = [given["input_type"] for task in listed for given in task["task_inputs"].get("wait_for", [])]
    assert inputs == ["task_run"] * (len(CHAIN) - 1)
    # What a person sets a concurrency limit or an automation on.
    assert {task["task_key"].rpartition("-")[0] for task in listed if task["name"] in CHAIN} == {
        name.replace("-", "_") for name in CHAIN if not name.endswith("s")
    }
    named = {"flow_runs": {"name": {"any_": [f"make {shards} shards"]}, "parent_flow_run_id": {"any_": [built_by]}}}
    (making,) = server.post("flow_runs/filter", named)
    folded = server.graph(str(making["id"]))
    assert len(folded) == shards
    made: Any = server.post("task_runs/filter", {"flow_runs": {"id": {"any_": [making["id"]]}}})
    assert {(task["task_key"].rpartition("-")[0], *task["tags"]) for task in made} == {("make_shard", "make-shard")}
    assert all(str(node["label"]).startswith(("counting/", "transformation/")) for node in folded.values())


def is_an_event_and_an_asset(server: Server, folder: Path, manifest: bytes) -> None:
    (event,) = server.events("planimeter.dataset.built", "place", str(folder))
    assert event["resource"]["prefect.resource.id"] == f"planimeter.dataset.{NAME}"
    summary = {
        "dataset": NAME,
        "version": VERSION,
        "rows": sum(file["rows"] for file in json.loads(manifest)["files"]),
        "sha256": hashlib.sha256(manifest).hexdigest(),
    }
    assert event["payload"] == {**summary, "place": str(folder)}
    (asset,) = server.events("prefect.asset.materialization.succeeded", "sha256", summary["sha256"])
    assert asset["resource"]["prefect.resource.id"] == f"file://{folder}"
    assert asset["payload"] == summary


def shows_parameters_that_validate(server: Server) -> None:
    (deployment,) = server.post("deployments/filter", {})
    schema: Any = deployment["parameter_openapi_schema"]
    assert {*schema["properties"]} == {"scale", "seed", "workers", "out", "version", "runner", "address"}
    assert "Share of the recipe's quotas" in json.dumps(schema)
    assert "exclusiveMinimum" in json.dumps(schema["properties"]["scale"])


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6, 0.8])
def test_stopping_the_program_while_it_loads_says_nothing_of_its_insides(share: float, tmp_path: Path) -> None:
    # The interpreter itself takes a while to start, and nothing of ours can answer for it. The command line looks for
    # some 170 modules until it stands.
    code = f"""
import signal, sys
from planimeter.flows.__main__ import main

class Stop:
    seen = 0
    def find_spec(self, name, *_):
        Stop.seen += 1
        if Stop.seen == {int(share * 150)}:
            signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Stop())
sys.argv = ["planimeter", "list"]
main()
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=command_line.ROOT, env=command_line.environment(tmp_path), capture_output=True
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, b"", b"")


@pytest.mark.slow
@pytest.mark.parametrize(("what", "flow"), [("write_part", "write-parts"), ("check_part", "verify-parts")])
def test_a_kill_in_the_middle_of_the_files_costs_those_in_flight(
    what: str, flow: str, built: Path, tmp_path: Path
) -> None:
    recipe = tmp_path / "small.toml"
    # Small files, so that there are enough to be killed among.
    recipe.write_text("rows_per_file = 3\n" + (command_line.ROOT / "recipes" / f"{NAME}.toml").read_text())
    out, home, command = (
        tmp_path / "out",
        tmp_path / "home",
        ("build", str(recipe), "--scale", "0.02", "--workers", "1"),
    )
    shutil.copytree(built / ".planimeter", out / ".planimeter")
    killed = start_until(what, 3, *command, out=out, home=home)
    killed.kill()
    killed.communicate()
    assert not (out / DATASET).exists(), "a half-done dataset looks finished"
    assert run(*command, "--out", str(out), home=home).code == 0
    (tasks,) = [tasks for name, _, tasks in runs(home)[-3:] if name == flow]
    assert Counter(tasks.values()) == {"Cached": 3, "Completed": len(tasks) - 3}
    assert not list(out.rglob(".planimeter/parts/*")), "finished files are left"
    shutil.copytree(built / ".planimeter", tmp_path / "whole" / ".planimeter")
    assert run(*command, "--out", str(tmp_path / "whole"), home=home).code == 0
    assert digests(out / NAME) == digests(tmp_path / "whole" / NAME)


@pytest.mark.slow
def test_a_second_build_at_once_and_a_stop_by_a_program_are_one_line_each(tmp_path: Path) -> None:
    out, home = tmp_path / "out", tmp_path / "home"
    first = start_until("make_shard", 1, "build", *TINY, out=out, home=home)
    second = run("build", *TINY, "--out", str(out), home=home)
    first.terminate()
    _, err = first.communicate(timeout=300)
    assert (second.code, len(second.lines)) == (1, 1)
    assert f"another build of {NAME} is at work" in second.err
    assert (first.returncode, err.strip().splitlines()[1:]) == (143, [STOPPED])
    assert shards_of(out) and not (out / DATASET).exists()


@pytest.mark.slow
def test_a_build_that_was_started_deaf_to_ctrl_c_goes_on(dataset: Path, tmp_path: Path) -> None:
    """As a shell starts what stands before an `&` in a script."""
    deaf = ("sh", "-c", "trap '' INT; exec \"$@\"", "sh")
    build = command_line.start("build", *TINY, "--out", str(tmp_path), home=tmp_path / "home", prefix=deaf)
    wait_until(lambda: build.poll() is not None or shards_of(tmp_path))
    build.send_signal(signal.SIGINT)
    _, err = build.communicate(timeout=300)
    assert build.returncode == 0, err
    assert digests(tmp_path / DATASET) == digests(dataset)


@pytest.mark.slow
def test_commands_that_only_look_do_not_load_prefect(tmp_path: Path) -> None:
    commands = [f"commands.{path.stem}" for path in (command_line.ROOT / "flows/commands").glob("[a-z]*.py")]
    modules = ", ".join(f"planimeter.flows.{name}" for name in (*commands, "work", "suites.marvl_qa"))
    code = f"import sys, {modules}; sys.exit('prefect' in sys.modules)"
    environment = command_line.environment(tmp_path)
    assert subprocess.run([sys.executable, "-c", code], env=environment, cwd=command_line.ROOT).returncode == 0
