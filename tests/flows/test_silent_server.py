"""A server that has no time for a task: the build ends in one line, and not in Prefect's traceback."""

import subprocess
import sys
from pathlib import Path

import command_line

SCRIPT = """
from prefect import flow, task
from prefect.concurrency.asyncio import ConcurrencySlotAcquisitionError
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service.run import run_flow

@task
def refused():
    raise ConcurrencySlotAcquisitionError("Unable to acquire concurrency slots: 503 Service Unavailable")

@flow
def build():
    refused()

try:
    run_flow(build)
except PlanimeterError as error:
    print(error)
"""


def test_a_server_that_refuses_a_task_for_want_of_time_is_told_in_one_line(tmp_path: Path) -> None:
    environment = {**command_line.environment(tmp_path / "home"), "PREFECT_LOGGING_LEVEL": "CRITICAL"}
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == (
        "the Prefect server stopped answering (Unable to acquire concurrency slots: 503 Service Unavailable); what is "
        "finished is kept, run the same command again\n"
    )
