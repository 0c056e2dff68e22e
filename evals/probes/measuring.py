"""Measures each row of a dataset, a row group at a time: how small its picture may be, and who solves it half blind."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from planimeter.evals.probes.part import parts_of
from planimeter.evals.probes.readers import Asked, graded, half_blind
from planimeter.export.manifest import Manifest
from planimeter.filters.certify.readable import readable_at
from planimeter.items.suites import declared


@dataclass(frozen=True, kw_only=True)
class Task:
    """Row group number ``group`` of ``file``, ``rows`` rows of ``config``, with the half-blind readers."""

    suite: str
    config: str
    recipe: Mapping[str, Any]
    file: Path
    group: int
    rows: int
    readers: Sequence[Asked]


def tasks(folder: Path, manifest: Manifest, config: str, path: str) -> list[Task]:
    """Return what is to be measured in one data file, in the order of its rows."""
    suite = str(manifest.recipe["suite"])
    models = half_blind(suite, config, manifest.recipe)
    with pq.ParquetFile(folder / path) as file:
        sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    return [
        Task(
            suite=suite,
            config=config,
            recipe=manifest.recipe,
            file=folder / path,
            group=group,
            rows=rows,
            readers=models,
        )
        for group, rows in enumerate(sizes)
    ]


def measure(task: Task) -> list[dict[str, Any]]:
    """Return the measures of a row group, row by row; see ``export.measures``.

    Raises:
        OSError, pyarrow.ArrowException, KeyError, ValueError: if the file is damaged.
    """
    part = parts_of(task.suite)[task.config]
    shown = part.shrunk(task.recipe, task.config) if declared(task.suite).pictures and part.shrunk else None
    readers = [replace(reader, solver=copy(reader.solver)) for reader in task.readers]
    with pq.ParquetFile(task.file) as file:
        rows = file.read_row_group(task.group).to_pylist()
    lines = []
    for row in rows:
        scores = {
            reader.name: graded(task.suite, task.config, part, row, reader.answer(row))[part.metrics[0]]
            for reader in readers
        }
        size = readable_at(row["image"]["bytes"], str(row["answer"]), shown(row)) if shown else None
        lines.append(
            {
                "id": row["id"],
                "readable_at": size,
                "solved": float(np.mean(list(scores.values()))) if scores else None,
                "solved_by": [name for name, score in scores.items() if score == 1.0],
            }
        )
    return lines
