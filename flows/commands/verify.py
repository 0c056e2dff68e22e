"""The command `verify`: every promise of a built dataset, checked from its folder alone."""

from pathlib import Path

from rich.console import Console

from planimeter.flows import writing
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.workers.processes import cores


def run(folder: Path, out: Console, err: Console) -> None:
    """Print each broken promise of the dataset in ``folder``, and raise ``PlanimeterError`` if there is one."""
    with bars() as shown:
        problems = writing.problems_of(folder, shown, cores())
    for problem in problems:
        err.print(str(problem), markup=False)
    if problems:
        raise PlanimeterError(f"{folder}: {len(problems)} problem{'s' if len(problems) > 1 else ''}")
    out.print(f"{folder}: every promise holds", markup=False)
