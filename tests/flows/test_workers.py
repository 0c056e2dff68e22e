"""Who makes the shards, processes of this machine or Dask: one that dies costs only its own shard, and no worker whose
bytes would differ makes any.
"""

import importlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import command_line
import pytest
import worker_tasks
from command_line import wait_until
from distributed import Client, LocalCluster, Worker
from worker_tasks import alive, blocked_signals, die, die_once, double, fail, wait_for

from planimeter.flows.errors import PlanimeterError, StoppedError
from planimeter.flows.store.place import Place
from planimeter.flows.store.storage import FolderStore
from planimeter.flows.work import likeness
from planimeter.flows.workers import dask_cluster
from planimeter.flows.workers.dask_cluster import DaskPool
from planimeter.flows.workers.local_cluster import local_cluster
from planimeter.flows.workers.processes import TRIES, WorkerPool, Workers
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load

RECIPE = load("marvl-qa-mini")
assert isinstance(RECIPE, Recipe)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(RECIPE, tmp_path / "out")
    place.prepare()
    return place


@pytest.fixture
def near() -> Iterator[LocalCluster]:
    """A scheduler in this process, with a worker in a thread of it."""
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture(params=["processes", "dask"])
def pool(request: pytest.FixtureRequest, place: Place) -> Iterator[Workers]:
    if request.param == "dask":
        address = request.getfixturevalue("near").scheduler_address
    with WorkerPool(1) if request.param == "processes" else DaskPool(place, 1, address) as workers:
        yield workers


@pytest.mark.parametrize("error", [RuntimeError, AttributeError])
def test_what_a_shard_raises_is_not_taken_for_a_fault_of_the_workers(error: type[Exception], pool: Workers) -> None:
    assert pool.run(double, 1) == 2
    with pytest.raises(error, match="the shard's own fault"):
        pool.run(fail, error)
    assert pool.run(double, 3) == 6


def test_closing_frees_the_threads_that_wait(pool: Workers, tmp_path: Path) -> None:
    released, begun, caught = tmp_path / "released", tmp_path / "begun", list[BaseException]()

    def wait() -> None:
        try:
            pool.run(wait_for, str(released), str(begun))
        except PlanimeterError as error:
            caught.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    wait_until(begun.exists)
    pool.close()
    thread.join(60)
    released.touch()
    assert [(type(error), str(error)) for error in caught] == [
        (StoppedError, "the build was stopped; finished shards are kept")
    ]
    with pytest.raises(StoppedError):
        pool.run(double, 1)


def test_a_worker_that_dies_costs_only_its_own_shard_and_hears_no_ctrl_c(tmp_path: Path) -> None:
    """Ctrl-C would end it with a traceback on the user's terminal, also while it starts."""
    with WorkerPool(2) as pool:
        assert pool.in_flight == 4
        assert pool.run(double, 1) == 2
        assert pool.run(die_once, str(tmp_path / "died")) == "alive"
        assert signal.SIGINT in pool.run(blocked_signals)
    assert signal.SIGINT not in blocked_signals(), "the build itself must hear it"


def test_workers_may_die_more_often_than_a_shard_is_tried_but_not_all_by_one_shard(tmp_path: Path) -> None:
    """The limit is on what one shard loses, not on what a long build loses while the shard waits for its turn."""
    with WorkerPool(1) as pool, ThreadPoolExecutor(2 * TRIES) as threads:
        answers = threads.map(lambda i: pool.run(die_once, str(tmp_path / f"{i}")), range(2 * TRIES))
        assert list(answers) == ["alive"] * 2 * TRIES
        with pytest.raises(PlanimeterError, match=f"died {TRIES} times"):
            pool.run(die, 0)


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
    environment = {**os.environ, "PYTHONPATH": str(command_line.ROOT)}
    parent = subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    )
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    wait_until(lambda: not alive(worker))


@pytest.mark.parametrize(
    ("other", "words"),
    [({"numpy": "1.0"}, r"numpy \S+ \(here 1\.0\)"), ({"code": "0" * 64}, "other code of Planimeter")],
    ids=["library", "code"],
)
def test_a_worker_whose_bytes_would_differ_ends_the_build(
    other: dict[str, str], words: str, near: LocalCluster, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(dask_cluster, "likeness", lambda modules: likeness(modules) | other)
        pool = DaskPool(place, 1, near.scheduler_address)
    with pool, pytest.raises(PlanimeterError, match=f"would make other bytes: {words}. Every worker needs the") as end:
        pool.run(double, 1)
    assert "requirements.lock" in str(end.value) and "\n" not in str(end.value)


class Missing:
    """Cannot be made where a worker lacks a module, or where it has another one of that name."""

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self._reduced = function, arguments

    def __reduce__(self) -> Any:
        return self._reduced


def lack(name: str) -> None:
    raise AttributeError(f"Can't get attribute '{name}' on <module 'planimeter'>")


@pytest.mark.parametrize(
    ("call", "words"),
    [((importlib.import_module, "planimeter.lost"), "No module named 'planimeter.lost'"), ((lack, "x"), "Can't get")],
)
def test_a_worker_without_this_code_ends_the_build(
    call: tuple[Any, str], words: str, near: LocalCluster, place: Place
) -> None:
    with (
        DaskPool(place, 1, near.scheduler_address) as pool,
        pytest.raises(PlanimeterError, match=rf"cannot run this code \({words}.*requirements\.lock"),
    ):
        pool.run(double, Missing(*call))


def test_a_worker_that_runs_threads_ends_the_build_also_where_it_joins_late(near: LocalCluster, place: Place) -> None:
    async def join() -> Worker:
        return await Worker(near.scheduler_address, nthreads=2)

    with DaskPool(place, 1, near.scheduler_address) as pool:
        assert pool.in_flight == 128
        assert pool.run(double, 1) == 2
        late = near.sync(join)
        with ThreadPoolExecutor(8) as threads, pytest.raises(PlanimeterError, match=r"runs 2 threads.*--nthreads 1"):
            while True:
                list(threads.map(pool.run, [double] * 8, range(8)))
        near.sync(late.close)


def test_a_worker_that_does_not_see_the_folder_ends_the_build(near: LocalCluster, place: Place, tmp_path: Path) -> None:
    class Unshared(FolderStore):
        """What another machine finds under the path: nothing."""

        @property
        def url(self) -> str:
            return str(tmp_path / "on" / "another" / "machine")

    place.store = Unshared(tmp_path / "here")
    with (
        DaskPool(place, 1, near.scheduler_address) as pool,
        pytest.raises(PlanimeterError, match=r"does not see .*a shared folder, or a bucket"),
    ):
        pool.run(double, 1)
    assert not list((tmp_path / "here" / "locks").iterdir())


def test_a_build_does_not_wait_for_ever_for_workers(
    near: LocalCluster, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "LOOK", 0.05)
    address, alone = near.scheduler_address, r"has had no worker for .*--nthreads 1"
    with DaskPool(place, 1, address) as pool, ThreadPoolExecutor(4) as threads:
        near.scale(0)
        wait_until(lambda: not near.scheduler.workers)
        monkeypatch.setattr(dask_cluster, "JOINING", 0.3)
        for waiting in [threads.submit(pool.run, double, 1) for _ in range(4)]:
            with pytest.raises(PlanimeterError, match=alone):
                waiting.result(timeout=60)
    with pytest.raises(PlanimeterError, match=alone):
        DaskPool(place, 1, address)


def test_a_scheduler_that_goes_away_is_reported(near: LocalCluster, place: Place, tmp_path: Path) -> None:
    released, begun = tmp_path / "released", tmp_path / "begun"
    away = f"{near.scheduler_address} went away; finished shards are kept"
    with DaskPool(place, 1, near.scheduler_address) as pool, ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(pool.run, wait_for, str(released), str(begun))
        wait_until(begun.exists)
        released.touch()
        near.close()
        with pytest.raises(PlanimeterError, match=away):
            pool.run(double, 1)
        # It may have heard of the end before.
        assert waiting.exception(60) is None or away in str(waiting.exception())


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense", "ftp://127.0.0.1:9", "tcp://127.0.0.1:port"])
def test_an_address_without_a_scheduler_is_one_line(
    address: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "CONNECTING", 0.3)
    with pytest.raises(PlanimeterError) as refused:
        DaskPool(place, 1, address)
    assert str(refused.value).startswith(f"no Dask scheduler answers at {address} (")
    assert "\n" not in str(refused.value)


@pytest.mark.process
def test_a_cluster_of_its_own_ends_with_its_block_and_says_why_it_cannot_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
def test_a_build_that_loses_a_worker_has_the_same_bytes(dataset: Path, tmp_path: Path) -> None:
    with local_cluster(2) as address, Client(address, set_as_default=False) as client:
        dask = ("--runner", "dask", "--address", address, "--out", str(tmp_path))
        build = command_line.start("build", *command_line.TINY, *dask, home=tmp_path / "home")
        wait_until(lambda: build.poll() is not None or command_line.shards_below(tmp_path) >= 2)
        os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)
        _, err = build.communicate(timeout=300)
    assert build.returncode == 0, err
    assert command_line.digests(tmp_path / "marvl-qa-mini") == command_line.digests(dataset.parent)


@pytest.mark.slow
def test_what_a_dask_worker_had_in_hand_goes_to_another(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(worker_tasks.__file__).parent))
    with DaskPool(place, 2, None) as pool:
        worker = pool.run(os.getpid)
        assert pool.run(die_once, str(tmp_path / "died")) == "alive"
        with pytest.raises(PlanimeterError, match="died one after the other"):
            pool.run(os._exit, 3)
        last = pool.run(os.getpid)
    wait_until(lambda: not alive(worker) and not alive(last))


@pytest.mark.slow
def test_a_real_worker_that_has_other_code_ends_the_build(place: Place, tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    for package in {path.parent.name for path in command_line.ROOT.glob("*/__init__.py")}:
        source, target = command_line.ROOT / package, folder / "planimeter" / package
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / "planimeter" / "rendering" / "png.py").open("a") as file:
        file.write("\nANOTHER = 1\n")
    words = "would make other bytes: other code of Planimeter"
    path = os.pathsep.join(map(str, (folder, Path(worker_tasks.__file__).parent)))
    with local_cluster(0) as address:
        command = (sys.executable, "-m", "dask", "worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard")
        worker = subprocess.Popen(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path})
        with DaskPool(place, 1, address) as pool, pytest.raises(PlanimeterError, match=words):
            pool.run(double, 1)
        worker.kill()
        worker.wait()
