"""The part of the verifier that looks at pictures: each is a sound PNG, and none is shown twice with one question.

It is half of the work on rows and needs nothing of the other half, so that another process can do it meanwhile.
"""

from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from planimeter.export.promises import picture_faults
from planimeter.export.verify.repeats import COLUMNS, Repeats

#: Row problems of one file that are listed one by one; the rest is only counted.
MAX_LISTED = 20

BAD_PARQUET = (OSError, pa.ArrowException, ValueError)


@dataclass(kw_only=True)
class Look:
    """What was seen in one file: how many problems, the first of them as (row, what is wrong), and its repeats."""

    count: int = 0
    listed: list[tuple[str, str]] = field(default_factory=list)
    repeats: Repeats = field(default_factory=Repeats)


def look(path: Path) -> Look:
    """Look at every picture of a file, a row group at a time. What keeps a file from being read is told elsewhere."""
    found = Look()
    try:
        with pq.ParquetFile(path) as file:
            number = 0
            for group in range(file.num_row_groups):
                for row in file.read_row_group(group, columns=list(COLUMNS)).to_pylist():
                    if all(row[name] is not None for name in COLUMNS):
                        found.repeats.add(row)
                    for fault in picture_faults(row["image"]):
                        found.count += 1
                        if found.count <= MAX_LISTED:
                            found.listed.append((f"row {number} ({row['id']})", fault))
                    number += 1
    except (*BAD_PARQUET, KeyError):
        return found
    return found
