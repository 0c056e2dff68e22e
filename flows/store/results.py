"""Small results of other work than shards, in a store as JSON by kind and key: findings of a check, replies.

Each begins with the hash of the rest, since nothing else would distinguish a flipped digit from a count. No kind of
result is ever unpickled.
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


@dataclass(frozen=True)
class Kind(Generic[Result]):
    """Results of one ``type`` that JSON can hold, in the folder ``name`` of a store."""

    name: str
    type: Any

    @cached_property
    def _adapter(self) -> TypeAdapter[Result]:
        return TypeAdapter(self.type)

    def find(self, store: Store, key: str) -> Result | None:
        """Return the result under ``key``; None if it is missing, damaged or of another form."""
        try:
            return self._adapter.validate_json(without_digest(store.read(f"{self.name}/{key}")) or b"")
        except (FileNotFoundError, ValidationError):
            return None

    def keep(self, store: Store, key: str, result: Result) -> None:
        """Store ``result`` under ``key``."""
        store.write(f"{self.name}/{key}", with_digest(self._adapter.dump_json(result)))

    def cached(self, store: Store, key: str, make: Callable[[], Result]) -> Result:
        """Return the result under ``key``; if it is missing, make and store it first."""
        result = self.find(store, key)
        if result is None:
            result = make()
            self.keep(store, key, result)
        return result


def with_digest(content: bytes) -> bytes:
    """Return ``content`` with its SHA-256 in a line before it."""
    return hashlib.sha256(content).hexdigest().encode() + b"\n" + content


def without_digest(kept: bytes) -> bytes | None:
    """Return the content inside ``kept``, which ``with_digest`` made; None if it is damaged."""
    digest, _, content = kept.partition(b"\n")
    return content if hashlib.sha256(content).hexdigest().encode() == digest else None


def require_plain(content: bytes) -> bytes:
    """Return ``content``, a result in Prefect's format, if reading it runs nothing. Raises ``ValueError`` otherwise.

    Prefect deserializes a result by what the *file* names: pickle, or any importable function (``jsonlib``,
    ``object_decoder``). Anyone who can write to the folder would run code: read every result through this function.
    """
    document = parse_json(content)
    metadata = document["metadata"] if isinstance(document, dict) else None
    serializer = metadata.get("serializer") if isinstance(metadata, dict) else None
    if serializer != PLAIN or set(document) != {"metadata", "result"}:
        raise ValueError(f"a stored result is not plain JSON: {str(serializer)[:80]}")
    # Not the original: of two equal names, parsers of JSON may choose different ones.
    return json.dumps(document).encode()


#: The one serializer of results in a store, as Prefect writes it with each: ``JSONSerializer(object_encoder=None,
#: object_decoder=None)``. Prefect's default decoder imports and calls what a file names.
PLAIN: dict[str, object] = {
    "type": "json",
    "jsonlib": "json",
    "object_encoder": None,
    "object_decoder": None,
    "dumps_kwargs": {},
    "loads_kwargs": {},
}
