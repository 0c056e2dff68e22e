"""The build of a dataset that already exists: it verifies the dataset, and changes nothing."""

import shutil

from planimeter.export.manifest import Manifest
from planimeter.flows.display.bars import Bars
from planimeter.flows.store.place import Place
from planimeter.flows.writing import problems_of, require_sound


def find(place: Place, progress: Bars, workers: int) -> str | None:
    """Return the message about the sound dataset that exists at ``place``; None if it has to be built.

    The caller holds the lock. Removes the remains of dead builds. Raises ``VersionExistsError`` if the version has
    other content, ``PlanimeterError`` if it breaks a promise.
    """
    place.sweep()
    if not place.is_built():
        return None
    place.fetch(progress)
    require_sound(place.folder, problems_of(place.folder, progress, workers))
    return finish(place, "found built and sound:")


def finish(place: Place, verb: str) -> str:
    """Remove the files that only an unfinished build at ``place`` needs; return ``verb`` and its address as a line."""
    shutil.rmtree(place.parts.url, ignore_errors=True)
    rows = sum(record.rows for record in Manifest.read(place.folder).files)
    return f"{verb} {place.dataset} {place.version}, {rows:,} rows, at {place.address}"
