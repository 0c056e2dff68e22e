"""The command `solve`: the replies of reference models to a built dataset, as JSONL.

Replies come in the order of models, configs and rows, whatever process answered which.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from planimeter.evals.baselines import solving
from planimeter.evals.baselines.solving import Task
from planimeter.export.atomic import clear_errors, write_file
from planimeter.export.built import Built
from planimeter.export.manifest import Manifest
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.storage import OUTPUTS
from planimeter.flows.workers.processes import cores, mapping
from planimeter.items.suites import sound


def show(folder: Path | None, out: Console) -> None:
    """Print the reference models of each suite, or of that of the dataset in ``folder``."""
    for suite in (known.name for known in sound()) if folder is None else (Manifest.read(folder).recipe["suite"],):
        out.print(suite, style="bold")
        for name, meaning in solving.names(suite).items():
            out.print(f"  {name:<15}{meaning}", markup=False)


def run(
    folder: Path | None,
    out: Console,
    *,
    by: Sequence[str],
    configs: Sequence[str],
    file: Path | None,
    seed: int,
    workers: int | None,
    all_splits: bool = False,
) -> None:
    """Write the replies of the models named in ``by`` to the rows of ``configs`` (all if empty) in ``folder``.

    The rows are those that `planimeter evaluate` asks a model, the test split, unless ``all_splits`` are wanted.
    Raises ``PlanimeterError`` or ``ExportError`` if there is no such dataset, model or config, or a file of the dataset
    cannot be read.
    """
    if folder is None:
        raise PlanimeterError("name the folder of a built dataset, such as outputs/marvl-qa-mini/1.2.2")
    built = Built.at(folder)
    manifest = built.manifest
    tasks = _tasks(built, by, built.chosen(configs), seed, all_splits)
    rows: Counter[str] = Counter()
    for task in tasks:
        rows[task.model] += task.group.size
    target = file or Path(OUTPUTS, "replies", f"{manifest.dataset}-{manifest.version}", f"{'+'.join(rows)}.jsonl")
    if target.is_dir():
        raise PlanimeterError(f"--out: {target} is a folder; name a file, such as {target / 'replies.jsonl'}")
    # Processes are started only where they are worth it.
    worth = (workers or cores()) if any(task.solver.slow for task in tasks) else 1
    with bars() as shown, mapping(worth) as each:
        stages = {model: shown.stage(model, number) for model, number in rows.items()}

        def replies() -> Iterator[bytes]:
            with built.reading():
                for task, lines in zip(tasks, each(solving.solve, tasks), strict=True):
                    yield "".join(f"{line}\n" for line in lines).encode()
                    stages[task.model].advance(task.group.size, task.config)

        with clear_errors(target):
            write_file(target, replies())
    out.print(f"{target}: {rows.total():,} replies of {', '.join(rows)}", markup=False)


def _tasks(built: Built, by: Sequence[str], configs: Sequence[str], seed: int, all_splits: bool) -> list[Task]:
    """Return what is to be answered, in the order of the replies."""
    if not by:
        raise PlanimeterError(f"--by: name one or more of {', '.join(solving.names(built.suite))}")
    try:
        models = dict(solving.solvers(built.suite, name, built.manifest.recipe, configs) for name in by)
    except LookupError as error:
        raise PlanimeterError(f"--by: {error.args[0]}") from None
    with built.reading():
        groups = {config: list(built.groups(config, "" if all_splits else built.tests[config])) for config in configs}
        return [
            Task(suite=built.suite, config=config, group=group, model=model, solver=solver, seed=seed)
            for model, solvers in models.items()
            for config, learner in solvers.items()
            for solver in [solving.taught(learner, groups[config])]
            for group in groups[config]
        ]
