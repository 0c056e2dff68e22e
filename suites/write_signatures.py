"""Store fingerprints of published test items: ``python -m planimeter.suites.write_signatures FOLDER...``.

Each FOLDER contains a built dataset, such as outputs/curves/1.3.0. Training items are compared with the fingerprints
(signatures), which are in the suite's folder ``signatures``, in one file for all published versions of a dataset;
therefore existing entries stay. The same rows give the same fingerprints on any machine; equal ones are stored once.
"""

import json
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from planimeter.export.atomic import ExportError
from planimeter.export.built import Built
from planimeter.export.errors import CurationError
from planimeter.export.manifest import Manifest
from planimeter.items.suites import declared
from planimeter.suites import editions
from planimeter.suites.editions import Likeness, likeness

#: The splits that must never be used for training.
HELD_OUT = ("test", "validation")


def of_dataset(folder: Path) -> Iterator[Likeness]:
    """Yield the distinct fingerprints of the test and validation rows of the dataset in ``folder``, in row order.

    Raises:
        ExportError: if ``folder`` contains no dataset, or one that is not among the suite's published ``editions``.
    """
    built = Built.at(folder)
    name = built.manifest.dataset
    if name not in declared(built.suite).editions:
        raise CurationError(f"{folder}: {name} is not a published edition; add it to `editions` of its suite first")
    seen: set[Likeness] = set()
    for config, splits in built.manifest.configs.items():
        for split in (split for split in splits if split in HELD_OUT):
            by_question = groupby(built.rows(config, split, pictures=False), key=lambda row: int(row["seed"]) >> 8)
            for _, rows in by_question:
                found = likeness(built.suite, config, next(rows))
                if found not in seen:
                    seen.add(found)
                    yield found


def write(folder: Path) -> Path:
    """Add the fingerprints of the test items in ``folder`` to the file of their dataset; return the file's path."""
    manifest = Manifest.read(folder)
    suite = str(manifest.recipe["suite"])
    path = editions.file_of(manifest.dataset, suite)
    existing = editions.signatures(manifest.dataset, suite) if path.is_file() else ()
    items = list(dict.fromkeys((*existing, *of_dataset(folder))))
    about = {"version": manifest.version, "seed": manifest.seed, "scale": manifest.recipe.get("scale", 1.0)}
    table = pa.table(
        {
            "pool": pa.array([pool for pool, _ in items], pa.string()).dictionary_encode(),
            "signature": pa.array([signature for _, signature in items], pa.binary()),
        },
        metadata={"planimeter": json.dumps(about, sort_keys=True)},
    )
    path.parent.mkdir(exist_ok=True)
    pq.write_table(table, path, compression="zstd", compression_level=22, use_dictionary=["pool"])
    return path


def main(folders: list[str]) -> int:
    """Store the fingerprints of the test items in ``folders``, print the written paths, and return the exit status."""
    if not folders:
        sys.stderr.write("give the folders of one or more built datasets, such as outputs/curves/1.3.0\n")
        return 2
    for folder in folders:
        try:
            path = write(Path(folder))
        except (ExportError, OSError, pa.ArrowException) as error:
            sys.stderr.write(f"{error}\n")
            return 1
        sys.stdout.write(f"{path}: {path.stat().st_size / 1000:,.0f} kB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
