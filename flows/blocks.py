"""Stores the results of Prefect's tasks as files in the folder or bucket in which a build caches its work.

Each cache key has one file: a line with the SHA-256 of the result, then the result as JSON.
"""

import hashlib

from prefect.filesystems import WritableFileSystem
from prefect.serializers import JSONSerializer

from planimeter.flows.store.results import FOLDER, require_plain, with_digest, without_digest
from planimeter.flows.store.storage import Store

#: The serializer of these results: reading a file imports and calls nothing that the file names.
SERIALIZER = JSONSerializer(object_encoder=None, object_decoder=None)


class StoreResults(WritableFileSystem):
    """A storage block of Prefect: keeps the results of tasks in the store at ``url``, a folder or a bucket."""

    _block_type_name = "Planimeter Store"
    _block_type_slug = "planimeter-store"

    url: str

    def read_path(self, path: str, _sync: bool = True) -> bytes:  # type: ignore[override]
        """Return the result at ``path``. Raises ``ValueError`` if it is damaged or not plain JSON."""
        content = without_digest(Store(self.url).read(f"{FOLDER}/{path}"))
        if content is None:
            raise ValueError(f"{path} in {self.url} is damaged")
        return require_plain(content)

    def write_path(self, path: str, content: bytes, _sync: bool = True) -> None:  # type: ignore[override]
        """Store the result ``content`` at ``path``."""
        Store(self.url).write(f"{FOLDER}/{path}", with_digest(content))


def results_in(store: Store) -> StoreResults:
    """Save a block for ``store`` on Prefect's server, named by a digest of the store's address, and return it."""
    block = StoreResults(url=store.url)
    block.save(f"planimeter-{hashlib.sha256(store.url.encode()).hexdigest()[:16]}", overwrite=True)
    return block
