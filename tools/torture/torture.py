"""A build under torture: its processes, the moments at which it can be struck, and what a blow cost.

Everything is seen from outside: processes by /proc, progress by the files below the folder of the builds, the shards
that were begun by the trace of ``traced_build.py``.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import command_line

from planimeter.recipes.loading import load

Phase = Literal["start", "generate", "write", "verify", "finish"]

#: What stands in the folder under construction, in the order of its writing.
MILESTONES = ("data", "manifest.json", "croissant.json", "report", "report/index.html")

#: Seconds after which a process of a build that has ended is an orphan; workers look for their parent once a second.
GRACE = 60.0

#: Seconds after which a build hangs.
PATIENCE = 300.0


@dataclass(frozen=True)
class Moment:
    """A point of a build: ``share`` of the phase, by finished shards or files where there are some, else by time."""

    phase: Phase
    share: float


@dataclass(frozen=True)
class Reference:
    """An undisturbed build: its bytes, and its duration where only time shows its progress."""

    digests: Mapping[str, str]
    shards: int
    start: float
    verify: float

    @classmethod
    def of(cls, dataset: Path, home: Path) -> "Reference":
        """Read the times off the files that the build of ``dataset`` left."""
        outputs = dataset.parent.parent
        records = [path.stat().st_mtime for path in (outputs / ".planimeter" / "made").iterdir()]
        began = min(path.stat().st_mtime for path in home.rglob("*"))
        written = (dataset / "README.md").stat().st_mtime
        return cls(
            digests=command_line.digests(dataset),
            shards=len(records),
            start=min(records) - began,
            verify=max(dataset.parent.stat().st_mtime - written, 0.1),
        )


@dataclass(frozen=True)
class Process:
    """A living process of a build."""

    pid: int
    parent: int
    command: str


class Build:
    """One run of the command, with its outputs and all the processes that it starts."""

    def __init__(self, command: tuple[str, ...], outputs: Path, home: Path, folder: Path, **more: str) -> None:
        self.outputs, self.dataset = outputs, outputs / command[1] / load(command[1]).version
        self.began = time.monotonic()
        self._mark = f"PLANIMETER_TRACE={folder / 'trace'}"
        self._stderr = (folder / "stderr").open("w+")
        environment = command_line.environment(home, PLANIMETER_TRACE=str(folder / "trace"), **more)
        with command_line.hearing():
            self._parent = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("traced_build.py")), *command, "--out", str(outputs)],
                cwd=command_line.ROOT,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=self._stderr,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self._parent.pid

    @property
    def code(self) -> int | None:
        """The exit code, or None while it runs."""
        return self._parent.poll()

    @property
    def stderr(self) -> str:
        """What it wrote to stderr."""
        self._stderr.seek(0)
        return self._stderr.read().strip()

    def send(self, how: signal.Signals, *pids: int) -> None:
        """Signal the processes, those of them that still live."""
        for pid in pids or (self.pid,):
            try:
                os.kill(pid, how)
            except ProcessLookupError:
                continue

    def processes(self) -> list[Process]:
        """All living processes that carry the mark of this build, whatever their parent is by now."""
        return [process for process in map(self._process, Path("/proc").glob("[0-9]*")) if process]

    def workers(self) -> list[int]:
        """Its workers, forked or spawned: the other process that it starts is a helper of theirs."""
        return [p.pid for p in self.processes() if p.parent == self.pid and "resource_tracker" not in p.command]

    def wait(self, seconds: float = PATIENCE) -> int:
        """Wait for the end and return the exit code. Raises ``subprocess.TimeoutExpired`` if it hangs."""
        return self._parent.wait(seconds)

    def orphans(self) -> list[str]:
        """Wait until nothing of an ended build is left, and return the commands of what is left after all."""
        deadline = time.monotonic() + GRACE
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return [process.command for process in left]

    def until(self, moment: Moment, reference: Reference) -> bool:
        """Wait for ``moment`` and return True; False if the build ended before."""
        reached = self._sign_of(moment, reference)
        deadline = time.monotonic() + PATIENCE
        while not reached():
            if self.code is not None:
                return False
            if time.monotonic() > deadline:
                raise TimeoutError(f"{moment} was not reached: {where(self.outputs)}")
            time.sleep(0.005)
        return self.code is None

    def end(self) -> None:
        """Leave nothing behind, whatever went wrong."""
        self.send(signal.SIGKILL, *(process.pid for process in self.processes()))
        self._parent.wait()
        self._stderr.close()

    def _sign_of(self, moment: Moment, reference: Reference) -> Callable[[], bool]:
        staging = self.dataset.with_name(f".{self.dataset.name}.staging")
        if moment.phase == "start":
            return lambda: time.monotonic() > self.began + moment.share * reference.start
        if moment.phase == "generate":
            wanted = min(1 + int(moment.share * reference.shards), reference.shards)
            return lambda: command_line.shards_below(self.outputs) >= wanted and bool(self.workers())
        if moment.phase == "write":
            sign = staging / MILESTONES[int(moment.share * len(MILESTONES))]
            return sign.exists
        if moment.phase == "verify":
            last = staging / "README.md"
            return lambda: last.exists() and time.time() > last.stat().st_mtime + moment.share * reference.verify
        return self.dataset.exists

    def _process(self, folder: Path) -> Process | None:
        try:
            if self._mark.encode() not in (folder / "environ").read_bytes().split(b"\0"):
                return None
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            return None
        return None if state in "ZX" else Process(int(folder.name), int(parent), command)


def where(outputs: Path) -> str:
    """Return the phase of the one build below ``outputs``, by its files."""
    signs = (
        ("*/[0-9]*", "finish"),
        ("*/.*.staging/README.md", "verify"),
        ("*/.*.staging", "write"),
        (".planimeter/shards/*/*.json", "generate"),
    )
    return next((phase for sign, phase in signs if any(outputs.glob(sign))), "start")


def shards_kept(outputs: Path) -> dict[str, set[Path]]:
    """The finished and whole shards below ``outputs`` by name, with the files in which each is kept."""
    store = outputs / ".planimeter"
    kept: dict[str, set[Path]] = {}
    for path in store.glob("made/*"):
        try:
            digest, _, content = path.read_bytes().partition(b"\n")
            if hashlib.sha256(content).hexdigest().encode() != digest:
                continue
            record = json.loads(content)
            files = [record["rejects_path"], *(table["path"] for table in record["tables"])]
        except (OSError, ValueError, KeyError, TypeError):
            # Gone since, or half written: nothing that can be gone on with.
            continue
        if all(is_whole(store / file) for file in files):
            kept.setdefault(record["shard"], set()).update({path, *(store / file for file in files)})
    return kept


def is_whole(path: Path) -> bool:
    """Whether a file that is named by its content has that content."""
    return path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == path.stem


def leftovers(outputs: Path, home: Path) -> list[str]:
    """Files of a moment that are still there: temporary ones, half-written ones, folders under construction."""
    return sorted(
        str(path)
        for folder in (outputs, home)
        for path in folder.rglob("*")
        if ".tmp" in path.name
        or path.name.endswith((".staging", ".partial", ".writable"))
        or path.parent.name == "parts"
    )


@dataclass(frozen=True)
class Blow:
    """What stood after a disturbance, which ``began`` before: when that was, which shards were kept and whole, and
    whether it may cost any.
    """

    began: float
    when: float
    kept: frozenset[str]
    costs: bool


@dataclass(frozen=True)
class Begun:
    """A worker has begun a shard."""

    when: float
    shard: str


def read_trace(path: Path) -> list[Begun]:
    """All shards that were begun, in the order of time."""
    lines = [line.split(" ", 2) for line in path.read_text().splitlines()] if path.exists() else []
    return sorted((Begun(float(when), shard) for what, when, shard in lines if what == "begin"), key=lambda b: b.when)


def made_again(trace: list[Begun], blows: list[Blow]) -> list[list[str]]:
    """Return for each of ``blows`` the shards that were begun again because of it: the first that may have cost them.

    Raises ``AssertionError`` if a shard was begun again though each blow since had left it whole.
    """
    lost: list[list[str]] = [[] for _ in blows]
    last: dict[str, float] = {}
    for begun in trace:
        if begun.shard in last:
            guilty = [
                i
                for i, blow in enumerate(blows)
                if last[begun.shard] < blow.when
                and blow.began <= begun.when
                # What was begun again before the look may be whole again by then.
                and (begun.when <= blow.when or begun.shard not in blow.kept)
            ]
            assert guilty, f"{begun.shard} was made again for no reason: {history(begun.shard, trace, blows)}"
            # A shard may be in hand at a harmless blow and still at the next, which kills.
            lost[next((i for i in guilty if blows[i].costs), guilty[0])].append(begun.shard)
        last[begun.shard] = begun.when
    return lost


def history(shard: str, trace: list[Begun], blows: list[Blow]) -> str:
    """Describe when ``shard`` was begun, and what each blow left of it."""
    events = [(begun.when, "begun") for begun in trace if begun.shard == shard]
    for number, blow in enumerate(blows):
        events.append((blow.began, f"blow {number}"))
        events.append((blow.when, f"seen {'whole' if shard in blow.kept else 'not whole'}"))
    return ", ".join(f"{when:.3f} {what}" for when, what in sorted(events))
