"""A real Dask scheduler and real workers in processes of their own, as somebody's cluster has them."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import command_line
from distributed import Client


class Cluster:
    """A scheduler on loopback; everything it started ends with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        log = folder / "scheduler.log"
        self.address = command_line.wait_until(lambda: re.search(r"Scheduler at:\s*(tcp://\S+)", log.read_text()))[1]
        self.workers: list[subprocess.Popen[bytes]] = []

    def worker(self, path: Path | None = None) -> subprocess.Popen[bytes]:
        """Start a worker without a nanny; ``path`` comes first where it looks for modules."""
        self.workers.append(self._start("worker", self.address, "--no-nanny", "--nthreads", "1", path=path))
        return self.workers[-1]

    def wait_for(self, workers: int) -> None:
        with Client(self.address, set_as_default=False) as client:
            command_line.wait_until(lambda: len(client.nthreads()) == workers)

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def _start(self, what: str, *options: str, path: Path | None = None) -> subprocess.Popen[bytes]:
        paths = [str(p) for p in (path, command_line.ROOT, Path(__file__).parent) if p]
        with (self._folder / f"{what}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", what, *options, "--no-dashboard"],
                cwd=self._folder,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                stdout=log,
                stderr=log,
            )


@contextmanager
def cluster(folder: Path, workers: int = 0) -> Iterator[Cluster]:
    running = Cluster(folder)
    try:
        for _ in range(workers):
            running.worker()
        if workers:
            running.wait_for(workers)
        yield running
    finally:
        running.stop()
