"""What the command costs as a build grows: time, and CPU and memory of each process.

    python -m benchmarks.bench_scale [DATASET SCALE... [--workers N] [--against COMMAND] [--out DIR]]

Each build is a separate command, in an empty folder below DIR (a temporary one by default), which is removed. Peaks are
the kernel's (VmHWM), CPU is that of each process until it ends, both read from /proc ten times a second. Linux only.

With --against, each scale is built by another commit's `planimeter` too, whose path COMMAND is (`git worktree add`,
`make` there): a small build of each comes first, so that compiled kernels are there.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from planimeter.export.manifest import Manifest

TICKS = os.sysconf("SC_CLK_TCK")
SAMPLE = 0.1

#: This commit's command; the build that comes before the others.
OURS = (sys.executable, "-m", "planimeter.flows")
WARM = 0.01


@dataclass
class Usage:
    """Of one process, as it was last seen: CPU seconds, and peak resident memory in MiB."""

    role: str
    cpu: float = 0.0
    peak: float = 0.0


class Measured(NamedTuple):
    """A build; digests of its data files by name."""

    scale: float
    rows: int
    seconds: float
    processes: dict[int, Usage]
    files: dict[str, str]

    def cpu(self, role: str) -> float:
        return sum(usage.cpu for usage in self.processes.values() if usage.role == role)

    def peak(self, role: str) -> float:
        return max((usage.peak for usage in self.processes.values() if usage.role == role), default=0.0)

    @property
    def total(self) -> float:
        return sum(usage.cpu for usage in self.processes.values())

    @property
    def line(self) -> str:
        each = [f"{self.cpu(role):12.1f} {self.peak(role):7.0f}" for role in ("parent", "worker")]
        return f"{self.scale:7g} {self.rows:9,} {self.seconds:8.1f} {' '.join(each)}"


HEADING = f"{'scale':>7} {'rows':>9} {'seconds':>8} {'parent CPU s':>12} {'MiB':>7} {'worker CPU s':>12} {'MiB':>7}"


def watch(command: Sequence[str], folder: Path) -> dict[int, Usage]:
    """Run ``command`` in ``folder``, with a home of Prefect there, and return what its processes used.

    Raises ``SystemExit`` with its output if it fails.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    seen: dict[int, Usage] = {}
    with (folder / "log").open("w+") as log:
        env = {**kept, "PREFECT_HOME": str(folder / "home")}
        parent = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=log)
        while parent.poll() is None:
            sample(parent.pid, seen)
            time.sleep(SAMPLE)
        log.seek(0)
        if parent.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{log.read()}")
    return seen


def built(dataset: str, scale: float, workers: int, out: Path | None, planimeter: tuple[str, ...] = OURS) -> Measured:
    """Build below ``out``, a temporary folder by default, by ``planimeter``, and remove what was built."""
    with tempfile.TemporaryDirectory(prefix="bench-scale-", dir=out) as name:
        folder, started = Path(name), time.monotonic()
        command = ["build", dataset, "--scale", f"{scale}", "--workers", f"{workers}", "--out", str(folder / "out")]
        processes = watch([*planimeter, *command], folder)
        seconds = time.monotonic() - started
        (manifest,) = (Manifest.read(path.parent) for path in (folder / "out").glob("[!.]*/*/manifest.json"))
        rows, files = sum(one.rows for one in manifest.files), {one.path: one.sha256 for one in manifest.files}
        return Measured(scale, rows, seconds, processes, files)


def sample(parent: int, seen: dict[int, Usage]) -> None:
    """Note the CPU time and peak memory so far of ``parent`` and all that descends from it."""
    children: dict[int, list[int]] = defaultdict(list)
    cpu: dict[int, float] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(stat.parent.name)
        children[int(fields[1])].append(pid)
        cpu[pid] = (int(fields[11]) + int(fields[12])) / TICKS
    waiting = [parent]
    while waiting:
        pid = waiting.pop()
        waiting += children[pid]
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        if not command:
            # Dead, and not yet waited for.
            continue
        # A worker is spawned, or forked with the command line of its parent.
        role = "parent" if pid == parent else "other" if "resource_tracker" in command else "worker"
        usage = seen.setdefault(pid, Usage(role))
        # A new process carries its parent's command line until it runs its own.
        usage.role = role
        usage.cpu = max(usage.cpu, cpu.get(pid, 0.0))
        if "VmHWM:" in status:
            usage.peak = max(usage.peak, int(status.split("VmHWM:")[1].split()[0]) / 1024)


def compared(ours: Measured, other: Measured) -> str:
    """Return how many times the CPU and the time the ``other`` commit takes, and how many files have equal bytes."""
    shared = ours.files.keys() & other.files.keys()
    equal = sum(ours.files[name] == other.files[name] for name in shared)
    return (
        f"{other.total / ours.total:.2f} times the CPU, {other.seconds / ours.seconds:.2f} times the time; "
        f"{equal} of {len(ours.files)} files in data/ have equal bytes"
    )


def main(
    dataset: Annotated[str, typer.Argument()] = "marvl-qa-mini",
    scales: Annotated[list[float], typer.Argument()] = [0.02, 0.1],
    workers: int = 2,
    out: Path | None = None,
    against: Annotated[str | None, typer.Option(help="the `planimeter` of another commit's environment")] = None,
) -> None:
    if out:
        out.mkdir(parents=True, exist_ok=True)
    print(f"{dataset}, {os.cpu_count()} cores, {workers} workers\n{HEADING}")
    if against:
        for planimeter in (OURS, (against,)):
            built(dataset, WARM, workers, out, planimeter)
    for scale in sorted(scales):
        ours = built(dataset, scale, workers, out)
        print(ours.line, flush=True)
        if against:
            other = built(dataset, scale, workers, out, (against,))
            print(f"{other.line}  {against}\n{compared(ours, other)}", flush=True)


if __name__ == "__main__":
    typer.run(main)
