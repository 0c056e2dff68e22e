"""A build whose outputs lie in a bucket.

Shards and their records go there as they are made, so that workers on other machines can write them and any machine
can go on. The dataset is put together and verified in a temporary folder of this machine (below TMPDIR), and then
uploaded, its manifest last: a version without a manifest is not there.

No lock reaches from one machine to another. Shards are named by their content, so that two builds at once only do some
work twice. Who uploads is decided by claims (``flows/store/claims.py``): a build of the same content joins the upload
that is under way, and both end well; a build of other content takes it over, and the one that lost it stands back,
unless the version was finished before. The claim is looked at again before each object is removed or uploaded, and no
object is overwritten. What remains is a request that is under way in the very moment in which its build is overtaken.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

from planimeter.flows.display.bars import Bars
from planimeter.flows.errors import DiskError, PlanimeterError
from planimeter.flows.store.bucket import Bucket
from planimeter.flows.store.claims import Claim, Claims
from planimeter.flows.store.place import Place
from planimeter.flows.store.storage import STORE, checked, is_remote
from planimeter.recipes.base import Recipe

#: Files that are on their way at once.
STREAMS = 8

MANIFEST = "manifest.json"


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
        self._claims = Claims(self.store, f"{recipe.dataset}-{recipe.version}")

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
        """Hold the dataset for one build of this machine; those of other machines are kept apart by claims."""
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
        names = sorted(self._bucket.sizes(self._name))
        for name in names:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        stage = shown.stage("download", len(names))

        def download(name: str) -> None:
            self._bucket.download(f"{self._name}/{name}", str(self.folder / name))
            stage.advance()

        with ThreadPoolExecutor(STREAMS) as streams:
            list(streams.map(download, names))
        self._claims.clear()

    def deliver(self, shown: Bars) -> None:
        """Upload the dataset, its manifest last; what is there with the same bytes stays.

        Raises ``VersionExistsError`` if another has appeared meanwhile, ``PlanimeterError`` if a build of other content
        has taken the upload over; what others have put there stays.
        """
        files = {str(path.relative_to(self.folder)): path for path in sorted(self.folder.rglob("*")) if path.is_file()}
        hashes = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
        content = hashlib.sha256(json.dumps(hashes).encode()).hexdigest()
        manifest = files.pop(MANIFEST).read_bytes()
        stage = shown.stage("upload", len(files))
        number, stale = self._claim(content, files, manifest)

        def remove(name: str) -> None:
            self._may_touch(content, manifest)
            self._bucket.delete(f"{self._name}/{name}")

        def upload(name: str) -> None:
            uploaded = self._bucket.sha256(f"{self._name}/{name}")
            if uploaded != hashes[name]:
                if uploaded and name in stale:
                    remove(name)
                self._may_touch(content, manifest)
                self._create(name, files[name], hashes[name])
            stage.advance()

        with ThreadPoolExecutor(STREAMS) as streams:
            list(streams.map(remove, stale - files.keys()))
            list(streams.map(upload, files))
        self._compare(files)
        self._claims.add(number + 1, Claim(content=content, files=tuple(files), manifest=manifest.decode()))
        self._settled()
        if not self._is_there(manifest):
            self._stand_back()
        self._claims.clear()

    def _claim(self, content: str, names: Iterable[str], manifest: bytes) -> tuple[int, frozenset[str]]:
        """Return the number of the claim of ``content``, our own or one to join, and which files others have begun."""
        while True:
            number, held = self._settled()
            if held.content == content:
                break
            claim = Claim(content=content, files=tuple(sorted({*held.files, *names})))
            if self._claims.add(number + 1, claim):
                number += 1
                break
        # Behind the claim: a version that is not finished by now cannot be finished by others without our seeing it.
        self._is_there(manifest)
        return number, frozenset(held.files)

    def _settled(self) -> tuple[int, Claim]:
        """Return number and claim that hold; if the claim decides, with its manifest in place."""
        number, held = self._claims.latest()
        if held.manifest:
            with suppress(FileExistsError):
                self._bucket.put(f"{self._name}/{MANIFEST}", held.manifest.encode(), create=True)
        return number, held

    def _may_touch(self, content: str, manifest: bytes) -> None:
        """Raise ``PlanimeterError`` if the upload is now that of other content."""
        if self._settled()[1].content != content and not self._is_there(manifest):
            self._stand_back()

    def _is_there(self, manifest: bytes) -> bool:
        """Return whether the version is finished, by us or another build of the same content.

        Raises ``VersionExistsError`` if another manifest is there.
        """
        try:
            uploaded = self._read_manifest()
        except FileNotFoundError:
            return False
        if uploaded != manifest:
            self._claims.clear()
            self.refuse("it appeared while this build was at work")
        return True

    def _create(self, name: str, path: Path, sha256: str) -> None:
        try:
            self._bucket.upload(str(path), f"{self._name}/{name}")
        except FileExistsError:
            # Another build of the same content was quicker, or the answer to our own request was lost and it repeated.
            if not self._bucket.holds(f"{self._name}/{name}", sha256):
                self.refuse(f"{name} appeared while this build was at work")

    def _compare(self, files: dict[str, Path]) -> None:
        uploaded = self._bucket.sizes(self._name)
        uploaded.pop(MANIFEST, None)
        local = {name: path.stat().st_size for name, path in files.items()}
        if uploaded != local:
            differing = sorted(name for name in {*uploaded, *local} if uploaded.get(name) != local.get(name))
            raise PlanimeterError(
                f"{self.address}: {differing[0]} is not what was uploaded; run the same command again, when nothing "
                "else writes there"
            )

    def _stand_back(self) -> NoReturn:
        raise PlanimeterError(
            f"{self.address}: a build of other content has taken over the upload, and this one left it alone; give "
            "another --version or --out, or run the same command again when no other build runs there: finished shards "
            "are kept"
        )

    def is_taken(self) -> bool:
        """Return whether more stands in place than what an upload that may go on has left."""
        _, held = self._settled()
        uploaded = self._bucket.sizes(self._name)
        return MANIFEST in uploaded or not uploaded.keys() <= set(held.files)

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
