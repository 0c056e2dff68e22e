"""The command `score`: replies of models to a built dataset, whatever harness they come from, become scores."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table

from planimeter import evals
from planimeter.export.atomic import clear_errors, write_file
from planimeter.export.measures import readable
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.workers.processes import cores, mapping
from planimeter.items.suites import pooled
from planimeter.scores import dataset, intake, scored
from planimeter.scores.forms import FILE, Scored
from planimeter.scores.grading import RowError
from planimeter.scores.replies import RepliesError, files_in

#: Fewer replies are graded before other processes have started.
WORTH_PROCESSES = 1500


def run(
    folder: Path,
    replies: Sequence[Path],
    out: Console,
    err: Console,
    *,
    configs: Sequence[str],
    model: str,
    target: Path | None,
    workers: int | None,
    readable_at: int | None = None,
) -> None:
    """Score ``replies``, files or folders of them, to ``configs`` (all if empty) of the dataset in ``folder``.

    ``readable_at``: only rows count that are readable in a picture of this longer side (px).
    Raises ``PlanimeterError`` or ``ExportError`` if dataset, config or replies are not there or do not go together.
    """
    data = dataset.load(folder)
    asked = _asked(configs, data)
    try:
        files = [file for path in replies for file in files_in(path)]
        with bars() as shown:
            reading = shown.stage("read", len(files))
            taken = intake.take(_told(files, reading.advance), data, asked, model)
            if readable_at:
                data = data.part(readable(folder, data.manifest, readable_at))
            total = scored.number_of(data, taken)
            stage = shown.stage("score", total)
            with mapping(workers or min(cores(), total // WORTH_PROCESSES + 1)) as each:
                found = scored.score(data, taken, each=each, progress=stage.advance)
            home = target or _beside(files, data)
            stage = shown.stage("report", 1)
            report = write(found, home, folder)
            stage.advance()
    except (RepliesError, RowError) as error:
        raise PlanimeterError(str(error)) from None
    for line in taken.told():
        err.print(line, markup=False)
    if readable_at:
        rows = found.frame["id"].nunique()
        out.print(f"only the {rows:,} rows that are readable at {readable_at} px or less", markup=False)
    _print(found, out)
    out.print(f"scores: {home / FILE}, report: {report}", markup=False)


def write(found: Scored, home: Path, folder: Path) -> Path:
    """Write scores, tables, figures and the report into ``home``; return the path of the report.

    What an earlier run left of these there goes.
    """
    from planimeter.scores import page, tables

    _tidy(home)
    scored.write(found, home)
    listed, drawn = tables.tables(found), tables.figures(found)
    tables.write(home, listed, drawn)
    path = home / "report.html"
    with clear_errors(path):
        write_file(path, page.render(found, listed, drawn, folder).encode())
    return path


def _tidy(home: Path) -> None:
    """Remove the tables and figures of an earlier run: this one may make others."""
    if (home / FILE).is_file():
        with clear_errors(home):
            for kind in ("tables/*.csv", "tables/*.md", "figures/*.svg"):
                for file in home.glob(kind):
                    file.unlink()


def _asked(named: Sequence[str], data: dataset.Dataset) -> list[str]:
    asked = pooled(data.suite, named)
    strange = [name for name in asked if name not in data.rows]
    if strange:
        raise PlanimeterError(f"--config: {data.name} has no {strange[0]!r}; it has {', '.join(data.rows)}")
    return asked or list(data.rows)


def _told(files: Iterable[Path], advance: Callable[[], None]) -> Iterator[Path]:
    for file in files:
        yield file
        advance()


def _beside(files: Sequence[Path], data: dataset.Dataset) -> Path:
    """Return the folder of the scores: named like the one file of replies, or like the dataset if there are several."""
    name = files[0].stem if len(files) == 1 else f"{data.manifest.dataset}-{data.manifest.version}"
    return files[0].parent / f"{name}.scores"


def _print(found: Scored, out: Console) -> None:
    """Print a line for each model and config: the headline metric with its interval, shares answered and cut off."""
    from planimeter.scores.intervals import clustered
    from planimeter.scores.tables import with_interval

    metric = evals.suite(found.suite).HEADLINE
    heads = ("replies", f"{metric} (%)", "answered", "cut off")
    shown = Table("model", "config", *(Column(head, justify="right") for head in heads), box=None)
    for (model, variant, config), part in found.frame.groupby(["model", "variant", "config"], sort=True):
        mean = clustered(part[metric].to_numpy(), part["question"].factorize()[0])
        shown.add_row(
            intake.label(str(model), str(variant)),
            str(config),
            f"{len(part):,}",
            with_interval(mean.estimate, mean.low, mean.high),
            f"{part['answered'].mean():.1%}",
            f"{(part['finish_reason'] == 'length').mean():.1%}",
        )
    out.print(shown)
    out.print("in brackets: the 95% interval, in which a question counts once", markup=False)
