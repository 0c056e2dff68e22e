"""The place of a dataset, with the lock that excludes concurrent builds; and for a build, the store of its shards.

If the outputs are a bucket, shards and records go there as they are made, so that workers on other machines can write
them and any machine can continue. The dataset is assembled and verified in a temporary folder of this machine (below
TMPDIR), and then uploaded, its manifest last: a version without a manifest does not exist.

No lock reaches from one machine to another. A shard is the same by any maker, so that two builds at once only do
some work twice. No object of a dataset is ever overwritten or removed, and the Croissant file, which names the hash of
every other, is uploaded first: of two builds of different content the second is refused before it uploads anything,
and two builds of the same content both succeed. A build of the same content finishes an interrupted upload; for other
content a person removes its objects.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn, cast

from filelock import FileLock, Timeout

from planimeter.export.atomic import explain
from planimeter.export.foreign import parse_json
from planimeter.export.manifest import architecture, library_versions
from planimeter.export.parquet import sha256_of
from planimeter.flows.display.bars import Bars
from planimeter.flows.errors import BusyError, DiskError, VersionExistsError
from planimeter.flows.secret import Sealed
from planimeter.flows.store.sources import code_digest
from planimeter.flows.store.storage import OUTPUTS, STORE, TEMPORARY, Store, checked, is_remote, resolved
from planimeter.items.printing import command
from planimeter.suites.base import Recipe
from planimeter.suites.loading import load

#: Seconds to wait for a lock: ``planimeter status`` or the sweep of another dataset may test it for a moment.
GLANCE = 0.5

#: Concurrent uploads to a bucket.
STREAMS = 8

#: Environment variables that lead to another service than Amazon's.
ENDPOINTS = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "FSSPEC_S3_ENDPOINT_URL")

CROISSANT, MANIFEST = "croissant.json", "manifest.json"


class Place:
    """The folder ``<outputs>/<dataset>/<version>`` of a build of ``recipe``, and the store of its shards.

    ``outputs`` is a path or an address.
    """

    #: The remedies for a full or unwritable disk, and for a taken folder.
    hint_if_unwritable = "build elsewhere with --out"
    hint_if_taken = "Give another --version or --out, or remove it yourself"

    def __init__(self, recipe: Recipe, outputs: Path | str, sealed: Sealed | None = None) -> None:
        url = checked(str(outputs))
        #: The destination of the finished dataset, if it is not a folder.
        self.bucket = Store(url) if is_remote(url) else None
        self.recipe, self.dataset, self.version = recipe, recipe.dataset, recipe.version
        #: The seed file, for a recipe without a seed.
        self.sealed = sealed
        self.outputs = resolved(temporary_folder(url) if self.bucket else Path(url))
        self.folder = self.outputs / self.dataset / self.version
        #: The outputs as the user named them.
        self.display_name = url if self.bucket else str(self.outputs)
        if self.bucket:
            self.hint_if_unwritable = "name another temporary folder in TMPDIR"
        self.store = Store(f"{self.display_name}/{STORE}")
        #: Finished Parquet files of a dataset that is not yet whole, always of this machine.
        self.parts = Store(str(self.outputs / STORE / "parts" / self.dataset))
        self._locks = self.outputs / STORE / "locks"
        self._name = f"{self.dataset}/{self.version}"

    @property
    def address(self) -> str:
        """The address of the finished dataset, as a user would name it."""
        return f"{self.bucket.url}/{self._name}" if self.bucket else str(self.folder)

    def prepare(self) -> None:
        """Make the folders, and test the bucket; ``PlanimeterError`` if either is not writable."""
        try:
            for folder in (self._locks, self.folder.parent):
                folder.mkdir(parents=True, exist_ok=True)
            # Each process has its own, so that no other removes it. A sweep removes the remains of a kill.
            probe = self._locks / f"{TEMPORARY}{os.getpid()}-writable"
            probe.write_bytes(b"planimeter")
            probe.unlink(missing_ok=True)
        except OSError as error:
            raise DiskError(
                f"cannot write below {self.outputs}: {error.strerror}; free some space, fix the permissions, or "
                f"{self.hint_if_unwritable}"
            ) from error
        if self.bucket:
            self.store.write("locks/.writable", b"planimeter")
            self.store.delete("locks/.writable")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the dataset for one build of this machine, until the process ends; ``BusyError`` if another holds it.

        The uploaded files exclude builds of other machines.
        """
        try:
            held = self.lock().acquire(timeout=GLANCE)
        except Timeout:
            status = command("planimeter", "status", self.dataset, "--out", self.display_name)
            raise BusyError(
                f"another build of {self.dataset} is running below {self.display_name}; wait for it to end, or build "
                f"elsewhere with --out (`{status}` shows it)"
            ) from None
        except OSError as error:
            raise DiskError(explain(error, self._locks / "lock")) from error
        with held:
            if not self.bucket:
                yield
                return
            # Remains of a killed build.
            shutil.rmtree(self.folder.parent, ignore_errors=True)
            try:
                self.folder.parent.mkdir(parents=True)
                yield
            finally:
                shutil.rmtree(self.folder.parent, ignore_errors=True)

    @property
    def lock_file(self) -> Path:
        """The file that a build of the dataset locks."""
        return self._locks / f"{self.dataset}.lock"

    def lock(self) -> FileLock:
        """Return the lock of the dataset, not yet taken."""
        return FileLock(self.lock_file)

    def sweep(self) -> None:
        """Remove the remains of dead builds from the store and of this dataset: half-written files that nobody reads,
        but whose space the next build may need. The caller holds the lock.
        """
        for staging in self.folder.parent.glob(".*.staging"):
            shutil.rmtree(staging, ignore_errors=True)
        # Other datasets share the store. The files are listed first and the locks tested then: a file listed before
        # all locks were idle belongs to no running build.
        leftovers = [*(self.outputs / STORE).rglob(f"{TEMPORARY}*")]
        others = (lock for lock in self._locks.glob("*.lock") if lock.stem != self.dataset)
        if leftovers and not any(map(is_held, others)):
            for path in leftovers:
                # Entries of other origin, such as a folder of that name, stay.
                with suppress(OSError):
                    path.unlink()

    def is_taken(self) -> bool:
        """True if the place is taken; in a bucket by a version, not by the remains of an interrupted upload."""
        if self.bucket:
            return self.bucket.exists(f"{self._name}/{MANIFEST}")
        return self.folder.exists() or self.folder.is_symlink()

    def is_built(self) -> bool:
        """True if the place has this build, False if it is free.

        Raises ``VersionExistsError`` if it has other content: a published version stays.
        """
        if not self.is_taken():
            return False
        decisive = {
            "recipe": self.recipe.model_dump(mode="json"),
            "libraries": library_versions(),
            "architecture": architecture(),
            "code": self.code(),
            "seal": self.sealed and self.sealed.seal,
        }
        try:
            name = f"{self._name}/{MANIFEST}"
            existing = parse_json(self.bucket.read(name) if self.bucket else (self.folder / MANIFEST).read_bytes())
        except (OSError, ValueError):
            existing = None
        if not isinstance(existing, dict):
            self.refuse("it is not a dataset that Planimeter finished")
        for key, expected in decisive.items():
            if existing.get(key) != expected:
                self.refuse(f"its {key} differs: {_difference(existing.get(key), expected)}")
        return True

    def refuse(self, why: str) -> NoReturn:
        """Raise ``VersionExistsError``."""
        raise VersionExistsError(
            f"{self.address} exists with other content ({why}); it is not replaced. {self.hint_if_taken}"
        )

    def code(self) -> str:
        """Return the digest of all sources that the dataset depends on."""
        return code_digest(self.recipe.suite)

    def fetch(self, progress: Bars) -> None:
        """Make the built dataset readable in ``folder``."""
        if self.bucket:
            stage = progress.stage("download", 1)
            self.bucket.fetch(self._name, self.folder)
            stage.advance()

    def deliver(self, progress: Bars) -> None:
        """Upload the finished dataset if it belongs into a bucket, its manifest last; equal files there stay.

        Raises ``VersionExistsError`` if the bucket has other files, which stay.
        """
        if not self.bucket:
            return
        bucket = self.bucket
        files = {path.relative_to(self.folder).as_posix(): path for path in self.folder.rglob("*") if path.is_file()}
        stage = progress.stage("upload", len(files))

        def upload(name: str) -> None:
            at, sha256 = f"{self._name}/{name}", sha256_of(files[name])
            # Compared first: an interrupted upload has left most of its files.
            if bucket.sha256(at) != sha256:
                try:
                    bucket.create(at, files[name])
                except FileExistsError:
                    # Another build of the same content was faster, or the answer to our own request was lost and it
                    # was repeated.
                    if bucket.sha256(at) != sha256:
                        self.refuse(f"its {name} is of another build")
            stage.advance()

        upload(CROISSANT)
        with ThreadPoolExecutor(STREAMS) as streams:
            list(streams.map(upload, sorted(files.keys() - {CROISSANT, MANIFEST})))
        strange = sorted(bucket.sizes(self._name).keys() - files.keys())
        if strange:
            self.refuse(f"{strange[0]} is not a file of this build")
        upload(MANIFEST)


def temporary_folder(url: str) -> Path:
    """Return the folder of this machine and user in which builds for ``url`` are assembled.

    Raises ``DiskError`` if it cannot be made, or belongs to another user.
    """
    # Two services may have buckets of the same name.
    service = [os.environ.get(name, "") for name in ENDPOINTS]
    digest = hashlib.sha256("\n".join([url, *service]).encode()).hexdigest()
    folder = Path(tempfile.gettempdir(), f"planimeter-{os.getuid()}-{digest[:16]}")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            raise DiskError(f"{folder} belongs to another user; name another temporary folder in TMPDIR")
    except OSError as error:
        raise DiskError(f"cannot write {folder}: {error.strerror}; name another temporary folder in TMPDIR") from error
    return folder


def is_held(lock: Path) -> bool:
    """True if a build holds ``lock``, or this user has no right to test it."""
    try:
        with FileLock(lock).acquire(timeout=0):
            return False
    except (Timeout, OSError):
        return True


def default_outputs(recipe: str, loaded: Recipe, overrides: Mapping[str, object]) -> Path:
    """Return the folder below which ``recipe``, ``loaded`` with ``overrides``, is built by default.

    A build at another scale than the recipe's has other rows under the same version: unless it is given another
    version, it gets a separate folder, so that the two do not collide.
    """
    unscaled = cast("Recipe", load(recipe))
    # A run of a deployment always gets a version: the recipe's own, unless a person chose another.
    scaled = loaded.scale != unscaled.scale and overrides.get("version") in (None, unscaled.version)
    return OUTPUTS / f"x{loaded.scale:g}" if scaled else OUTPUTS


def _difference(existing: object, expected: object) -> str:
    """Describe the first difference of two values in a few words."""
    if isinstance(existing, dict) and isinstance(expected, dict):
        keys = [key for key in sorted({*existing, *expected}) if existing.get(key) != expected.get(key)]
        return ", ".join(f"{key} {_difference(existing.get(key), expected.get(key))}" for key in keys[:3])
    texts = [f"{value!r}"[:40] for value in (existing, expected)]
    return f"there {texts[0]}, wanted {texts[1]}"
