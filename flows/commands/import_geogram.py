"""The command `import geogram`: curates a corpus of problems with drawing code into a verified dataset.

It writes two lists next to the folder of the dataset, with one JSON object on each line. ``<version>-review.jsonl`` has
the problems that a person must keep or drop: set ``decision`` to "keep" or "drop", correct texts, and import again with
``--review LIST`` and another ``--version``. ``<version>-dropped.jsonl`` has every problem that is not in the dataset,
with the reason. A list that contains a decision is not overwritten.
"""

from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import Out, Version, out
from planimeter.flows.commands.show import show
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service.prefect_mode import importing_prefect
from planimeter.flows.store.storage import folder_of


def geogram(
    files: Annotated[list[str], typer.Argument(help="JSONL, JSON or Parquet files; hf:// and s3:// work too.")],
    out_folder: Out = None,
    version: Version = None,
    name: Annotated[str, typer.Option(help="Name of the corpus, by default that of the first file.")] = "",
    corpus_license: Annotated[str, typer.Option("--license", help="Licence of the corpus, such as MIT.")] = "unknown",
    problem: Annotated[str, typer.Option(help="Column of the problem, with its code.")] = "problem",
    answer: Annotated[str, typer.Option(help="Column of the answer.")] = "answer",
    code: Annotated[str, typer.Option(help="Column of the code, if it is not in the problem.")] = "",
    review: Annotated[Path | None, typer.Option(help="List <version>-review.jsonl that a person has edited.")] = None,
    judge: Annotated[str, typer.Option(help="OpenAI-compatible endpoint that judges geometry and level.")] = "",
    judge_model: Annotated[str, typer.Option(help="Model at --judge; its token is in PLANIMETER_JUDGE_TOKEN.")] = "",
    patience: Annotated[
        float, typer.Option(min=0, help="Seconds for which --judge may be busy or unreachable before the import fails.")
    ] = 300.0,
    draw: Annotated[
        bool, typer.Option("--draw", help="Draw Asymptote programs with an installed asy, which runs them.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, max=128, help="Worker processes; one for each core by default.")
    ] = None,
) -> None:
    """Curate problems with drawing code from FILES into a dataset; each dropped problem is listed with a reason.

    After a kill, the same command continues, and does not ask the judge an answered question again.
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
    out.print(
        f"{folder}\nfor review by a person: open {folder}-review.html or edit {folder}-review.jsonl, then import again "
        f"with --review FILE and a new --version\ndropped: {folder}-dropped.jsonl"
    )
