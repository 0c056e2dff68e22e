"""Keeps builds of one dataset apart that share a bucket, where no file lock reaches.

A lease is an object that only one can create (a conditional write: If-None-Match), whose holder changes it every few
seconds. No clock is compared with another machine's: who finds a lease watches it for a while. If it changes, its
holder lives; if not, the holder is gone and the lease is taken over. A holder that was only asleep finds, when it
wakes, that the lease is no longer its own, and stops before it hands over a dataset. Until then it has written shards,
which are named by their content and harm nobody. Where a bucket knows no conditional write, two builds that begin
within the same moment may both go on; the manifest, created last and never replaced, is then that of the first.
"""

import json
import platform
import threading
import time
from types import TracebackType
from typing import Any, Self

from flows.bucket import StoreError
from flows.errors import BusyError, PlanimeterError
from flows.storage import Store

#: Seconds between two changes of a lease, and seconds without one after which its holder counts as gone.
BEAT, PATIENCE = 5.0, 30.0


class Lease:
    """The right to build ``dataset`` in ``store``, held within ``with``.

    ``holder`` names this machine's folder of work, whose file lock the caller holds: a lease with the same holder was
    left by a process that is dead, and is taken over at once.
    """

    def __init__(
        self, store: Store, dataset: str, holder: str, *, beat: float = BEAT, patience: float = PATIENCE
    ) -> None:
        self._store, self._dataset, self._holder = store, dataset, holder
        self._beat, self._patience = beat, patience
        self._name = name_of(dataset)
        self._beats = 0
        self._over = threading.Event()
        self._lost = ""
        self._thread = threading.Thread(target=self._go_on, daemon=True)

    def __enter__(self) -> Self:
        """Take the lease. Raises ``BusyError`` if somebody holds it."""
        try:
            self._store.put(self._name, self._content(), create=True)
        except FileExistsError:
            self._take_over()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        try:
            if not self._lost and holder_of(self._store, self._dataset).get("holder") == self._holder:
                self._store.delete(self._name)
        except StoreError:
            # How the build ended matters more; a lease that stays is taken over by the next build.
            return

    def check(self) -> None:
        """Raise ``PlanimeterError`` if the lease was lost: another build may have begun."""
        if self._lost or holder_of(self._store, self._dataset).get("holder") != self._holder:
            raise PlanimeterError(
                f"{self._dataset}: this build was not heard of for more than {self._patience:.0f} s and another took "
                "its place; wait for that one, or run the same command again later: finished shards are kept"
            )

    def _take_over(self) -> None:
        found = holder_of(self._store, self._dataset)
        if found.get("holder") != self._holder:
            deadline = time.monotonic() + self._patience
            while found and time.monotonic() < deadline:
                time.sleep(self._beat / 5)
                now = holder_of(self._store, self._dataset)
                if now and now != found:
                    raise self._busy(now)
                found = now
        self._store.delete(self._name)
        try:
            self._store.put(self._name, self._content(), create=True)
        except FileExistsError:
            raise self._busy(holder_of(self._store, self._dataset)) from None

    def _go_on(self) -> None:
        while not self._over.wait(self._beat):
            try:
                if holder_of(self._store, self._dataset).get("holder") != self._holder:
                    self._lost = "taken"
                    return
                self._beats += 1
                self._store.put(self._name, self._content())
            except StoreError:
                # A bucket out of reach for a moment; `check` has the last word.
                continue

    def _content(self) -> bytes:
        return json.dumps({"holder": self._holder, "machine": platform.node(), "beats": self._beats}).encode()

    def _busy(self, holder: dict[str, Any]) -> BusyError:
        return BusyError(
            f"another build of {self._dataset} is at work on {holder.get('machine', 'another machine')} for the same "
            f"bucket; wait for it to end, or build elsewhere with --out"
        )


def name_of(dataset: str) -> str:
    """Return the name of the lease of ``dataset`` in its store."""
    return f"locks/{dataset}.json"


def holder_of(store: Store, dataset: str) -> dict[str, Any]:
    """Return what the holder of the lease wrote, or nothing where there is none."""
    try:
        found = json.loads(store.get(name_of(dataset)))
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
