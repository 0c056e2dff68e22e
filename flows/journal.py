"""What is being built, written beside the shards, so that ``planimeter status`` can tell how far an interrupted build
got.

One small JSON file for each unfinished build, removed when its dataset stands in place. Nothing is resumed *from* it:
the shards are the record of truth, and the same command finds them by their keys.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from flows.caching import records_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Journal:
    """An unfinished build: ``command`` is what to type to go on, ``keys`` are the cache keys of its shards."""

    dataset: str
    version: str
    command: str
    flow_run: str
    keys: tuple[str, ...]

    def write(self, folder: Path) -> Path:
        """Write the journal below ``folder`` and return its path."""
        path = _path(folder, self.dataset, self.version)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".tmp-{os.getpid()}-{path.name}")
        temporary.write_text(json.dumps(asdict(self)), encoding="utf-8")
        temporary.replace(path)
        return path

    def done(self, folder: Path) -> int:
        """Return how many of the shards are finished."""
        kept = records_of(folder)
        return sum((kept / key).exists() for key in self.keys)

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """Return the journal at ``path``, or None where it is missing or damaged."""
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            journal = cls(**{**values, "keys": tuple(values["keys"])})
        except (OSError, ValueError, TypeError, KeyError):
            return None
        texts = (journal.dataset, journal.version, journal.command, journal.flow_run, *journal.keys)
        return journal if all(isinstance(text, str) for text in texts) else None


def unfinished(folder: Path) -> list[Journal]:
    """Return the journals below ``folder``, by name."""
    found = (Journal.read(path) for path in sorted((folder / "builds").glob("*.json")))
    return [journal for journal in found if journal]


def of(folder: Path, dataset: str, version: str) -> Journal | None:
    """Return the journal of the unfinished build of that version, if there is one."""
    return Journal.read(_path(folder, dataset, version))


def close(folder: Path, dataset: str, version: str) -> None:
    """Remove the journal: the build is finished."""
    _path(folder, dataset, version).unlink(missing_ok=True)


def _path(folder: Path, dataset: str, version: str) -> Path:
    return folder / "builds" / f"{dataset}-{version}.json"
