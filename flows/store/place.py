"""Where a dataset is put, with the lock that keeps builds of it apart; and for a build, the store of its shards."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import active_children
from pathlib import Path
from typing import NoReturn, cast

from filelock import FileLock, Timeout

from planimeter.export.atomic import explain
from planimeter.export.foreign import parse_json
from planimeter.export.manifest import architecture, library_versions
from planimeter.flows.display.bars import Bars
from planimeter.flows.errors import BusyError, DiskError, VersionExistsError
from planimeter.flows.store import sources
from planimeter.flows.store.storage import OUTPUTS, STORE, FolderStore, Store, resolved
from planimeter.flows.suites import modules_of
from planimeter.items.printing import command
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import load

#: Seconds to wait for a lock: ``planimeter status`` or the sweep of another dataset may only look at it.
GLANCE = 0.5


class Destination:
    """The folder ``<outputs>/<dataset>/<version>`` of a dataset."""

    #: What a user can do where the disk is full or cannot be written, and where the folder is taken.
    hint_if_unwritable = "build elsewhere with --out"
    hint_if_taken = "Give another --version, --name or --out"

    def __init__(self, dataset: str, version: str, outputs: Path) -> None:
        self.dataset = dataset
        self.version = version
        self.outputs = resolved(outputs)
        self.folder = self.outputs / dataset / version
        #: The outputs as the user named them.
        self.display_name = str(self.outputs)
        self._locks = self.outputs / STORE / "locks"

    @property
    def address(self) -> str:
        """Where the dataset stands when it is finished, as a user would name it."""
        return str(self.folder)

    def prepare(self) -> None:
        """Make the folders; ``DiskError`` if they cannot be written."""
        try:
            for folder in (self._locks, self.folder.parent):
                folder.mkdir(parents=True, exist_ok=True)
            # Each process has its own, lest another removes it. A sweep removes what a kill leaves.
            probe = self._locks / f".tmp-{os.getpid()}-writable"
            probe.write_bytes(b"planimeter")
            probe.unlink(missing_ok=True)
        except OSError as error:
            raise DiskError(
                f"cannot write below {self.outputs}: {error.strerror}; free some space, mend the permissions, or "
                f"{self.hint_if_unwritable}"
            ) from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the dataset for one build; ``BusyError`` if another holds it. Ends with the process, even killed."""
        try:
            held = self.lock().acquire(timeout=GLANCE)
        except Timeout:
            status = command("planimeter", "status", "--out", self.display_name)
            raise BusyError(
                f"another build of {self.dataset} is at work below {self.display_name}; wait for it to end, or build "
                f"elsewhere with --out (`{status}` shows how far it is)"
            ) from None
        except OSError as error:
            raise DiskError(explain(error, self._locks / "lock")) from error
        with held:
            yield

    def lock(self) -> FileLock:
        """Return the lock of the dataset, not yet taken."""
        return FileLock(self._locks / f"{self.dataset}.lock")

    def sweep(self) -> None:
        """Remove what dead builds left in the store, and of this dataset: half-written files that nobody reads, but
        whose room the next build may need. Call it while the lock is held.

        What our own workers write stays: the command line gives them shards before the build holds the lock.
        """
        for staging in self.folder.parent.glob(".*.staging"):
            shutil.rmtree(staging, ignore_errors=True)
        # Other datasets share the store. The files are listed first and the locks tested then: what was listed before
        # all locks were found idle belongs to no build at work.
        ours = tuple(f".tmp-{worker.pid}-" for worker in active_children())
        leftovers = [path for path in (self.outputs / STORE).rglob(".tmp-*") if not path.name.startswith(ours)]
        others = (lock for lock in self._locks.glob("*.lock") if lock.stem != self.dataset)
        if leftovers and not any(map(is_held, others)):
            for path in leftovers:
                path.unlink(missing_ok=True)

    def is_taken(self) -> bool:
        """Return whether anything stands in place."""
        return self.folder.exists() or self.folder.is_symlink()

    def holds(self, decisive: Mapping[str, object]) -> bool:
        """Return whether the dataset stands in place with these values in its manifest, False if nothing does.

        Raises ``VersionExistsError`` if anything else does: what was published under a version stays.
        """
        if not self.is_taken():
            return False
        try:
            existing = parse_json(self._read_manifest())
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

    def _read_manifest(self) -> bytes:
        return (self.folder / "manifest.json").read_bytes()


class Place(Destination):
    """The destination of a build of ``recipe``, and the store beside it."""

    hint_if_taken = "Give another --version or --out, or remove the folder yourself"

    def __init__(self, recipe: Recipe, outputs: Path) -> None:
        super().__init__(recipe.dataset, recipe.version, outputs)
        self.recipe = recipe
        self.store: Store = FolderStore(self.outputs / STORE)
        #: Finished Parquet files of a dataset that is not yet whole, always of this machine.
        self.parts = FolderStore(self.outputs / STORE / "parts" / recipe.dataset)

    def is_built(self) -> bool:
        """Return whether this very build already stands in place; see ``holds``."""
        decisive = {
            "recipe": self.recipe.model_dump(mode="json"),
            "libraries": library_versions(),
            "architecture": architecture(),
        }
        # The digest of the code loads the generators, which a recipe that differs need not wait for.
        return self.holds(decisive) and self.holds({"code": self.code()})

    def modules(self) -> tuple[str, ...]:
        """Return the names of the modules that the dataset is made by, not of those that they import."""
        return modules_of(self.recipe)

    def code(self) -> str:
        """Return the digest of all sources that the dataset depends on."""
        return sources.digest(self.modules())

    def fetch(self, shown: Bars) -> None:
        """Make the built dataset readable in ``folder``."""

    def deliver(self, shown: Bars) -> None:
        """Take the finished dataset from ``folder`` to where it belongs."""


def is_held(lock: Path) -> bool:
    """Return whether a build holds ``lock``. Raises ``OSError`` if that may not be tried."""
    try:
        with FileLock(lock).acquire(timeout=0):
            return False
    except Timeout:
        return True


def default_outputs(recipe: str, loaded: Recipe, overrides: Mapping[str, object]) -> Path:
    """Return the folder below which ``recipe``, ``loaded`` with ``overrides``, is built by default.

    A build at another scale than the recipe's has other rows under the same version: unless it is given another
    version, it gets a separate folder, so that the two do not collide.
    """
    unscaled = cast("Recipe", load(recipe))
    # A run of a deployment is always given a version: the recipe's own, unless a person chose another.
    scaled = loaded.scale != unscaled.scale and overrides.get("version") in (None, unscaled.version)
    return OUTPUTS / f"x{loaded.scale:g}" if scaled else OUTPUTS


def _difference(existing: object, expected: object) -> str:
    """Describe in a few words where two values differ."""
    if isinstance(existing, dict) and isinstance(expected, dict):
        keys = [key for key in sorted({*existing, *expected}) if existing.get(key) != expected.get(key)]
        return ", ".join(f"{key} {_difference(existing.get(key), expected.get(key))}" for key in keys[:3])
    shown = [f"{value!r}"[:40] for value in (existing, expected)]
    return f"there {shown[0]}, wanted {shown[1]}"
