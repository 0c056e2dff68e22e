"""Finds a suite's reference models by name, and makes their replies to the rows of a dataset, a row group at a time.

A reply is a function of the solver, the rows and the seed: each row has its own random generator, so that replies do
not depend on the process that makes them.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from hashlib import blake2b
from inspect import getdoc

import numpy as np

from planimeter.evals.baselines.solver import Certificate, Drawn, Majority, Solver
from planimeter.evals.grading import protocol
from planimeter.export.built import RowGroup
from planimeter.items.suites import declared
from planimeter.items.values import Recipe, Row

#: The side of a thumbnail in px, which may be the end of a model's name: least, most, and default.
LEAST_SIZE, MOST_SIZE, USUAL_SIZE = 2, 240, 24

#: The models of every suite that need no picture.
BASELINES = ("majority", "random")

Registry = Mapping[str, Mapping[str, type[Solver]]]

#: An entry of a suite's ``SOLVERS``: one for all configs, or one a config.
Kinds = type[Solver] | Mapping[str, type[Solver]]


@dataclass(frozen=True, kw_only=True)
class Task:
    """A unit of work: the rows of one row group of ``config``, to be answered by ``solver``, which is named ``model``.

    ``seed`` seeds the solver's random draws.
    """

    suite: str
    config: str
    group: RowGroup
    model: str
    solver: Solver
    seed: int


def names(suite: str) -> dict[str, str]:
    """Return {name: description} of the reference models of ``suite``, for the help of `planimeter solve`.

    If a model's description depends on the config, all of its descriptions are joined by " / ".

    Raises:
        LookupError: if there is no such suite.
    """
    descriptions: dict[str, str] = {}
    for name, solvers in registry(suite).items():
        sized = any(solver.sized for solver in solvers.values())
        lines = dict.fromkeys(" ".join((getdoc(solver) or "").split()) for solver in solvers.values())
        descriptions[f"{name}-{USUAL_SIZE}" if sized else name] = " / ".join(lines)
    return descriptions


def solvers(suite: str, name: str, recipe: Recipe, configs: Sequence[str]) -> tuple[str, dict[str, Solver]]:
    """Return the full name of the reference model ``name``, and {config: solver}.

    The full name includes the size of thumbnails: ``thumbnail`` becomes ``thumbnail-24``. The mapping omits ``configs``
    for which the suite has no such model.

    Raises:
        LookupError: if ``suite`` has no such model, or none for these configs; the message lists its models.
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
    by_config = {config: kinds[config](config, recipe, size) for config in configs if config in kinds}
    if not by_config:
        raise LookupError(f"the solver {name} of {suite} is for {', '.join(kinds)}, not for {', '.join(configs)}")
    return f"{base}-{size}" if sized else base, by_config


def taught(solver: Solver, groups: Iterable[RowGroup]) -> Solver:
    """Return ``solver`` after it has learnt from all rows of ``groups``; reads only the columns ``solver.learns``."""
    if solver.learns:
        solver.learn(row for group in groups for row in group.rows(solver.learns))
    return solver


def solve(task: Task) -> list[str]:
    """Return the reply to each row of a row group, as the JSON text of an object with id, reply, model and sample."""
    # A solver may cache values for the next rows: a copy, so that the cache ends with the row group.
    solver, render, lines = copy(task.solver), protocol(task.suite).render, []
    for row in task.group.rows(list(dict.fromkeys(("id", *solver.columns)))):
        answer = answer_to(row, solver, task.model, task.seed)
        reply = {"id": row["id"], "reply": render(answer) if answer else "", "model": task.model, "sample": 0}
        lines.append(json.dumps(reply, ensure_ascii=False))
    return lines


def answer_to(row: Row, solver: Solver, model: str, seed: int = 0) -> str:
    """Return the answer of ``solver`` to ``row``; ``model``, the row's id and ``seed`` seed the random generator."""
    digest = blake2b(f"{model}/{row['id']}".encode(), digest_size=8).digest()
    return solver.answer(row, np.random.default_rng([seed, int.from_bytes(digest)]))


def baselines(suite: str, config: str, recipe: Recipe, rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return {name: answers to ``rows``} of two reference models: the most common answer, and a random answer.

    The answers equal those of `planimeter solve`. The models learn from ``rows``, which need no pictures.
    """
    known = registry(suite)
    answers = {}
    for name in BASELINES:
        if kind := known[name].get(config):
            solver = kind(config, recipe, USUAL_SIZE)
            solver.learn(rows)
            answers[name] = [answer_to(row, solver, name) for row in rows]
    return answers


def registry(suite: str) -> Registry:
    """Return {name: {config: class}} of the reference models of ``suite``: those that every suite has, then its own.

    A model of the suite replaces one of the same name. Raises ``LookupError`` if there is no such suite.
    """
    known, configs = declared(suite), protocol(suite).CONFIGS
    suite_solvers: Mapping[str, Kinds] = known.load("solvers").SOLVERS if known.solvers else {}
    certified = {"certifier": Certificate} if known.certify or "certifier" in suite_solvers else {}
    solvers: Mapping[str, Kinds] = {**certified, "majority": Majority, "random": Drawn, **suite_solvers}
    return {name: dict.fromkeys(configs, kind) if isinstance(kind, type) else kind for name, kind in solvers.items()}
