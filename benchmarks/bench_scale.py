"""What a build costs as it grows: time, memory of each process, and what Prefect adds. Real builds, one after another.

    python -m benchmarks.bench_scale [DATASET SCALE... [--workers N] [--no-single] [--against COMMAND] [--out DIR]]

Each build is a separate command, in an empty folder below DIR (a temporary one by default), which is removed. The
last scale is built with one worker too, unless --no-single is given. Peaks are the kernel's (VmHWM), CPU is that of
each process until it ends, both read from /proc ten times a second. Prefect's part: what the parent uses until the
writing begins (imports, the embedded server, planning, one task a shard). Linux only.

With --against, each scale is built by another commit's `planimeter` too, whose path COMMAND is (`git worktree add`,
`make` there): a small build of each comes first, so that compiled kernels are there.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from planimeter.export.parquet import sha256_of

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


@dataclass
class Measured:
    scale: float
    workers: int
    rows: int = 0
    seconds: float = 0.0
    #: CPU seconds of the parent before the writing begins.
    orchestration: float = 0.0
    processes: dict[int, Usage] = field(default_factory=dict)
    #: CPU seconds of all workers by step, as the build reports them; digests of the files in data/ by name.
    steps: dict[str, float] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def cpu(self, role: str) -> float:
        return sum(usage.cpu for usage in self.processes.values() if usage.role == role)

    def peak(self, role: str) -> float:
        return max((usage.peak for usage in self.processes.values() if usage.role == role), default=0.0)

    @property
    def total(self) -> float:
        return sum(usage.cpu for usage in self.processes.values())

    @property
    def line(self) -> str:
        peaks = " ".join(f"{self.peak(role):7.0f}" for role in ("parent", "worker"))
        cpus = " ".join(f"{self.cpu(role):8.1f}" for role in ("parent", "worker"))
        return (
            f"{self.scale:7g} {self.workers:7} {self.rows:9,} {self.seconds:8.1f} {self.rows / self.seconds:8.1f} "
            f"{peaks} {cpus} {self.orchestration:8.1f} {self.orchestration / self.total:7.1%}"
        )


HEADING = (
    f"{'':7} {'':7} {'':9} {'':8} {'':8} {'peak MiB':>15} {'CPU seconds':>17} {'Prefect':>8} {'of all':>7}\n"
    f"{'scale':>7} {'workers':>7} {'rows':>9} {'seconds':>8} {'rows/s':>8} {'parent':>7} {'worker':>7} "
    f"{'parent':>8} {'workers':>8} {'CPU s':>8} {'CPU':>7}"
)


def watch(command: Sequence[str], folder: Path, seen: dict[int, Usage], each: Callable[[], object] = int) -> list[str]:
    """Return what ``command`` prints while it runs in ``folder``, with a home of Prefect there; note its processes in
    ``seen``, and call ``each`` again and again. Raises ``SystemExit`` with its output if it fails.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    with (folder / "log").open("w+") as log:
        env = {**kept, "PREFECT_HOME": str(folder / "home")}
        parent = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=log)
        while parent.poll() is None:
            sample(parent.pid, seen)
            each()
            time.sleep(SAMPLE)
        log.seek(0)
        lines = log.read().splitlines()
    if parent.returncode:
        sys.exit("\n".join([f"{' '.join(command)} failed:", *lines]))
    return lines


def build(dataset: str, scale: float, workers: int, folder: Path, planimeter: tuple[str, ...] = OURS) -> Measured:
    """Build into ``folder`` by ``planimeter`` and watch."""
    command = ["build", dataset, "--scale", f"{scale}", "--workers", f"{workers}", "--out", str(folder / "out")]
    measured, started = Measured(scale, workers), time.monotonic()

    def note() -> None:
        if not any((folder / "out").glob(".planimeter/parts/*")):
            measured.orchestration = measured.cpu("parent")

    lines = watch([*planimeter, *command], folder, measured.processes, note)
    measured.seconds = time.monotonic() - started
    timings = (line.split() for line in lines if line.endswith(" CPU s"))
    measured.steps = {step: float(seconds) for step, seconds, *_ in timings}
    for manifest in (folder / "out").glob("[!.]*/*/manifest.json"):
        measured.rows = sum(sum(splits.values()) for splits in json.loads(manifest.read_text())["configs"].values())
        for path in sorted(manifest.parent.glob("data/*/*.parquet")):
            measured.files[path.relative_to(manifest.parent).as_posix()] = sha256_of(path)
    return measured


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
        role = "parent" if pid == parent else "worker" if "spawn_main" in command else "other"
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


def built(dataset: str, scale: float, workers: int, out: Path | None, planimeter: tuple[str, ...] = OURS) -> Measured:
    """Build below ``out``, a temporary folder by default, and remove what was built."""
    with tempfile.TemporaryDirectory(prefix="bench-scale-", dir=out) as folder:
        return build(dataset, scale, workers, Path(folder), planimeter)


def main(
    dataset: Annotated[str, typer.Argument()] = "marvl-qa-mini",
    scales: Annotated[list[float], typer.Argument()] = [0.02, 0.1],  # noqa: B006
    workers: int = 2,
    out: Annotated[Path | None, typer.Option(help="folder to build below; a temporary one by default")] = None,
    single: Annotated[bool, typer.Option(help="build the last scale with one worker too")] = True,
    against: Annotated[str | None, typer.Option(help="the `planimeter` of another commit's environment")] = None,
) -> None:
    scales = sorted(scales)
    if out:
        out.mkdir(parents=True, exist_ok=True)
    print(f"{dataset}, {os.cpu_count()} cores\n{HEADING}")
    done: list[Measured] = []
    if against:
        for planimeter in (OURS, (against,)):
            built(dataset, WARM, workers, out, planimeter)
    for number, (scale, hands) in enumerate([*((scale, workers) for scale in scales), *[(scales[-1], 1)] * single]):
        done.append(built(dataset, scale, hands, out))
        print(done[-1].line, flush=True)
        if against and number < len(scales):
            other = built(dataset, scale, workers, out, (against,))
            print(f"{other.line}  {against}\n{compared(done[-1], other)}", flush=True)
    first, last = done[0], done[len(scales) - 1]
    print("CPU ms a row: " + ", ".join(f"{step} {1e3 * cpu / last.rows:.2f}" for step, cpu in last.steps.items()))
    for alone in done[len(scales) :]:
        print(f"{workers} workers against one: {alone.seconds / last.seconds:.2f}x")
    if first is not last:
        share = (last.orchestration - first.orchestration) / max(last.total - first.total, 1e-9)
        print(f"{last.rows / first.rows:.1f} times the rows: {last.seconds / first.seconds:.1f} times the time")
        for role in ("parent", "worker"):
            print(f"peak of the {role}: {last.peak(role) - first.peak(role):+.0f} MiB")
        print(f"Prefect's part of what the further rows cost: {share:.1%} of the CPU time")


if __name__ == "__main__":
    typer.run(main)
