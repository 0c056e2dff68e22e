"""What a build does where its dataset stands already: it looks whether that is sound, and changes nothing. Needs no
Prefect, so that the command line starts no server for it.

A dataset that was verified is noted in the store, by a digest of the whole folder and of the code that verified it. As
long as both are the same, the next build only hashes the files.
"""

import hashlib
import shutil
from contextlib import suppress

from planimeter.flows import parts
from planimeter.flows.display.bars import Bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store import journal, shard_cache, sources, sweep
from planimeter.flows.store.place import Place
from planimeter.flows.writing import problems_of, require_sound, rows_in

#: Where a store keeps the notes, one for each dataset and version.
SOUND = "sound"


def find(place: Place, shown: Bars, workers: int) -> str | None:
    """Return what to say of the dataset that stands at ``place`` and is sound; None if it has to be built.

    Call it while the lock is held. Removes what dead builds left. Raises ``VersionExistsError`` if the version has
    other content, ``PlanimeterError`` if it breaks a promise.
    """
    sweep.sweep(place)
    if not place.is_built():
        return None
    place.fetch(shown)
    digest = _digest(place)
    if not digest or shard_cache.noted(place.store, _name(place)) != digest:
        require_sound(place.folder, problems_of(place.folder, shown, workers))
        _note(place, digest)
    return finish(place, "found built and sound:")


def note_verified(place: Place) -> None:
    """Note that the dataset at ``place`` was verified as it stands there."""
    _note(place, _digest(place))


def finish(place: Place, verb: str) -> str:
    """Remove what only an unfinished build at ``place`` needs; return ``verb`` and what stands there, in one line."""
    journal.close(place.store, place.dataset, place.version)
    shutil.rmtree(place.parts.folder, ignore_errors=True)
    return f"{verb} {place.dataset} {place.version}, {rows_in(place.folder):,} rows, at {place.address}"


def _note(place: Place, digest: bytes) -> None:
    # It only saves work: a disk or a bucket that takes nothing more fails no dataset that stands.
    with suppress(PlanimeterError):
        shard_cache.note(place.store, _name(place), digest)


def _name(place: Place) -> str:
    return f"{SOUND}/{place.dataset}-{place.version}"


def _digest(place: Place) -> bytes:
    """Return a digest of all names and files in the folder, and of the code that verifies it; empty if one cannot be
    read, which is for the verifier to report.
    """
    verifier = (*parts.code_of(place.recipe.suite).modules, "planimeter.export.verify.folder")
    whole = hashlib.sha256(sources.digest(verifier).encode())
    try:
        for path in sorted(place.folder.rglob("*")):
            whole.update(f"\n{path.relative_to(place.folder)} ".encode())
            if path.is_file():
                with path.open("rb") as file:
                    whole.update(hashlib.file_digest(file, "sha256").digest())
    except OSError:
        return b""
    return whole.hexdigest().encode()
