"""What is being built, written beside the shards, so that ``planimeter status`` can tell how far an interrupted build
got.

One small JSON file for each unfinished build, removed when its dataset stands in place. Nothing is resumed *from* it:
the shards are the record of truth, and the same command finds them by their keys.
"""

import json
import platform
from dataclasses import asdict, dataclass, field
from typing import Self

from planimeter.flows.store.shard_cache import RECORDS
from planimeter.flows.store.storage import Store

#: Where a store keeps them.
JOURNALS = "builds"


@dataclass(frozen=True, kw_only=True, slots=True)
class Journal:
    """An unfinished build: ``command`` is what to type to go on, ``keys`` are the cache keys of its shards."""

    dataset: str
    version: str
    command: str
    keys: tuple[str, ...]
    #: Where the build began last, for a bucket: no lock tells there whether it still runs.
    machine: str = field(default_factory=platform.node)

    def write(self, store: Store) -> None:
        """Write the journal into ``store``."""
        store.put(_name(self.dataset, self.version), json.dumps(asdict(self)).encode())

    def done(self, store: Store) -> int:
        """Return how many of the shards are finished."""
        return len(store.names(RECORDS).intersection(self.keys))

    @classmethod
    def read(cls, store: Store, name: str) -> Self | None:
        """Return the journal called ``name``, or None where it is missing or damaged."""
        try:
            values = json.loads(store.get(name))
            journal = cls(**{**values, "keys": tuple(values["keys"])})
        except (OSError, ValueError, TypeError, KeyError):
            return None
        texts = (journal.dataset, journal.version, journal.command, journal.machine, *journal.keys)
        return journal if all(isinstance(text, str) for text in texts) else None


def unfinished(store: Store) -> list[Journal]:
    """Return the journals in ``store``, by name."""
    names = sorted(name for name in store.names(JOURNALS) if name.endswith(".json"))
    found = (Journal.read(store, f"{JOURNALS}/{name}") for name in names)
    return [journal for journal in found if journal]


def of(store: Store, dataset: str, version: str) -> Journal | None:
    """Return the journal of the unfinished build of that version, if there is one."""
    return Journal.read(store, _name(dataset, version))


def close(store: Store, dataset: str, version: str) -> None:
    """Remove the journal: the build is finished."""
    store.delete(_name(dataset, version))


def _name(dataset: str, version: str) -> str:
    return f"{JOURNALS}/{dataset}-{version}.json"
