"""The command `score`: scores replies of models to built datasets, from files of any harness."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planimeter.flows.commands.options import Workers, err, names_in, out
from planimeter.flows.errors import PlanimeterError, require_module
from planimeter.flows.store.storage import local

if TYPE_CHECKING:
    import pandas as pd

    from planimeter.evals.scores.dataset import Dataset
    from planimeter.evals.scores.forms import Scored, Table
    from planimeter.evals.scores.reader import Key, Reading

#: Replies for each process: so many are graded in the time that another process takes to start.
WORTH_PROCESSES = 1500


def score(
    paths: Annotated[
        list[Path],
        typer.Argument(
            parser=local,
            metavar="FOLDER REPLIES...",
            help="Folder of a built dataset, then files or folders of replies to it: JSONL, or a harness's own logs. "
            "Further datasets follow, each with its replies.",
        ),
    ],
    config: Annotated[str, typer.Option(help="Configs to score, such as counting; all by default.")] = "",
    model: Annotated[str, typer.Option(help="Name of the model, for files that contain none.")] = "",
    target: Annotated[
        Path | None, typer.Option("--out", help="Folder of the scores; next to the replies by default.")
    ] = None,
    asked_only: Annotated[
        bool, typer.Option("--asked-only", help="Ignore rows without a reply, which count as wrong by default.")
    ] = False,
    reader_model: Annotated[
        str,
        typer.Option(
            help="Model that finds the answer in replies without answer tags, such as openai/gpt-4.1 of Inspect."
        ),
    ] = "",
    benchmarks: Annotated[
        Path | None,
        typer.Option(help="CSV file with the columns model,benchmark,score: correlate scores with those in the file."),
    ] = None,
    hub_results: Annotated[
        Path | None,
        typer.Option(
            help="Local folder of a model's repository: writes .eval_results/<dataset>.yaml; requires --repo."
        ),
    ] = None,
    every_eval_ever: Annotated[
        Path | None, typer.Option(help="Folder for scores and replies as JSON in the format of Every Eval Ever.")
    ] = None,
    repo: Annotated[
        str, typer.Option(help="The dataset on the Hub, OWNER/NAME or OWNER/NAME@REVISION; by default tag v<version>.")
    ] = "",
    date: Annotated[
        str, typer.Option(help="Date of the run, such as 2026-11-28, for --hub-results and --every-eval-ever.")
    ] = "",
    workers: Workers = None,
) -> None:
    """Score REPLIES of models to built datasets: writes scores.parquet with a row for each reply, tables, report.html.

    For several models, tables also have paired differences with intervals and p-values. For several datasets there is a
    macro average, and for the public and the sealed edition of one dataset the gap between the two.
    """
    from planimeter.evals.scores import dataset
    from planimeter.evals.scores.comparison import average
    from planimeter.evals.scores.replies.reading import files_in, stem
    from planimeter.evals.scores.tables import terminal, versioned, write
    from planimeter.export.foreign import path_below

    if reader_model:
        require_module("inspect_ai", "inspect", "--reader-model")
    groups = [(dataset.load(folder), folder, replies) for folder, replies in _groups(paths)]
    names = [data.manifest.dataset for data, _, _ in groups]
    editions = len(groups) == 2 and names[0] == names[1] and groups[0][0].manifest != groups[1][0].manifest
    if editions:
        groups.sort(key=lambda group: bool(group[0].manifest.seal))
        _require_editions(groups[0][0], groups[1][0])
    elif len(set(names)) < len(names):
        twice = max(names, key=names.count)
        raise PlanimeterError(f"{twice} is named twice; give its folder once, then all replies to it")
    share = _shared(hub_results, every_eval_ever, repo, date, len(groups))
    elsewhere, scores = _benchmarks(benchmarks), list["Scored"]()
    for data, folder, replies in groups:
        files = [file for path in replies for file in files_in(path)]
        graded = _grade(data, files, replies, names_in(config), model, asked_only=asked_only, workers=workers)
        # Named after the file of replies, or after the dataset if there are several files.
        named = f"{data.manifest.dataset}-{data.manifest.version}{'-sealed' if editions and scores else ''}"
        home = files[0].parent / f"{stem(files[0]) if len(files) == 1 else named}.scores"
        if target:
            home = target if len(groups) == 1 else path_below(target, named)
        _report(graded, home, folder, reader_model, elsewhere)
        share(data, graded)
        scores.append(graded)
    if len(scores) > 1:
        table = versioned(_gaps([data for data, _, _ in groups], scores) if editions else average(scores))
        out.print(terminal(table))
        if target:
            out.print(f"{table.title.lower()}: {write(target, [table])[0]}")


def _groups(paths: Sequence[Path]) -> list[tuple[Path, list[Path]]]:
    """Return each dataset folder in ``paths``, and the replies after it. Raises ``PlanimeterError`` if one has none."""
    groups: list[tuple[Path, list[Path]]] = []
    for path in paths:
        if not groups or (path / "manifest.json").is_file():
            groups.append((path, []))
        else:
            groups[-1][1].append(path)
    for folder, replies in groups:
        if not replies:
            raise PlanimeterError(f"{folder}: give files or folders of replies after this folder")
    return groups


def _require_editions(public: "Dataset", other: "Dataset") -> None:
    """Raise ``PlanimeterError`` if the datasets' recipes differ in anything but seed, version and release date."""
    recipes = [data.manifest.recipe for data in (public, other)]
    free = {"seed", "version", "release_date"}
    odd = [key for key in sorted({*recipes[0], *recipes[1]} - free) if recipes[0].get(key) != recipes[1].get(key)]
    if odd:
        raise PlanimeterError(
            f"{public.name} and {other.name} are not editions of one recipe: {', '.join(odd)} differ; score them by "
            "two commands"
        )


def _gaps(editions: Sequence["Dataset"], scores: Sequence["Scored"]) -> "Table":
    """Return a table, by model and config, of the gap in score between the public and the sealed edition."""
    import pandas as pd

    from planimeter.evals.scores.equating import gaps
    from planimeter.export.design import Design
    from planimeter.export.strata import SPLIT

    def strata(data: "Dataset") -> dict[str, "pd.Series[str]"]:
        design, found = Design(data.manifest), dict[str, "pd.Series[str]"]()
        for config, rows in data.rows.items():
            columns = {SPLIT: data.splits[config].tolist(), **{str(name): rows[name].tolist() for name in rows}}
            found[config] = pd.Series(design.strata(config, columns), rows.index)
        return found

    return gaps(scores[0], scores[1], (strata(editions[0]), strata(editions[1])))


def _grade(
    data: "Dataset",
    files: Sequence[Path],
    named: Sequence[Path],
    configs: Sequence[str],
    model: str,
    *,
    asked_only: bool,
    workers: int | None,
) -> "Scored":
    """Return the scores of the replies in ``files``; only a file that is not in ``named`` may have no replies."""
    from planimeter.evals.scores import intake, scored
    from planimeter.flows.display.bars import bars
    from planimeter.flows.workers.processes import cores, mapping

    chosen, optional = configs_of(data, configs), {*files} - {*named}
    with bars() as shown:
        reading = shown.stage("read", len(files))
        accepted = intake.take(
            files, data, chosen, model, asked_only=asked_only, optional=optional, progress=reading.advance
        )
        stage = shown.stage("score", len(accepted.frame))
        with mapping(workers or min(cores(), len(accepted.frame) // WORTH_PROCESSES + 1)) as each:
            graded = scored.score(data, accepted, each=each, progress=stage.advance)
    for line in accepted.notes:
        err.print(line)
    return graded


def _benchmarks(path: Path | None) -> "pd.DataFrame | None":
    """Return the table in the CSV file ``path``, None for no path. Raises ``PlanimeterError`` if it is unreadable."""
    import pandas as pd

    try:
        return pd.read_csv(path) if path else None
    except (OSError, ValueError) as error:
        raise PlanimeterError(f"--benchmarks: {path}: {error}") from None


def _shared(
    hub_results: Path | None, every_eval_ever: Path | None, repo: str, date: str, datasets: int
) -> Callable[["Dataset", "Scored"], None]:
    """Check these options of `score`; return a function that writes the files of --hub-results, --every-eval-ever."""
    from planimeter.items.hub import repository

    given = bool(hub_results or every_eval_ever)
    if given and datasets > 1:
        raise PlanimeterError("--hub-results, --every-eval-ever: score one dataset at a time")
    if (repo or date) and not given:
        raise PlanimeterError(
            "--repo, --date: have an effect only with --hub-results or --every-eval-ever; add one of the latter"
        )
    found = repository(repo) if repo else None
    if repo and found is None:
        raise PlanimeterError(f"--repo: need OWNER/NAME or OWNER/NAME@REVISION of the Hub, got {repo!r}")
    if hub_results and found is None:
        raise PlanimeterError("--hub-results: needs --repo OWNER/NAME, the repository of the dataset on the Hub")
    try:
        datetime.fromisoformat(date or "2026-01-01")
    except ValueError:
        raise PlanimeterError(f"--date: need a date such as 2026-11-28, got {date!r}") from None

    def write(data: "Dataset", graded: "Scored") -> None:
        from planimeter.evals.scores import sharing

        now = int(datetime.now(UTC).timestamp())
        origin = sharing.Origin(tests=data.manifest.tests, repository=found, date=date, now=now)
        paths = sharing.hub_results(graded, origin, hub_results) if hub_results else []
        paths += sharing.every_eval_ever(graded, origin, every_eval_ever) if every_eval_ever else []
        for path in paths:
            out.print(f"results: {path}")

    return write


def _readings(graded: "Scored", home: Path, model: str) -> tuple["dict[Key, Reading]", list[str]]:
    """Return the readings of replies without answer tags, and lines to print about them.

    A reading is the answer that a reader model extracts from a reply. Readings of earlier runs are loaded from
    ``home``; if a ``model`` is named, it reads the remaining replies, and its readings are written there.
    """
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
            # Written after each part, since readings cost money.
            reader.write(path, readings)
        lost = len(replies.keys() - readings.keys())
        if lost:
            lines.append(f"{model} has not read {lost:,} replies; run the same command again to ask it about these")
    kept = reader.listed(graded, readings)
    if kept:
        reader.write(path, kept)
        waiting = sum(not reading.reading for reading in kept.values())
        lines.append(f"replies without answer tags: {len(kept) - waiting:,} read, {waiting:,} not yet read, see {path}")
    return readings, lines


def configs_of(data: "Dataset", named: Sequence[str]) -> list[str]:
    """Return the configs in ``named``, or all configs of ``data`` if it is empty.

    The name of a pool (a group of configs) stands for all its configs. Raises ``PlanimeterError`` for an unknown name.
    """
    from planimeter.items.suites import pooled

    configs = pooled(data.suite, named)
    strange = [name for name in configs if name not in data.rows]
    if strange:
        raise PlanimeterError(f"--config: {data.name} has no config {strange[0]!r}; it has {', '.join(data.rows)}")
    return configs or list(data.rows)


def _report(graded: "Scored", home: Path, folder: Path, reader_model: str, elsewhere: "pd.DataFrame | None") -> None:
    """Write scores, tables, figures and report to ``home``, replacing earlier ones; print the main tables."""
    from planimeter import evals
    from planimeter.evals import report
    from planimeter.evals.scores import reader, scored, tables
    from planimeter.evals.scores.comparison import correlations
    from planimeter.evals.scores.forms import FILE
    from planimeter.evals.scores.summary import marked
    from planimeter.export.atomic import explain_os_errors, write_file

    readings, lines = _readings(graded, home, reader_model)
    with explain_os_errors(home):
        if (home / FILE).is_file():
            for kind in ("tables/*.csv", "tables/*.md", "tables/*.tex", "figures/*.svg"):
                for file in home.glob(kind):
                    file.unlink()
    read, agreement = reader.apply(graded, readings)
    scored.write(read, home)
    shown = marked(read)
    listed = tables.tables(shown)
    figures = tables.figures(listed)
    further = [agreement, *([correlations(read, elsewhere)] if elsewhere is not None else [])]
    listed += [tables.versioned(table) for table in further if len(table.frame)]
    tables.write(home, listed, figures)
    path = home / "report.html"
    with explain_os_errors(path):
        write_file(path, report.render(shown, listed, figures, folder).encode())
    out.print(tables.terminal(_narrow(listed[0], evals.suite(graded.suite).HEADLINE)))
    for table in listed:
        if table.name in ("differences", "correlations"):
            out.print(tables.terminal(table))
    for line in (*reader.lines(agreement), f"scores: {home / FILE}, report: {path}", *lines):
        out.print(line)


def _narrow(overview: "Table", metric: str) -> "Table":
    """Return ``overview`` (scores of models) with fewer columns, so that it fits into a terminal."""
    from planimeter.evals.scores.summary import of_rows

    frame = overview.frame.assign(replies=[f"{number:,}" for number in overview.frame["n"]])
    if (frame["asked"] < frame["rows"]).any():
        frame["rows_asked"] = [of_rows(*part) for part in zip(frame["asked"], frame["rows"], strict=True)]
    columns = ["model", "config", "split", "replies", "rows_asked", metric, "with_reader", "unmarked", "cut_off"]
    bounds = [name for name in frame if str(name).startswith((f"{metric}_", "with_reader_"))]
    frame = frame[[name for name in [*columns, *bounds] if name in frame]]
    return replace(overview, frame=frame, units=dict.fromkeys(columns[-2:], "share"))
