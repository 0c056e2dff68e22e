"""What can happen to a build: kills, stops, a full disk, damaged files, a clock that jumps.

Each disturbance strikes a running build. ``ends`` says whether the build is expected to end by it (True), to go on
(False), or may do either (None); whatever it does, the same command must then lead to the same bytes.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from torture import GRACE, Build, shards_kept

DISK = "1g"


@dataclass
class Scene:
    """Where it happens. ``damaged`` gathers the names of the shards whose files a disturbance has spoilt."""

    build: Build
    rng: np.random.Generator
    disk: Path
    clock: Path
    stopped: float
    damaged: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Disturbance:
    name: str
    strike: Callable[[Scene], None]
    ends: bool | None
    #: The message of the program if it ends; empty where no process is left to print one.
    says: str = ""
    #: Shards that it may cost, beyond those it has spoilt: one a worker.
    costs_shards: bool = True
    #: Shards are begun and fail until the build has noticed; how many, depends on how soon.
    dooms: bool = False
    available: bool = True
    #: Strikes what is there only while shards are made.
    needs_workers: bool = False


STOPPED = r"planimeter: stopped; what is finished is kept, and the same command goes on from there"


def kill(*whom: str) -> Callable[[Scene], None]:
    def strike(scene: Scene) -> None:
        targets = {
            "parent": lambda: [scene.build.pid],
            "a worker": lambda: scene.build.workers()[:1],
            "workers": scene.build.workers,
        }
        # All are looked up before the first falls: workers end with their parent.
        there = set(scene.build.workers())
        scene.build.send(signal.SIGKILL, *([pid for name in whom for pid in targets[name]()] or [0x7FFFFFFF]))
        # Until the parent has noticed, a worker that was spared may begin another shard, which ends with it.
        deadline = time.monotonic() + GRACE
        while whom != ("parent",) and there & set(scene.build.workers()) and time.monotonic() < deadline:
            time.sleep(0.005)

    return strike


def send(how: signal.Signals, *, group: bool) -> Callable[[Scene], None]:
    def strike(scene: Scene) -> None:
        if group:
            os.killpg(scene.build.pid, how)
        else:
            scene.build.send(how)

    return strike


def stop(*, group: bool) -> Callable[[Scene], None]:
    def strike(scene: Scene) -> None:
        send(signal.SIGSTOP, group=group)(scene)
        time.sleep(scene.stopped)
        send(signal.SIGCONT, group=group)(scene)

    return strike


def fill_disk(scene: Scene) -> None:
    """Leave a few hundred KB at the most, until the build has noticed, or has ended without."""
    left = int(scene.rng.integers(0, 64)) * 4096
    # Refused where the build has written more since its size was read.
    for _ in range(100):
        if resize(scene.disk, str(shutil.disk_usage(scene.disk).used + left)):
            break
    try:
        scene.build.wait()
    finally:
        if not resize(scene.disk, DISK):
            raise OSError(f"{scene.disk} cannot be given its size again")


def damage(spoil: Callable[[Path], None], *, record: bool, killed: bool) -> Callable[[Scene], None]:
    """Spoil a file of a finished shard, under the running build or after it was killed."""

    def strike(scene: Scene) -> None:
        if killed:
            kill("parent")(scene)
            scene.build.wait()
        kept = shards_kept(scene.build.outputs)
        files = sorted({path for paths in kept.values() for path in paths if (path.suffix != ".arrow") == record})
        if files:
            victim = files[int(scene.rng.integers(len(files)))]
            spoil(victim)
            scene.damaged |= {name for name, paths in kept.items() if victim in paths}

    return strike


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def flip(path: Path) -> None:
    """Turn one bit in the middle, in place: the size and the number of the file stay."""
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 1]))


def touch(scene: Scene) -> None:
    """Give each cached file a time of long ago or of the next century."""
    store = scene.build.outputs / ".planimeter"
    for path in sorted(store.rglob("*")):
        when = float(scene.rng.choice([0.0, time.time() + 3e9]))
        if path.is_file() and path.exists():
            os.utime(path, (when, when))


def jump(scene: Scene) -> None:
    """Set the clock of all processes of the build back or forward by up to three weeks."""
    seconds = int(scene.rng.integers(-20, 20)) * 86_400 + 43_200
    # In place: the processes have the file mapped.
    with scene.clock.open("r+b") as file:
        file.write(seconds.to_bytes(8, sys.byteorder, signed=True))


def clock(path: Path) -> dict[str, str]:
    """Make a clock that is right, and return the environment for programs to see it: ``path`` holds the seconds by
    which it is wrong. Empty where there is no C compiler.
    """
    path.write_bytes(bytes(8))
    library = path.with_suffix(".so")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return {}
    source = Path(__file__).with_name("wall_clock.c")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return {"LD_PRELOAD": str(library), "PLANIMETER_CLOCK": str(path)}


def mount(folder: Path) -> bool:
    """Make ``folder`` a separate disk whose size can be changed; False where that is not allowed."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
    return shutil.which("mount") is not None and subprocess.run(command, capture_output=True).returncode == 0


def resize(disk: Path, size: str) -> bool:
    """Return whether the ``disk`` has ``size`` bytes now; less than what lies on it is refused."""
    command = ["mount", "-o", f"remount,size={size}", str(disk)]
    return subprocess.run(command, capture_output=True).returncode == 0


def is_one_message(output: str, wanted: str) -> bool:
    """Whether ``output`` ends with the one line that ``wanted`` describes; a table of timings may stand before it."""
    ours = [line.startswith("planimeter: ") for line in output.splitlines()]
    only_last = ours[-1:] == [True] and sum(ours) == 1
    return "Traceback" not in output and only_last and re.search(wanted, output) is not None


def all_of(*, disk: bool, compiler: bool) -> list[Disturbance]:
    """Every disturbance that this machine allows, the issue's own first."""
    spoiling = [
        ("a truncated shard", truncate, False),
        ("a flipped bit in a shard", flip, False),
        ("a deleted shard", Path.unlink, False),
        ("a truncated record", truncate, True),
        ("a flipped bit in a record", flip, True),
        ("a deleted record", Path.unlink, True),
    ]
    every = [
        Disturbance("SIGKILL parent", kill("parent"), True),
        Disturbance("SIGKILL a worker", kill("a worker"), False, needs_workers=True),
        Disturbance("SIGKILL parent and workers", kill("parent", "workers"), True),
        Disturbance("SIGTERM parent", send(signal.SIGTERM, group=False), True, STOPPED),
        Disturbance("SIGSTOP, SIGCONT parent", stop(group=False), False, costs_shards=False),
        Disturbance("SIGSTOP, SIGCONT all", stop(group=True), False, costs_shards=False),
        Disturbance(
            "full disk",
            fill_disk,
            None,
            "[Nn]o space left|full|free some space|did not start|stopped answering",
            dooms=True,
            available=disk,
        ),
        *(
            Disturbance(f"{name}, killed", damage(spoil, record=record, killed=True), True)
            for name, spoil, record in spoiling
        ),
        *(
            # Shards that are just being made may share the file that is spoilt: an empty list of rejects.
            Disturbance(f"{name}, running", damage(spoil, record=record, killed=False), None, "damaged")
            for name, spoil, record in spoiling
        ),
        Disturbance("clock jumps", jump, False, costs_shards=False, available=compiler),
        Disturbance("file times", touch, False, costs_shards=False),
        Disturbance("SIGTERM all", send(signal.SIGTERM, group=True), True, STOPPED),
        Disturbance("SIGINT all", send(signal.SIGINT, group=True), True, STOPPED),
        Disturbance("SIGHUP all", send(signal.SIGHUP, group=True), True),
        Disturbance("SIGKILL all workers", kill("workers"), False, needs_workers=True),
    ]
    return [disturbance for disturbance in every if disturbance.available]
