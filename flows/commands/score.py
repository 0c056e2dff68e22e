"""The command `score`: replies of models to a built dataset, whatever harness they come from, become scores."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console

from planimeter import evals
from planimeter.evals.scores import dataset, forms, intake, review, scored
from planimeter.evals.scores.coverage import marked, of_rows
from planimeter.evals.scores.forms import FILE
from planimeter.evals.scores.grading import RowError
from planimeter.evals.scores.replies import RepliesError, files_in, stem
from planimeter.export.atomic import clear_errors, write_file
from planimeter.export.measures import readable
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.workers.processes import cores, mapping
from planimeter.items.suites import pooled

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
    asked_only: bool = False,
    verdicts: Path | None = None,
) -> None:
    """Score ``replies``, files or folders of them, to ``configs`` (all if empty) of the dataset in ``folder``.

    ``readable_at``: only rows count that are readable in a picture of this longer side (px). ``asked_only``: a row
    without a reply was not asked. ``verdicts``: a table of ``review`` that a person has filled in.
    Raises ``PlanimeterError`` or ``ExportError`` if dataset, config or replies are not there or do not go together.
    """
    data = dataset.load(folder)
    chosen = _configs(configs, data)
    try:
        judged = review.read(verdicts) if verdicts else {}
        files = [file for path in replies for file in files_in(path)]
        with bars() as shown:
            reading = shown.stage("read", len(files))
            part = data.part(readable(folder, data.manifest, readable_at)) if readable_at else data
            accepted = intake.take(
                files,
                data,
                chosen,
                model,
                asked_only=asked_only,
                optional={*files} - {*replies},
                part=part,
                progress=reading.advance,
            )
            total = len(accepted.frame)
            if not total:
                raise PlanimeterError(
                    f"--readable-at: no reply is to a row that is readable at {readable_at} px or less"
                )
            stage = shown.stage("score", total)
            with mapping(workers or min(cores(), total // WORTH_PROCESSES + 1)) as each:
                graded = scored.score(part, accepted, each=each, progress=stage.advance)
            reviewed = review.apply(graded, judged)
            home = target or _default_folder(files, data)
            stage = shown.stage("report", 1)
            overview, lines = write(reviewed, home, folder)
            stage.advance()
    except (RepliesError, RowError) as error:
        raise PlanimeterError(str(error)) from None
    for line in accepted.notes:
        err.print(line, markup=False)
    if reviewed.unknown:
        err.print(f"{reviewed.unknown:,} verdicts are on replies that are not here, and count nothing", markup=False)
    if readable_at:
        rows = graded.frame["id"].nunique()
        out.print(f"only the {rows:,} rows that are readable at {readable_at} px or less", markup=False)
    _print(overview, evals.suite(graded.suite).HEADLINE, out)
    for line in lines:
        out.print(line, markup=False)


def write(reviewed: review.Reviewed, home: Path, folder: Path) -> tuple[forms.Table, list[str]]:
    """Write scores, tables, figures, the report and the replies to be judged into ``home``.

    What an earlier run left of these there goes. Returned are the table of models, and lines to print below it.
    """
    from planimeter.evals import report
    from planimeter.evals.scores import tables

    _tidy(home)
    scored.write(reviewed.scored, home)
    shown = marked(reviewed.scored)
    listed = tables.tables(shown)
    figures = tables.figures(listed)
    lines = []
    if len(reviewed.judged):
        listed.append(review.table(reviewed.judged))
        lines += review.rates(reviewed.judged)
    tables.write(home, listed, figures)
    path = home / "report.html"
    with clear_errors(path):
        write_file(path, report.render(shown, listed, figures, folder).encode())
    lines += [f"scores: {home / FILE}, report: {path}", *filter(None, [review.write(reviewed.scored, home)])]
    return listed[0], lines


def _tidy(home: Path) -> None:
    """Remove the tables and figures of an earlier run: this one may make others."""
    if (home / FILE).is_file():
        with clear_errors(home):
            for kind in ("tables/*.csv", "tables/*.md", "figures/*.svg"):
                for file in home.glob(kind):
                    file.unlink()


def _configs(named: Sequence[str], data: dataset.Dataset) -> list[str]:
    configs = pooled(data.suite, named)
    strange = [name for name in configs if name not in data.rows]
    if strange:
        raise PlanimeterError(f"--config: {data.name} has no {strange[0]!r}; it has {', '.join(data.rows)}")
    return configs or list(data.rows)


def _default_folder(files: Sequence[Path], data: dataset.Dataset) -> Path:
    """Return the folder of the scores: named like the one file of replies, or like the dataset if there are several."""
    name = stem(files[0]) if len(files) == 1 else f"{data.manifest.dataset}-{data.manifest.version}"
    return files[0].parent / f"{name}.scores"


def _print(overview: forms.Table, metric: str, out: Console) -> None:
    """Print the table of models, but for what a terminal is too narrow for."""
    frame = overview.frame.assign(replies=[f"{number:,}" for number in overview.frame["n"]])
    if (frame["asked"] < frame["rows"]).any():
        frame["rows_asked"] = [of_rows(*part) for part in zip(frame["asked"], frame["rows"], strict=True)]
    columns = ["model", "variant", "config", "split", "replies", "rows_asked", metric, "answered", "cut_off"]
    bounds = [name for name in frame if str(name).startswith(f"{metric}_")]
    frame = frame[[name for name in [*columns, *bounds] if name in frame]]
    show(replace(overview, frame=frame, units=dict.fromkeys(columns[-2:], "share")), out)


def show(table: forms.Table, out: Console) -> None:
    """Print ``table`` with its note: text to the left, numbers to the right, nothing wrapped or cut."""
    from planimeter.evals.scores.tables import cells

    heads, lines = cells(table)
    widths = [max(map(cell_len, column)) for column in zip(heads, *lines, strict=True)]
    names = [head in ("model", "variant", "config", "split") for head in heads]
    for line in (heads, *lines):
        # Never cut or wrapped, however narrow the terminal: half a label would name another model.
        blanks = [" " * (width - cell_len(text)) for width, text in zip(widths, line, strict=True)]
        parts = zip(names, line, blanks, strict=True)
        out.print("  ".join(text + blank if is_name else blank + text for is_name, text, blank in parts), markup=False)
    out.print(table.note, markup=False)
