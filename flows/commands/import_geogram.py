"""The command `import geogram`: curates a corpus of problems with drawing code into a dataset, written and verified.

The parent of the dataset's folder gets two lists, one JSON object a line: ``<version>-review.jsonl`` contains the
problems that need a person (set ``decision`` to "keep" or "drop", edit faults, and feed it back with ``--review`` under
another version), and ``<version>-dropped.jsonl`` every problem without a row, with the check and the reason. A list
that contains a decision is a person's work and is not overwritten.
"""

from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import Out, Version, out
from planimeter.flows.commands.prefect_mode import importing_prefect
from planimeter.flows.commands.show import show
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.storage import folder_of


def geogram(
    files: Annotated[list[str], typer.Argument(help="JSONL, JSON or Parquet files; hf:// and s3:// work too.")],
    out_folder: Out = None,
    version: Version = None,
    name: Annotated[str, typer.Option(help="Name of the corpus; that of the first file by default.")] = "",
    corpus_license: Annotated[str, typer.Option("--license", help="The corpus's licence, such as MIT.")] = "unknown",
    problem: Annotated[str, typer.Option(help="Column of the problem, with its code.")] = "problem",
    answer: Annotated[str, typer.Option(help="Column of the answer.")] = "answer",
    code: Annotated[str, typer.Option(help="Column of the code, if it is not in the problem.")] = "",
    review: Annotated[Path | None, typer.Option(help="A review file that a person has edited.")] = None,
    judge: Annotated[str, typer.Option(help="OpenAI-compatible endpoint that judges geometry and level.")] = "",
    judge_model: Annotated[str, typer.Option(help="Model to ask there (token: PLANIMETER_JUDGE_TOKEN).")] = "",
    patience: Annotated[float, typer.Option(min=0, help="Seconds that the endpoint may be busy or gone.")] = 300.0,
    draw: Annotated[bool, typer.Option("--draw", help="Draw Asymptote by an installed asy, which runs it.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, max=128, help="Worker processes; one for each core.")] = None,
) -> None:
    """Curate problems with drawing code from FILES into a dataset; nothing is dropped without a reason.

    Killed at any moment, the same command continues, and sends no answered question again.
    """
    if bool(judge) != bool(judge_model):
        raise PlanimeterError("give both --judge (an endpoint) and --judge-model (its model), or neither")
    outputs = folder_of(out_folder)
    with importing_prefect():
        from planimeter.flows.imports.steps import Address, import_geogram
        from planimeter.flows.service.run import run_flow
    parameters: dict[str, object] = {
        "files": [Address(file) for file in files],
        "out": str(outputs),
        "version": version or "1.0.0",
        "name": name,
        "corpus_license": corpus_license,
        "review": review and str(review),
        "workers": workers,
    }
    columns = {"problem": problem, "answer": answer, "code": code}
    judging = {"judge": Address(judge), "judge_model": judge_model, "patience": patience, "draw": draw}
    folder = Path(run_flow(import_geogram, **parameters, **columns, **judging))
    show(folder)
    out.print(f"{folder}\nfor a person: {folder}-review.html and .jsonl\ndropped: {folder}-dropped.jsonl")
