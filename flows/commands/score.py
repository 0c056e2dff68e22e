"""The command `score`: replies of models to a built dataset, whatever harness they come from, become scores."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.cells import cell_len

from planimeter.flows.commands.options import Folder, ReadableAt, Workers, err, names_in, out
from planimeter.flows.errors import PlanimeterError

if TYPE_CHECKING:
    from planimeter.evals.scores.dataset import Dataset
    from planimeter.evals.scores.forms import Table
    from planimeter.evals.scores.review import Reviewed

#: Fewer replies are graded before other processes have started.
WORTH_PROCESSES = 1500


def score(
    folder: Folder,
    replies: Annotated[
        list[Path], typer.Argument(help="Files of replies, or folders of them: JSONL, or a harness's own logs.")
    ],
    config: Annotated[str, typer.Option(help="Configs to score, such as counting; all by default.")] = "",
    model: Annotated[str, typer.Option(help="Label of the model, where a file names none.")] = "",
    target: Annotated[
        Path | None, typer.Option("--out", help="Folder of the scores; beside the replies by default.")
    ] = None,
    readable_at: ReadableAt = None,
    asked_only: Annotated[
        bool, typer.Option("--asked-only", help="A row without a reply was never asked; else it counts as wrong.")
    ] = False,
    verdicts: Annotated[
        Path | None, typer.Option(help="Score by a person's verdicts: a review.csv of an earlier run, filled in.")
    ] = None,
    workers: Workers = None,
) -> None:
    """Score REPLIES of models to a built dataset: scores.parquet with a row a reply, tables, figures, report.html."""
    from planimeter import evals
    from planimeter.evals.scores import dataset, intake, review, scored
    from planimeter.evals.scores.replies import files_in, stem
    from planimeter.export.measures import readable
    from planimeter.flows.display.bars import bars
    from planimeter.flows.workers.processes import cores, mapping

    data = dataset.load(folder)
    chosen = configs_of(data, names_in(config))
    judged = review.read(verdicts) if verdicts else {}
    files = [file for path in replies for file in files_in(path)]
    with bars() as shown:
        reading = shown.stage("read", len(files))
        part = data.part(readable(folder, data.manifest, readable_at)) if readable_at else data
        optional = {*files} - {*replies}
        accepted = intake.take(
            files, data, chosen, model, asked_only=asked_only, optional=optional, part=part, progress=reading.advance
        )
        total = len(accepted.frame)
        if not total:
            raise PlanimeterError(f"--readable-at: no reply is to a row that is readable at {readable_at} px or less")
        stage = shown.stage("score", total)
        with mapping(workers or min(cores(), total // WORTH_PROCESSES + 1)) as each:
            graded = scored.score(part, accepted, each=each, progress=stage.advance)
        reviewed = review.apply(graded, judged)
        # Named like the one file of replies, or like the dataset if there are several.
        name = stem(files[0]) if len(files) == 1 else f"{data.manifest.dataset}-{data.manifest.version}"
        stage = shown.stage("report", 1)
        overview, lines = _write(reviewed, target or files[0].parent / f"{name}.scores", folder)
        stage.advance()
    for line in accepted.notes:
        err.print(line)
    if reviewed.unknown:
        err.print(f"{reviewed.unknown:,} verdicts are on replies that are not here, and count nothing")
    if readable_at:
        out.print(f"only the {graded.frame['id'].nunique():,} rows that are readable at {readable_at} px or less")
    _print(overview, evals.suite(graded.suite).HEADLINE)
    for line in lines:
        out.print(line)


def configs_of(data: "Dataset", named: Sequence[str]) -> list[str]:
    """Return the configs of ``data`` that are ``named``, by themselves or as a pool; all if none is."""
    from planimeter.items.suites import pooled

    configs = pooled(data.suite, named)
    strange = [name for name in configs if name not in data.rows]
    if strange:
        raise PlanimeterError(f"--config: {data.name} has no {strange[0]!r}; it has {', '.join(data.rows)}")
    return configs or list(data.rows)


def _write(reviewed: "Reviewed", home: Path, folder: Path) -> tuple["Table", list[str]]:
    """Write scores, tables, figures, the report and the replies to be judged into ``home``.

    What an earlier run left of these there goes. Returned are the table of models, and lines to print below it.
    """
    from planimeter.evals import report
    from planimeter.evals.scores import review, scored, tables
    from planimeter.evals.scores.coverage import marked
    from planimeter.evals.scores.forms import FILE
    from planimeter.export.atomic import clear_errors, write_file

    with clear_errors(home):
        if (home / FILE).is_file():
            for kind in ("tables/*.csv", "tables/*.md", "figures/*.svg"):
                for file in home.glob(kind):
                    file.unlink()
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


def _print(overview: "Table", metric: str) -> None:
    """Print the table of models, but for what a terminal is too narrow for."""
    from planimeter.evals.scores.coverage import of_rows

    frame = overview.frame.assign(replies=[f"{number:,}" for number in overview.frame["n"]])
    if (frame["asked"] < frame["rows"]).any():
        frame["rows_asked"] = [of_rows(*part) for part in zip(frame["asked"], frame["rows"], strict=True)]
    columns = ["model", "variant", "config", "split", "replies", "rows_asked", metric, "answered", "cut_off"]
    bounds = [name for name in frame if str(name).startswith(f"{metric}_")]
    frame = frame[[name for name in [*columns, *bounds] if name in frame]]
    print_table(replace(overview, frame=frame, units=dict.fromkeys(columns[-2:], "share")))


def print_table(table: "Table") -> None:
    """Print ``table`` with its note: text to the left, numbers to the right, nothing wrapped or cut."""
    from planimeter.evals.scores.tables import cells

    heads, lines = cells(table)
    widths = [max(map(cell_len, column)) for column in zip(heads, *lines, strict=True)]
    names = [head in ("model", "variant", "config", "split") for head in heads]
    for line in (heads, *lines):
        # Never cut or wrapped, however narrow the terminal: half a label would name another model.
        blanks = [" " * (width - cell_len(text)) for width, text in zip(widths, line, strict=True)]
        parts = zip(names, line, blanks, strict=True)
        out.print("  ".join(text + blank if is_name else blank + text for is_name, text, blank in parts))
    out.print(table.note)
