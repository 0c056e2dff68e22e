"""A build whose outputs lie in a bucket.

Shards and their records go there as they are made, so that workers on other machines can write them and any machine
can go on. The dataset is put together and verified in a temporary folder of this machine (below TMPDIR), and then
uploaded, its manifest last: a version without a manifest is not there.

No lock reaches from one machine to another. Shards are named by their content, so that two builds at once only do some
work twice. No object of a dataset is ever overwritten or removed, and the Croissant file, which names the hash of every
other, is uploaded first: of two builds of other content the second is refused before it has uploaded anything, and of
the same content both end well. An upload that was cut off is finished by a build of the same content; for other content
a person removes its objects.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from planimeter.flows.display.bars import Bars
from planimeter.flows.errors import DiskError
from planimeter.flows.store.bucket import Bucket
from planimeter.flows.store.place import Place
from planimeter.flows.store.storage import STORE, checked, is_remote
from planimeter.recipes.base import Recipe

#: Files that are on their way at once.
STREAMS = 8

CROISSANT, MANIFEST = "croissant.json", "manifest.json"


class RemotePlace(Place):
    """``<url>/<dataset>/<version>`` of one build, its store beside it, and a temporary folder on this machine."""

    hint_if_unwritable = "name another temporary folder in TMPDIR"
    hint_if_taken = "Give another --version or --out, or remove its objects yourself"

    def __init__(self, recipe: Recipe, url: str) -> None:
        super().__init__(recipe, temporary_folder(url))
        self.display_name = url
        self._bucket = Bucket(url)
        self._name = f"{recipe.dataset}/{recipe.version}"
        self.store = Bucket(f"{url}/{STORE}")

    @property
    def address(self) -> str:
        """The address of the dataset in the bucket."""
        return f"{self._bucket.url}/{self._name}"

    def prepare(self) -> None:
        """Make the temporary folder, and try the bucket; ``PlanimeterError`` if either cannot be written."""
        super().prepare()
        probe = "locks/.writable"
        self.store.put(probe, b"planimeter")
        self.store.delete(probe)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the dataset for one build of this machine; those of other machines by what is uploaded."""
        with super().locked():
            # What a killed build left.
            shutil.rmtree(self.folder.parent, ignore_errors=True)
            try:
                self.folder.parent.mkdir(parents=True)
                yield
            finally:
                shutil.rmtree(self.folder.parent, ignore_errors=True)

    def fetch(self, shown: Bars) -> None:
        """Download the dataset to the temporary folder."""
        stage = shown.stage("download", 1)
        self._bucket.download(self._name, self.folder)
        stage.advance()

    def deliver(self, shown: Bars) -> None:
        """Upload the dataset, its manifest last; what is there with the same bytes stays.

        Raises ``VersionExistsError`` if there is anything else, which stays.
        """
        files = {str(path.relative_to(self.folder)): path for path in sorted(self.folder.rglob("*")) if path.is_file()}
        stage = shown.stage("upload", len(files))

        def upload(name: str) -> None:
            self._create(name, files[name])
            stage.advance()

        upload(CROISSANT)
        with ThreadPoolExecutor(STREAMS) as streams:
            list(streams.map(upload, files.keys() - {CROISSANT, MANIFEST}))
        strange = sorted(self._bucket.sizes(self._name).keys() - files.keys())
        if strange:
            self.refuse(f"{strange[0]} is no file of this build")
        upload(MANIFEST)

    def _create(self, name: str, path: Path) -> None:
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        # Asked first: an upload that was cut off has left most of its files.
        if not self._bucket.holds(f"{self._name}/{name}", sha256):
            try:
                self._bucket.upload(str(path), f"{self._name}/{name}")
            except FileExistsError:
                # Another build of the same content was quicker, or the answer to our own request was lost and it was
                # repeated.
                if not self._bucket.holds(f"{self._name}/{name}", sha256):
                    self.refuse(f"its {name} is of another build")

    def is_taken(self) -> bool:
        """Return whether a finished version stands in place, rather than what an upload has left that may go on."""
        return MANIFEST in self._bucket.sizes(self._name)

    def _read_manifest(self) -> bytes:
        return self._bucket.get(f"{self._name}/{MANIFEST}")


def temporary_folder(url: str) -> Path:
    """Return the folder of this machine and user in which builds for ``url`` are put together.

    Raises ``DiskError`` if it cannot be made, or belongs to somebody else.
    """
    folder = Path(tempfile.gettempdir(), f"planimeter-{os.getuid()}-{hashlib.sha256(url.encode()).hexdigest()[:16]}")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            raise DiskError(f"{folder} belongs to somebody else; name another temporary folder in TMPDIR")
    except OSError as error:
        raise DiskError(f"cannot write {folder}: {error.strerror}; name another temporary folder in TMPDIR") from error
    return folder


def place_of(recipe: Recipe, outputs: str) -> Place:
    """Return the place of ``recipe`` below ``outputs``, a path or an address such as ``s3://bucket/prefix``.

    Raises ``PlanimeterError`` if that is no place to build in.
    """
    named = checked(outputs)
    return RemotePlace(recipe, named) if is_remote(named) else Place(recipe, Path(named))
