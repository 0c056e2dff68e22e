"""Prefect's own cache resumes a build: a real server, flows in this process, and the states of their tasks."""

import os
import shutil
from collections import Counter
from pathlib import Path
from unittest import mock

import plain
import pytest
from command_line import digests, wait_until
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterParentFlowRunId
from prefect.settings import (
    PREFECT_API_URL,
    PREFECT_HOME,
    PREFECT_LOGGING_TO_API_ENABLED,
    PREFECT_TASKS_REFRESH_CACHE,
    temporary_settings,
)

from planimeter.flows import parts, work
from planimeter.flows.build import build_dataset
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service.prefect_mode import SILENT
from planimeter.flows.service.run import server
from planimeter.flows.store import keys
from planimeter.flows.workers.calls import Workers
from planimeter.suites.loading import load

DATASET = Path("marvl-qa-mini") / load("marvl-qa-mini").version

pytestmark = pytest.mark.process


@pytest.fixture(scope="module", autouse=True)
def prefect(tmp_path_factory):
    """A server of our own, and workers that are this process."""
    home = tmp_path_factory.mktemp("prefect")
    settings = {PREFECT_HOME: home, PREFECT_LOGGING_TO_API_ENABLED: False}
    with (
        mock.patch.dict(os.environ, {**SILENT, "PREFECT_HOME": str(home)}),
        temporary_settings(settings, restore_defaults={PREFECT_API_URL}),
        mock.patch.object(Workers, "of_processes", lambda *_: plain.Here()),
        server(),
    ):
        yield


def build(out):
    """Build two shards below ``out``; return the state of the run, and how many shards ended in which state."""
    state = build_dataset(recipe="marvl-qa-mini", scale=0.001, out=str(out), workers=1, return_state=True)
    of_run = FlowRunFilterParentFlowRunId(any_=[state.state_details.flow_run_id])
    with get_client(sync_client=True) as client:

        def shards():
            runs = client.read_flow_runs(flow_run_filter=FlowRunFilter(parent_flow_run_id=of_run))
            making = [run.id for run in runs if run.name == "2 shards"]
            tasks = client.read_task_runs(flow_run_filter=FlowRunFilter(id={"any_": making}))
            return Counter(task.state_name for task in tasks if task.state and task.state.is_final())

        return state, dict(wait_until(lambda: (found := shards()).total() == 2 and found))


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """Outputs with a store in which both shards are finished."""
    out = tmp_path_factory.mktemp("out")
    state, shards = build(out)
    assert (state.name, state.result(), shards) == ("Completed", str(out / DATASET), {"Completed": 2})
    return out


@pytest.fixture
def again(out):
    """Builds what was built before."""
    shutil.rmtree(out / DATASET, ignore_errors=True)
    return lambda: build(out)[1]


def test_a_finished_shard_is_cached(again):
    assert again() == {"Cached": 2}


def test_a_refresh_makes_every_shard_again(again):
    with temporary_settings({PREFECT_TASKS_REFRESH_CACHE: True}):
        assert again() == {"Completed": 2}


def test_two_folders_do_not_share_shards(again, out, tmp_path):
    assert build(tmp_path)[1] == {"Completed": 2}
    again()
    assert digests(tmp_path / DATASET) == digests(out / DATASET)


def test_the_graph_has_an_edge_for_each_result_that_a_step_uses(tmp_path):
    run = build(tmp_path)[0].state_details.flow_run_id
    with get_client(sync_client=True) as client:
        parent = FlowRunFilterParentFlowRunId(any_=[run])
        flows = client.read_flow_runs(flow_run_filter=FlowRunFilter(parent_flow_run_id=parent))

        def steps():
            return client.read_task_runs(flow_run_filter=FlowRunFilter(id={"any_": [run]}))

        wait_until(lambda: "commit" in {step.name for step in steps()})
        names = {step.id: step.name for step in steps()}
        names |= {flow.id: names[flow.parent_task_run_id] for flow in flows}
        edges = {
            (names[used.id], step.name) for step in steps() for inputs in step.task_inputs.values() for used in inputs
        }
    assert edges == {
        *(("plan", step) for step in ("generate-0", "deduplicate")),
        *(("generate-0", step) for step in ("deduplicate", "sample", "describe")),
        *(("deduplicate", step) for step in ("sample", "describe")),
        *(("sample", step) for step in ("write-0", "describe")),
        ("write-0", "describe"),
        ("describe", "verify-0"),
        ("verify-0", "commit"),
    }


def test_other_code_makes_every_shard_again(again, monkeypatch):
    monkeypatch.setattr(keys, "code_digest", lambda *_: "other code")
    assert again() == {"Completed": 2}


def test_a_failed_build_continues(again, monkeypatch):
    def fail(recipe, shard, *rest):
        if made:
            raise PlanimeterError("the power is gone")
        made.append(shard)
        return make_shard(recipe, shard, *rest)

    made, make_shard = [], work.make_shard
    monkeypatch.setattr(keys, "code_digest", lambda *_: "code of a build that fails")
    with monkeypatch.context() as broken:
        broken.setattr(work, "make_shard", fail)
        assert again() == {"Completed": 1, "Failed": 1}
    assert again() == {"Cached": 1, "Completed": 1}


def test_a_task_that_refuses_ends_the_run(out, again, monkeypatch):
    def refuse(*_):
        raise PlanimeterError("these quotas could not be filled")

    shutil.rmtree(out / DATASET, ignore_errors=True)
    monkeypatch.setattr(parts, "parts_of", refuse)
    state = build(out)[0]
    assert (state.name, state.message) == ("Refused", "these quotas could not be filled")
    assert not (out / DATASET).exists()
