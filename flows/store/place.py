"""The destination of a dataset (folder or bucket), the lock that excludes concurrent builds, and the store of shards.

If the destination is a bucket, shards and records are stored there as they are made, so that workers on other machines
can write them and any machine can continue. The dataset is assembled and verified in a temporary folder of this machine
(below TMPDIR) and then uploaded, its manifest last: a version without a manifest does not exist.

The lock is valid on one machine only. Shards have equal bytes on every machine, so that two builds at once only do some
work twice. No object of a dataset is ever overwritten or removed, and croissant.json, which contains the hash of every
data file, is uploaded first: of two builds of different content the second is refused before it uploads anything, and
two builds of equal content both succeed. Another build of equal content completes an interrupted upload; before a build
of other content, a person has to remove the uploaded objects.
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

#: Seconds to wait for a lock, which ``planimeter status`` or the build of another dataset may hold for a moment.
GLANCE = 0.5

#: Concurrent uploads to a bucket.
STREAMS = 8

#: Environment variables with the address of an S3 service other than Amazon's.
ENDPOINTS = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "FSSPEC_S3_ENDPOINT_URL")

CROISSANT, MANIFEST = "croissant.json", "manifest.json"


class Place:
    """The destination ``<outputs>/<dataset>/<version>`` of a build of ``recipe``, and the store of its shards.

    ``outputs`` is a path, or the address of a bucket. ``sealed`` is the seed file of a build with a secret seed.
    """

    #: The remedies in messages: for a full or unwritable disk, and for a destination with other content.
    hint_if_unwritable = "build elsewhere with --out"
    hint_if_taken = "Give another --version or --out, or remove it yourself"

    def __init__(self, recipe: Recipe, outputs: Path | str, sealed: Sealed | None = None) -> None:
        url = checked(str(outputs))
        #: The bucket of the finished dataset; None if the destination is a folder.
        self.bucket = Store(url) if is_remote(url) else None
        self.recipe, self.dataset, self.version = recipe, recipe.dataset, recipe.version
        #: The seed file, if the recipe has no seed.
        self.sealed = sealed
        self.outputs = resolved(temporary_folder(url) if self.bucket else Path(url))
        self.folder = self.outputs / self.dataset / self.version
        #: The outputs for messages: the folder, or the address of the bucket.
        self.display_name = url if self.bucket else str(self.outputs)
        if self.bucket:
            self.hint_if_unwritable = "name another temporary folder in TMPDIR"
        self.store = Store(f"{self.display_name}/{STORE}")
        #: The finished Parquet files of a dataset that is not complete yet, always on this machine.
        self.parts = Store(str(self.outputs / STORE / "parts" / self.dataset))
        self._locks = self.outputs / STORE / "locks"
        self._name = f"{self.dataset}/{self.version}"

    @property
    def address(self) -> str:
        """The path or address of the finished dataset."""
        return f"{self.bucket.url}/{self._name}" if self.bucket else str(self.folder)

    def prepare(self) -> None:
        """Make the folders of the build. Raises ``PlanimeterError`` if they, or the bucket, are not writable."""
        try:
            for folder in (self._locks, self.folder.parent):
                folder.mkdir(parents=True, exist_ok=True)
            # The name contains the process, so that no other one removes it. ``sweep`` removes it after a kill.
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
        """Hold the lock of the dataset within this block. Raises ``BusyError`` if another build holds it.

        The lock excludes other builds on this machine; a killed process loses it. At the end of the block, the local
        files of a dataset for a bucket are removed.
        """
        try:
            held = FileLock(self.lock_file).acquire(timeout=GLANCE)
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
            # Files that a killed build left.
            shutil.rmtree(self.folder.parent, ignore_errors=True)
            try:
                self.folder.parent.mkdir(parents=True)
                yield
            finally:
                shutil.rmtree(self.folder.parent, ignore_errors=True)

    @property
    def lock_file(self) -> Path:
        """The path of the file that a build of the dataset locks."""
        return self._locks / f"{self.dataset}.lock"

    def sweep(self) -> None:
        """Remove the half-written files of killed builds: nobody reads them, but the next build may need the space.

        The caller holds the lock. Files in the store, which datasets share, are removed only if no other build runs.
        """
        for staging in self.folder.parent.glob(".*.staging"):
            shutil.rmtree(staging, ignore_errors=True)
        # The files are listed before the locks are tested: a listed file belongs to no build that begins later.
        leftovers = [*(self.outputs / STORE).rglob(f"{TEMPORARY}*")]
        others = (lock for lock in self._locks.glob("*.lock") if lock.stem != self.dataset)
        if leftovers and not any(map(is_held, others)):
            for path in leftovers:
                # An entry that no build made, such as a folder of that name, stays.
                with suppress(OSError):
                    path.unlink()

    def is_taken(self) -> bool:
        """True if the destination exists; in a bucket, only a complete version counts."""
        if self.bucket:
            return self.bucket.exists(f"{self._name}/{MANIFEST}")
        return self.folder.exists() or self.folder.is_symlink()

    def is_built(self) -> bool:
        """True if the destination is a dataset of the same recipe, code, libraries, architecture and seal; False if it
        does not exist.

        Raises ``VersionExistsError`` if it is anything else, which is never replaced.
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
        """Raise ``VersionExistsError`` with the reason ``why`` and a remedy."""
        raise VersionExistsError(
            f"{self.address} exists with other content ({why}); it is not replaced. {self.hint_if_taken}"
        )

    def code(self) -> str:
        """Return the digest of all source files that decide the rows of the dataset."""
        return code_digest(self.recipe.suite)

    def fetch(self, progress: Bars) -> None:
        """Download the built dataset to ``folder`` if it is in a bucket."""
        if self.bucket:
            stage = progress.stage("download", 1)
            self.bucket.fetch(self._name, self.folder)
            stage.advance()

    def deliver(self, progress: Bars) -> None:
        """Upload the finished dataset if the destination is a bucket: its manifest last, and no file that is there
        already.

        Raises ``VersionExistsError`` if the bucket has other files at the destination; they stay.
        """
        if not self.bucket:
            return
        bucket = self.bucket
        files = {path.relative_to(self.folder).as_posix(): path for path in self.folder.rglob("*") if path.is_file()}
        stage = progress.stage("upload", len(files))

        def upload(name: str) -> None:
            at, sha256 = f"{self._name}/{name}", sha256_of(files[name])
            # An interrupted upload may have uploaded most of the files.
            if bucket.sha256(at) != sha256:
                try:
                    bucket.create(at, files[name])
                except FileExistsError:
                    # Another build of equal content was faster, or the client repeated a request whose answer was lost.
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
    """Make and return the folder, private to this user, in which datasets for the bucket at ``url`` are assembled.

    Raises ``DiskError`` if it cannot be made, or belongs to another user.
    """
    # Buckets of two services may have equal names.
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
    """True if another process holds the lock file ``lock``, or this user has no right to test it."""
    try:
        with FileLock(lock).acquire(timeout=0):
            return False
    except (Timeout, OSError):
        return True


def default_outputs(recipe: str, loaded: Recipe, overrides: Mapping[str, object]) -> Path:
    """Return the default outputs folder of a build of ``recipe``, which was ``loaded`` with ``overrides``.

    If ``overrides`` change the scale but not the version, the rows differ from those of the version, so they get a
    separate folder, such as outputs/x0.05.
    """
    unscaled = cast("Recipe", load(recipe))
    # Prefect passes each parameter of a deployment, also a version that nobody chose: that of the recipe.
    scaled = loaded.scale != unscaled.scale and overrides.get("version") in (None, unscaled.version)
    return OUTPUTS / f"x{loaded.scale:g}" if scaled else OUTPUTS


def _difference(existing: object, expected: object) -> str:
    """Return the first differences of two values for a message, such as "scale there 0.02, wanted 0.03"."""
    if isinstance(existing, dict) and isinstance(expected, dict):
        keys = [key for key in sorted({*existing, *expected}) if existing.get(key) != expected.get(key)]
        return ", ".join(f"{key} {_difference(existing.get(key), expected.get(key))}" for key in keys[:3])
    texts = [f"{value!r}"[:40] for value in (existing, expected)]
    return f"there {texts[0]}, wanted {texts[1]}"
