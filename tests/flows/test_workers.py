"""Processes or Dask make the shards: one that dies costs only its shard, one whose bytes would differ makes none."""

import importlib
import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import command_line
import pytest
import worker_tasks
from command_line import PATIENCE, wait_until
from distributed import Client, LocalCluster, Worker
from worker_tasks import alive, blocked_signals, die, die_once, double, fail, lack, wait_for

from planimeter.flows.errors import PlanimeterError, StoppedError
from planimeter.flows.store.place import Place
from planimeter.flows.store.storage import Store
from planimeter.flows.work import environment_fingerprint
from planimeter.flows.workers import dask_cluster
from planimeter.flows.workers.dask_cluster import DaskPool
from planimeter.flows.workers.local_cluster import local_cluster
from planimeter.flows.workers.processes import KEPT_MEMORY, TRIES, WorkerPool
from planimeter.recipes.loading import load


@pytest.fixture
def place(tmp_path, monkeypatch):
    # A busy machine may take longer than a user should wait.
    for limit in ("CONNECTING", "JOINING"):
        monkeypatch.setattr(dask_cluster, limit, PATIENCE)
    place = Place(load("marvl-qa-mini"), tmp_path / "out")
    place.prepare()
    return place


def cluster():
    """A scheduler in this process, with a worker in a thread of it."""
    return LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0")


@pytest.fixture(scope="module")
def near():
    with cluster() as near:
        yield near


def test_what_a_shard_raises_is_its_own_fault_and_closing_frees_the_threads_that_wait(near, place, tmp_path, subtests):
    for kind in ("processes", "dask"):
        released, begun, caught = tmp_path / f"released {kind}", tmp_path / f"begun {kind}", []

        def wait(pool, released, begun, caught):
            try:
                pool.run(wait_for, str(released), str(begun))
            except PlanimeterError as stop:
                caught.append(stop)

        workers = WorkerPool(1) if kind == "processes" else DaskPool(place, 1, near.scheduler_address)
        with subtests.test(msg=kind), workers as pool:
            for error in (RuntimeError, AttributeError):
                with pytest.raises(error, match="the shard's own fault"):
                    pool.run(fail, error)
            assert pool.run(double, 3) == 6
            thread = threading.Thread(target=wait, args=(pool, released, begun, caught))
            thread.start()
            wait_until(begun.exists)
            pool.close()
            thread.join(PATIENCE)
            released.touch()
            stopped = (StoppedError, "the build was stopped; finished shards are kept")
            assert [(type(error), str(error)) for error in caught] == [stopped]
            with pytest.raises(StoppedError):
                pool.run(double, 1)


def test_a_worker_that_dies_costs_only_its_own_shard_and_hears_no_ctrl_c(tmp_path):
    """The limit is on what one shard loses, not on what a long build loses while the shard waits for its turn; Ctrl-C
    would end a worker with a traceback on the user's terminal, also while it starts.
    """
    with WorkerPool(1) as pool, ThreadPoolExecutor(2 * TRIES) as threads:
        assert pool.in_flight == 3 and not pool.has_begun(die, 0)
        answers = threads.map(lambda i: pool.run(die_once, str(tmp_path / f"{i}")), range(TRIES + 1))
        assert list(answers) == ["alive"] * (TRIES + 1)
        assert signal.SIGINT in pool.run(blocked_signals)
        with pytest.raises(PlanimeterError, match=f"died {TRIES} times"):
            pool.run(die, 0)
    assert signal.SIGINT not in blocked_signals(), "the build itself must hear it"


SUPPORT = str(Path(worker_tasks.__file__).parent)
only_linux = pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux alone")


@only_linux
def test_what_forks_have_begun_is_done_once_and_anew_if_it_failed(tmp_path):
    code = (
        "from planimeter.flows.workers.processes import WorkerPool, forked_workers\n"
        "from worker_tasks import die_once, make\n"
        f"calls = [(make, {str(tmp_path / 'made')!r}), (die_once, {str(tmp_path / 'died')!r})]\n"
        "if __name__ == '__main__':\n"
        "    with forked_workers(1, calls), WorkerPool(1) as pool:\n"
        "        print(*(pool.has_begun(*call) and pool.run(*call) for call in calls), pool.has_begun(make, 'x'))\n"
    )
    ended = command_line.python(code, tmp_path, PYTHONPATH=SUPPORT)
    assert (ended.code, ended.out) == (0, "made alive False\n"), ended.err


@only_linux
@pytest.mark.parametrize("pool", ["WorkerPool(1)", "nullcontext()"])
def test_the_rest_of_a_result_is_not_waited_for_when_its_worker_is_ended(pool, tmp_path):
    """Also where no pool has taken the worker."""
    begun = tmp_path / "begun"
    code = (
        "from contextlib import nullcontext\n"
        "from pathlib import Path\n"
        "from command_line import wait_until\n"
        "from planimeter.flows.workers.processes import WorkerPool, forked_workers\n"
        "from worker_tasks import half\n"
        f"with forked_workers(1, [(half, {str(begun)!r})]), {pool}:\n"
        f"    wait_until(Path({str(begun)!r}).exists)\n"
    )
    ended = command_line.python(code, tmp_path, PYTHONPATH=SUPPORT)
    assert (ended.code, ended.out) == (0, ""), ended.err


def test_the_options_of_memory_are_those_that_glibc_numbers_so():
    """M_TRIM_THRESHOLD, M_TOP_PAD and M_MMAP_THRESHOLD of <malloc.h>; glibc takes any other number without a word."""
    assert sorted(KEPT_MEMORY) == [-3, -2, -1]


@pytest.mark.parametrize("start", ["spawn", "fork"])
def test_workers_end_with_a_parent_that_was_killed_and_forks_have_what_it_has_loaded(start, tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(
        "import os, sys\n"
        "from contextlib import nullcontext\n"
        "from planimeter.flows.workers.processes import WorkerPool, forked_workers\n"
        "def look(): return os.getpid(), 'wave' in sys.modules\n"
        "if __name__ == '__main__':\n"
        "    import wave\n"
        f"    with forked_workers(2) if {start!r} == 'fork' else nullcontext(), WorkerPool(2) as pool:\n"
        "        print(*pool.run(look), flush=True)\n"
        "        sys.stdin.read()\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "env": command_line.environment(tmp_path)}
    parent = subprocess.Popen([sys.executable, str(script)], **pipes)
    worker, has_loaded = parent.stdout.readline().split()
    assert has_loaded == str(start == "fork" and sys.platform == "linux").encode()
    parent.kill()
    parent.wait()
    wait_until(lambda: not alive(int(worker)))


class Missing:
    """Cannot be made where a worker lacks a module, or where it has another one of that name."""

    def __init__(self, *reduced):
        self._reduced = reduced

    def __reduce__(self):
        function, *arguments = self._reduced
        return function, tuple(arguments)


LOST = Missing(importlib.import_module, "planimeter.lost")
UNFIT = [
    ({"numpy": "1.0"}, 1, r"would make other bytes: numpy \S+ \(here 1\.0\). Every worker needs the"),
    ({"code": "0" * 64}, 1, "would make other bytes: other code of Planimeter. Every worker needs the"),
    ({}, LOST, r"cannot run this code \(No module named 'planimeter.lost'"),
    ({}, Missing(lack, "x"), r"cannot run this code \(Can't get"),
]


@pytest.mark.parametrize("other, given, words", UNFIT, ids=["library", "code", "module", "name"])
def test_a_worker_whose_bytes_would_differ_or_that_lacks_this_code_ends_the_build(
    other, given, words, near, place, monkeypatch
):
    with monkeypatch.context() as elsewhere:
        if other:
            changed = lambda modules: environment_fingerprint(modules) | other  # noqa: E731
            elsewhere.setattr(dask_cluster, "environment_fingerprint", changed)
        pool = DaskPool(place, 1, near.scheduler_address)
    with pool, pytest.raises(PlanimeterError, match=words) as end:
        pool.run(double, given)
    assert "requirements.lock" in str(end.value) and "\n" not in str(end.value)


def test_a_worker_that_does_not_see_the_folder_ends_the_build(near, place, tmp_path):
    class Unshared(Store):
        """What another machine finds under the path: nothing."""

        def __init__(self, url):
            super().__init__(url)
            self.url = str(tmp_path / "on" / "another" / "machine")

    place.store = Unshared(str(tmp_path / "here"))
    words = r"does not see .*a shared folder, or a bucket"
    with DaskPool(place, 1, near.scheduler_address) as pool, pytest.raises(PlanimeterError, match=words):
        pool.run(double, 1)
    assert not list((tmp_path / "here" / "locks").iterdir())


def test_a_worker_that_runs_threads_ends_the_build_also_where_it_joins_late(place):
    with cluster() as near, DaskPool(place, 1, near.scheduler_address) as pool:

        async def join():
            return await Worker(near.scheduler_address, nthreads=2)

        assert pool.in_flight == 128
        assert pool.run(double, 1) == 2
        late = near.sync(join)
        with ThreadPoolExecutor(8) as threads, pytest.raises(PlanimeterError, match=r"runs 2 threads.*--nthreads 1"):
            while True:
                list(threads.map(pool.run, [double] * 8, range(8)))
        near.sync(late.close)


def test_a_build_does_not_wait_for_ever_for_workers(place, monkeypatch):
    monkeypatch.setattr(dask_cluster, "LOOK", 0.05)
    alone = r"has had no worker for .*--nthreads 1"
    with cluster() as near:
        with DaskPool(place, 1, near.scheduler_address) as pool, ThreadPoolExecutor(4) as threads:
            near.scale(0)
            wait_until(lambda: not near.scheduler.workers)
            monkeypatch.setattr(dask_cluster, "JOINING", 0.3)
            for waiting in [threads.submit(pool.run, double, 1) for _ in range(4)]:
                with pytest.raises(PlanimeterError, match=alone):
                    waiting.result(PATIENCE)
        with pytest.raises(PlanimeterError, match=alone):
            DaskPool(place, 1, near.scheduler_address)


@pytest.mark.process
def test_a_scheduler_that_goes_away_or_was_never_there_is_one_line(place, tmp_path, monkeypatch):
    released, begun = tmp_path / "released", tmp_path / "begun"
    with cluster() as near, DaskPool(place, 1, near.scheduler_address) as pool, ThreadPoolExecutor(1) as threads:
        away = f"{near.scheduler_address} went away; finished shards are kept"
        waiting = threads.submit(pool.run, wait_for, str(released), str(begun))
        wait_until(begun.exists)
        released.touch()
        near.close()
        with pytest.raises(PlanimeterError, match=away):
            pool.run(double, 1)
        # It may have heard of the end before.
        assert waiting.exception(PATIENCE) is None or away in str(waiting.exception())
    monkeypatch.setattr(dask_cluster, "CONNECTING", 0.3)
    for address in ("tcp://127.0.0.1:9", "nonsense", "ftp://127.0.0.1:9", "tcp://127.0.0.1:port"):
        with pytest.raises(PlanimeterError) as refused:
            DaskPool(place, 1, address)
        message = str(refused.value)
        assert message.startswith(f"no Dask scheduler answers at {address} (") and "\n" not in message


@pytest.mark.process
def test_a_cluster_of_its_own_ends_with_its_block_and_says_why_it_cannot_start(tmp_path, monkeypatch):
    with local_cluster(0) as address:
        host, port = address.removeprefix("tcp://").split(":")
        socket.create_connection((host, int(port))).close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)))
    (tmp_path / "distributed.py").write_text("raise ImportError('half installed')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    message = r"Dask's own cluster did not start \(ImportError: half installed\)"
    with pytest.raises(PlanimeterError, match=message), local_cluster(1):
        pytest.fail("it started")


@pytest.mark.slow
def test_a_build_that_loses_a_worker_has_the_same_bytes(dataset, tmp_path):
    with local_cluster(2) as address, Client(address, set_as_default=False) as client:
        dask = ("--runner", "dask", "--address", address, "--out", str(tmp_path))
        build = command_line.start("build", *command_line.TINY, *dask, home=tmp_path / "home")
        wait_until(lambda: build.poll() is not None or command_line.shards_below(tmp_path) >= 2)
        os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)
        _, err = build.communicate(timeout=PATIENCE)
    assert build.returncode == 0, err
    assert command_line.digests(tmp_path / "marvl-qa-mini") == command_line.digests(dataset.parent)


@pytest.mark.slow
def test_what_a_dask_worker_had_in_hand_goes_to_another(place, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(worker_tasks.__file__).parent))
    with DaskPool(place, 2, None) as pool:
        worker = pool.run(os.getpid)
        assert pool.run(die_once, str(tmp_path / "died")) == "alive"
        with pytest.raises(PlanimeterError, match="died one after the other"):
            pool.run(os._exit, 3)
        last = pool.run(os.getpid)
    wait_until(lambda: not alive(worker) and not alive(last))
