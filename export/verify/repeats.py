"""Finds ids and items that occur twice, in 16 bytes a row: a dataset of millions of rows must not fill the memory.

A first pass keeps a digest of each id and of each item (picture and prompts). Only if digests are equal, which they
never are in a sound dataset, a second pass reads those rows again and compares the digests in full.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

Row = Mapping[str, Any]

#: Bytes of a digest in the first pass, and in the second, which decides.
_SHORT, _LONG = 8, 32

COLUMNS = ("id", "image", "system_prompt", "prompt")


class Repeats:
    """Remembers a little of each row."""

    def __init__(self) -> None:
        self._ids = array("Q")
        self._items = array("Q")

    def add(self, row: Row) -> None:
        """Remember ``row``. A row without an id has only its item looked at, one that lacks a column nothing."""
        if not _is_full(row):
            return
        if row["id"]:
            self._ids.append(int.from_bytes(_id(row, _SHORT)))
        self._items.append(int.from_bytes(_item(row, _SHORT)))

    def extend(self, other: "Repeats") -> None:
        """Remember what ``other`` remembers too."""
        self._ids.extend(other._ids)
        self._items.extend(other._items)

    def faults(self, files: Sequence[Path]) -> Iterator[tuple[Path, int, Row, str]]:
        """Yield (file, number of the row in it, row, what is wrong) of rows that repeat another, in file order."""
        ids, items = _twice(self._ids), _twice(self._items)
        if not ids and not items:
            return
        seen = Seen()
        for path, number, row in _rows(files):
            if int.from_bytes(_id(row, _SHORT)) in ids or int.from_bytes(_item(row, _SHORT)) in items:
                yield from ((path, number, row, fault) for fault in seen.faults(row))
                seen.add(row)


class Seen:
    """Rows in memory, for few rows, or for those that may repeat one another."""

    def __init__(self) -> None:
        self._ids: set[bytes] = set()
        self._first: dict[bytes, str] = {}

    def faults(self, row: Row) -> Iterator[str]:
        """Yield in what ``row`` repeats one that was added before."""
        if row["id"] and _id(row, _LONG) in self._ids:
            yield "its id occurs twice"
        other = self._first.get(_item(row, _LONG), row["id"])
        if other != row["id"]:
            yield f"asks the same of the same picture as {other}"

    def add(self, row: Row) -> None:
        """Remember ``row``."""
        self._ids.add(_id(row, _LONG))
        self._first.setdefault(_item(row, _LONG), row["id"])


def _twice(digests: "array[int]") -> set[int]:
    values, counts = np.unique(np.frombuffer(digests, np.uint64), return_counts=True)
    return {int(value) for value in values[counts > 1]}


def _is_full(row: Row) -> bool:
    return all(row[name] is not None for name in COLUMNS) and row["image"]["bytes"] is not None


def _id(row: Row, size: int) -> bytes:
    return sha256(row["id"].encode()).digest()[:size]


def _item(row: Row, size: int) -> bytes:
    # Processors have instructions for SHA-256: it takes half the time of BLAKE2.
    digest = sha256(row["image"]["bytes"])
    digest.update(f"{row['system_prompt']}\0{row['prompt']}".encode())
    return digest.digest()[:size]


def _rows(files: Sequence[Path]) -> Iterator[tuple[Path, int, Row]]:
    for path in files:
        with pq.ParquetFile(path) as file:
            number = 0
            for group in range(file.num_row_groups):
                for row in file.read_row_group(group, columns=list(COLUMNS)).to_pylist():
                    if _is_full(row):
                        yield path, number, row
                    number += 1
