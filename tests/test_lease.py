"""Two builds of one dataset on machines that share only a bucket: one of them goes on, the other one stops at once."""

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from planimeter.flows import tasks
from planimeter.flows.display import artifacts
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import BusyError, PlanimeterError
from planimeter.flows.store.lease import Lease, name_of
from planimeter.flows.store.remote_place import RemotePlace
from planimeter.flows.store.storage import FolderStore, Store
from planimeter.flows.suites import suite_of
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load

RECIPE = load("marvl-qa-mini", scale=0.02)
assert isinstance(RECIPE, Recipe)


def leave_behind(store: Store) -> None:
    """The lease of a machine that died."""
    store.put(name_of("d"), json.dumps({"holder": "dead", "machine": "the old one", "beats": 7}).encode())


class Late(FolderStore):
    """A store as a slow machine sees it: what it replaces in there is late, and another was quick."""

    def __init__(self, folder: Path, changed: threading.Event) -> None:
        super().__init__(folder)
        self._changed = changed

    def put(self, name: str, content: bytes, *, create: bool = False) -> None:
        if not create:
            self._changed.wait(10)
        super().put(name, content, create=create)

    def delete(self, name: str) -> None:
        self._changed.wait(10)
        super().delete(name)


class Quick(Late):
    """The store as the quick machine sees it."""

    def put(self, name: str, content: bytes, *, create: bool = False) -> None:
        FolderStore.put(self, name, content, create=create)
        self._changed.set()

    def delete(self, name: str) -> None:
        FolderStore.delete(self, name)


def test_of_two_that_wait_for_a_dead_build_only_one_goes_on(tmp_path: Path) -> None:
    leave_behind(FolderStore(tmp_path))
    changed = threading.Event()
    quick = Lease(Quick(tmp_path, changed), "d", "quick", beat=1.0, patience=0.3)
    slow = Lease(Late(tmp_path, changed), "d", "slow", beat=1.0, patience=0.1)
    with ExitStack() as ends, ThreadPoolExecutor(2) as machines:

        def take(lease: Lease) -> bool:
            try:
                ends.enter_context(lease)
            except BusyError:
                return False
            return True

        went_on = list(machines.map(take, (quick, slow)))
        assert went_on.count(True) == 1
        (quick, slow)[went_on.index(True)].check()
    assert not FolderStore(tmp_path).names("locks")


def test_the_wait_for_another_machine_is_not_silent(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    leave_behind(store)
    told: list[str] = []
    with Lease(store, "d", "new", told.append, beat=0.1, patience=0.2):
        assert ["a build on the old one has it in this bucket; waiting up to" in line for line in told] == [True]
    with Lease(store, "d", "new", told.append, beat=0.1):
        assert len(told) == 1


def test_a_lease_that_nobody_can_read_does_not_stay_for_ever(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    store.put(name_of("d"), b"\xff")
    with Lease(store, "d", "new", beat=0.1, patience=0.2) as held:
        held.check()


def test_a_build_that_lost_its_lease_makes_no_more_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would go on for hours, beside the build that took its place."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place = RemotePlace(RECIPE, "memory://shelf/lost")

    class Future:
        def __init__(self, key: str, _: object) -> None:
            self._key = key

        def add_done_callback(self, done: Callable[["Future"], None]) -> None:
            place.store.put(name_of(RECIPE.dataset), b'{"holder": "another"}')
            # The next beat finds it.
            lease._thread.join(10)
            done(self)

        def result(self) -> dict[str, Any]:
            pytest.fail("the lease is another's")

    monkeypatch.setattr(tasks, "_task", lambda *_: SimpleNamespace(submit=Future))
    monkeypatch.setattr(artifacts, "progress", lambda *_: nullcontext(lambda _: None))
    shards = list(suite_of(RECIPE).plan(RECIPE))[:8]
    with Lease(place.store, RECIPE.dataset, "this one", beat=0.05) as lease, bars() as shown:
        place._lease = lease
        with pytest.raises(PlanimeterError, match="another build took the place of this one"):
            tasks.make(place, cast("Any", None), shards, shown)
