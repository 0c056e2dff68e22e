"""The command `list`: lists the recipes that can be built, each with its planned number of rows."""

from typing import cast

from rich.table import Table

from planimeter.flows.commands.options import out
from planimeter.items.errors import PlanimeterError


def rows_of(name: str, scale: float | None = None) -> int:
    """Return the planned number of rows of the recipe ``name``; ``scale``, if given, replaces that of the recipe."""
    from planimeter.items.suites import declared
    from planimeter.suites.loading import Collection, load
    from planimeter.suites.pipeline import suite_of

    recipe = load(name, scale=scale)
    if isinstance(recipe, Collection):
        return sum(rows_of(each, recipe.scale) for each in recipe.datasets)
    with declared(recipe.suite).blamed("its plan failed"):
        return sum(suite_of(recipe).estimate_size(recipe, shard)[0] for shard in suite_of(recipe).plan(recipe))


def list_datasets() -> None:
    """List the datasets that can be built."""
    from planimeter.items.declaration import OURS
    from planimeter.items.suites import declared, suite_errors
    from planimeter.suites.loading import available, values_of

    table = Table("dataset", "version", "rows", "what", box=None)
    faults = list(suite_errors())
    for name in available():
        values = values_of(name)
        try:
            rows = rows_of(name)
        except PlanimeterError as error:
            faults.append(str(error))
            continue
        listed = ", ".join(cast("list[str]", values.get("datasets", [])))
        what = f"{values['summary']} {listed}." if listed else str(values["summary"])
        owner = "" if listed else declared(str(values["suite"])).distribution
        what += "" if owner in ("", OURS) else f" ({owner})"
        table.add_row(name, str(values.get("version", "")), f"{rows:,}", what)
    out.print(table)
    for fault in faults:
        out.print(fault)
