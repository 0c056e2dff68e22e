"""Arguments and options that several commands share.

All modules of commands are imported when the command line starts. To keep the start fast, they import Prefect and
numerical libraries inside functions only.
"""

from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.display.console import Console
from planimeter.flows.store.storage import local

out = Console()
err = Console(stderr=True)


def _dataset_names(incomplete: str) -> list[str]:
    """Return the datasets whose names begin with ``incomplete``, for completion in the shell."""
    from planimeter.suites.loading import available

    return [name for name in available() if name.startswith(incomplete)]


#: Parsed from a string, so that the message about an address quotes it correctly: a path would lose a slash.
FOLDER = typer.Argument(parser=local, help="Folder of a built dataset, such as outputs/marvl-qa-mini/1.3.0.")
Folder = Annotated[Path, FOLDER]
Dataset = Annotated[
    str,
    typer.Argument(
        help="Name of a dataset (see `planimeter list`), or path of a recipe (.toml).", autocompletion=_dataset_names
    ),
]
Out = Annotated[
    str | None, typer.Option("--out", help="Put <dataset>/<version>/ under this folder, or s3://bucket/prefix.")
]
Workers = Annotated[int | None, typer.Option(min=1, help="Worker processes; one for each core by default.")]
SeedFile = Annotated[
    Path | None,
    typer.Option("--seed", help="Seed file of a sealed edition; FOLDER/seed.txt by default, once it is published."),
]
Version = Annotated[str | None, typer.Option("--version", help="Version of the dataset, such as 1.0.0.")]


def names_in(names: str) -> list[str]:
    """Return the names in a comma-separated list."""
    return [name.strip() for name in names.split(",") if name.strip()]
