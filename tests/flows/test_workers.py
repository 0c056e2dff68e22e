"""Processes or Dask make the shards: one that dies costs only its shard, one whose bytes would differ makes none."""

import gc
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import command_line
import cv2
import pytest
from command_line import PATIENCE, wait_until
from distributed import Client, LocalCluster, Worker
from worker_tasks import die, die_once, double, fail, ignores_ctrl_c, wait_for

from planimeter.flows.errors import PlanimeterError, StoppedError, WorkerLostError
from planimeter.flows.store.place import Place
from planimeter.flows.work import environment_fingerprint
from planimeter.flows.workers import calls, dask
from planimeter.flows.workers.calls import Workers
from planimeter.flows.workers.dask import DaskPool
from planimeter.flows.workers.processes import DIED, STARTS
from planimeter.suites.loading import load


@pytest.fixture
def place(tmp_path, monkeypatch):
    # A busy machine may take longer than a user should wait.
    for limit in ("CONNECTING", "JOINING"):
        monkeypatch.setattr(dask, limit, PATIENCE)
    place = Place(load("marvl-qa-mini"), tmp_path / "out")
    place.prepare()
    return place


@pytest.fixture(scope="module")
def near():
    """A scheduler in this process, with a worker in a thread of it."""
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as near:
        yield near


def on_dask(place, near):
    return Workers(lambda: DaskPool(place, 1, near.scheduler_address), 2)


def test_libraries_of_a_worker_use_one_thread():
    with Workers.of_processes(1) as workers:
        assert workers.call("x", 1, cv2.getNumThreads) == 1


def test_a_shard_raises_its_own_fault(near, place, tmp_path, subtests):
    for kind in ("processes", "dask"):
        released, begun, caught = tmp_path / f"released {kind}", tmp_path / f"begun {kind}", []

        def wait(workers, released, begun, caught):
            try:
                workers.call("x", 1, wait_for, str(released), str(begun))
            except PlanimeterError as stop:
                caught.append(stop)

        workers = Workers.of_processes(1) if kind == "processes" else on_dask(place, near)
        with subtests.test(msg=kind), workers:
            for error in (RuntimeError, AttributeError, TimeoutError):
                with pytest.raises(error, match="the shard's own fault"):
                    workers.call("x", 1, fail, error)
            assert workers.call("x", 1, double, 3) == 6
            thread = threading.Thread(target=wait, args=(workers, released, begun, caught))
            thread.start()
            wait_until(begun.exists)
            workers.stop()
            thread.join(PATIENCE)
            released.touch()
            stopped = (StoppedError, "the build was stopped; finished shards are kept")
            assert [(type(error), str(error)) for error in caught] == [stopped]
            with pytest.raises(StoppedError):
                workers.call("x", 1, double, 1)


def test_a_dead_worker_costs_its_shard_which_runs_alone_at_last(tmp_path):
    with Workers.of_processes(1) as workers:
        for attempt in (1, 2):
            with pytest.raises(WorkerLostError, match="died while shard 7 was made"):
                workers.call("shard 7", attempt, die, 0)
        assert workers.call("x", 1, double, 3) == 6, "the pool is not replaced"
        with pytest.raises(PlanimeterError, match=r"shard 7 ended its worker process 3 times, even when run alone"):
            workers.call("shard 7", 3, die, 0)
        with pytest.raises(WorkerLostError):
            workers.call("x", 1, die_once, str(tmp_path / "died"))
        assert workers.call("x", 2, die_once, str(tmp_path / "died")) == "alive"
        assert workers.call("x", 1, ignores_ctrl_c)


@pytest.mark.skipif(sys.platform != "linux", reason="there is no fork server")
@pytest.mark.parametrize("deaths", [2, 3])
def test_a_fork_server_that_dies_at_the_start_is_started_again(deaths, tmp_path):
    """It dies ``deaths`` times while it loads a module, where a worker waits for it."""
    module = f"""
import os, pathlib, signal
lives = pathlib.Path({str(tmp_path / "lives")!r})
number = int(lives.read_text())
lives.write_text(str(number - 1))
if number > 0:
    os.kill(os.getpid(), signal.SIGKILL)
"""
    (tmp_path / "deadly.py").write_text(module)
    (tmp_path / "lives").write_text(str(deaths))
    code = """
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.workers.calls import Workers
from worker_tasks import double
try:
    with Workers.of_processes(1, ["deadly"]) as workers:
        print(workers.call("x", 1, double, 3))
except PlanimeterError as error:
    print(error)
"""
    modules = os.pathsep.join([str(tmp_path), str(Path(command_line.__file__).parent)])
    ended = command_line.python(code, tmp_path, PYTHONPATH=modules)
    assert ended.out.strip() == ("6" if deaths < STARTS else DIED), ended.err


def test_a_shard_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(calls, "LIMIT", 0.5)
    with Workers.of_processes(1) as workers:
        with pytest.raises(PlanimeterError, match="shard 7 took longer than"):
            workers.call("shard 7", 1, wait_for, str(tmp_path / "never"), str(tmp_path / "begun"))
        monkeypatch.setattr(calls, "LIMIT", PATIENCE)
        assert workers.call("x", 1, double, 1) == 2


@pytest.mark.parametrize("other, words", [("numpy", "numpy"), ("code", "code of Planimeter")])
def test_a_worker_whose_bytes_would_differ_ends_the_build(other, words, near, place, monkeypatch):
    with monkeypatch.context() as elsewhere:
        changed = lambda suite: environment_fingerprint(suite) | {other: "1.0"}  # noqa: E731
        elsewhere.setattr(dask, "environment_fingerprint", changed)
        workers = on_dask(place, near)
    with workers, pytest.raises(PlanimeterError, match=f"it differs in: {words}") as end:
        workers.call("x", 1, double, 1)
    assert "requirements.lock" in str(end.value) and "\n" not in str(end.value)


def test_a_worker_that_runs_threads_ends_the_build(near, place):
    async def join():
        return await Worker(near.scheduler_address, nthreads=2)

    with on_dask(place, near) as workers:
        assert workers.call("x", 1, double, 1) == 2
        late = near.sync(join)
        with ThreadPoolExecutor(8) as threads, pytest.raises(PlanimeterError, match=r"runs threads.*--nthreads 1"):
            while True:
                list(threads.map(lambda x: workers.call("x", 1, double, x), range(8)))
        near.sync(late.close)


def test_a_build_does_not_wait_for_ever_for_workers(place, monkeypatch):
    monkeypatch.setattr(dask, "LOOK", 0.05)
    alone = r"has had no worker for .*--nthreads 1"
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as near:
        with on_dask(place, near) as workers, ThreadPoolExecutor(2) as threads:
            near.scale(0)
            wait_until(lambda: not near.scheduler.workers)
            monkeypatch.setattr(dask, "JOINING", 0.3)
            for waiting in [threads.submit(workers.call, "x", 1, double, 1) for _ in range(2)]:
                with pytest.raises(PlanimeterError, match=alone):
                    waiting.result(PATIENCE)
        with pytest.raises(PlanimeterError, match=alone):
            DaskPool(place, 1, near.scheduler_address)


def test_a_build_removes_the_test_file_of_a_killed_one(place, near):
    killed, later = (DaskPool(place, 1, near.scheduler_address) for _ in range(2))
    later.kill()
    assert not list((place.outputs / ".planimeter" / "locks").glob(".tmp-*"))
    killed.kill()


@pytest.mark.process
def test_a_scheduler_that_was_never_there_is_one_line(place, monkeypatch):
    monkeypatch.setattr(dask, "CONNECTING", 0.3)
    gc.collect()
    for address in ("tcp://127.0.0.1:9", "nonsense", "ftp://127.0.0.1:9", "tcp://127.0.0.1:port"):
        with pytest.raises(PlanimeterError) as refused:
            DaskPool(place, 1, address)
        message = str(refused.value)
        assert message.startswith(f"no Dask scheduler answers at {address} (") and "\n" not in message
    # A client that was never connected would be collected in the event loop of the next one, which then never starts.
    assert not [each for each in gc.get_objects() if type(each) is Client]


@pytest.mark.slow
def test_a_build_that_loses_a_worker_has_the_same_bytes(dataset, tmp_path):
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as near,
        Client(near, set_as_default=False) as client,
    ):
        dask = ("--runner", "dask", "--address", near.scheduler_address, "--out", str(tmp_path))
        build = command_line.start("build", *command_line.TINY, *dask, home=tmp_path / "home")
        wait_until(lambda: build.poll() is not None or command_line.shards_below(tmp_path) >= 2)
        os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)
        _, err = build.communicate(timeout=PATIENCE)
    assert build.returncode == 0, err
    assert command_line.digests(tmp_path / "marvl-qa-mini") == command_line.digests(dataset.parent)
