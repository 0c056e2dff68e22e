"""The command `rebuild`: makes one row again from recipe and seed, and compares it with the row in the dataset."""

import hashlib
from typing import Annotated

import typer

from planimeter.flows.commands.options import Folder, SeedFile, out
from planimeter.flows.errors import PlanimeterError

#: The most characters of a printed value.
SHOWN = 60


def rebuild(
    folder: Folder,
    item: Annotated[str, typer.Argument(metavar="ID", help="Id of a row of the built dataset.")],
    seed: SeedFile = None,
) -> None:
    """Make the row ID again from recipe and seed, and compare each column with the built dataset."""
    from planimeter.export.built import Built
    from planimeter.export.manifest import architecture
    from planimeter.flows.unsealing import opened_recipe
    from planimeter.suites.pipeline import suite_of

    dataset = Built.at(folder)
    with dataset.reading():
        built = dataset.row(item)
    recorded, used = dataset.manifest.architecture, opened_recipe(dataset, seed)
    differs = f"{item}: the row made again differs from the built one"
    remade = suite_of(used).rebuild(used, built)
    if remade is None:
        sought = f"has its seed {built['seed']}" if "seed" in built else "has its id"
        out.print(f"{item}: no item of the recipe {sought}; the row cannot come from this code")
        raise PlanimeterError(differs)
    agree = True
    for column, value in built.items():
        same = remade.get(column) == value
        agree = agree and same
        difference = "" if same else f"  now: {_text(remade.get(column))}"
        out.print(f"{'  ' if same else '! '}{column}: {_text(value)}{difference}")
    out.print(f"{item}: {'same bytes' if agree else 'differs'}")
    if not agree and recorded not in ("", architecture()):
        out.print(
            f"The dataset was built on {recorded}, and this machine is {architecture()}: the same bytes are promised "
            "within one architecture only."
        )
    if not agree:
        raise PlanimeterError(differs)


def _text(value: object) -> str:
    if isinstance(value, dict) and isinstance(value.get("bytes"), bytes):
        return f"{len(value['bytes'])} bytes, sha256 {hashlib.sha256(value['bytes']).hexdigest()}"
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
