"""The command `list`: the recipes that come with Planimeter, and what a build of each takes."""

import math
from collections.abc import Mapping
from typing import NamedTuple, cast

from rich.console import Console
from rich.table import Table

from planimeter.flows.store.disk import SLACK
from planimeter.flows.suites import suite_of
from planimeter.flows.workers.processes import cores
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import Collection, available, load

#: CPU seconds of workers for a row of each config of a dataset; what makes the rows of another config too, counts them.
#: From the timings in the records of builds on two cores of a busy machine: of today's marvl-qa and training datasets;
#: of version 1.1.0 of the others, of which some were made faster since; of `traversal-hard`, `curves-train` and
#: `curves-looks` from 170 rows of random shards. Another machine, or a quiet one, differs by half.
ROW_SECONDS: Mapping[str, Mapping[str, float]] = {
    "marvl-qa-mini": {"counting": 0.017, "transformation": 0.11},
    "marvl-qa": {"counting": 0.017, "transformation": 0.0035},
    "marvl-qa-train": {"counting": 0.13, "transformation": 0.094},
    "traversal": {"base": 0.025, "reading_order": 0.018},
    "traversal-train": {"base": 0.009, "curved": 0.06},
    "traversal-curved": {"curved": 0.045},
    "traversal-hard": {"base": 0.042, "reading_order": 0.030},
    "curves": {"easy": 0.10, "polygon": 0.11, "topographical": 0.33, "maze": 0.46, "counting": 1.0},
    "curves-train": {"curriculum": 0.084},
    "curves-looks": {"easy": 0.13, "polygon": 0.09, "topographical": 0.29, "maze": 0.38, "counting": 0.46},
    "curves-polygons": {"polygon": 0.11},
    "curves-maps": {"planar_map": 0.68},
    "geogram": {"geogram": 0.036},
    "geogram-paired": {"asymptote": 0.033},
    "geogram-programs": {"geogram": 0.022},
    "geogram-train": {"geogram": 0.024},
}

#: The same builds took this many times the CPU seconds of making the rows, for writing and verifying them too, and
#: these seconds to start and to describe the dataset.
WRITTEN, STARTED = 1.15, 20.0


class Need(NamedTuple):
    """What a build takes: ``rows``, ``size`` in bytes of disk, ``seconds`` on this machine; NaN if nobody measured."""

    rows: int
    size: float
    seconds: float


def need_of(recipe: Recipe) -> Need:
    """Return what a build of ``recipe`` takes, from its plan and what was measured of its rows."""
    suite, rows, size, seconds = suite_of(recipe), 0, 0.0, 0.0
    measured = ROW_SECONDS.get(recipe.dataset, {})
    for shard in suite.plan(recipe):
        number, row_bytes = suite.room(recipe, shard)
        rows += number
        # Once in the store, once in the dataset.
        size += 2 * SLACK * number * row_bytes
        seconds += number * measured.get(shard.config, math.nan)
    return Need(rows, size, STARTED + WRITTEN * seconds / cores())


def run(out: Console) -> None:
    """Print a line for each recipe."""
    table = Table("dataset", "version", "rows", "time", "disk", "what", box=None)
    for name in available():
        loaded = load(name)
        whole = isinstance(loaded, Recipe)
        parts = [loaded] if whole else [load(part, scale=loaded.scale) for part in cast("Collection", loaded).datasets]
        rows, size, seconds = map(sum, zip(*(need_of(cast("Recipe", part)) for part in parts), strict=True))
        time = "?" if math.isnan(seconds) else f"{math.ceil(seconds / 60)} min"
        what = loaded.summary if whole else f"{loaded.summary} {', '.join(cast('Collection', loaded).datasets)}."
        table.add_row(name, loaded.version or "", f"{rows:,}", time, f"{size / 1e6:,.0f} MB", what)
    out.print(table)
    number = cores()
    out.print(f"time: about, on {number} core{'s' if number > 1 else ''}; disk: with the finished shards, which may go")
