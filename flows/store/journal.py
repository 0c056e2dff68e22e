"""What is being built, kept beside the shards: ``planimeter status`` reads how far an interrupted build got.

One small note for each unfinished build, removed when its dataset stands in place. Nothing is resumed *from* it: the
shards are the record of truth, and the same command finds them by their keys.
"""

import platform
from contextlib import suppress
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from planimeter.flows.errors import redacted
from planimeter.flows.store import cached
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
        cached.keep(store, JOURNAL, f"{self.dataset}-{self.version}", self)


JOURNAL = cached.model_kind("builds", Journal)


def unfinished(store: Store) -> list[Journal]:
    """Return the journals in ``store`` that are whole, by name."""
    journals: list[Journal] = []
    for name in sorted(store.names(JOURNAL.name)):
        # Those of an earlier Planimeter have another form.
        with suppress(ValueError):
            journals += filter(None, [cached.find(store, JOURNAL, name)])
    return journals


def close(store: Store, dataset: str, version: str) -> None:
    """Remove the journal: the build is finished."""
    store.delete(f"{JOURNAL.name}/{dataset}-{version}")
