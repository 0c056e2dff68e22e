"""Finds a suite's reference models by name, and writes their replies to the rows of a dataset, a row group at a time.

A reply is a function of the solver, the rows and the seed: each row has its own random stream, so that it does not
matter which process answers which rows.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from hashlib import blake2b
from inspect import getdoc
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from planimeter.evals.baselines.solver import Certificate, Drawn, Majority, Row, Solver
from planimeter.evals.grading import protocol
from planimeter.items.suites import declared

#: Side of a thumbnail in px, as a name gives it: least, most, and where it gives none.
LEAST_SIZE, MOST_SIZE, USUAL_SIZE = 2, 240, 24

#: What every suite has, and what needs no picture.
BASELINES = ("majority", "random")

Registry = Mapping[str, Mapping[str, type[Solver]]]

#: As a suite lists it in ``SOLVERS``: for all configs, or config by config.
Kinds = type[Solver] | Mapping[str, type[Solver]]


@dataclass(frozen=True, kw_only=True)
class Task:
    """Row group number ``group`` of ``file``, ``rows`` rows of ``config``, to be answered by ``solver``."""

    suite: str
    config: str
    file: Path
    group: int
    rows: int
    model: str
    solver: Solver
    seed: int


def names(suite: str) -> dict[str, str]:
    """Return the name of each reference model of ``suite`` with what it does, config by config where these differ.

    Raises:
        LookupError: if there is no such suite.
    """
    descriptions: dict[str, str] = {}
    for name, solvers in registry(suite).items():
        sized = any(solver.sized for solver in solvers.values())
        lines = dict.fromkeys(" ".join((getdoc(solver) or "").split()) for solver in solvers.values())
        descriptions[f"{name}-{USUAL_SIZE}" if sized else name] = " / ".join(lines)
    return descriptions


def solvers(suite: str, name: str, recipe: Mapping[str, Any], configs: Sequence[str]) -> tuple[str, dict[str, Solver]]:
    """Return the full name of a reference model (``thumbnail`` is ``thumbnail-24``), and a solver for each config.

    Raises:
        LookupError: if ``suite`` has no such model; the message lists those that it has.
    """
    known = registry(suite)
    base, _, digits = name.rpartition("-") if re.fullmatch(r".+-[0-9]{1,3}", name) else (name, "", "")
    size = int(digits or USUAL_SIZE)
    kinds = known.get(base)
    sized = kinds is not None and any(kind.sized for kind in kinds.values())
    if kinds is None or (digits and not sized) or not LEAST_SIZE <= size <= MOST_SIZE:
        listed = ", ".join(names(suite))
        span = f" (or another size of {LEAST_SIZE} to {MOST_SIZE} px)" if re.search(r"\d", listed) else ""
        raise LookupError(f"the suite {suite} has no solver {name!r}; it has: {listed}{span}")
    return f"{base}-{size}" if sized else base, {config: kinds[config](config, recipe, size) for config in configs}


def taught(solver: Solver, files: Sequence[Path]) -> Solver:
    """Show ``solver`` what it learns from: those columns of all rows in ``files``, in their order; and return it."""
    if solver.learns:
        solver.learn(row for file in files for row in _rows(file, solver.learns))
    return solver


def solve(task: Task) -> list[str]:
    """Return the replies to a row group: JSON objects with id, reply, model and sample, one a row."""
    # A solver may keep what helps with the next rows: a copy, so that it is let go of with the row group.
    solver, render, lines = copy(task.solver), protocol(task.suite).render, []
    with pq.ParquetFile(task.file) as file:
        rows = file.read_row_group(task.group, columns=_wanted(task.solver)).to_pylist()
    for row in rows:
        answer = answer_to(row, solver, task.model, task.seed)
        reply = {"id": row["id"], "reply": render(answer) if answer else "", "model": task.model, "sample": 0}
        lines.append(json.dumps(reply, ensure_ascii=False))
    return lines


def answer_to(row: Row, solver: Solver, model: str, seed: int = 0) -> str:
    """Return the answer of the reference model named ``model`` to ``row``: with equal ``seed`` always the same."""
    digest = blake2b(f"{model}/{row['id']}".encode(), digest_size=8).digest()
    return solver.answer(row, np.random.default_rng([seed, int.from_bytes(digest)]))


def baselines(suite: str, config: str, recipe: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the answers of ``BASELINES`` to ``rows`` of a config, those of `planimeter solve` to the same rows.

    ``rows`` have all columns but the picture, which these models do not look at.
    """
    by_config = {}
    for name in BASELINES:
        if config not in registry(suite)[name]:
            continue
        solver = registry(suite)[name][config](config, recipe, USUAL_SIZE)
        if solver.learns:
            solver.learn(rows)
        by_config[name] = [answer_to(row, solver, name) for row in rows]
    return by_config


def registry(suite: str) -> Registry:
    """Return the reference models of ``suite`` by name, each by config: those of any suite, and its own in their place
    or behind them. Raises ``LookupError`` if there is no such suite.
    """
    known, configs = declared(suite), protocol(suite).CONFIGS
    suite_solvers: Mapping[str, Kinds] = known.load("solvers").SOLVERS if known.solvers else {}
    certified = {"certifier": Certificate} if known.certify or "certifier" in suite_solvers else {}
    solvers: Mapping[str, Kinds] = {**certified, "majority": Majority, "random": Drawn, **suite_solvers}
    return {name: dict.fromkeys(configs, kind) if isinstance(kind, type) else kind for name, kind in solvers.items()}


def _wanted(solver: Solver) -> list[str]:
    return list(dict.fromkeys(("id", *solver.columns)))


def _rows(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            yield from file.read_row_group(group, columns=list(columns)).to_pylist()
