"""Finds the line of a TOML document on which a value stands, which ``tomllib`` does not tell.

The first lines of a document are a document themselves exactly where a statement has ended. So the statement that
brings a key is the one after which ``tomllib`` first finds it, whatever its form: the head of a table, a dotted key, an
inline table, an array over many lines.
"""

import tomllib
from bisect import bisect_left
from collections.abc import Sequence

#: Keys and places in arrays that lead to a value.
Place = Sequence[str | int]


def lines_of(text: str, places: Sequence[Place]) -> list[int | None]:
    """Return for each of ``places`` the line, from 1, of the statement that brings it to the TOML document ``text``.

    What is missing has the line of the innermost table that should hold it, and none where that is the whole document.
    """
    lines = text.split("\n")
    ends = _ends(lines)

    def depth(place: Place, end: int) -> int:
        return _depth(tomllib.loads("\n".join(lines[:end])), place)

    found: list[int | None] = []
    for place in places:
        wanted = depth(place, len(lines))
        brought = bisect_left(ends, wanted, key=lambda end: depth(place, end))
        found.append(ends[brought - 1] + 1 if wanted else None)
    return found


def _ends(lines: Sequence[str]) -> list[int]:
    """Return after how many lines no statement is open; a blank line and a comment are statements that say nothing."""
    ends = [0]
    for number in range(1, len(lines) + 1):
        try:
            tomllib.loads("\n".join(lines[ends[-1] : number]))
        except tomllib.TOMLDecodeError:
            continue
        ends.append(number)
    return ends


def _depth(document: object, place: Place) -> int:
    """Return how many steps of ``place`` lead to something in ``document``."""
    value = document
    for depth, step in enumerate(place):
        holds = (isinstance(value, dict) and step in value) or (
            isinstance(value, list) and isinstance(step, int) and step < len(value)
        )
        if not holds:
            return depth
        value = value[step]  # type: ignore[index]
    return len(place)
