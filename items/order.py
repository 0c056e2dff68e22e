"""Sort orders for names of splits and for texts with numbers, and the names of ranges of numbers."""

import re
from collections.abc import Iterable, Sequence


def natural(text: str) -> tuple[tuple[int, int | str], ...]:
    """Return a sort key that compares digits as numbers ("6-10" before "11-15"), and puts numbers before letters."""
    pieces = re.findall(r"[0-9]+|[^0-9]+", text)
    return tuple((0, int(piece)) if piece.isdecimal() else (1, piece) for piece in pieces)


def size_bin(value: int, ends: Sequence[int]) -> str:
    """Return the name of the range that contains ``value``, such as "3-5" or "51+".

    The ranges are consecutive: the first begins at 1, each ends at one of ``ends`` (ascending), the last has no end.
    """
    low = 1
    for end in ends:
        if value <= end:
            return str(end) if end == low else f"{low}-{end}"
        low = end + 1
    return f"{low}+"


def in_order(splits: Iterable[str]) -> list[str]:
    """Return the names of splits sorted: train, validation and test first, then the others alphabetically."""
    known = ("train", "validation", "test")
    return sorted(splits, key=lambda split: (known.index(split) if split in known else len(known), split))
