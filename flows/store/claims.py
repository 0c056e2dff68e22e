"""Who uploads a version to a bucket, where no file lock reaches.

A claim names the content that is being uploaded, and every object that this upload or one before it may have left.
Claims are numbered objects, each created once (a conditional write: If-None-Match) and never changed; the highest
number holds. So of two builds that claim at once one is first, and the other one sees its claim. A claim that contains
the manifest is final: no other may follow it, and a build that sees it and finds no manifest.json uploads it.
"""

from pydantic import BaseModel

from planimeter.flows.store.storage import Store


class Claim(BaseModel, frozen=True):
    """``content`` is a digest of what is uploaded, ``files`` are names below the version, in order."""

    content: str = ""
    files: tuple[str, ...] = ()
    #: The text of ``manifest.json``, once everything else is there.
    manifest: str = ""


class Claims:
    """The claims in ``store`` to the version called ``version``."""

    def __init__(self, store: Store, version: str) -> None:
        self._store, self._folder = store, f"uploads/{version}"

    def latest(self) -> tuple[int, Claim]:
        """Return the claim that holds and its number; 0 and an empty one if there is none."""
        number = max(self._numbers(), default=0)
        try:
            return number, Claim.model_validate_json(self._store.get(f"{self._folder}/{number}"))
        except (FileNotFoundError, ValueError):
            # None, or removed by another build behind a finished version, or not ours.
            return number, Claim()

    def add(self, number: int, claim: Claim) -> bool:
        """Make ``claim`` the one that holds, as ``number``; return False if another build has that number."""
        try:
            self._store.put(f"{self._folder}/{number}", claim.model_dump_json().encode(), create=True)
        except FileExistsError:
            return False
        return True

    def clear(self) -> None:
        """Remove all claims; only when the manifest stands in place."""
        # The highest last: a build that was overtaken must not find its own to hold again.
        for number in sorted(self._numbers()):
            self._store.delete(f"{self._folder}/{number}")

    def _numbers(self) -> list[int]:
        return [int(name) for name in self._store.names(self._folder) if name.isdecimal()]
