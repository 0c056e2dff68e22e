"""A real Dask scheduler and real workers in processes of their own, as somebody's cluster has them."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from distributed import Client

ROOT = Path(__file__).resolve().parents[2]


class Cluster:
    """A scheduler on loopback; everything it started ends with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        self.address = self._said(r"Scheduler at:\s*(tcp://\S+)")
        self.workers: list[subprocess.Popen[bytes]] = []

    def worker(self, *options: str, path: Path | None = None) -> subprocess.Popen[bytes]:
        """Start a worker without a nanny; ``path`` comes first where it looks for modules."""
        options = options or ("--nthreads", "1")
        self.workers.append(self._start("worker", self.address, "--no-nanny", *options, path=path))
        return self.workers[-1]

    def wait_for(self, workers: int) -> None:
        with Client(self.address, set_as_default=False) as client:
            deadline = time.monotonic() + 60
            while len(client.nthreads()) != workers and time.monotonic() < deadline:
                time.sleep(0.05)
            assert len(client.nthreads()) == workers

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def _start(self, what: str, *options: str, path: Path | None = None) -> subprocess.Popen[bytes]:
        paths = [str(p) for p in (path, ROOT, ROOT / "tests" / "support", ROOT / "tests" / "flows") if p]
        with (self._folder / f"{what}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", what, *options, "--no-dashboard"],
                cwd=self._folder,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                stdout=log,
                stderr=log,
            )

    def _said(self, pattern: str) -> str:
        log = self._folder / "scheduler.log"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            found = re.search(pattern, log.read_text())
            if found:
                return found[1]
            time.sleep(0.05)
        raise AssertionError(log.read_text())


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
