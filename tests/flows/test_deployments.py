"""The table of flows, the deployments of prefect.yaml and the bare names: what needs no server to be looked at."""

import re
import shutil
from contextlib import nullcontext
from types import SimpleNamespace

import command_line
import pytest
import yaml
from prefect.flows import load_flow_from_entrypoint
from prefect.settings import PREFECT_API_URL, temporary_settings

from planimeter.flows.build import build_dataset
from planimeter.flows.deployments import build_of
from planimeter.flows.display.flow_names import FLOW_NAMES, FLOW_OF
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service import serve
from planimeter.flows.service.plugin import complete
from planimeter.suites.loading import available, load

ALL_FLOWS = (*map(build_of, FLOW_OF), *serve.OTHERS)


def test_only_the_bare_name_of_our_flows_is_completed():
    bare = ["deployment", "run", "build-marvl-mini"]
    assert complete(bare, FLOW_NAMES) == ["deployment", "run", "build-marvl-mini/default"]
    others = ("deployment run build-marvl-mini/other", "deployment run somebody-elses", "flow run build-marvl-mini", "")
    for typed in map(str.split, others):
        assert complete(typed, FLOW_NAMES) == typed


def deployments():
    return yaml.safe_load((command_line.ROOT / "prefect.yaml").read_text())["deployments"]


def test_prefect_yaml_names_every_flow_and_no_other():
    named = [load_flow_from_entrypoint(entry["entrypoint"], use_placeholder_flow=False).name for entry in deployments()]
    assert sorted(named) == sorted(FLOW_NAMES)
    assert {entry["name"] for entry in deployments()} == {"default"}
    queued = {"limit": 1, "collision_strategy": "ENQUEUE"}
    assert all(entry["concurrency_limit"] == queued for entry in deployments()), "two runs of one would start at once"
    assert shutil.which("make"), "the README's set-up needs make"


def described(flow):
    """The parameters of ``flow`` that are described, in words that no UI swallows as HTML."""
    return [key for key, form in flow.parameters.properties.items() if "<" not in (form["description"] or "<")]


def test_every_flow_and_parameter_is_described():
    assert {*FLOW_OF} == {*available()}
    assert {flow.name for flow in ALL_FLOWS} == FLOW_NAMES
    shared = ["recipe", "scale", "seed", "workers", "out", "version", "runner", "address", "sealed"]
    for name in available():
        flow = build_of(name)
        assert load(name).summary in (flow.description or "")
        assert described(flow) == shared
    assert all(described(flow) == list(flow.parameters.properties) for flow in ALL_FLOWS)
    names = {name for flow in ALL_FLOWS for name in flow.parameters.properties}
    assert {"folder", "repo", "private", "dry_run"} <= names
    assert not any("token" in name for name in names)
    # The form refuses what is no version.
    for flow in (build_of("geogram"), build_dataset):
        pattern = flow.parameters.properties["version"]["anyOf"][0]["pattern"]
        assert re.fullmatch(pattern, "1.0.0") and not re.fullmatch(pattern, "a/b")


POOLS = [
    ("command", None, ""),
    ("image", "planimeter", ""),
    ("image", None, "runs containers: name their image"),
    ("command", "planimeter", "takes no --image"),
]


@pytest.mark.parametrize("template, image, refusal", POOLS)
def test_a_pool_of_containers_alone_gets_an_image(template, image, refusal, monkeypatch):
    applied = []
    pool = SimpleNamespace(base_job_template={"variables": {"properties": {template: {}}}})
    client = SimpleNamespace(read_work_pool=lambda name: pool)
    monkeypatch.setattr(serve, "check_server", lambda remedy: None)
    monkeypatch.setattr(serve, "get_client", lambda sync_client: nullcontext(client))
    apply = lambda self, work_pool_name, image: applied.append((self.entrypoint, work_pool_name, image))  # noqa: E731
    monkeypatch.setattr(serve.RunnerDeployment, "apply", apply)
    monkeypatch.setattr(serve, "_end_lost_runs", lambda: applied.append("automation"))
    refused = pytest.raises(PlanimeterError, match=refusal) if refusal else nullcontext()
    with temporary_settings({PREFECT_API_URL: "http://127.0.0.1:9/api"}), refused:
        assert sorted(serve.deploy("p", image)) == sorted(f"{name}/default" for name in FLOW_NAMES)
    wanted = [("planimeter.flows.build.build_dataset", "p", image)] * (len(FLOW_OF) + 1)
    assert [each for each in applied if "build.build_dataset" in each[0]] == ([] if refusal else wanted)
    assert applied[-1:] == ([] if refusal else ["automation"])
