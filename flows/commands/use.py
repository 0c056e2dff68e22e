"""The commands that use a built dataset: their options. Each is implemented in a separate module beside this one.

The command line (``cli``) registers them all.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.leaderboard import leaderboard
from planimeter.flows.commands.options import FOLDER, Folder, err, names_in, out
from planimeter.flows.commands.sheet import sheet
from planimeter.flows.errors import PlanimeterError

#: What is no option of ours is Inspect's, and goes to it as it is.
PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True}


def register(app: typer.Typer) -> None:
    """Add the commands to ``app``."""
    for command in (score, compare, leaderboard, solve, export, sheet, stream, probe, measure):
        app.command()(command)
    app.command(context_settings=PASSED_ON)(evaluate)


MIXTURE = typer.Option("--mixture", help="TOML of several streams and datasets (docs/guides/streams.md).")


def score(
    folder: Annotated[Path | None, FOLDER] = None,
    replies: Annotated[
        list[Path] | None, typer.Argument(help="Files of replies, or folders of them: JSONL, or a harness's own logs.")
    ] = None,
    mixture: Annotated[Path | None, MIXTURE] = None,
    config: Annotated[str, typer.Option(help="Configs to score, such as counting; all by default.")] = "",
    model: Annotated[str, typer.Option(help="Label of the model, where a file names none.")] = "",
    target: Annotated[
        Path | None, typer.Option("--out", help="Folder of the scores; beside the replies by default.")
    ] = None,
    readable_at: Annotated[
        int | None, typer.Option(min=1, help="Only rows that are readable at this longer side, in px; see `measure`.")
    ] = None,
    asked_only: Annotated[
        bool, typer.Option("--asked-only", help="A row without a reply was never asked; else it counts as wrong.")
    ] = False,
    verdicts: Annotated[
        Path | None, typer.Option(help="Score by a person's verdicts: a review.csv of an earlier run, filled in.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one for each core by default.")] = None,
) -> None:
    """Score REPLIES of models to a built dataset: scores.parquet with a row a reply, tables, figures, report.html."""
    if mixture:
        given = {"FOLDER": folder, "--config": config, "--readable-at": readable_at, "--verdicts": verdicts}
        _alone(mixture, {**given, "--asked-only": asked_only})
        from planimeter.flows.commands import mixture as several

        home = target or mixture.with_suffix(".scores")
        several.score_all(mixture, home, out, err, model=model, workers=workers)
        return
    if folder is None or not replies:
        raise PlanimeterError("name the folder of a built dataset and files of replies, or a --mixture")
    from planimeter.flows.commands import score as command

    command.run(
        folder,
        replies,
        out,
        err,
        configs=names_in(config),
        model=model,
        target=target,
        workers=workers,
        readable_at=readable_at,
        asked_only=asked_only,
        verdicts=verdicts,
    )


def solve(
    folder: Annotated[Path | None, FOLDER] = None,
    by: Annotated[str, typer.Option(help="Reference models, such as certifier,majority,random; see --list.")] = "",
    config: Annotated[str, typer.Option(help="Configs to answer, such as counting; all by default.")] = "",
    file: Annotated[
        Path | None,
        typer.Option("--out", help="File of replies (JSONL); in outputs/replies/ by default."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random answers.")] = 0,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one for each core by default.")] = None,
    all_splits: Annotated[
        bool, typer.Option("--all-splits", help="Answer the rows of every split, not the test split alone.")
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="List the reference models of each suite.")] = False,
) -> None:
    """Answer a built dataset with reference models that need no GPU, and write their replies for `planimeter score`."""
    from planimeter.flows.commands import solve as command

    if listed:
        command.show(folder, out)
    else:
        command.run(
            folder,
            out,
            by=names_in(by),
            configs=names_in(config),
            file=file,
            seed=seed,
            workers=workers,
            all_splits=all_splits,
        )


def compare(
    scores: Annotated[
        list[Path], typer.Argument(help="What `planimeter score` wrote: folders, or scores.parquet files.")
    ],
    between: Annotated[
        str, typer.Option(help="Compare conditions of each model: a column or stratum, as config=base,confounded.")
    ] = "",
    dataset: Annotated[
        Path | None, typer.Option(help="Folder of the built dataset, for differences by stratum.")
    ] = None,
    benchmarks: Annotated[
        Path | None, typer.Option(help="CSV of model,benchmark,score: correlate with scores elsewhere.")
    ] = None,
    folder: Annotated[Path | None, typer.Option("--out", help="Write tables and figure here instead.")] = None,
) -> None:
    """Compare models, or conditions, on the same rows: differences with intervals and permutation tests."""
    from planimeter.flows.commands import compare as command

    command.run(scores, out, between=between, dataset=dataset, benchmarks=benchmarks, folder=folder)


def evaluate(
    context: typer.Context,
    folder: Folder,
    model: Annotated[str, typer.Option(help="Model as Inspect names it, such as vllm/Qwen/Qwen3-VL-8B-Instruct.")],
    config: Annotated[str, typer.Option(help="Configs to ask, such as counting; all by default.")] = "",
    variant: Annotated[str, typer.Option(help="Prompt variant; the published prompts by default.")] = "default",
    log_dir: Annotated[
        Path | None, typer.Option(help="Folder of logs and scores; <version>.logs/<model> beside FOLDER by default.")
    ] = None,
    readable_at: Annotated[
        int | None, typer.Option(min=1, help="Only rows that are readable at this longer side, in px; see `measure`.")
    ] = None,
) -> None:
    """Ask MODEL every test row by Inspect AI, and score the replies; any flag of `inspect eval-set` may follow."""
    from planimeter.flows.commands import evaluate as command

    command.run(
        folder,
        model,
        out,
        err,
        configs=names_in(config),
        variant=variant,
        logs=log_dir,
        flags=context.args,
        readable_at=readable_at,
    )


def export(
    folder: Folder,
    harness: Annotated[str, typer.Option("--for", help="Which one: lmms-eval, vlmevalkit, verl, easyr1 or swift.")],
    target: Annotated[Path, typer.Option("--out", help="A new folder for what it loads.")],
    variant: Annotated[str, typer.Option(help="Prompt variant; the published prompts by default.")] = "default",
) -> None:
    """Write what another harness loads to ask a model the rows of FOLDER, or a trainer to reward it by them."""
    from planimeter.evals.harnesses.exports import export
    from planimeter.evals.harnesses.rows import source

    command = export(source(str(folder)), harness, target, variant)
    out.print(f"{target}: written for {harness}; run it with\n  {command}", markup=False)


def _alone(mixture: Path, given: Mapping[str, object]) -> None:
    """Raise ``PlanimeterError`` if anything is given beside a file that says it."""
    for name, value in given.items():
        if value:
            raise PlanimeterError(f"{name} does not go with --mixture: {mixture} says what is meant")


def stream(
    file: Annotated[Path, typer.Option("--out", help="A file that ends in .parquet or .jsonl.")],
    ladder: Annotated[
        str, typer.Argument(help="counting, transformation, traversal, traversal-curved, curves or geogram.")
    ] = "",
    mixture: Annotated[Path | None, MIXTURE] = None,
    level: Annotated[int, typer.Option(help="Difficulty; 1 is the easiest.")] = 1,
    rows: Annotated[int, typer.Option("--count", min=1, help="How many rows.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other rows.")] = 0,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one for each core by default.")] = None,
) -> None:
    """Write fresh certified training rows of LADDER, none of them like a published test item."""
    if mixture:
        _alone(mixture, {"LADDER": ladder, "--level": level > 1, "--seed": seed})
        from planimeter.flows.commands import mixture as several

        several.stream_rows(mixture, rows, file, out, workers=workers)
        return
    if not ladder:
        raise PlanimeterError("name a ladder, such as curves, or a --mixture")
    from planimeter.flows.commands import stream as command

    command.run(ladder, level, seed, rows, file, out, workers=workers)


def probe(
    folder: Folder,
    target: Annotated[
        Path | None,
        typer.Option("--out", help="Folder of what is measured; <version>.probes beside FOLDER by default."),
    ] = None,
) -> None:
    """Measure what a score on FOLDER is worth: chance level, shortcuts, partial-input baselines; needed to publish."""
    from planimeter.flows.commands import probe as command

    command.probe(folder, target, out, err)


def measure(
    folder: Folder,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one for each core by default.")] = None,
) -> None:
    """Measure each row of FOLDER: the smallest readable size of its picture, and which baselines solve it."""
    from planimeter.flows.commands import probe as command

    command.measure(folder, workers, out)
