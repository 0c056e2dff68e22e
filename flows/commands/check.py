"""The command `check`: tests a suite (generator, certifier, grader) of another Python package before its use."""

from typing import Annotated

import typer

from planimeter.flows.commands.options import err, out
from planimeter.flows.errors import PlanimeterError

#: The line about properties of a suite that no program can check.
UNCHECKED = (
    "not checked: whether the answer is hidden in the pixels, whether the certifier repeats the generator's own "
    "reasoning, and whether the question is worth asking"
)


def check(
    suite: Annotated[str, typer.Argument(help="Name of a suite of an installed Python package, such as ropes.")],
) -> None:
    """Build, verify, certify and score a few rows for each combination of parameters of SUITE; report its faults."""
    from planimeter.export.texts import cut_entries
    from planimeter.flows import gate

    faults = gate.faults(suite)
    for note in () if faults else cut_entries(suite):
        err.print(f"note: {note}")
    for fault in faults:
        err.print(fault)
    if faults:
        raise PlanimeterError(f"{suite}: found {len(faults)} fault{'s' if len(faults) > 1 else ''}")
    out.print(f"{suite}: nothing is wrong with the items that were made\n{UNCHECKED}")
