"""Writes the dataset folder from finished shards, and verifies it cold. It appears whole or not at all."""

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from planimeter.export.atomic import Staging
from planimeter.export.dataset import write_dataset
from planimeter.export.rejects import RejectExample
from planimeter.export.verify.folder import verify as find_problems
from planimeter.export.verify.problems import Problem
from planimeter.filters.funnel import Funnel
from planimeter.flows.display.bars import Bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.selection import Selection, chosen_rows
from planimeter.flows.shards import ShardRecord
from planimeter.flows.store.place import Place
from planimeter.flows.store.tables import rejects_of, rows_of
from planimeter.flows.workers.processes import WorkerPool

#: Problems that are printed; a reader needs the first few, not thousands of rows with the same fault.
SHOWN = 20

#: Rows from which on a second process is worth its start.
MANY = 5_000

#: Rejected examples of one check and reason in the report.
EXAMPLES = 3


def write(place: Place, records: Sequence[ShardRecord], selection: Selection, shown: Bars, workers: int = 1) -> None:
    """Write ``place.folder`` from the selected rows of ``records`` and verify it before it appears.

    Raises ``ExportError`` if the disk is full, ``PlanimeterError`` if the folder would break a promise.
    """
    stage = shown.stage("write", sum(len(record.tables) for record in records))
    funnel = Funnel.total([*(record.funnel for record in records), selection.funnel.table()])
    splits: dict[str, list[str]] = {}
    for record in records:
        for table in record.tables:
            named = splits.setdefault(table.config, [])
            if record.split not in named:
                named.append(record.split)

    def tables(config: str, split: str) -> Iterator[pa.Table]:
        for record, kept in zip(records, selection.kept, strict=True):
            for table in record.tables:
                if (table.config, record.split) == (config, split):
                    yield from chosen_rows(rows_of(table, place.store), table, kept)
                    stage.advance(note=config)

    with Staging(place.folder) as staging:
        write_dataset(
            staging.path,
            recipe=place.recipe.model_dump(mode="json"),
            dataset=place.recipe.dataset,
            version=place.recipe.version,
            seed=place.recipe.seed,
            code_digest=place.code(),
            configs={
                config: {split: tables(config, split) for split in named} for config, named in sorted(splits.items())
            },
            funnel=funnel.table(),
            rejects=_examples(place, records),
        )
        # Before it gets its name: a folder that broke a promise would stay, since a version is never replaced.
        verify(staging.path, shown, workers)
        staging.commit()


def verify(folder: Path, shown: Bars, workers: int = 1) -> None:
    """Verify a whole folder from the folder alone; ``PlanimeterError`` lists what is wrong with it."""
    problems = problems_of(folder, shown, workers)
    if problems:
        listed = "".join(f"\n  {problem}" for problem in islice(problems, SHOWN))
        more = f"\n  and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        raise PlanimeterError(f"{folder} breaks what it promises:{listed}{more}")


def problems_of(folder: Path, shown: Bars, workers: int) -> list[Problem]:
    """Return what is wrong with a whole folder, which up to ``workers`` processes look through."""
    rows = _rows_in(folder)
    stage = shown.stage("verify", rows)
    if workers < 2 or rows < MANY:
        return find_problems(folder, progress=stage.advance)
    with WorkerPool(1) as pool, _Helper(pool) as helper:
        return find_problems(folder, progress=stage.advance, helper=helper)


class _Helper(ThreadPoolExecutor):
    """Hands work to a process of ours: one that dies is replaced, and none outlives us."""

    def __init__(self, pool: WorkerPool) -> None:
        super().__init__(max_workers=1)
        self._pool = pool

    def submit(self, function: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """Return the future of ``function(*given, **named)``."""
        return super().submit(self._pool.run, partial(function, **named), *given)

    def __exit__(self, *_: object) -> None:
        """Wait for nobody: where all went well nothing is left, and elsewhere nobody asks for it."""
        self.shutdown(wait=False, cancel_futures=True)


def _rows_in(folder: Path) -> int:
    """Return how many rows the manifest of ``folder`` lists, 0 if it cannot be read."""
    try:
        return sum(int(record["rows"]) for record in json.loads((folder / "manifest.json").read_bytes())["files"])
    except (OSError, ValueError, LookupError, TypeError, OverflowError):
        return 0


def _examples(place: Place, records: Sequence[ShardRecord]) -> Iterator[RejectExample]:
    """Yield the first few rejected examples of each check and reason, in the order of the plan."""
    seen: dict[tuple[str, str, str], int] = {}
    for record in records:
        for example in rejects_of(record, place.store):
            kind = (example.config, example.check, example.reason)
            seen[kind] = seen.get(kind, 0) + 1
            if seen[kind] <= EXAMPLES:
                yield example
