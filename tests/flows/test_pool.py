import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from planimeter.flows.errors import PlanimeterError
from planimeter.flows.workers.processes import TRIES, WorkerPool


def double(x: int) -> int:
    return 2 * x


def die_once(marker: str) -> str:
    """Kill the own process the first time, as the kernel does when memory is out."""
    path = Path(marker)
    if not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail(_: int) -> None:
    raise RuntimeError("the shard's own fault")


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def test_a_worker_that_dies_costs_only_its_own_shard(tmp_path: Path) -> None:
    with WorkerPool(2) as pool:
        assert pool.run(double, 1) == 2
        assert pool.run(die_once, str(tmp_path / "died")) == "alive"
        assert pool.run(double, 3) == 6


def test_workers_may_die_more_often_than_a_shard_is_tried(tmp_path: Path) -> None:
    """The limit is on what one shard loses, not on what a long build loses while the shard waits for its turn."""
    with WorkerPool(1) as pool, ThreadPoolExecutor(2 * TRIES) as threads:
        told = threads.map(lambda i: pool.run(die_once, str(tmp_path / f"{i}")), range(2 * TRIES))
        assert list(told) == ["alive"] * 2 * TRIES


def test_a_shard_that_kills_every_worker_ends_the_build() -> None:
    with WorkerPool(1) as pool, pytest.raises(PlanimeterError, match=f"died {TRIES} times"):
        pool.run(die, 0)


def test_what_a_shard_raises_is_not_taken_for_a_closed_pool() -> None:
    with WorkerPool(1) as pool, pytest.raises(RuntimeError, match="own fault"):
        pool.run(fail, 0)


def test_closing_frees_the_threads_that_wait() -> None:
    pool = WorkerPool(1)
    caught: list[BaseException] = []

    def wait() -> None:
        try:
            pool.run(sleep, 60.0)
        except PlanimeterError as error:
            caught.append(error)

    pool.run(double, 1)
    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.5)
    pool.close()
    thread.join(10)
    assert not thread.is_alive()
    assert "finished shards are kept" in str(caught[0])


def test_a_worker_does_not_hear_ctrl_c_even_while_it_starts() -> None:
    """It would end with a traceback on the user's terminal."""
    with WorkerPool(1) as pool:
        assert signal.SIGINT in pool.run(blocked_signals)
    assert signal.SIGINT not in blocked_signals(), "the build itself must hear it"


def blocked_signals() -> set[int]:
    return {int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, [])}


def test_workers_end_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import os, sys\n"
        "from planimeter.flows.workers.processes import WorkerPool\n"
        "if __name__ == '__main__':\n"
        "    pool = WorkerPool(1)\n"
        "    print(pool.run(os.getpid), flush=True)\n"
        "    sys.stdin.read()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    parent = subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    )
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    for _ in range(100):
        if not alive(worker):
            return
        time.sleep(0.1)
    pytest.fail(f"worker {worker} outlived its parent")


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # A zombie that nobody has waited for is dead all the same.
    state = Path(f"/proc/{process}/stat")
    return not (state.exists() and state.read_text().split()[2] == "Z")
