"""Certifies a built dataset again: the suite's certifier recovers each answer from the picture and prompt in the files.

Rows were certified when they were made. This finds later changes that hashes do not show, such as an exchanged picture
in a file whose new hash was then written to the manifest.
"""

from collections.abc import Callable, Iterator
from copy import copy
from pathlib import Path
from typing import cast

import pyarrow as pa

from planimeter.evals.baselines import solving
from planimeter.evals.baselines.solver import Reader
from planimeter.evals.baselines.solving import Task
from planimeter.export.built import Built
from planimeter.export.manifest import Manifest
from planimeter.export.promises import MISSHAPEN, UNREADABLE
from planimeter.export.verify.part import MAX_LISTED, Job
from planimeter.export.verify.problems import Problem
from planimeter.flows import writing
from planimeter.flows.display.bars import Bars
from planimeter.flows.store.keys import check_key
from planimeter.flows.store.results import Kind
from planimeter.flows.store.storage import STORE, Store
from planimeter.flows.workers.processes import mapping
from planimeter.items.printing import command
from planimeter.items.suites import declared
from planimeter.items.values import Row

CERTIFIER = "certifier"

#: The line about a dataset without a certifier.
UNCERTIFIED = "the answers were not certified: they come from the imported corpus, as the column `certified_by` says"

#: A stored note for each certified file: its path, under a key made of its content, the recipe and the code.
NOTES: Kind[str] = Kind("certified", str)

#: The least number of rows for which starting worker processes saves time.
MANY = 1_000


def check_folder(folder: Path, bars: Bars, workers: int, *, certify: bool = True) -> tuple[list[Problem], str]:
    """Verify the dataset in ``folder``, then certify it; return the problems, and one line about its certification.

    If the verifier finds problems, the certifier does not run, and the line is empty. With ``certify=False``, or for an
    imported corpus, which has no certifier, only the verifier runs.
    """
    problems = writing.problems_of(folder, bars, workers)
    if problems:
        return problems, ""
    if CERTIFIER not in solving.registry(Manifest.read(folder).recipe["suite"]):
        return [], UNCERTIFIED
    if not certify:
        return [], (
            "not checked: whether the certifier recovers each answer from the row's picture and question; to "
            "check, run "
            f"`{command('planimeter', 'verify', folder, '--certify')}`"
        )
    rows = writing.rows_in(folder)
    return uncertified(folder, bars, workers), f"the certifier recovers the answers of all {rows:,} rows"


def uncertified(folder: Path, bars: Bars, workers: int) -> list[Problem]:
    """Certify each row of a verified dataset; return a problem for each row whose stored answer is not recovered.

    At most ``MAX_LISTED`` problems are listed; the others are counted. Files that the same code certified before are
    skipped, if the build's store of cached results still exists and has a record of this. Up to ``workers`` processes
    run, each with one row group in memory. Raises ``ExportError`` if ``folder`` has no dataset.
    """
    manifest, store = Manifest.read(folder), store_of(folder)
    suite, recipe = manifest.recipe["suite"], manifest.recipe
    notes = {
        record.path: check_key(Job(folder=folder, record=record, suite=suite, recipe=recipe), "certify")
        for record in manifest.files
    }
    known = {path for path, note in notes.items() if store and NOTES.find(store, note) == path}
    try:
        tasks = list(_tasks(folder, manifest))
    except MISSHAPEN as error:
        return [Problem("manifest.json", f"recipe is misshapen, so rows cannot be certified: {error!r}")]
    stage = bars.stage("certify", sum(task.group.size for task in tasks))
    open_tasks = [task for task in tasks if str(task.group.path.relative_to(folder)) not in known]
    stage.advance(sum(task.group.size for task in tasks) - sum(task.group.size for task in open_tasks), worked=False)
    problems: list[Problem] = []
    faulty: set[Path] = set()
    with mapping(workers if sum(task.group.size for task in open_tasks) >= MANY else 1) as each:
        for task, faults in zip(open_tasks, each(_unrecovered, open_tasks), strict=True):
            stage.advance(task.group.size, task.config)
            problems += faults
            faulty |= {task.group.path} if faults else set()
    for path, note in notes.items():
        if store and path not in known and folder / path not in faulty:
            NOTES.keep(store, note, path)
    if len(problems) > MAX_LISTED:
        more = Problem("data", f"has {len(problems) - MAX_LISTED} more rows with unrecovered answers")
        problems = [*problems[:MAX_LISTED], more]
    return problems


def store_of(folder: Path) -> Store | None:
    """Return the store (shards, results) of the build that made the dataset in ``folder``; None if it was removed."""
    place = folder.resolve().parent.parent / STORE
    return Store(str(place)) if place.is_dir() else None


def _tasks(folder: Path, manifest: Manifest) -> Iterator[Task]:
    """Yield a task for each row group of the dataset: solve its rows by the certifier of its config."""
    suite = manifest.recipe["suite"]
    built = Built(folder=folder, manifest=manifest)
    _, solvers = solving.solvers(suite, CERTIFIER, manifest.recipe, list(manifest.configs))
    for config, solver in solvers.items():
        for group in built.groups(config):
            yield Task(suite=suite, config=config, group=group, model=CERTIFIER, solver=solver, seed=0)


def _unrecovered(task: Task) -> list[Problem]:
    """Return a problem for each fault that the certifier of ``task`` finds in the rows of its row group."""
    # A certifier may cache data for the next rows; with a copy, the cache is freed after the row group.
    solver = cast("Reader", copy(task.solver))
    suite = declared(task.suite)
    pictures = suite.load("illustration") if suite.illustration else None
    columns = {"id", "answer", *solver.columns, *(pictures.COLUMNS if pictures else ())}
    try:
        rows = task.group.rows(sorted(columns))
    except (OSError, pa.ArrowException) as error:
        fault = f"row group {task.group.number} of {task.config} cannot be read: {error}"
        return [Problem(task.group.path.name, fault)]
    faults = ((row["id"], fault) for row in rows for fault in _faults(row, solver, pictures and pictures.fault))
    return [Problem(f"{task.config}: {name}", fault) for name, fault in faults]


def _faults(row: Row, solver: Reader, fault_of: Callable[[Row], str] | None) -> Iterator[str]:
    """Yield the faults of ``row``: the certifier ``solver`` recovers another answer, or ``fault_of`` finds a fault.

    ``fault_of`` checks the row's illustration, a picture that models do not see; it is None if the suite has none.
    """
    try:
        recovered = solver.read(row)
        if recovered != row["answer"]:
            answer = repr(recovered) if recovered else "nothing"
            yield f"the certifier recovers {answer} from what a model sees, but the stored answer is {row['answer']!r}"
        if fault_of and (fault := fault_of(row)):
            yield fault
    except UNREADABLE as error:
        yield f"cannot be certified: {error!r}"
