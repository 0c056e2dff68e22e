"""Measures each row of a dataset, a row group at a time: how small its picture may be, and who solves it half blind."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planimeter.evals.probes.part import parts_of
from planimeter.evals.probes.readers import Model, graded, half_blind
from planimeter.export.built import Built, RowGroup
from planimeter.filters.certify.readable import readable_at
from planimeter.items.suites import declared
from planimeter.items.values import Recipe


@dataclass(frozen=True, kw_only=True)
class Task:
    """A row group of ``config``, with the half-blind readers."""

    suite: str
    config: str
    recipe: Recipe
    group: RowGroup
    readers: Sequence[Model]


def tasks(built: Built, config: str, path: Path) -> list[Task]:
    """Return what is to be measured in the data file ``path``, in the order of its rows."""
    recipe = built.manifest.recipe
    readers = half_blind(built.suite, config, recipe)
    groups = (group for group in built.groups(config) if group.path == path)
    return [Task(suite=built.suite, config=config, recipe=recipe, group=group, readers=readers) for group in groups]


def measure(task: Task) -> list[dict[str, object]]:
    """Return the measures of a row group, row by row; see ``export.measures``.

    Raises:
        OSError, pyarrow.ArrowException, KeyError, ValueError: if the file is damaged.
    """
    part = parts_of(task.suite)[task.config]
    shown = part.shrunk(task.recipe, task.config) if declared(task.suite).pictures and part.shrunk else None
    readers = [reader._replace(solver=copy(reader.solver)) for reader in task.readers]
    lines = []
    for row in task.group.rows():
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
