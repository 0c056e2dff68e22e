"""A build whose outputs lie in a bucket.

Shards and their records go there as they are made, so that workers on other machines can write them and any machine
can go on. The dataset itself is written and verified in a temporary folder of this machine, the desk, and then
uploaded, its manifest last: a version without a manifest is not there. TMPDIR says where desks stand.

An upload begins with a claim, an object that names the build and the files that it brings. Who holds the lease may
replace the claim and remove those files. Before anything of the version is removed, uploaded or sealed with its
manifest the claim is read again, and no object is overwritten, which a service that knows conditional writes sees to:
a build that lost its lease unawares, as on a machine that was suspended, stops there and leaves what is another's.
"""

import hashlib
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

from planimeter.flows.display.bars import Bars
from planimeter.flows.errors import DiskError, PlanimeterError, VersionExistsError
from planimeter.flows.store.bucket import Bucket
from planimeter.flows.store.lease import Lease
from planimeter.flows.store.place import Place
from planimeter.flows.store.storage import STORE, FolderStore
from planimeter.recipes.base import Recipe

#: Files that are on their way at once.
STREAMS = 8

MANIFEST = "manifest.json"


class RemotePlace(Place):
    """``<url>/<dataset>/<version>`` of one build, its store beside it, and its desk on this machine."""

    elsewhere = "name another temporary folder in TMPDIR"

    def __init__(self, recipe: Recipe, url: str) -> None:
        super().__init__(recipe, desk_of(url))
        self.where = url
        self._bucket = Bucket(url)
        self._name = f"{recipe.dataset}/{recipe.version}"
        self.store = Bucket(f"{url}/{STORE}")
        #: The claim of an upload that has begun: what a kill leaves of it is ours to replace.
        self._upload = f"uploads/{recipe.dataset}-{recipe.version}.json"
        self._lease: Lease | None = None

    @property
    def address(self) -> str:
        """The address of the dataset in the bucket."""
        return f"{self._bucket.url}/{self._name}"

    def prepare(self) -> None:
        """Make the desk, and try the bucket; ``PlanimeterError`` if either cannot be written."""
        super().prepare()
        probe = f"locks/.writable-{_holder(self.outputs)}"
        self.store.put(probe, b"planimeter")
        self.store.delete(probe)

    @contextmanager
    def locked(self, tell: Callable[[str], None] = lambda _: None) -> Iterator[None]:
        """Hold the dataset for one build: against this machine by a file lock, against others by a lease."""
        with super().locked(tell), Lease(self.store, self.recipe.dataset, _holder(self.outputs), tell) as self._lease:
            # What a killed build left on the desk.
            shutil.rmtree(self.folder.parent, ignore_errors=True)
            try:
                self.folder.parent.mkdir(parents=True)
                yield
            finally:
                shutil.rmtree(self.folder.parent, ignore_errors=True)

    def check(self) -> None:
        """Raise ``PlanimeterError`` if the lease was found lost at its last beat."""
        if self._lease:
            self._lease.check(look=False)

    def fetch(self, shown: Bars) -> None:
        """Download the dataset to the desk."""
        names = sorted(self._bucket.sizes(self._name))
        for name in names:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        stage = shown.stage("download", len(names))

        def download(name: str) -> None:
            self._bucket.download(f"{self._name}/{name}", str(self.folder / name))
            stage.advance()

        with ThreadPoolExecutor(STREAMS) as streams:
            list(streams.map(download, names))
        self.store.delete(self._upload)

    def deliver(self, shown: Bars) -> None:
        """Upload the dataset, its manifest last.

        Raises ``VersionExistsError`` if another has appeared meanwhile, ``PlanimeterError`` if another build has taken
        the place of this one; what others have put there stays.
        """
        files = {str(path.relative_to(self.folder)): path for path in sorted(self.folder.rglob("*")) if path.is_file()}
        manifest = files.pop(MANIFEST).read_bytes()
        stage = shown.stage("upload", len(files))
        self._may_touch()
        left = self._begun()
        claim = json.dumps({"build": secrets.token_hex(16), "files": sorted({*left, *files})}).encode()
        self.store.put(self._upload, claim)

        def remove(name: str) -> None:
            self._may_touch(claim)
            self._bucket.delete(f"{self._name}/{name}")

        def upload(name: str) -> None:
            self._may_touch(claim)
            self._create(name, files[name])
            stage.advance()

        with ThreadPoolExecutor(STREAMS) as streams:
            list(streams.map(remove, left))
            list(streams.map(upload, files))
        self._compare(files)
        self._may_touch(claim)
        self._seal(claim, manifest)
        self.store.delete(self._upload)

    def _may_touch(self, claim: bytes | None = None) -> None:
        """Raise ``PlanimeterError`` if the version is no longer ours to change; with ``claim`` if that was replaced."""
        if self._lease:
            self._lease.check()
        if claim is not None and self._claim() != claim:
            self._stand_back()
        with suppress(FileNotFoundError):
            self._read_manifest()
            self._refuse("it appeared while this build was at work")

    def _create(self, name: str, path: Path) -> None:
        try:
            self._bucket.upload(str(path), f"{self._name}/{name}")
        except FileExistsError:
            # The answer to our own request may have been lost, and the request repeated.
            if not self._bucket.holds(f"{self._name}/{name}", hashlib.sha256(path.read_bytes()).hexdigest()):
                self._refuse(f"{name} appeared while this build was at work")

    def _compare(self, files: dict[str, Path]) -> None:
        there = self._bucket.sizes(self._name)
        wanted = {name: path.stat().st_size for name, path in files.items()}
        if there != wanted:
            differing = sorted(name for name in {*there, *wanted} if there.get(name) != wanted.get(name))
            raise PlanimeterError(
                f"{self.address}: {differing[0]} is not what was uploaded; run the same command again, when nobody "
                "else writes there"
            )

    def _seal(self, claim: bytes, manifest: bytes) -> None:
        try:
            self._bucket.put(f"{self._name}/{MANIFEST}", manifest, create=True)
        except FileExistsError:
            # As above.
            if self._read_manifest() != manifest:
                self._refuse("it appeared while this build was at work")
            return
        # Whoever claimed the version since our last look may have removed our files, and then our manifest is false.
        # A claim that is gone was that of a build which found our manifest to be its own.
        if self._claim() not in (claim, None):
            self._bucket.delete(f"{self._name}/{MANIFEST}")
            self._stand_back()

    def _stand_back(self) -> NoReturn:
        raise PlanimeterError(
            f"{self.address}: another build has taken over the upload, and this one left it alone; run the same "
            "command again when nobody else builds there: finished shards are kept"
        )

    def _is_taken(self) -> bool:
        there = self._bucket.sizes(self._name)
        return MANIFEST in there or bool(set(there) - self._begun())

    def _claim(self) -> bytes | None:
        try:
            return self.store.get(self._upload)
        except FileNotFoundError:
            return None

    def _begun(self) -> set[str]:
        """Return the names of the files that an upload may have left there."""
        try:
            return {str(name) for name in json.loads(self._claim() or b"{}").get("files", ())}
        except (ValueError, AttributeError, TypeError):
            return set()

    def _read_manifest(self) -> bytes:
        return self._bucket.get(f"{self._name}/{MANIFEST}")

    def _refuse(self, why: str) -> NoReturn:
        raise VersionExistsError(
            f"{self.address} exists with other content ({why}); it is not replaced. Give another --version or --out, "
            "or remove its objects yourself"
        )


def desk_of(url: str) -> Path:
    """Return the folder of this machine and user in which builds for ``url`` are put together.

    Raises ``DiskError`` if it cannot be made, or belongs to somebody else.
    """
    desk = Path(tempfile.gettempdir(), f"planimeter-{os.getuid()}-{hashlib.sha256(url.encode()).hexdigest()[:16]}")
    try:
        desk.mkdir(mode=0o700, exist_ok=True)
        if desk.is_symlink() or desk.stat().st_uid != os.getuid():
            raise DiskError(f"{desk} belongs to somebody else; name another temporary folder in TMPDIR")
    except OSError as error:
        raise DiskError(f"cannot write {desk}: {error.strerror}; name another temporary folder in TMPDIR") from error
    return desk


def _holder(desk: Path) -> str:
    """Return the name under which builds of this desk hold leases."""
    with suppress(FileExistsError):
        FolderStore(desk).put("holder", secrets.token_hex(16).encode(), create=True)
    return (desk / "holder").read_text()
