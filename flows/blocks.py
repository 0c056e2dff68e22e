"""Prefect's results in the store of the shards: one file a content key, with the digest of its content before it."""

import hashlib

from prefect.filesystems import WritableFileSystem
from prefect.serializers import JSONSerializer

from planimeter.flows.store.results import require_plain, with_digest, without_digest
from planimeter.flows.store.storage import Store

#: Their folder in a store.
FOLDER = "results"

#: Their serializer: it imports and calls nothing that a file names.
SERIALIZER = JSONSerializer(object_encoder=None, object_decoder=None)


class StoreResults(WritableFileSystem):
    """Prefect's block for reading and writing the results in the store at ``url``, a folder or a bucket."""

    _block_type_name = "Planimeter Store"
    _block_type_slug = "planimeter-store"

    url: str

    def read_path(self, path: str, _sync: bool = True) -> bytes:  # type: ignore[override]
        """Return the result at ``path``. Raises ``ValueError`` unless it is whole and plain JSON."""
        content = without_digest(Store(self.url).read(f"{FOLDER}/{path}"))
        if content is None:
            raise ValueError(f"{path} in {self.url} is damaged")
        return require_plain(content)

    def write_path(self, path: str, content: bytes, _sync: bool = True) -> None:  # type: ignore[override]
        """Store the result ``content`` at ``path``."""
        Store(self.url).write(f"{FOLDER}/{path}", with_digest(content))


def results_in(store: Store) -> StoreResults:
    """Return the saved block of ``store``; its name on the server is a digest of the address."""
    block = StoreResults(url=store.url)
    block.save(f"planimeter-{hashlib.sha256(store.url.encode()).hexdigest()[:16]}", overwrite=True)
    return block
