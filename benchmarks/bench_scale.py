"""What a build costs as it grows: time, memory of each process, and what Prefect adds. Real builds, one after another.

    python -m benchmarks.bench_scale [DATASET SCALE... [--workers N] [--no-single] [--out DIR]]

Each build is a command of its own, in an empty folder below DIR (a temporary one by default), which is removed. The
last scale is built with one worker too, unless --no-single is given. Peaks are the kernel's (VmHWM), CPU is that of
each process until it ends, both read from /proc ten times a second. Prefect's part: what the parent uses until the
writing begins (imports, the embedded server, planning, one task a shard). Linux only.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TICKS = os.sysconf("SC_CLK_TCK")
SAMPLE = 0.1


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

    def cpu(self, role: str) -> float:
        return sum(usage.cpu for usage in self.processes.values() if usage.role == role)

    def peak(self, role: str) -> float:
        return max((usage.peak for usage in self.processes.values() if usage.role == role), default=0.0)

    @property
    def total(self) -> float:
        return sum(usage.cpu for usage in self.processes.values())

    @property
    def prefect(self) -> float:
        return self.orchestration

    @property
    def line(self) -> str:
        peaks = " ".join(f"{self.peak(role):7.0f}" for role in ("parent", "worker"))
        cpus = " ".join(f"{self.cpu(role):8.1f}" for role in ("parent", "worker"))
        return (
            f"{self.scale:7g} {self.workers:7} {self.rows:9,} {self.seconds:8.1f} {self.rows / self.seconds:8.1f} "
            f"{peaks} {cpus} {self.prefect:8.1f} {self.prefect / self.total:7.1%}"
        )


HEADING = (
    f"{'':7} {'':7} {'':9} {'':8} {'':8} {'peak MiB':>15} {'CPU seconds':>17} {'Prefect':>8} {'of all':>7}\n"
    f"{'scale':>7} {'workers':>7} {'rows':>9} {'seconds':>8} {'rows/s':>8} {'parent':>7} {'worker':>7} "
    f"{'parent':>8} {'workers':>8} {'CPU s':>8} {'CPU':>7}"
)


def build(dataset: str, scale: float, workers: int, folder: Path) -> Measured:
    """Build into ``folder`` and watch. Raises ``SystemExit`` with what the build said if it fails."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    command = ["build", dataset, "--scale", f"{scale}", "--workers", f"{workers}", "--out", str(folder / "out")]
    measured = Measured(scale, workers)
    started = time.monotonic()
    with (folder / "said").open("w+") as said:
        parent = subprocess.Popen(
            [sys.executable, "-m", "planimeter.flows", *command],
            cwd=ROOT,
            env={**kept, "PREFECT_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        writing = False
        while parent.poll() is None:
            sample(parent.pid, measured.processes)
            if not writing:
                writing = any((folder / "out").glob(".planimeter/parts/*"))
                measured.orchestration = measured.cpu("parent")
            time.sleep(SAMPLE)
        measured.seconds = time.monotonic() - started
        if parent.returncode:
            said.seek(0)
            sys.exit(f"{' '.join(command)} failed: {said.read()}")
    for manifest in (folder / "out").glob("[!.]*/*/manifest.json"):
        measured.rows = sum(sum(splits.values()) for splits in json.loads(manifest.read_text())["configs"].values())
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("dataset", nargs="?", default="marvl-qa-mini")
    parser.add_argument("scales", nargs="*", type=float, default=[0.02, 0.1])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=None, help="folder to build below; a temporary one by default")
    parser.add_argument("--no-single", action="store_true", help="leave out the build with one worker")
    given = parser.parse_args()
    scales = sorted(given.scales)
    print(f"{given.dataset}, {os.cpu_count()} cores\n{HEADING}")
    done: list[Measured] = []
    single = [] if given.no_single else [(scales[-1], 1)]
    for scale, workers in [*((scale, given.workers) for scale in scales), *single]:
        folder = Path(tempfile.mkdtemp(prefix="bench-scale-", dir=given.out))
        try:
            done.append(build(given.dataset, scale, workers, folder))
        finally:
            shutil.rmtree(folder)
        print(done[-1].line, flush=True)
    first, last = done[0], done[len(scales) - 1]
    for alone in done[len(scales) :]:
        print(f"{given.workers} workers against one: {alone.seconds / last.seconds:.2f}x")
    if first is not last:
        share = (last.prefect - first.prefect) / max(last.total - first.total, 1e-9)
        print(f"{last.rows / first.rows:.1f} times the rows: {last.seconds / first.seconds:.1f} times the time")
        for role in ("parent", "worker"):
            print(f"peak of the {role}: {last.peak(role) - first.peak(role):+.0f} MiB")
        print(f"Prefect's part of what the further rows cost: {share:.1%} of the CPU time")


if __name__ == "__main__":
    main()
