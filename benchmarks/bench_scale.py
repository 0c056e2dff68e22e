"""What a build costs as it grows: time, memory of each process, and what Prefect adds. Real builds, one after another.

    python -m benchmarks.bench_scale [DATASET SCALE... [--workers N] [--no-single] [--against COMMAND] [--out DIR]]

Each build is a separate command, in an empty folder below DIR (a temporary one by default), which is removed. The
last scale is built with one worker too, unless --no-single is given. Peaks are the kernel's (VmHWM), CPU is that of
each process until it ends, both read from /proc ten times a second. Prefect's part: what the parent uses until the
writing begins (imports, the embedded server, planning, one task a shard). Linux only.

With --against, each scale is built by another commit's `planimeter` too, whose path COMMAND is (`git worktree add`,
`make` there): a small build of each comes first, so that compiled kernels are there. Behind the last build stands
what its workers spent on each step, beside the limit that the bytes set: to deflate, and to inflate, each published
picture once.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import deflate
import pyarrow.parquet as pq

from planimeter.export.parquet import sha256_of
from planimeter.filters.certify.png import parts
from planimeter.rendering.png import COMPRESSION_LEVEL

ROOT = Path(__file__).resolve().parent.parent
TICKS = os.sysconf("SC_CLK_TCK")
SAMPLE = 0.1

#: This commit's command; the build that comes before the others; pictures of a file that are measured for the limit.
OURS = (sys.executable, "-m", "planimeter.flows")
WARM = 0.01
LOOKED_AT = 40


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
    #: CPU milliseconds to deflate and to inflate one published picture, by config.
    limits: dict[str, tuple[float, float]] = field(default_factory=dict)

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


def build(dataset: str, scale: float, workers: int, folder: Path, planimeter: tuple[str, ...] = OURS) -> Measured:
    """Build into ``folder`` by ``planimeter`` and watch. Raises ``SystemExit`` with its output if it fails."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    command = ["build", dataset, "--scale", f"{scale}", "--workers", f"{workers}", "--out", str(folder / "out")]
    measured = Measured(scale, workers)
    started = time.monotonic()
    with (folder / "log").open("w+") as log:
        parent = subprocess.Popen(
            [*planimeter, *command],
            cwd=folder,
            env={**kept, "PREFECT_HOME": str(folder / "home")},
            stdout=subprocess.DEVNULL,
            stderr=log,
        )
        writing = False
        while parent.poll() is None:
            sample(parent.pid, measured.processes)
            if not writing:
                writing = any((folder / "out").glob(".planimeter/parts/*"))
                measured.orchestration = measured.cpu("parent")
            time.sleep(SAMPLE)
        measured.seconds = time.monotonic() - started
        log.seek(0)
        lines = log.read().splitlines()
    if parent.returncode:
        sys.exit("\n".join([f"{' '.join(command)} failed:", *lines]))
    timings = (line.split() for line in lines if line.endswith(" CPU s"))
    measured.steps = {step: float(seconds) for step, seconds, *_ in timings}
    for manifest in (folder / "out").glob("[!.]*/*/manifest.json"):
        measured.rows = sum(sum(splits.values()) for splits in json.loads(manifest.read_text())["configs"].values())
        for path in sorted(manifest.parent.glob("data/*/*.parquet")):
            name = path.relative_to(manifest.parent).as_posix()
            measured.files[name] = sha256_of(path)
            if path.parent.name not in measured.limits:
                measured.limits[path.parent.name] = limits(path)
    return measured


def limits(path: Path) -> tuple[float, float]:
    """Return the CPU milliseconds to deflate and to inflate one of the first pictures of a file: the best of three."""
    batch = next(pq.ParquetFile(path).iter_batches(batch_size=LOOKED_AT, columns=["image"]))
    packed = [apart.deflated for row in batch.to_pylist() if (apart := parts(row["image"]["bytes"]))]
    raw = [zlib.decompress(one) for one in packed]

    def milliseconds(work: Callable[[], object]) -> float:
        def once() -> float:
            start = time.process_time()
            work()
            return time.process_time() - start

        return min(once() for _ in range(3)) * 1e3 / len(packed)

    return (
        milliseconds(lambda: [deflate.zlib_compress(one, COMPRESSION_LEVEL) for one in raw]),
        milliseconds(lambda: [deflate.zlib_decompress(p, len(r)) for p, r in zip(packed, raw, strict=True)]),
    )


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("dataset", nargs="?", default="marvl-qa-mini")
    parser.add_argument("scales", nargs="*", type=float, default=[0.02, 0.1])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=None, help="folder to build below; a temporary one by default")
    parser.add_argument("--no-single", action="store_true", help="leave out the build with one worker")
    parser.add_argument("--against", help="the `planimeter` of another commit's environment")
    args = parser.parse_args()
    scales = sorted(args.scales)
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)

    def built(scale: float, workers: int, planimeter: tuple[str, ...] = OURS) -> Measured:
        folder = Path(tempfile.mkdtemp(prefix="bench-scale-", dir=args.out))
        try:
            return build(args.dataset, scale, workers, folder, planimeter)
        finally:
            shutil.rmtree(folder)

    print(f"{args.dataset}, {os.cpu_count()} cores\n{HEADING}")
    done: list[Measured] = []
    single = [] if args.no_single else [(scales[-1], 1)]
    if args.against:
        for planimeter in (OURS, (args.against,)):
            built(WARM, args.workers, planimeter)
    for number, (scale, workers) in enumerate([*((scale, args.workers) for scale in scales), *single]):
        done.append(built(scale, workers))
        print(done[-1].line, flush=True)
        if args.against and number < len(scales):
            other = built(scale, workers, (args.against,))
            print(f"{other.line}  {args.against}\n{compared(done[-1], other)}", flush=True)
    first, last = done[0], done[len(scales) - 1]
    print("CPU ms a row: " + ", ".join(f"{step} {1e3 * cpu / last.rows:.2f}" for step, cpu in last.steps.items()))
    for config, (packing, opening) in last.limits.items():
        print(f"limit of {config}: deflate {packing:.2f}, inflate {opening:.2f} CPU ms a picture")
    for alone in done[len(scales) :]:
        print(f"{args.workers} workers against one: {alone.seconds / last.seconds:.2f}x")
    if first is not last:
        share = (last.prefect - first.prefect) / max(last.total - first.total, 1e-9)
        print(f"{last.rows / first.rows:.1f} times the rows: {last.seconds / first.seconds:.1f} times the time")
        for role in ("parent", "worker"):
            print(f"peak of the {role}: {last.peak(role) - first.peak(role):+.0f} MiB")
        print(f"Prefect's part of what the further rows cost: {share:.1%} of the CPU time")


if __name__ == "__main__":
    main()
