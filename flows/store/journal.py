"""What is being built, written beside the shards: ``planimeter status`` reads how far an interrupted build got.

One small JSON file for each unfinished build, removed when its dataset stands in place. Nothing is resumed *from* it:
the shards are the record of truth, and the same command finds them by their keys.
"""

import platform
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from planimeter.flows.store.shard_cache import RECORDS
from planimeter.flows.store.storage import Store

#: Where a store keeps them.
JOURNALS = "builds"


class Journal(BaseModel):
    """An unfinished build: ``command`` is what to type to go on, ``keys`` are the cache keys of its shards."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dataset: str
    version: str
    command: str
    keys: tuple[str, ...]
    #: Where the build began last, for a bucket: no lock tells there whether it still runs.
    machine: str = Field(default_factory=platform.node)

    def write(self, store: Store) -> None:
        """Write the journal into ``store``."""
        store.put(_name(self.dataset, self.version), self.model_dump_json().encode())

    def done(self, store: Store) -> int:
        """Return how many of the shards are finished."""
        return len(store.names(RECORDS).intersection(self.keys))

    @classmethod
    def read(cls, store: Store, name: str) -> Self | None:
        """Return the journal called ``name``, or None where it is missing or damaged."""
        try:
            return cls.model_validate_json(store.get(name))
        except (OSError, ValueError):
            return None


def unfinished(store: Store) -> list[Journal]:
    """Return the journals in ``store``, by name."""
    names = sorted(name for name in store.names(JOURNALS) if name.endswith(".json"))
    found = (Journal.read(store, f"{JOURNALS}/{name}") for name in names)
    return [journal for journal in found if journal]


def close(store: Store, dataset: str, version: str) -> None:
    """Remove the journal: the build is finished."""
    store.delete(_name(dataset, version))


def _name(dataset: str, version: str) -> str:
    return f"{JOURNALS}/{dataset}-{version}.json"
