"""Keeps builds of one dataset apart that share a bucket, where no file lock reaches.

A lease is an object that only one can create (a conditional write: If-None-Match), whose holder changes it every few
seconds. No clock is compared with another machine's: who finds a lease watches it for a while. If it changes, its
holder lives; if not, the holder is gone and the lease is taken over. Of two that take it over at once the later one
has it, and the other finds that out. A holder that was only asleep finds, when it wakes, that the lease is no longer
its own, and stops. Until then it has written shards, which are named by their content and harm nobody; an upload looks
for itself (``flows/store/remote_place.py``). Where a bucket knows no conditional write, two builds that begin within
the same moment may both go on, until the first of them finds the lease to be the other's.
"""

import json
import platform
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from planimeter.flows.errors import BusyError, PlanimeterError
from planimeter.flows.store.bucket import StoreError
from planimeter.flows.store.storage import Store

#: Seconds between two changes of a lease, and seconds without one after which its holder counts as gone.
BEAT, PATIENCE = 5.0, 30.0


class Lease:
    """The right to build ``dataset`` in ``store``, held within ``with``.

    ``holder`` names this machine's folder of work, whose file lock the caller holds: a lease with the same holder was
    left by a process that is dead, and is taken over at once. ``tell`` is told, in a line, that one has to wait.
    """

    def __init__(
        self,
        store: Store,
        dataset: str,
        holder: str,
        tell: Callable[[str], None] = lambda _: None,
        *,
        beat: float = BEAT,
        patience: float = PATIENCE,
    ) -> None:
        self._store, self._dataset, self._holder = store, dataset, holder
        self._tell, self._beat, self._patience = tell, beat, patience
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

    def check(self, *, look: bool = True) -> None:
        """Raise ``PlanimeterError`` if the lease was lost: another build may have begun.

        Without a ``look`` at the lease only what the last beat found counts, which costs nothing.
        """
        if self._lost or (look and holder_of(self._store, self._dataset).get("holder") != self._holder):
            raise PlanimeterError(
                f"{self._dataset}: another build took the place of this one, which was not heard of for more than "
                f"{self._patience:.0f} s or began at the same moment; wait for that one, or run the same command "
                "again later: finished shards are kept"
            )

    def _take_over(self) -> None:
        found = self._read()
        if found is not None and _parsed(found).get("holder") != self._holder:
            found = self._watch(found)
        try:
            # Never deleted: between that and our own another could take it, and lose it to a third.
            self._store.put(self._name, self._content(), create=found is None)
        except FileExistsError:
            raise self._busy(holder_of(self._store, self._dataset)) from None
        # Another that has watched it as well may write at this very moment.
        time.sleep(self._beat / 5)
        now = holder_of(self._store, self._dataset)
        if now.get("holder") != self._holder:
            raise self._busy(now)

    def _watch(self, found: bytes) -> bytes | None:
        """Return what stands there when the patience is at an end. Raises ``BusyError`` if it changes before."""
        self._tell(
            f"{self._dataset}: a build on {_machine(_parsed(found))} has it in this bucket; waiting up to "
            f"{self._patience:.0f} s to see whether that one still lives"
        )
        deadline = time.monotonic() + self._patience
        now: bytes | None = found
        while now is not None and time.monotonic() < deadline:
            time.sleep(self._beat / 5)
            now = self._read()
            if now is not None and now != found:
                raise self._busy(_parsed(now))
        return now

    def _read(self) -> bytes | None:
        try:
            return self._store.get(self._name)
        except FileNotFoundError:
            return None

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
            f"another build of {self._dataset} is at work on {_machine(holder)} for the same bucket; wait for it to "
            "end, or build elsewhere with --out"
        )


def name_of(dataset: str) -> str:
    """Return the name of the lease of ``dataset`` in its store."""
    return f"locks/{dataset}.json"


def holder_of(store: Store, dataset: str) -> dict[str, Any]:
    """Return what the holder of the lease wrote, or nothing where there is none."""
    try:
        return _parsed(store.get(name_of(dataset)))
    except FileNotFoundError:
        return {}


def _parsed(content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _machine(holder: dict[str, Any]) -> str:
    return str(holder.get("machine", "another machine"))
