"""The command `list`: the recipes that come with Planimeter, and what a build of each takes.

To plan our datasets would load every generator, which takes seconds. So the numbers of the recipes as they come stand
in ``planned.toml``, and a test compares them with the plans; those of other distributions' suites are planned.
"""

import math
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, cast

from rich.console import Console
from rich.table import Table

from planimeter.flows.workers.processes import cores
from planimeter.items.declaration import OURS
from planimeter.items.errors import PlanimeterError
from planimeter.items.suites import broken, declared
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import available, load, values_of


class Planned(NamedTuple):
    """Rows of a config, bytes of one, and CPU seconds of workers for one."""

    rows: int
    row_bytes: float
    row_seconds: float


#: By recipe and config; see the file.
PLANNED: Mapping[str, Mapping[str, Planned]] = {
    name: {config: Planned(*numbers) for config, numbers in configs.items()}
    for name, configs in tomllib.loads(Path(__file__).with_name("planned.toml").read_text()).items()
}

#: The same builds took this many times the CPU seconds of making the rows, for writing and verifying them too, and
#: these seconds to start and to describe the dataset.
WRITTEN, STARTED = 1.15, 20.0

#: A row takes its bytes of disk once in the store and once in the dataset, and a little more than was measured.
COPIES = 2 * 1.1


class Need(NamedTuple):
    """What builds take: ``rows``, ``size`` in bytes of disk, ``seconds`` on this machine."""

    rows: int
    size: float
    seconds: float


def need_of(name: str) -> Need:
    """Return what a build of ``name``, a recipe that comes with Planimeter, takes."""
    datasets = cast("list[str]", values_of(name).get("datasets", [name]))
    configs = list(_configs(name, datasets))
    work = sum(config.rows * config.row_seconds for config in configs)
    return Need(
        rows=sum(config.rows for config in configs),
        size=COPIES * sum(config.rows * config.row_bytes for config in configs),
        seconds=STARTED * len(datasets) + WRITTEN * work / cores(),
    )


def _configs(name: str, datasets: list[str]) -> Iterator[Planned]:
    for listed in [name] if name in PLANNED else datasets:
        yield from PLANNED[listed].values() if listed in PLANNED else _planned(listed)


def _planned(name: str) -> Iterator[Planned]:
    from planimeter.flows.suites import suite_of

    recipe = cast("Recipe", load(name))
    with declared(recipe.suite).blamed("its plan failed"):
        for shard in suite_of(recipe).plan(recipe):
            rows, row_bytes = suite_of(recipe).room(recipe, shard)
            yield Planned(rows, row_bytes, math.nan)


def run(out: Console) -> None:
    """Print a line for each recipe."""
    table = Table("dataset", "version", "rows", "time", "disk", "what", box=None)
    faults = list(broken())
    for name in available():
        values = values_of(name)
        try:
            need = need_of(name)
        except PlanimeterError as error:
            faults.append(str(error))
            continue
        time = "" if math.isnan(need.seconds) else f"{math.ceil(need.seconds / 60)} min"
        disk = f"{need.size / 1e6:,.0f} MB"
        listed = ", ".join(cast("list[str]", values.get("datasets", [])))
        what = f"{values['summary']} {listed}." if listed else str(values["summary"])
        owner = "" if listed else declared(str(values["suite"])).distribution
        what += "" if owner in ("", OURS) else f" ({owner})"
        table.add_row(name, str(values.get("version", "")), f"{need.rows:,}", time, disk, what)
    out.print(table)
    number = cores()
    for fault in faults:
        out.print(fault, markup=False)
    out.print(f"time: about, on {number} core{'s' if number > 1 else ''}; disk: with the finished shards, which may go")
