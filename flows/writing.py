"""Assembles the folder of a dataset from its written Parquet files, and verifies the dataset in a folder."""

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from planimeter.export import dataset, manifest
from planimeter.export.atomic import ExportError
from planimeter.export.parquet import FileRecord
from planimeter.export.rejects import RejectExample
from planimeter.export.verify.folder import verify
from planimeter.export.verify.problems import Problem
from planimeter.filters.funnel import Funnel
from planimeter.flows.display.bars import Bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.parts import Files
from planimeter.flows.selection import Selection
from planimeter.flows.shards import ShardRecord
from planimeter.flows.store.place import Place
from planimeter.flows.store.tables import read_rejects
from planimeter.flows.workers.processes import mapping

#: The most problems in a message; often thousands of rows have the same fault.
SHOWN = 20

#: The least number of rows for which starting worker processes saves time.
MANY = 5_000

#: The most rejected examples of one config, check and reason in the report.
EXAMPLES = 3


def describe(folder: Path, place: Place, records: Sequence[ShardRecord], selection: Selection, files: Files) -> None:
    """Put the written ``files`` into ``folder``, and add manifest.json, croissant.json, report and dataset card."""
    listed: dict[str, dict[str, tuple[FileRecord, ...]]] = {}
    for part, record in files:
        finished, target = Path(place.parts.url, record.path), folder / part.path
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(finished, target)
        except OSError:
            # Not every file system supports hard links.
            shutil.copyfile(finished, target)
        named = replace(record, path=part.path)
        splits = listed.setdefault(part.config, {})
        splits[part.split] = (*splits.get(part.split, ()), named)
    document = manifest.build(
        recipe=place.recipe.model_dump(mode="json"),
        dataset=place.recipe.dataset,
        version=place.recipe.version,
        seed=place.recipe.seed,
        seal=place.sealed.seal if place.sealed else "",
        code_digest=place.code(),
        files=listed,
        funnel=Funnel.total([*(record.funnel for record in records), selection.funnel.table()]).table(),
    )
    dataset.describe(folder, document, _examples(place, records))


def problems_of(folder: Path, progress: Bars, workers: int) -> list[Problem]:
    """Verify the dataset in ``folder`` from its files alone, in up to ``workers`` processes; return the problems."""
    rows = rows_in(folder)
    stage = progress.stage("verify", rows)
    with mapping(workers if rows >= MANY else 1) as each:
        return verify(folder, progress=stage.advance, each=each)


def rows_in(folder: Path) -> int:
    """Return the number of rows that the manifest of ``folder`` states; 0 if it cannot be read."""
    try:
        return sum(record.rows for record in manifest.Manifest.read(folder).files)
    except ExportError:
        return 0


def require_sound(folder: Path, problems: Sequence[Problem]) -> None:
    """Raise ``PlanimeterError`` with the first ``SHOWN`` of ``problems``, if there are any."""
    if problems:
        listed = "".join(f"\n  {problem}" for problem in islice(problems, SHOWN))
        more = f"\n  and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        raise PlanimeterError(f"{folder} fails verification:{listed}{more}")


def _examples(place: Place, records: Sequence[ShardRecord]) -> Iterator[RejectExample]:
    """Yield up to ``EXAMPLES`` rejected examples of each config, check and reason, in the order of the shards."""
    counts: dict[tuple[str, str, str], int] = {}
    for record in records:
        for example in read_rejects(place.store, record):
            kind = (example.config, example.check, example.reason)
            counts[kind] = counts.get(kind, 0) + 1
            if counts[kind] <= EXAMPLES:
                yield example
