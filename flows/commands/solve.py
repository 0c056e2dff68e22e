"""The command `solve`: the replies of reference models to a built dataset, as JSONL.

Replies come in the order of models, configs and rows, whatever process answered which. They are gathered in a hidden
file beside the one that is asked for, which a killed run leaves: the same command goes on behind its last row group.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

from planimeter.evals.baselines import solving
from planimeter.evals.baselines.solving import Task
from planimeter.export.atomic import clear_errors, fsync
from planimeter.export.manifest import Manifest
from planimeter.export.promises import MISSHAPEN
from planimeter.flows.display.bars import Bars, bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.storage import OUTPUTS
from planimeter.flows.workers.processes import cores, mapping
from planimeter.items.suites import pooled, sound

_Answers = Callable[[Sequence[Task]], Iterator[list[str]]]


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
    manifest = Manifest.read(folder)
    chosen = pooled(manifest.recipe["suite"], configs) or list(manifest.configs)
    strange = [config for config in chosen if config not in manifest.configs]
    if strange:
        raise PlanimeterError(f"{folder} has no config {strange[0]!r}; it has {', '.join(manifest.configs)}")
    with _readable(folder):
        files = {
            config: [
                folder / record.path
                for record, split in manifest.files_of(config)
                if all_splits or split == manifest.tests[config]
            ]
            for config in manifest.configs
            if config in chosen
        }
        tasks = _tasks(files, manifest.recipe, by, seed)
    models = list(dict.fromkeys(task.model for task in tasks))
    target = file or Path(OUTPUTS, "replies", f"{manifest.dataset}-{manifest.version}", f"{'+'.join(models)}.jsonl")
    if target.is_dir():
        raise PlanimeterError(f"--out: {target} is a folder; name a file, such as {target / 'replies.jsonl'}")
    with bars() as shown:
        _write(target, tasks, _key(folder, tasks), shown, lambda left: _answers(folder, left, workers or cores()))
    rows = sum(task.rows for task in tasks)
    out.print(f"{target}: {rows:,} replies of {', '.join(models)}", markup=False)


def _tasks(
    files: Mapping[str, Sequence[Path]], recipe: Mapping[str, Any], models_asked: Sequence[str], seed: int
) -> list[Task]:
    """Return what is to be answered in the ``files`` of each config, in the order of the replies."""
    suite = recipe["suite"]
    if not models_asked:
        raise PlanimeterError(f"--by: name one or more of {', '.join(solving.names(suite))}")
    sizes = {path: _sizes(path) for paths in files.values() for path in paths}
    try:
        models = dict(solving.solvers(suite, name, recipe, list(files)) for name in models_asked)
    except LookupError as error:
        raise PlanimeterError(f"--by: {error.args[0]}") from None
    return [
        Task(
            suite=suite, config=config, file=path, group=group, rows=rows, model=model, solver=solver, seed=seed
        )
        for model, solvers in models.items()
        for config, learner in solvers.items()
        for solver in [solving.taught(learner, files[config])]
        for path in files[config]
        for group, rows in enumerate(sizes[path])
    ]  # fmt: skip


def _sizes(path: Path) -> list[int]:
    """Return how many rows each row group of a file has."""
    with pq.ParquetFile(path) as file:
        return [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]


def _key(folder: Path, tasks: Sequence[Task]) -> str:
    """Return a digest of dataset and questions: equal ones are answered alike."""
    questions = [(task.model, task.config, task.file.name, task.group, task.seed) for task in tasks]
    content = (folder / "manifest.json").read_bytes() + json.dumps(questions).encode()
    return hashlib.sha256(content).hexdigest()[:12]


def _write(target: Path, tasks: Sequence[Task], key: str, shown: Bars, answers_to: _Answers) -> None:
    """Write the replies to ``tasks`` to ``target``, from where a killed run left off."""
    begun = target.with_name(f".{target.name}.{key}")
    with clear_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        begun.touch()
    answered, size = _count_answered(begun, tasks)
    with begun.open("r+b") as written:
        written.truncate(size)
        written.seek(size)
        rows: Counter[str] = Counter()
        for task in tasks:
            rows[task.model] += task.rows
        stages = {model: shown.stage(model, number) for model, number in rows.items()}
        for task in tasks[:answered]:
            stages[task.model].advance(task.rows, worked=False)
        with clear_errors(target):
            for task, lines in zip(tasks[answered:], answers_to(tasks[answered:]), strict=True):
                written.write("".join(f"{line}\n" for line in lines).encode())
                written.flush()
                stages[task.model].advance(task.rows, task.config)
    with clear_errors(target):
        fsync(begun)
        begun.replace(target)


def _count_answered(begun: Path, tasks: Sequence[Task]) -> tuple[int, int]:
    """Return how many ``tasks`` the file of a killed run answers whole, and how many bytes these take."""
    answered = size = 0
    with begun.open("rb") as lines:
        for task in tasks:
            answers = [line for line in (lines.readline() for _ in range(task.rows)) if line.endswith(b"\n")]
            if len(answers) < task.rows:
                break
            answered, size = answered + 1, size + sum(map(len, answers))
    return answered, size


def _answers(folder: Path, tasks: Sequence[Task], workers: int) -> Iterator[list[str]]:
    """Yield the answers to ``tasks`` in their order; processes are started only where they are worth it."""
    with _readable(folder), mapping(workers if any(task.solver.slow for task in tasks) else 1) as each:
        yield from each(solving.solve, tasks)


@contextmanager
def _readable(folder: Path) -> Iterator[None]:
    """Report a dataset that cannot be read, with what to do."""
    try:
        yield
    except (OSError, pa.ArrowException, *MISSHAPEN) as error:
        raise PlanimeterError(f"{folder} cannot be read ({error!r}); `planimeter verify {folder}` says more") from error
