"""The command `solve`: writes the replies of reference models to a built dataset as JSONL.

Replies are in the order of models, configs and rows, whatever the number of processes.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import FOLDER, Workers, names_in, out
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.storage import OUTPUTS


def solve(
    folder: Annotated[Path | None, FOLDER] = None,
    by: Annotated[str, typer.Option(help="Reference models, such as certifier,majority,random; see --list.")] = "",
    config: Annotated[str, typer.Option(help="Configs to answer, such as counting; all by default.")] = "",
    file: Annotated[
        Path | None, typer.Option("--out", help="File of replies (JSONL); in outputs/replies/ by default.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random answers.")] = 0,
    workers: Workers = None,
    all_splits: Annotated[
        bool, typer.Option("--all-splits", help="Answer the rows of every split, not only of the test split.")
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="List the reference models of each suite.")] = False,
) -> None:
    """Answer a built dataset with reference models, which need no GPU, and write replies for `planimeter score`."""
    from planimeter.evals.baselines import solving
    from planimeter.export.atomic import explain_os_errors, write_file
    from planimeter.export.built import Built
    from planimeter.flows.display.bars import bars
    from planimeter.flows.workers.processes import cores, mapping

    if listed:
        _list(folder)
        return
    if folder is None:
        raise PlanimeterError("name the folder of a built dataset, such as outputs/marvl-qa-mini/1.3.0")
    built = Built.at(folder)
    chosen = built.chosen(names_in(config))
    if not names_in(by):
        raise PlanimeterError(f"--by: name one or more of {', '.join(solving.names(built.suite))}")
    try:
        models = dict(solving.solvers(built.suite, name, built.manifest.recipe, chosen) for name in names_in(by))
    except LookupError as error:
        raise PlanimeterError(f"--by: {error.args[0]}") from None
    with built.reading():
        groups = {name: list(built.groups(name, "" if all_splits else built.tests[name])) for name in chosen}
        # In the order of the replies.
        tasks = [
            solving.Task(suite=built.suite, config=name, group=group, model=model, solver=solver, seed=seed)
            for model, solvers in models.items()
            for name, learner in solvers.items()
            for solver in [solving.taught(learner, groups[name])]
            for group in groups[name]
        ]
    rows: Counter[str] = Counter()
    for task in tasks:
        rows[task.model] += task.group.size
    dataset = f"{built.manifest.dataset}-{built.manifest.version}"
    target = file or Path(OUTPUTS, "replies", dataset, f"{'+'.join(rows)}.jsonl")
    if target.is_dir():
        raise PlanimeterError(f"--out: {target} is a folder; give a file, such as {target / 'replies.jsonl'}")
    # Processes start only if they are worth it.
    worth = (workers or cores()) if any(task.solver.slow for task in tasks) else 1
    with bars() as shown, mapping(worth) as each:
        stages = {model: shown.stage(model, number) for model, number in rows.items()}

        def replies() -> Iterator[bytes]:
            with built.reading():
                for task, lines in zip(tasks, each(solving.solve, tasks), strict=True):
                    yield "".join(f"{line}\n" for line in lines).encode()
                    stages[task.model].advance(task.group.size, task.config)

        with explain_os_errors(target):
            write_file(target, replies())
    out.print(f"{target}: {rows.total():,} replies of {', '.join(rows)}")


def _list(folder: Path | None) -> None:
    """Print the reference models of each suite, or of the suite of the dataset in ``folder``."""
    from planimeter.evals.baselines import solving
    from planimeter.export.manifest import Manifest
    from planimeter.items.suites import working_suites

    every = (suite.name for suite in working_suites())
    for suite in every if folder is None else (Manifest.read(folder).recipe["suite"],):
        out.print(suite, style="bold")
        for name, meaning in solving.names(suite).items():
            out.print(f"  {name:<15}{meaning}")
