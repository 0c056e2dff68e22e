"""The flow and the command that draw a sample, as Prefect and a user see them."""

import json
import subprocess
import sys
from pathlib import Path

import command_line
import pytest
import stand_in_hub
from huggingface_hub import HfApi
from sample_folder import said
from test_sample import drawn

from planimeter.export.hub.publish import Target, publish
from planimeter.export.verify.folder import verify

SCRIPT = """
import json, sys
from pathlib import Path
from prefect.events.clients import AssertingEventsClient
from prefect.events.worker import EventsWorker
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service.run import run_flow, server
from planimeter.flows.service.sample import sample_dataset

parent, out = sys.argv[1:]
left = Path(out, "marvl-qa-mini-sample-9", ".1.0.0.staging")
left.mkdir(parents=True)
(left / "README.md").write_text("what a killed command left")
again = []
with server():
    # The embedded server is told nothing of tasks; we are.
    EventsWorker.set_client_override(AssertingEventsClient)
    for more in ({}, {}, {"seed": 1}, {"name": "Sample!"}, {"out": "s3://bucket/x"}):
        try:
            given = {"folder": parent, "rows": 9, "by": ["feature"], "out": out, **more}
            again.append(run_flow(sample_dataset, **given))
        except PlanimeterError as error:
            again.append(str(error))
runs = [event.payload["task_run"] for client in AssertingEventsClient.all for event in client.events
    if event.event == "prefect.task-run.Completed"]
print(json.dumps({"again": again, "left": left.exists(),
    "steps": [[run["name"], sum(map(len, run["task_inputs"].values()))] for run in runs]}))
"""


@pytest.mark.slow
def test_the_flow_draws_once_in_steps_and_replaces_nothing(sample: Path, tmp_path: Path) -> None:
    environment = {**command_line.environment(tmp_path / "home"), "PREFECT_LOGGING_LEVEL": "CRITICAL"}
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(sample), str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    folder = tmp_path / "marvl-qa-mini-sample-9" / "1.0.0"
    assert found["again"][:2] == [str(folder)] * 2
    assert found["again"][2].endswith("is not replaced. Give another --version, --name or --out")
    assert found["again"][3] == "--name: need lower-case words joined by hyphens, such as marvl-qa, got 'Sample!'"
    assert found["again"][4].startswith("--out: a sample needs a folder of this machine, got s3://bucket/x")
    assert found["steps"] == [["read-strata", 0], ["write", 1], ["verify", 1], ["commit", 1]]
    assert not found["left"]
    assert said(verify(folder)) == ""


def test_the_command_draws_tells_and_shows(sample: Path, tmp_path: Path) -> None:
    more = ("--by", "plot_type", "--equal", "--name", "few", "--version", "1.2.0", "--out", str(tmp_path))
    ended = command_line.run("sample", str(sample), "--rows", "12", *more, home=tmp_path / "home")
    assert ended.code == 0, ended.err
    assert f"{tmp_path / 'few' / '1.2.0'}\nreport: " in ended.out
    assert ended.lines == ["counting/contour has only 2 rows: all are taken, and the others make up for it"]
    shown = command_line.here("show", str(tmp_path / "few" / "1.2.0"))
    assert "a sample: 12 of 26 rows of marvl-qa-mini 1.0.0, in equal shares" in shown.out
    ended = command_line.run("sample", str(sample), "--rows", "0", home=tmp_path / "home")
    assert (ended.code, len(ended.lines)) == (1, 1)
    assert "need --rows of 1 or more" in ended.err


def test_a_sample_is_published_like_any_dataset(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = drawn(sample, tmp_path / "s", 12, "plot_type")
    with stand_in_hub.started() as hub:
        stand_in_hub.log_in(tmp_path / "cache", monkeypatch)
        api, target = HfApi(hub.url), Target(repo="tester/few")
        done, again = (publish(folder, target, api=api, sleep=lambda _: None, tell=str) for _ in range(2))
    assert (done.tag, bool(done.steps), again.steps) == ("v2.0.0", True, ())
    assert said(verify(folder)) == ""
