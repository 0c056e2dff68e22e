"""Whatever ends a build, and whenever, the same command leads to the same bytes, and none of its processes is left.

PLANIMETER_KILLS is the number of kills, PLANIMETER_SEED another sequence of them.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import command_line
import numpy as np
import pytest
from command_line import TINY, digests, wait_until

from planimeter.flows.commands.cli import STOPPED
from planimeter.suites.loading import load

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes and their environment are read from /proc"),
]

KILLS = int(os.environ.get("PLANIMETER_KILLS", "6"))
SEED = int(os.environ.get("PLANIMETER_SEED", "6"))

DATASET = Path(TINY[0]) / load(TINY[0]).version

#: Seconds that processes of a build may outlive it on a busy machine, and within which a build is struck at its start.
GRACE, START = 60.0, 8.0

#: Finished shards or files, in addition to those that there were, after which a build is struck at most.
FURTHER = 6

#: Who is struck: words of its command line, and which of those that have them, by age. Workers have the command line of
#: the process from which they are forked.
WHOM = {
    "worker": ("multiprocessing.forkserver", -1),
    "fork server": ("multiprocessing.forkserver", 0),
    "server": ("planimeter.flows.service.server", 0),
}

#: Strikes, in turns. SIGINT goes to the whole group, as Ctrl-C in a terminal does.
STRIKES = (
    ("build", signal.SIGKILL),
    ("worker", signal.SIGKILL),
    ("group", signal.SIGINT),
    ("server", signal.SIGKILL),
    ("build", signal.SIGTERM),
    ("fork server", signal.SIGKILL),
)


def processes(home: Path) -> dict[int, str]:
    """The command lines of all processes whose Prefect is that of ``home``."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment, command = (process / "environ").read_bytes(), (process / "cmdline").read_bytes()
        except OSError:
            continue
        if f"PREFECT_HOME={home}\0".encode() in environment and command:
            found[int(process.name)] = command.replace(b"\0", b" ").decode()
    return found


def notes(out: Path) -> int:
    """How many shards and files are finished."""
    return sum(path.parent.name == "results" for path in out.glob(".planimeter/**/*"))


def strike(build: subprocess.Popen[str], whom: str, how: signal.Signals, home: Path) -> None:
    """Strike; one of its processes as soon as there is one, unless the build ends before."""
    if whom == "group":
        os.killpg(build.pid, how)
    elif whom == "build":
        build.send_signal(how)
    else:
        words, which = WHOM[whom]
        there: list[int] = []
        while build.poll() is None and not there:
            there = sorted(pid for pid, line in processes(home).items() if words in line)
        with suppress(ProcessLookupError):
            if there:
                os.kill(there[which], how)


def struck(whom: str, how: signal.Signals, out: Path, home: Path, rng: np.random.Generator) -> command_line.Ended:
    """The end of a build that is struck at some moment, which it may survive."""
    process = command_line.start("build", *TINY, "--workers", "2", "--out", str(out), home=home)
    further, seconds, before = int(rng.integers(FURTHER)), float(rng.uniform(0, START)), notes(out)
    if further:
        wait_until(lambda: process.poll() is not None or notes(out) >= before + further)
    else:
        time.sleep(seconds)
    if process.poll() is None:
        strike(process, whom, how, home)
    printed, said = process.communicate(timeout=command_line.PATIENCE)
    return command_line.Ended(process.returncode, printed, said)


def test_a_build_cannot_be_killed(dataset: Path, tmp_path: Path) -> None:
    rng, home, wanted = np.random.default_rng(SEED), tmp_path / "home", digests(dataset)
    out = tmp_path / "out-0"
    for number in range(KILLS):
        whom, how = STRIKES[number % len(STRIKES)]
        ended = struck(whom, how, out, home, rng)
        what = f"kill {number} (seed {SEED}): {how.name} to the {whom}, code {ended.code}: {ended.err[-2000:]}"
        assert "Traceback" not in ended.err, what
        assert ended.code not in (130, 143) or ended.lines[-1] == f"planimeter: {STOPPED}", what
        wait_until(lambda: not processes(home), GRACE)
        if (out / DATASET).exists():
            assert digests(out / DATASET) == wanted, what
            out = tmp_path / f"out-{number + 1}"
        else:
            assert ended.code != 0, what
    ended = command_line.run("build", *TINY, "--workers", "2", "--out", str(out), home=home)
    assert ended.code == 0, ended.err
    assert digests(out / DATASET) == wanted
    assert not [*out.rglob(".tmp-*"), *out.rglob("*.staging")], "half-written files are left"
