"""The flow and the command that draw a sample, as Prefect and a user see them."""

import json
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import command_line
import pytest
import stand_in_hub
from huggingface_hub import HfApi
from prefect.states import State
from sample_folder import drawn, problems

from planimeter.export.hub.publish import Target, publish
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service import run
from planimeter.flows.service import sample as service

SCRIPT = """
import json, sys
from prefect.events.clients import AssertingEventsClient
from prefect.events.worker import EventsWorker
from planimeter.flows.service.run import run_flow, server
from planimeter.flows.service.sample import sample_dataset

with server():
    # The embedded server gets no events of tasks; this client does.
    EventsWorker.set_client_override(AssertingEventsClient)
    folder = run_flow(sample_dataset, folder=sys.argv[1], rows=9, by=["feature"], out=sys.argv[2])
runs = [event.payload["task_run"] for client in AssertingEventsClient.all for event in client.events
    if event.event == "prefect.task-run.Completed"]
print(json.dumps([folder, [[run["name"], sum(map(len, run["task_inputs"].values()))] for run in runs]]))
"""


@pytest.mark.slow
def test_the_flow_draws_in_steps_of_which_each_waits_for_the_one_before(sample: Path, tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(sample), str(tmp_path)],
        env={**command_line.environment(tmp_path / "home"), "PREFECT_LOGGING_LEVEL": "CRITICAL"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    folder = tmp_path / "marvl-qa-mini-sample-9" / "1.0.0"
    assert json.loads(ended.stdout) == [
        str(folder),
        [["read-strata", 0], ["write", 1], ["verify", 1], ["commit", 1]],
    ]
    assert problems(folder) == ""


@pytest.fixture
def flow(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The flow in this process without Prefect; what it refuses is raised, as Prefect's runs do."""

    def task(**_: Any) -> Callable[..., Any]:
        def step(function: Callable[[], Any]) -> Any:
            returned = function()
            return lambda **_: SimpleNamespace(result=lambda: returned)

        return step

    def plain(flow: Any, **given: Any) -> str:
        ended = flow.fn(**given)
        if isinstance(ended, State):
            raise PlanimeterError(ended.message or "")
        return str(ended)

    monkeypatch.setattr(service, "task", task)
    monkeypatch.setattr(service, "get_run_logger", lambda: logging.getLogger("sample"))
    monkeypatch.setattr(run, "run_flow", plain)
    return lambda **given: plain(service.sample_dataset, **given)


def test_the_flow_draws_once_and_replaces_nothing(flow: Callable[..., str], sample: Path, tmp_path: Path) -> None:
    left = tmp_path / "marvl-qa-mini-sample-9" / ".1.0.0.staging"
    left.mkdir(parents=True)
    (left / "README.md").write_text("what a killed command left")
    given = {"folder": str(sample), "rows": 9, "by": ["feature"], "out": str(tmp_path)}
    folder = tmp_path / "marvl-qa-mini-sample-9" / "1.0.0"
    assert [flow(**given), flow(**given)] == [str(folder)] * 2
    assert not left.exists()
    assert problems(folder) == ""
    for more, message in (
        ({"seed": 1}, r"is not replaced. Give another --version, --name or --out$"),
        ({"name": "Sample!"}, "^--name: need lower-case words joined by hyphens, such as marvl-qa, got 'Sample!'$"),
        ({"out": "s3://bucket/x"}, "^--out: a sample needs a folder of this machine, got s3://bucket/x"),
    ):
        with pytest.raises(PlanimeterError, match=message):
            flow(**{**given, **more})


@pytest.mark.usefixtures("flow")
def test_the_command_draws_reports_and_shows(sample: Path, tmp_path: Path) -> None:
    more = ("--by", "plot_type", "--equal", "--name", "few", "--version", "1.2.0", "--out", str(tmp_path))
    ended = command_line.here("sample", str(sample), "--rows", "12", *more)
    assert ended.code == 0, ended.err
    assert f"{tmp_path / 'few' / '1.2.0'}\nreport: " in ended.out
    assert ended.lines == ["counting/contour has only 2 rows: all are taken, and the others make up for it"]
    shown = command_line.here("show", str(tmp_path / "few" / "1.2.0"))
    assert "a sample: 12 of 26 rows of marvl-qa-mini 1.0.0, in equal shares" in shown.out
    ended = command_line.here("sample", str(sample), "--rows", "0")
    assert (ended.code, len(ended.lines)) == (1, 1)
    assert "need --rows of 1 or more" in ended.err


def test_a_sample_is_published_like_any_dataset(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = drawn(sample, tmp_path / "s", 12, "plot_type")
    with stand_in_hub.started() as hub:
        stand_in_hub.log_in(tmp_path / "cache", monkeypatch)
        api, target = HfApi(hub.url), Target(repo="tester/few")
        done, again = (publish(folder, target, api=api, sleep=lambda _: None, tell=str) for _ in range(2))
    assert (done.tag, bool(done.steps), again.steps) == ("v2.0.0", True, ())
    assert problems(folder) == ""
