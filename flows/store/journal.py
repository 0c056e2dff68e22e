"""What is being built, written beside the shards: ``planimeter status`` reads how far an interrupted build got.

One small JSON file for each unfinished build, removed when its dataset stands in place. Nothing is resumed *from* it:
the shards are the record of truth, and the same command finds them by their keys.
"""

import platform
from contextlib import suppress

from pydantic import BaseModel, ConfigDict, Field

from planimeter.flows.store.storage import Store

#: Where a store keeps them.
JOURNALS = "builds"


class Journal(BaseModel):
    """An unfinished build: ``command`` is what to type to go on, ``keys`` are the cache keys of its shards."""

    model_config = ConfigDict(frozen=True)

    dataset: str
    version: str
    command: str
    keys: tuple[str, ...]
    #: Where the build began last, for a bucket: no lock shows there whether it still runs.
    machine: str = Field(default_factory=platform.node)

    def write(self, store: Store) -> None:
        """Write the journal into ``store``."""
        store.put(_name(self.dataset, self.version), self.model_dump_json().encode())


def unfinished(store: Store) -> list[Journal]:
    """Return the journals in ``store`` that are whole, by name."""
    journals: list[Journal] = []
    for name in sorted(store.names(JOURNALS)):
        with suppress(OSError, ValueError):
            journals.append(Journal.model_validate_json(store.get(f"{JOURNALS}/{name}")))
    return journals


def close(store: Store, dataset: str, version: str) -> None:
    """Remove the journal: the build is finished."""
    store.delete(_name(dataset, version))


def _name(dataset: str, version: str) -> str:
    return f"{JOURNALS}/{dataset}-{version}.json"
