"""A Dask cluster of this machine, in a process that lives exactly as long as the build that started it.

Dask would start one inside the build, where Ctrl-C reaches its workers and a shutdown takes seconds. The child, that is
`python -m planimeter.flows.workers.local_cluster N FD`, writes the scheduler's address to FD and reads a pipe of which
only the build holds the other end: when the build ends, in whatever way, so does the cluster.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from planimeter.flows.errors import PlanimeterError


@contextmanager
def local_cluster(workers: int) -> Iterator[str]:
    """Yield the address of a scheduler with ``workers`` processes. Raises ``PlanimeterError`` if it cannot start."""
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as log, os.fdopen(reading, encoding="utf-8") as output:
        child = subprocess.Popen(
            [sys.executable, "-m", "planimeter.flows.workers.local_cluster", str(workers), str(writing)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            pass_fds=[writing],
            start_new_session=True,
        )
        os.close(writing)
        try:
            address = output.readline().strip()
            if not address:
                log.seek(0)
                lines = log.read().decode(errors="replace").strip().splitlines()
                raise PlanimeterError(f"Dask's own cluster did not start ({lines[-1] if lines else 'no reason given'})")
            yield address
        finally:
            child.kill()
            child.wait()


def _serve(workers: int, descriptor: int) -> None:
    from distributed import LocalCluster

    cluster = LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        # Ours need less than 1.5 GiB each; Dask's own limit depends on the machine.
        memory_limit=0,
    )
    os.write(descriptor, f"{cluster.scheduler_address}\n".encode())
    os.close(descriptor)
    while os.read(0, 1):
        pass
    # At once: the workers see the end of their pipe and end too.
    os._exit(0)


if __name__ == "__main__":
    _serve(int(sys.argv[1]), int(sys.argv[2]))
