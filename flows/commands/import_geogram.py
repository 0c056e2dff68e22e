"""The command `import geogram`: a corpus of problems with drawing code, curated into a dataset."""

from rich.console import Console

from planimeter.flows.commands import show
from planimeter.flows.curation.importing import Options
from planimeter.flows.curation.importing import run as curate
from planimeter.flows.curation.judge import Judge
from planimeter.recipes.geogram_import import Columns

__all__ = ["Columns", "Judge", "Options", "run"]


def run(options: Options, out: Console, err: Console) -> None:
    """Curate the corpus and print the summary of the dataset, and where what was dropped is told."""
    folder = curate(options, err)
    show.run(folder, out)
    out.print(f"{folder}\nfor a person: {folder}-review.jsonl\ndropped: {folder}-dropped.jsonl", markup=False)
