"""What is being built, written beside the shards: ``planimeter status`` reads how far an interrupted build got.

One small JSON file for each unfinished build, removed when its dataset stands in place. Nothing is resumed *from* it:
the shards are the record of truth, and the same command finds them by their keys.
"""

import json
import platform
import shlex
from contextlib import suppress

from pydantic import BaseModel, ConfigDict, Field

from planimeter.flows.store import shard_cache, sources
from planimeter.flows.store.storage import Store

#: Where a store keeps them.
JOURNALS = "builds"


class Journal(BaseModel):
    """An unfinished build: ``command`` is what to type to go on, ``keys`` are the cache keys of its shards, ``code`` is
    what it makes them by; None where an earlier Planimeter did not note it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dataset: str
    version: str
    command: str
    keys: tuple[str, ...]
    code: sources.Code | None = None
    #: Where the build began last, for a bucket: no lock shows there whether it still runs.
    machine: str = Field(default_factory=platform.node)

    @property
    def is_current(self) -> bool:
        """Whether the code is the one that is installed, so that a build would go on from the shards."""
        try:
            return self.code is not None and sources.Code.of(self.code.modules) == self.code
        except LookupError:
            return False

    @property
    def going_on(self) -> str:
        """The command, with the version that it began; a later recipe may have another one by default."""
        words = shlex.split(self.command)
        if words[:3] == ["planimeter", "build", self.dataset] and "--version" not in words:
            return f"{self.command} --version {self.version}"
        if words[:3] == ["prefect", "deployment", "run"] and not any(word.startswith("version=") for word in words):
            return f"{self.command} --param version={self.version}"
        return self.command

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


def forget(store: Store, build: Journal) -> int:
    """Remove ``build`` with its shards, but for files that another shard has too; return how many shards there were."""
    names = store.names(shard_cache.RECORDS)
    finished = names.intersection(build.keys)
    shared = frozenset[str]().union(*(_files(store, key) for key in names - finished))
    for key in sorted(finished):
        for path in sorted(_files(store, key) - shared):
            store.delete(path)
        store.delete(f"{shard_cache.RECORDS}/{key}")
    close(store, build.dataset, build.version)
    return len(finished)


def _files(store: Store, key: str) -> frozenset[str]:
    """Return the files that the record of a shard names; none where an earlier Planimeter wrote it in another form."""
    content = shard_cache.noted(store, f"{shard_cache.RECORDS}/{key}")
    try:
        record = json.loads(content or b"")
        return frozenset((record["rejects_path"], *(table["path"] for table in record["tables"])))
    except (LookupError, TypeError, ValueError):
        return frozenset()


def close(store: Store, dataset: str, version: str) -> None:
    """Remove the journal: the build is finished."""
    store.delete(_name(dataset, version))


def _name(dataset: str, version: str) -> str:
    return f"{JOURNALS}/{dataset}-{version}.json"
