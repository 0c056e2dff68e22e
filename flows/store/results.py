"""Stores small results as JSON files named by keys, such as results of Prefect's tasks and replies of models.

A file begins with the SHA-256 of the rest, since a count with a flipped digit is valid JSON too. No result is ever
unpickled.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from planimeter.export.foreign import parse_json
from planimeter.flows.store.storage import Store

Result = TypeVar("Result")

#: The folder of Prefect's results in a store: a file for each finished task, named by the key of the task.
FOLDER = "results"


def finished_keys(store: Store) -> frozenset[str]:
    """Return the keys of all finished tasks, such as those that make a shard; damaged results are included."""
    return frozenset(store.sizes(FOLDER))


@dataclass(frozen=True)
class Kind(Generic[Result]):
    """A kind of results: values of one ``type``, stored as JSON in the folder ``name`` of a store."""

    name: str
    type: Any

    @cached_property
    def _adapter(self) -> TypeAdapter[Result]:
        return TypeAdapter(self.type)

    def find(self, store: Store, key: str) -> Result | None:
        """Return the result stored under ``key``; None if it is missing, damaged or not of ``type``."""
        try:
            return self._adapter.validate_json(without_digest(store.read(f"{self.name}/{key}")) or b"")
        except (FileNotFoundError, ValidationError):
            return None

    def keep(self, store: Store, key: str, result: Result) -> None:
        """Store ``result`` under ``key``."""
        store.write(f"{self.name}/{key}", with_digest(self._adapter.dump_json(result)))

    def cached(self, store: Store, key: str, make: Callable[[], Result]) -> Result:
        """Return the result stored under ``key``; if there is none, call ``make`` and store what it returns."""
        result = self.find(store, key)
        if result is None:
            result = make()
            self.keep(store, key, result)
        return result


def with_digest(content: bytes) -> bytes:
    """Return a line with the SHA-256 of ``content``, followed by ``content``."""
    return hashlib.sha256(content).hexdigest().encode() + b"\n" + content


def without_digest(kept: bytes) -> bytes | None:
    """Return the content of ``kept``, which ``with_digest`` returned; None if a byte of it has changed."""
    digest, _, content = kept.partition(b"\n")
    return content if hashlib.sha256(content).hexdigest().encode() == digest else None


def require_plain(content: bytes) -> bytes:
    """Return ``content``, a result in Prefect's format, if Prefect can read it without running code from the file.

    Prefect deserializes a result with the serializer that the *file* names: pickle, or any importable function
    (``jsonlib``, ``object_decoder``). So anyone who can write to the store could run code. Raises ``ValueError`` for a
    result with another serializer than ``PLAIN``.
    """
    document = parse_json(content)
    metadata = document["metadata"] if isinstance(document, dict) else None
    serializer = metadata.get("serializer") if isinstance(metadata, dict) else None
    if serializer != PLAIN or set(document) != {"metadata", "result"}:
        raise ValueError(f"a stored result is not plain JSON: {str(serializer)[:80]}")
    # Serialized again: if two keys of an object are equal, Prefect's parser may take the one that was not checked.
    return json.dumps(document).encode()


#: The only serializer of results in a store, as Prefect writes it into each file: ``JSONSerializer(object_encoder=None,
#: object_decoder=None)``. Prefect's default decoder imports and calls what a file names.
PLAIN: dict[str, object] = {
    "type": "json",
    "jsonlib": "json",
    "object_encoder": None,
    "object_decoder": None,
    "dumps_kwargs": {},
    "loads_kwargs": {},
}
