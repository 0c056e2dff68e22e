"""What a build does where its dataset exists already: it checks that it is sound, and changes nothing. Needs no
Prefect, so that the command line starts no server for it.

A dataset that was verified is noted beside the store, by a digest of the whole folder, of the recipe and of all that
makes and verifies it. As long as that is the same, the next build only hashes files.
"""

import hashlib
import shutil
from contextlib import suppress

from planimeter.export.manifest import Manifest, architecture, canonical_json, library_versions
from planimeter.flows.display.bars import Bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store import sources
from planimeter.flows.store.place import Place
from planimeter.flows.store.results import Kind
from planimeter.flows.store.storage import STORE, Store

#: Digests of datasets that were verified.
SOUND: Kind[str] = Kind("sound", str)


def find(place: Place, shown: Bars, workers: int) -> str | None:
    """Return the message on the dataset that stands at ``place`` and is sound; None if it has to be built.

    Call it while the lock is held. Removes what dead builds left. Raises ``VersionExistsError`` if the version has
    other content, ``PlanimeterError`` if it breaks a promise.
    """
    place.sweep()
    digest = _digest(place)
    if not digest or SOUND.find(*_note(place)) != digest:
        if not place.is_built():
            return None
        place.fetch(shown)
        # What writes and verifies takes a second to load.
        from planimeter.flows.writing import problems_of, require_sound

        require_sound(place.folder, problems_of(place.folder, shown, workers))
        note_verified(place)
    return finish(place, "found built and sound:")


def note_verified(place: Place) -> None:
    """Note that the dataset at ``place`` is the one that its build makes, and was verified as it stands there."""
    # It only saves work: a disk that takes nothing more fails no dataset that stands.
    with suppress(PlanimeterError):
        SOUND.keep(*_note(place), _digest(place))


def finish(place: Place, verb: str) -> str:
    """Remove what only an unfinished build at ``place`` needs; return ``verb`` and what stands there, in one line."""
    shutil.rmtree(place.parts.url, ignore_errors=True)
    rows = sum(record.rows for record in Manifest.read(place.folder).files)
    return f"{verb} {place.dataset} {place.version}, {rows:,} rows, at {place.address}"


def _note(place: Place) -> tuple[Store, str]:
    """Return where the digest of ``place`` is kept, always on this machine."""
    return Store(str(place.outputs / STORE)), f"{place.dataset}-{place.version}"


def _digest(place: Place) -> str:
    """Return a digest of what stands at ``place``, and of all that decides whether its build would make just that and
    find it sound; empty where nothing stands, or a file cannot be read, which is for the verifier to report.
    """
    if not place.folder.is_dir():
        return ""
    decisive = {
        "recipe": place.recipe.model_dump(mode="json"),
        "sources": sources.files_digest(),
        "libraries": library_versions(),
        "architecture": architecture(),
    }
    digest = hashlib.sha256(canonical_json(decisive))
    try:
        for path in sorted(place.folder.rglob("*")):
            digest.update(f"\n{path.relative_to(place.folder)} ".encode())
            if path.is_file():
                with path.open("rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
    except OSError:
        return ""
    return digest.hexdigest()
