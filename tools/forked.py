"""Runs pytest in forks of a process that has imported the libraries, so that the next run need not: `serve`."""

import contextlib
import importlib
import json
import os
import resource
import signal
import sys
import time
from typing import Final

#: Not Prefect itself, which imports our plugin.
LIBRARIES: Final = (
    *("cv2", "fastapi", "httpx", "hypothesis", "huggingface_hub", "jinja2", "matplotlib.pyplot", "numba", "pandas"),
    *("pyarrow.dataset", "pyarrow.parquet", "pydantic", "pytest", "scipy.ndimage", "scipy.spatial", "scipy.stats"),
    *("shapely", "sqlalchemy", "sympy", "typer"),
)


def _ended(pid: int, seconds: float) -> int:
    """Wait for a process, and end it and what it has started; return its exit code, less than 0 of one that hung."""
    deadline = time.monotonic() + seconds
    status = None
    while status is None and time.monotonic() < deadline:
        time.sleep(0.02)
        done, code = os.waitpid(pid, os.WNOHANG)
        status = os.waitstatus_to_exitcode(code) if done else None
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    if status is None:
        os.waitpid(pid, 0)
    return -signal.SIGKILL if status is None else status


def serve() -> None:
    """For each line of the input, arguments of pytest, a file for its output and two limits, write its exit code."""
    for name in LIBRARIES:
        importlib.import_module(name)
    import pytest

    ours = sorted(name for name in sys.modules if name.startswith("planimeter"))
    if ours:
        raise SystemExit(f"a library imports {ours[0]}: a fault in it would not be seen")
    for line in sys.stdin:
        arguments, report, cpu_seconds, seconds = json.loads(line)
        pid = os.fork()
        if not pid:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))
            output = os.open(report, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(output, 1)
            os.dup2(output, 2)
            code = 3
            try:
                code = int(pytest.main(arguments))
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        sys.stdout.write(f"{_ended(pid, seconds)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
