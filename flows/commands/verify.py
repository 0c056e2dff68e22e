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
    from planimeter.flows import certifying
    from planimeter.flows.display.bars import bars
    from planimeter.flows.workers.processes import cores

    with bars() as shown:
        problems, recovering = certifying.examined(folder, shown, cores(), certify=certify)
    for problem in problems:
        err.print(str(problem))
    if problems:
        raise PlanimeterError(f"{folder}: {len(problems)} problem{'s' if len(problems) > 1 else ''}")
    out.print(f"{folder}: every promise holds\n{recovering}")
