"""The command `score`: replies of models to a built dataset, whatever harness they come from, become scores."""

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planimeter.flows.commands.leaderboard import print_table
from planimeter.flows.commands.options import Folder, Workers, err, names_in, out
from planimeter.flows.errors import PlanimeterError

if TYPE_CHECKING:
    from planimeter.evals.scores.dataset import Dataset
    from planimeter.evals.scores.forms import Scored, Table
    from planimeter.evals.scores.reader import Key, Reading

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
    asked_only: Annotated[
        bool, typer.Option("--asked-only", help="A row without a reply was never asked; else it counts as wrong.")
    ] = False,
    reader_model: Annotated[
        str, typer.Option(help="Model that reads unmarked replies, as Inspect names it, such as openai/gpt-4.1.")
    ] = "",
    workers: Workers = None,
) -> None:
    """Score REPLIES of models to a built dataset: scores.parquet with a row a reply, tables, figures, report.html."""
    from planimeter import evals
    from planimeter.evals.scores import dataset, intake, scored
    from planimeter.evals.scores.replies.reading import files_in, stem
    from planimeter.flows.display.bars import bars
    from planimeter.flows.workers.processes import cores, mapping

    data = dataset.load(folder)
    chosen = configs_of(data, names_in(config))
    needs_inspect(reader_model)
    files = [file for path in replies for file in files_in(path)]
    with bars() as shown:
        reading = shown.stage("read", len(files))
        optional = {*files} - {*replies}
        accepted = intake.take(
            files, data, chosen, model, asked_only=asked_only, optional=optional, progress=reading.advance
        )
        total = len(accepted.frame)
        stage = shown.stage("score", total)
        with mapping(workers or min(cores(), total // WORTH_PROCESSES + 1)) as each:
            graded = scored.score(data, accepted, each=each, progress=stage.advance)
    # Named like the one file of replies, or like the dataset if there are several.
    name = stem(files[0]) if len(files) == 1 else f"{data.manifest.dataset}-{data.manifest.version}"
    home = target or files[0].parent / f"{name}.scores"
    for line in accepted.notes:
        err.print(line)
    readings, lines = _readings(graded, home, reader_model)
    with bars() as shown:
        stage = shown.stage("report", 1)
        overview, written = _write(graded, readings, home, folder)
        stage.advance()
    _print(overview, evals.suite(graded.suite).HEADLINE)
    for line in (*written, *lines):
        out.print(line)


def needs_inspect(model: str) -> None:
    """Raise ``PlanimeterError`` if a ``model`` is named and Inspect AI, which asks it, is not installed."""
    if model and importlib.util.find_spec("inspect_ai") is None:
        raise PlanimeterError(
            'a model is asked by Inspect AI: pip install "planimeter[inspect]", in a checkout make dev'
        )


def _readings(graded: "Scored", home: Path, model: str) -> tuple["dict[Key, Reading]", list[str]]:
    """Return the readings of earlier runs and of ``model``, kept in ``home``, and lines to print about them."""
    from planimeter.evals.scores import reader

    path = home / reader.FILE
    readings, lines = reader.load(path), []
    replies = reader.needed(graded, readings) if model else {}
    if replies:
        asked = reader.questions(graded, replies)
        out.print(reader.cost(model, replies, asked))
        ask, now = reader.inspect_model(model), datetime.now(UTC).isoformat(timespec="seconds")
        for part in reader.parts(replies, asked):
            readings |= reader.read(model, *part, ask, now)
            # What was paid for is kept, whatever happens to the rest.
            reader.write(path, readings)
        lost = len(replies.keys() - readings.keys())
        if lost:
            lines.append(f"{model} gave no reading of {lost:,} replies; the same command asks again")
    kept = reader.listed(graded, readings)
    if kept:
        reader.write(path, kept)
        waiting = sum(not reading.reading for reading in kept.values())
        lines.append(f"readings: {path}, {len(kept) - waiting:,} read, {waiting:,} unmarked replies without a reading")
    return readings, lines


def configs_of(data: "Dataset", named: Sequence[str]) -> list[str]:
    """Return the configs of ``data`` that are ``named``, by themselves or as a pool; all if none is."""
    from planimeter.items.suites import pooled

    configs = pooled(data.suite, named)
    strange = [name for name in configs if name not in data.rows]
    if strange:
        raise PlanimeterError(f"--config: {data.name} has no {strange[0]!r}; it has {', '.join(data.rows)}")
    return configs or list(data.rows)


def _write(graded: "Scored", readings: "Mapping[Key, Reading]", home: Path, folder: Path) -> tuple["Table", list[str]]:
    """Write scores, tables, figures and the report into ``home``.

    What an earlier run left of these there goes. Returned are the table of models, and lines to print below it.
    """
    from planimeter.evals import report
    from planimeter.evals.scores import reader, scored, tables
    from planimeter.evals.scores.forms import FILE
    from planimeter.evals.scores.summary import marked
    from planimeter.export.atomic import clear_errors, write_file

    with clear_errors(home):
        if (home / FILE).is_file():
            for kind in ("tables/*.csv", "tables/*.md", "figures/*.svg"):
                for file in home.glob(kind):
                    file.unlink()
    read, agreement = reader.apply(graded, readings)
    scored.write(read, home)
    shown = marked(read)
    listed = tables.tables(shown)
    figures = tables.figures(listed)
    if len(agreement.frame):
        listed.append(tables.versioned(agreement))
    tables.write(home, listed, figures)
    path = home / "report.html"
    with clear_errors(path):
        write_file(path, report.render(shown, listed, figures, folder).encode())
    return listed[0], [*reader.lines(agreement), f"scores: {home / FILE}, report: {path}"]


def _print(overview: "Table", metric: str) -> None:
    """Print the table of models, but for what a terminal is too narrow for."""
    from planimeter.evals.scores.summary import of_rows

    frame = overview.frame.assign(replies=[f"{number:,}" for number in overview.frame["n"]])
    if (frame["asked"] < frame["rows"]).any():
        frame["rows_asked"] = [of_rows(*part) for part in zip(frame["asked"], frame["rows"], strict=True)]
    columns = [
        "model",
        "variant",
        "config",
        "split",
        "replies",
        "rows_asked",
        metric,
        "with_reader",
        "unmarked",
        "cut_off",
    ]
    bounds = [name for name in frame if str(name).startswith((f"{metric}_", "with_reader_"))]
    frame = frame[[name for name in [*columns, *bounds] if name in frame]]
    print_table(replace(overview, frame=frame, units=dict.fromkeys(columns[-2:], "share")))
