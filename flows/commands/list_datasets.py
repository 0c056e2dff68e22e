"""The command `list`: the recipes that come with Planimeter.

To plan our datasets would load every generator, which takes seconds. So the rows of the recipes as they come stand in
``planned.toml``, and a test compares them with the plans; those of other distributions' suites are planned.
"""

import tomllib
from pathlib import Path
from typing import cast

from rich.table import Table

from planimeter.flows.commands.options import out
from planimeter.items.errors import PlanimeterError

PLANNED: dict[str, int] = tomllib.loads(Path(__file__).with_name("planned.toml").read_text())


def rows_of(name: str) -> int:
    """Return how many rows a build of ``name``, a recipe that comes with Planimeter, has."""
    if name in PLANNED:
        return PLANNED[name]
    from planimeter.recipes.loading import load, values_of

    if datasets := values_of(name).get("datasets"):
        return sum(map(rows_of, cast("list[str]", datasets)))
    from planimeter.flows.suites import suite_of
    from planimeter.items.suites import declared
    from planimeter.recipes.base import Recipe

    recipe = cast("Recipe", load(name))
    with declared(recipe.suite).blamed("its plan failed"):
        return sum(suite_of(recipe).room(recipe, shard)[0] for shard in suite_of(recipe).plan(recipe))


def list_datasets() -> None:
    """List the datasets that can be built."""
    from planimeter.items.declaration import OURS
    from planimeter.items.suites import broken, declared
    from planimeter.recipes.loading import available, values_of

    table = Table("dataset", "version", "rows", "what", box=None)
    faults = list(broken())
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
