"""The command `import geogram`: curates a corpus of problems with drawing code into a dataset, written and verified.

Beside the dataset's folder lie two lists, one JSON object a line: ``<version>-review.jsonl`` holds what needs a person
(set ``decision`` to "keep" or "drop", edit what is wrong, and feed it back with ``--review`` under another version),
and ``<version>-dropped.jsonl`` every problem that is no row, with the check and the reason. A list that holds a
decision is a person's work and is not written over.
"""

import shlex
import sys
from contextvars import copy_context
from pathlib import Path

from rich.console import Console

from planimeter.flows.commands import show
from planimeter.flows.commands.prefect_mode import importing_prefect
from planimeter.flows.errors import redacted
from planimeter.flows.imports.chunks import Options
from planimeter.flows.imports.judge import Judge
from planimeter.recipes.geogram_import import Columns

__all__ = ["Columns", "Judge", "Options", "run"]


def run(options: Options, out: Console) -> None:
    """Curate the corpus by the flow; print the summary of the dataset, and where the two lists are."""
    with importing_prefect():
        from planimeter.flows.build import COMMAND
        from planimeter.flows.service import import_geogram as service
        from planimeter.flows.service.run import run_flow
    context = copy_context()
    context.run(service.GIVEN.set, options)
    context.run(COMMAND.set, shlex.join(["planimeter", *sys.argv[1:]]))
    # Prefect stores and shows these.
    parameters = {
        "files": [redacted(file) for file in options.files],
        "out": str(options.outputs),
        "version": options.version,
    }
    folder = Path(context.run(run_flow, service.import_geogram, **parameters))
    show.run(folder, out)
    out.print(f"{folder}\nfor a person: {folder}-review.html and .jsonl\ndropped: {folder}-dropped.jsonl", markup=False)
