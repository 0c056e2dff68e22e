"""Finds rows with equal ids or equal items (picture and prompts); an id and 16 bytes of each row are in memory."""

from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from planimeter.items.values import Row


class Mark(NamedTuple):
    """The values of a row by which repeats are found: its id, and a hexadecimal digest of picture and prompts."""

    id: str
    item: str


def has_mark(row: Row) -> bool:
    """True if id and prompts of ``row`` are not null, so that ``mark_of`` can be called."""
    return None not in (row["id"], row["system_prompt"], row["prompt"])


def mark_of(row: Row) -> Mark:
    """Return the mark of ``row``: its id, and a digest of its picture and prompts."""
    # Processors have instructions for SHA-256, so that it takes half the time of BLAKE2.
    digest = sha256((row["image"] or {}).get("bytes") or b"")
    digest.update(f"{row['system_prompt']}\0{row['prompt']}".encode())
    return Mark(row["id"], digest.hexdigest()[:32])


class Seen:
    """An index of all rows so far: their ids, and for each digest of picture and prompts the id of the first row."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._first: dict[str, str] = {}

    def faults(self, mark: Mark) -> Iterator[str]:
        """Yield a fault if an earlier row, whose mark was added, has the same id as the row with ``mark``.

        Yield another one if an earlier row with a different id has the same picture and prompts.
        """
        if mark.id and mark.id in self._ids:
            yield "its id occurs twice"
        other = self._first.get(mark.item, mark.id)
        if other != mark.id:
            yield f"has the same picture and prompts as {other}"

    def add(self, mark: Mark) -> None:
        """Store the ``mark`` of a row, so that ``faults`` reports a later row with the same id or the same item."""
        self._ids.add(mark.id)
        self._first.setdefault(mark.item, mark.id)
