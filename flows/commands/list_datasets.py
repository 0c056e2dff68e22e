"""The command `list`: the recipes that come with Planimeter, and what a build of each takes.

To plan the datasets would load every generator, which takes seconds. So the numbers of the recipes as they come stand
here, and a test compares them with the plans.
"""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from rich.console import Console
from rich.table import Table

from planimeter.flows.workers.processes import cores
from planimeter.recipes.loading import available, values_of


class Planned(NamedTuple):
    """Rows of a config, bytes of one, and CPU seconds of workers for one."""

    rows: int
    row_bytes: float
    row_seconds: float


#: Rows of each recipe's configs by its plan. Rows of another config that come from the same step are included. Of
#: collections those are listed here that build at another scale.
#: The CPU seconds are those in the records of builds on two cores of a busy machine: of today's marvl-qa and training
#: datasets; of version 1.1.0 of the others, of which some were made faster since; of `traversal-hard`, `curves-train`
#: and `curves-looks` from 170 rows of random shards. Another machine, or a quiet one, differs by half.
PLANNED: Mapping[str, Mapping[str, Planned]] = {
    "marvl-qa-mini": {"counting": Planned(1_548, 10_400, 0.017), "transformation": Planned(1_200, 60_000, 0.11)},
    "marvl-qa": {"counting": Planned(1_548, 10_400, 0.017), "transformation": Planned(79_542, 10_600, 0.0035)},
    "marvl-qa-train": {"counting": Planned(5_000, 15_000, 0.13), "transformation": Planned(5_000, 60_000, 0.094)},
    "traversal": {"base": Planned(15_600, 10_000, 0.025), "reading_order": Planned(600, 10_000, 0.018)},
    "traversal-train": {"base": Planned(10_000, 10_000, 0.009), "curved": Planned(2_000, 10_000, 0.06)},
    "traversal-curved": {"curved": Planned(5_800, 10_000, 0.045)},
    "traversal-hard": {"base": Planned(6_880, 10_000, 0.042), "reading_order": Planned(240, 10_000, 0.03)},
    "curves": {
        "easy": Planned(300, 40_000, 0.1),
        "polygon": Planned(199, 35_000, 0.11),
        "topographical": Planned(100, 65_000, 0.33),
        "maze": Planned(100, 168_000, 0.46),
        "counting": Planned(57, 96_000, 1.0),
    },
    "curves-train": {"curriculum": Planned(10_000, 75_538.5, 0.084)},
    "curves-looks": {
        "easy": Planned(80, 40_000, 0.13),
        "polygon": Planned(80, 35_000, 0.09),
        "topographical": Planned(80, 65_000, 0.29),
        "maze": Planned(40, 168_000, 0.38),
        "counting": Planned(40, 96_000, 0.46),
    },
    "curves-polygons": {"polygon": Planned(199, 35_000, 0.11)},
    "curves-maps": {"planar_map": Planned(300, 30_000, 0.68)},
    "geogram": {"geogram": Planned(500, 9_000, 0.036)},
    "geogram-paired": {"asymptote": Planned(1_500, 9_000, 0.033)},
    "geogram-programs": {"geogram": Planned(500, 9_000, 0.022)},
    "geogram-train": {"geogram": Planned(10_000, 9_000, 0.024)},
    "smoke": {"": Planned(1_623, 16_754, 0.028)},
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
        yield from PLANNED[listed].values()


def run(out: Console) -> None:
    """Print a line for each recipe."""
    table = Table("dataset", "version", "rows", "time", "disk", "what", box=None)
    for name in available():
        values, need = values_of(name), need_of(name)
        time, disk = f"{math.ceil(need.seconds / 60)} min", f"{need.size / 1e6:,.0f} MB"
        listed = ", ".join(cast("list[str]", values.get("datasets", [])))
        what = f"{values['summary']} {listed}." if listed else str(values["summary"])
        table.add_row(name, str(values.get("version", "")), f"{need.rows:,}", time, disk, what)
    out.print(table)
    number = cores()
    out.print(f"time: about, on {number} core{'s' if number > 1 else ''}; disk: with the finished shards, which may go")
