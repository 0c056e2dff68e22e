"""Imports a corpus of geometry problems as a Prefect flow; its steps stand in ``flows/imports/steps.py``."""

from contextvars import ContextVar
from pathlib import Path
from typing import Annotated

from prefect import flow
from prefect.logging import get_run_logger
from prefect.runtime import flow_run
from prefect.states import State
from pydantic import Field

from planimeter.flows.build import COMMAND
from planimeter.flows.display.bars import bars
from planimeter.flows.display.flow_names import IMPORT_FLOW
from planimeter.flows.errors import PlanimeterError, redacted
from planimeter.flows.imports.chunks import Options
from planimeter.flows.imports.judge import PATIENCE, Judge
from planimeter.flows.imports.steps import import_corpus
from planimeter.flows.service.hooks import end_within, suspendable
from planimeter.flows.store.storage import folder_of
from planimeter.flows.tasks import refused
from planimeter.recipes.geogram_import import Columns

#: The files and the judge as the command line was given them: Prefect stores parameters, and they may hold a secret.
GIVEN: ContextVar[tuple[list[str], str] | None] = ContextVar("given", default=None)

#: What goes on with an import that a deployment began.
RUN = f"prefect deployment run {IMPORT_FLOW}/default, with the same parameters"


def _run_name() -> str:
    return " ".join(["import", *flow_run.parameters["files"]])


@flow(
    name=IMPORT_FLOW,
    flow_run_name=_run_name,
    persist_result=True,
    on_crashed=[end_within],
    on_cancellation=[end_within],
)
def import_geogram(
    files: list[str],
    out: str | None = None,
    version: str = "1.0.0",
    name: str = "",
    corpus_license: str = "unknown",
    problem: str = "problem",
    answer: str = "answer",
    code: str = "",
    review: str | None = None,
    judge: str = "",
    judge_model: str = "",
    patience: Annotated[float, Field(ge=0)] = PATIENCE,
    workers: Annotated[int, Field(ge=1, le=128)] | None = None,
) -> str | State[object]:
    """Curate a corpus of problems with drawing code into a dataset; nothing is dropped without a reason.

    Args:
        files: JSONL, JSON or Parquet files; hf:// and s3:// work too.
        out: Folder under which the folder of the dataset and in it that of its version are made; outputs/ by default.
        version: Version of the dataset.
        name: Name of the corpus; that of the first file by default.
        corpus_license: The corpus's licence, such as MIT.
        problem: Column of the problem, with its code.
        answer: Column of the answer.
        code: Column of the code, where it does not stand in the problem.
        review: A review file that a person has edited.
        judge: OpenAI-compatible endpoint that judges what is geometry, and the level.
        judge_model: Model to ask there; its token is in PLANIMETER_JUDGE_TOKEN.
        patience: Seconds that the endpoint may be busy or gone.
        workers: Worker processes; one for each core by default. The bytes do not depend on it.
    """
    try:
        outputs = folder_of(out)
        addresses, endpoint = GIVEN.get() or (files, judge)
        options = Options(
            files=tuple(addresses),
            outputs=outputs,
            name=name,
            version=version,
            license=corpus_license,
            columns=Columns(problem=problem, answer=answer, code=code),
            review=Path(review) if review else None,
            judge=Judge(url=endpoint, model=judge_model, patience=patience) if endpoint else None,
            workers=workers,
        )
        with suspendable(), bars(get_run_logger().info) as shown:
            return str(import_corpus(options, redacted(COMMAND.get() or RUN), shown))
    except PlanimeterError as error:
        return refused(error)
