"""The command `verify`: every promise of a built dataset, checked from its folder alone."""

from pathlib import Path

from rich.console import Console

from planimeter.export.manifest import Manifest
from planimeter.flows import certifying, writing
from planimeter.flows.display.bars import bars
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.workers.processes import cores


def run(folder: Path, out: Console, err: Console, *, certify: bool) -> None:
    """Print each broken promise of the dataset in ``folder``, and raise ``PlanimeterError`` if there is one.

    Where there is none, and if it is to ``certify``, its certifier reads every row again.
    """
    with bars() as shown:
        problems = writing.problems_of(folder, shown, cores())
        recovering = not problems and certifying.has_certifier(Manifest.read(folder))
        if certify and recovering:
            problems = certifying.uncertified(folder, shown, cores())
    for problem in problems:
        err.print(str(problem), markup=False)
    if problems:
        raise PlanimeterError(f"{folder}: {len(problems)} problem{'s' if len(problems) > 1 else ''}")
    out.print(f"{folder}: every promise holds", markup=False)
    if not recovering:
        out.print(certifying.UNCERTIFIED, markup=False)
    elif certify:
        out.print(f"the certifier recovers the answers of all {writing.rows_in(folder):,} rows", markup=False)
    else:
        out.print(
            "not checked: whether the certifier recovers each answer from the row's picture and question; "
            f"`planimeter verify {folder} --certify` does",
            markup=False,
        )
