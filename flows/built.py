"""The start and the end of a build: verifies a dataset that was built before, and removes temporary files."""

import shutil

from planimeter.export.manifest import Manifest
from planimeter.flows.display.bars import Bars
from planimeter.flows.store.place import Place
from planimeter.flows.writing import problems_of, require_sound


def find(place: Place, progress: Bars, workers: int) -> str | None:
    """Verify the dataset at ``place``, and return a line about it for the user; return None if there is none yet.

    The caller must hold the lock of ``place``. Temporary files of killed builds are removed. Raises
    ``VersionExistsError`` if something else is at ``place``, ``PlanimeterError`` if the dataset fails verification.
    """
    place.sweep()
    if not place.is_built():
        return None
    place.fetch(progress)
    require_sound(place.folder, problems_of(place.folder, progress, workers))
    return finish(place, "found built and sound:")


def finish(place: Place, verb: str) -> str:
    """Remove the temporary files of the dataset at ``place``; return a line about the dataset for the user.

    The line begins with ``verb``, such as "built", and states name, version, number of rows and address.
    """
    shutil.rmtree(place.parts.url, ignore_errors=True)
    rows = sum(record.rows for record in Manifest.read(place.folder).files)
    return f"{verb} {place.dataset} {place.version}, {rows:,} rows, at {place.address}"
