"""A build on Dask: the same bytes whoever dies, and no worker whose bytes would differ."""

import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import command_line
import pytest
from dask_cluster import Cluster, cluster
from prefect.logging import disable_run_logger
from test_pool import alive, die_once, double, fail, sleep

from planimeter.flows.build import run
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.place import Place
from planimeter.flows.store.storage import FolderStore
from planimeter.flows.workers import dask_cluster
from planimeter.flows.workers.dask_cluster import CONNECTING, JOINING, DaskPool
from planimeter.flows.workers.runners import check
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load

RECIPE = load("marvl-qa-mini")
assert isinstance(RECIPE, Recipe)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Somebody's scheduler with two workers."""
    with cluster(tmp_path_factory.mktemp("own"), workers=2) as running:
        yield running


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler without workers."""
    with cluster(tmp_path_factory.mktemp("bare")) as running:
        yield running


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(RECIPE, tmp_path / "out")
    place.prepare()
    return place


@pytest.mark.slow
def test_a_build_that_loses_a_worker_has_the_same_bytes(own: Cluster, dataset: Path, tmp_path: Path) -> None:
    build = command_line.start(
        "build",
        *command_line.TINY,
        *("--runner", "dask", "--address", own.address, "--out", str(tmp_path)),
        home=tmp_path / "home",
    )
    lost = own.worker()
    try:
        own.wait_for(3)
        command_line.end_after(build, tmp_path, 2, signal.SIGSTOP)
        assert command_line.shards_below(tmp_path) < 12, "it is not the middle any more"
        lost.kill()
        build.send_signal(signal.SIGCONT)
        _, err = build.communicate(timeout=240)
    finally:
        build.kill()
        lost.wait()
    assert build.returncode == 0, err
    assert command_line.digests(tmp_path / "marvl-qa-mini" / "1.2.1") == command_line.digests(dataset)


def test_what_a_worker_had_in_hand_goes_to_another(own: Cluster, place: Place, tmp_path: Path) -> None:
    extra = own.worker()
    own.wait_for(3)
    with DaskPool(place, 1, own.address) as pool:
        assert pool.in_flight == 128
        assert pool.run(die_once, str(tmp_path / "died")) == "alive"
        assert pool.run(double, 3) == 6
        with pytest.raises(RuntimeError, match="own fault"):
            pool.run(fail, 0)
    # Whichever of the three has died, two are wanted by the tests that follow.
    if extra.poll() is None:
        own.worker()
        own.wait_for(3)
        extra.kill()
    own.wait_for(2)


def test_closing_frees_the_threads_that_wait(own: Cluster, place: Place) -> None:
    caught: list[BaseException] = []

    def wait() -> None:
        try:
            pool.run(sleep, 5.0)
        except PlanimeterError as error:
            caught.append(error)

    with DaskPool(place, 1, own.address) as pool:
        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.5)
    # A look at the cluster that was under way when the pool closed may take its whole time.
    thread.join(CONNECTING + JOINING)
    assert not thread.is_alive()
    assert "the build was stopped; finished shards are kept" in str(caught[0])


def test_a_cluster_of_its_own_ends_with_the_pool(place: Place) -> None:
    with DaskPool(place, 1, None) as pool:
        worker = pool.run(os.getpid)
        assert pool.run(pow, 2, 5) == 32
        with pytest.raises(PlanimeterError, match="died one after the other"):
            pool.run(os._exit, 3)
        last = pool.run(os.getpid)
    assert worker != last
    for _ in range(100):
        if not alive(last):
            return
        time.sleep(0.1)
    pytest.fail(f"worker {last} outlived its pool")


def with_other_numpy(folder: Path) -> Path:
    info = folder / "numpy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 1.0\n")
    return folder


def with_other_code(folder: Path) -> Path:
    for package in ("curation", "evals", "export", "filters", "flows", "generators", "recipes", "rendering"):
        source, target = command_line.ROOT / package, folder / "planimeter" / package
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / "planimeter" / "rendering" / "png.py").open("a") as file:
        file.write("\nANOTHER = 1\n")
    return folder


def without_our_code(folder: Path) -> Path:
    (folder / "sitecustomize.py").write_text("import sys; sys.modules['planimeter.flows'] = None")
    return folder


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        (with_other_numpy, r"would make other bytes: numpy 1\.0 \(here "),
        (with_other_code, "would make other bytes: other code of Planimeter"),
        (without_our_code, "cannot run this code .*No module named 'planimeter.flows"),
    ],
    ids=["library", "code", "no code"],
)
def test_a_worker_that_is_unlike_ends_the_build(
    odd: Callable[[Path], Path], told: str, bare: Cluster, place: Place, tmp_path: Path
) -> None:
    (tmp_path / "odd").mkdir()
    worker = bare.worker("--nthreads", "1", path=odd(tmp_path / "odd"))
    bare.wait_for(1)
    try:
        with DaskPool(place, 1, bare.address) as pool, pytest.raises(PlanimeterError, match=told) as caught:
            pool.run(double, 1)
    finally:
        worker.kill()
        bare.wait_for(0)
    assert "requirements.lock" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_worker_that_is_unlike_and_joins_late_ends_the_build(bare: Cluster, place: Place, tmp_path: Path) -> None:
    workers = [bare.worker()]
    bare.wait_for(1)
    try:
        with DaskPool(place, 1, bare.address) as pool:
            assert pool.run(double, 1) == 2
            workers.append(bare.worker("--nthreads", "2"))
            bare.wait_for(2)
            with ThreadPoolExecutor(8) as threads, pytest.raises(PlanimeterError, match="runs 2 threads"):
                list(threads.map(pool.run, [sleep] * 8, [0.5] * 8))
    finally:
        for worker in workers:
            worker.kill()
        bare.wait_for(0)


def test_a_worker_that_does_not_see_the_folder_ends_the_build(own: Cluster, place: Place, tmp_path: Path) -> None:
    class Unshared(FolderStore):
        """What another machine finds under the path: nothing."""

        @property
        def url(self) -> str:
            return str(tmp_path / "on" / "another" / "machine")

    place.store = Unshared(tmp_path / "here")
    with (
        DaskPool(place, 1, own.address) as pool,
        pytest.raises(PlanimeterError, match=r"does not see .*a shared folder, or a bucket"),
    ):
        pool.run(double, 1)
    assert not list((tmp_path / "here" / "locks").iterdir())


def test_a_scheduler_without_workers_is_told(bare: Cluster, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "JOINING", 0.5)
    with pytest.raises(PlanimeterError, match=r"has had no worker for .*--nthreads 1"):
        DaskPool(place, 1, bare.address)


def test_a_build_does_not_wait_for_ever_for_workers_that_are_gone(
    bare: Cluster, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "JOINING", 10.0)
    last = bare.worker()
    bare.wait_for(1)
    with DaskPool(place, 1, bare.address) as pool, ThreadPoolExecutor(4) as threads:
        waiting = [threads.submit(pool.run, sleep, 60.0) for _ in range(4)]
        time.sleep(0.5)
        last.kill()
        monkeypatch.setattr(dask_cluster, "JOINING", 1.0)
        for future in waiting:
            with pytest.raises(PlanimeterError, match=r"has had no worker for .*--nthreads 1"):
                future.result(timeout=30)


def test_a_scheduler_that_goes_away_is_told(place: Place, tmp_path: Path) -> None:
    with cluster(tmp_path, workers=1) as doomed, DaskPool(place, 1, doomed.address) as pool:
        threading.Timer(0.5, doomed.scheduler.kill).start()
        with pytest.raises(PlanimeterError, match=f"{doomed.address} went away; finished shards are kept"):
            pool.run(sleep, 60.0)
        with pytest.raises(PlanimeterError, match="went away"):
            pool.run(double, 1)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense", "ftp://127.0.0.1:9", "tcp://127.0.0.1:port"])
def test_an_address_without_a_scheduler_is_one_line(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "CONNECTING", 1.0)
    with disable_run_logger():
        state = run("marvl-qa-mini", scale=0.02, out=str(tmp_path), runner="dask", address=address)
    assert (state.name, str(state.message).count("\n")) == ("Refused", 0)
    assert str(state.message).startswith(f"no Dask scheduler answers at {address} (")


@pytest.mark.parametrize(
    ("runner", "workers", "address", "told"),
    [
        ("ray", None, None, "need processes or dask, got 'ray'"),
        ("processes", None, "tcp://h:1", "add --runner dask"),
        ("dask", 2, "tcp://h:1", "exclude each other"),
    ],
)
def test_settings_that_do_not_go_together(runner: str, workers: int | None, address: str | None, told: str) -> None:
    with pytest.raises(PlanimeterError, match=told):
        check(runner, workers, address)
