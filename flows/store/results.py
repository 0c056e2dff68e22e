"""Prefect's results in a store, beside the shards: one file a content key, with the digest of its content before it.

A result of Prefect names its serializer and the classes of its values, and Prefect follows these names. Whoever can
write to a shared store could make it unpickle or import anything, so only plain JSON is read.
"""

import hashlib
import json

from prefect.filesystems import WritableFileSystem
from prefect.serializers import JSONSerializer

from planimeter.flows.store.storage import Store, open_store

#: The folder of a store in which they lie.
FOLDER = "results"


class StoreResults(WritableFileSystem):
    """The block by which Prefect reads and writes the results in the store at ``url``, a folder or a bucket."""

    _block_type_name = "Planimeter Store"
    _block_type_slug = "planimeter-store"

    url: str

    def read_path(self, path: str, _sync: bool = True) -> bytes:  # type: ignore[override]
        """Return the result at ``path``. Raises ``ValueError`` unless it is whole and plain JSON."""
        digest, _, content = open_store(self.url).get(f"{FOLDER}/{path}").partition(b"\n")
        if hashlib.sha256(content).hexdigest().encode() != digest:
            raise ValueError(f"{path} in {self.url} is damaged")
        _require_plain(content)
        return content

    def write_path(self, path: str, content: bytes, _sync: bool = True) -> None:  # type: ignore[override]
        """Keep the result ``content`` at ``path``."""
        digest = hashlib.sha256(content).hexdigest().encode()
        open_store(self.url).put(f"{FOLDER}/{path}", digest + b"\n" + content)


def results_in(store: Store) -> StoreResults:
    """Return the saved block of ``store``: the server knows it by a digest of the address."""
    block = StoreResults(url=store.url)
    block.save(f"planimeter-{hashlib.sha256(store.url.encode()).hexdigest()[:16]}", overwrite=True, _sync=True)
    return block


def _require_plain(content: bytes) -> None:
    """Raise ``ValueError`` if the result is not what Prefect's own JSON serializer writes of plain values."""
    record = json.loads(content)
    if record["metadata"]["serializer"] != JSONSerializer().model_dump(mode="json"):
        raise ValueError("the result has another serializer")
    json.loads(record["result"], object_pairs_hook=_require_no_class)


def _require_no_class(pairs: list[tuple[str, object]]) -> None:
    if {"__class__", "__exc_type__"} & {key for key, _ in pairs}:
        raise ValueError("the result names a class")
