"""What is being built, kept beside the shards: ``planimeter status`` reads how far an interrupted build got.

One small note for each unfinished build, removed when its dataset stands in place. Nothing is resumed *from* it: the
shards are the record of truth, and the same command finds them by their keys.
"""

import platform
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from planimeter.flows.errors import redacted
from planimeter.flows.store.results import Kind
from planimeter.flows.store.storage import Store


class Journal(BaseModel, frozen=True):
    """An unfinished build: ``command`` is what to type to go on, ``keys`` are the cache keys of its shards."""

    dataset: str
    version: str
    command: Annotated[str, AfterValidator(redacted)]
    keys: tuple[str, ...]
    #: Where the build began last, for a bucket: no lock shows there whether it still runs.
    machine: str = Field(default_factory=platform.node)

    def write(self, store: Store) -> None:
        """Keep the journal in ``store``."""
        JOURNAL.keep(store, f"{self.dataset}-{self.version}", self)


JOURNAL: Kind[Journal] = Kind("builds", Journal)


def unfinished(store: Store) -> list[Journal]:
    """Return the journals in ``store`` that are whole, by name."""
    return [*filter(None, (JOURNAL.find(store, name) for name in sorted(store.sizes(JOURNAL.name))))]


def close(store: Store, dataset: str, version: str) -> None:
    """Remove the journal: the build is finished."""
    store.delete(f"{JOURNAL.name}/{dataset}-{version}")
