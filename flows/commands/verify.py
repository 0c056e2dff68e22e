"""The command `verify`: every promise of a built dataset, checked from its folder alone."""

from typing import Annotated

import typer

from planimeter.flows.commands.options import Folder, err, out
from planimeter.flows.errors import PlanimeterError


def verify(
    folder: Folder,
    certify: Annotated[
        bool, typer.Option("--certify", help="Recover each answer anew from its picture and question, too.")
    ] = False,
) -> None:
    """Check every promise of a built dataset, from its folder alone."""
    from planimeter.export.manifest import Manifest
    from planimeter.flows import certifying, writing
    from planimeter.flows.display.bars import bars
    from planimeter.flows.workers.processes import cores

    with bars() as shown:
        problems = writing.problems_of(folder, shown, cores())
        recovering = not problems and certifying.has_certifier(Manifest.read(folder))
        if certify and recovering:
            problems = certifying.uncertified(folder, shown, cores())
    for problem in problems:
        err.print(str(problem))
    if problems:
        raise PlanimeterError(f"{folder}: {len(problems)} problem{'s' if len(problems) > 1 else ''}")
    out.print(f"{folder}: every promise holds")
    if not recovering:
        out.print(certifying.UNCERTIFIED)
    elif certify:
        out.print(f"the certifier recovers the answers of all {writing.rows_in(folder):,} rows")
    else:
        out.print(
            "not checked: whether the certifier recovers each answer from the row's picture and question; "
            f"`planimeter verify {folder} --certify` does"
        )
