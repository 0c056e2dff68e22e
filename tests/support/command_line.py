"""Runs the real command line in processes of its own, as a user would, and kills it as a user's machine would."""

import hashlib
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: So that a process imports this checkout, whichever one is installed.
SOURCES = os.pathsep.join(str(ROOT / path) for path in ("src", "distributions/evals/src", "."))

#: Arguments of Python that run the command line.
PROGRAM = ("-m", "planimeter.flows")

#: Few rows, and still more than one shard of each task.
TINY = ("marvl-qa-mini", "--scale", "0.02")

#: Seconds after which a program hangs: far more than any takes on a busy machine.
PATIENCE = 1800

Result = TypeVar("Result")


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return [line for line in self.err.splitlines() if line.strip()]


def environment(home: Path, **more: str) -> dict[str, str]:
    """An environment with a Prefect of its own and nothing of the surrounding one."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return {**kept, "PREFECT_HOME": str(home), "PYTHONPATH": SOURCES, **more}


@contextmanager
def hearing() -> Iterator[None]:
    """Let a process that is started within hear every signal, though this one ignores some (nohup, `&`)."""
    ending = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    ignored = [number for number in ending if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)


def start(*arguments: str, home: Path, **more: str) -> subprocess.Popen[str]:
    given: Any = {"cwd": ROOT, "env": environment(home, **more), "text": True, "start_new_session": True}
    with hearing():
        command = [sys.executable, *PROGRAM, *arguments]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **given)


def wait_until(happened: Callable[[], Result], seconds: float = PATIENCE) -> Result:
    """Return what ``happened`` returns as soon as that is true. Fails where it does not for very long."""
    deadline = time.monotonic() + seconds
    while not (result := happened()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)
    return result


def run(*arguments: str, home: Path, **more: str) -> Ended:
    process = start(*arguments, home=home, **more)
    out, err = process.communicate(timeout=PATIENCE)
    return Ended(process.returncode, out, err)


def child(*command: str, env: dict[str, str]) -> Ended:
    """Run a ``command`` of any program at the root of the project."""
    ended = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=PATIENCE)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def python(code: str, home: Path, *arguments: str, **more: str) -> Ended:
    """Run ``code`` in a Python of its own."""
    return child(sys.executable, "-c", code, *arguments, env=environment(home, **more))


def here(*arguments: str) -> Ended:
    """Run it in this process, where only its words and its exit code matter and it starts no Prefect: a process of its
    own would spend a second and more on imports.
    """
    # Which tests without it need not wait for either.
    from planimeter.flows.commands import cli

    out, err = io.StringIO(), io.StringIO()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    argv = mock.patch.object(sys, "argv", ["planimeter", *arguments])
    try:
        with chdir(ROOT), redirect_stdout(out), redirect_stderr(err), argv, pytest.raises(SystemExit) as ended:
            cli.main()
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return Ended(int(ended.value.code or 0), out.getvalue(), err.getvalue())


def shards_below(folder: Path) -> int:
    return len(list((folder / ".planimeter" / "results").glob("?" * 64)))


def digests(folder: Path) -> dict[str, str]:
    """The promise: the same bytes in data/, croissant.json and manifest.json; we hold the whole folder to it."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
