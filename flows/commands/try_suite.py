"""The command `try`: shows a few items (picture, prompt, answer, CPU time) on one page, without building a dataset."""

from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planimeter.flows.commands.options import err, out
from planimeter.flows.errors import PlanimeterError

if TYPE_CHECKING:
    from planimeter.flows.shards import Shard
    from planimeter.items.values import Record
    from planimeter.suites.base import Recipe

#: The most cells that are shown by default, apart from one of each config.
CELLS = 6


def try_suite(
    name: Annotated[str, typer.Argument(help="Name of a dataset, such as curves, or the path of a recipe.")],
    cell: Annotated[
        str,
        typer.Option(
            help="Cells to make: CONFIG/VALUE/... with a value of each parameter of the recipe, or * for any, such as "
            "'easy/*'; a few cells by default."
        ),
    ] = "*",
    count: Annotated[int, typer.Option(min=1, max=100, help="Number of items of each cell.")] = 6,
    file: Annotated[
        Path | None, typer.Option("--out", help="File of the page; NAME.try.html in this folder by default.")
    ] = None,
) -> None:
    """Make a few items of the dataset NAME, and of its training levels; show them on one page. Builds no dataset."""
    from planimeter.export.atomic import explain_os_errors, write_file
    from planimeter.export.pages.templating import environment
    from planimeter.suites.loading import Collection, load

    recipe = load(name)
    if isinstance(recipe, Collection):
        raise PlanimeterError(f"{name} is a collection; try one of its datasets: {', '.join(recipe.datasets)}")
    every = list(_cells(recipe))
    chosen = [shard for shard in every if fnmatchcase(shard.place, cell) or fnmatchcase(shard.place, f"{cell}/*")]
    if not chosen:
        raise PlanimeterError(
            f"--cell: no cell is called {cell}; there are: {', '.join(shard.place for shard in every[:20])}"
        )
    if cell == "*":
        chosen = _spread(chosen)
    tried: list[Record] = []
    try:
        # Made once before, so that loading and compiling do not count as time of an item.
        _tried(recipe, replace(chosen[0], first=0, count=1))
        for shard in chosen:
            tried.append(_tried(recipe, replace(shard, first=0, count=count)))
            spent = sum(tried[-1]["ms"].values())
            err.print(f"{shard.place}: {tried[-1]['found']} of {count} items, {spent:.0f} CPU ms an item")
    finally:  # if a cell fails, the page shows the cells before it
        target = file or Path(f"{recipe.dataset}.try.html")
        page = environment().get_template("try.html.j2").render(name=recipe.dataset, cells=tried)
        with explain_os_errors(target):
            write_file(target, page.encode(errors="replace"))
        out.print(str(target))


def _cells(recipe: "Recipe") -> "Iterator[Shard]":
    """Yield a shard for each cell (combination of parameters) of the recipe, then for each cell of training levels.

    Training levels are left out for a config that is in the recipe.
    """
    from planimeter.suites.pipeline import suite_of

    pipeline = suite_of(recipe)
    planned = [shard for shard, _ in pipeline.cells(recipe)]
    yield from planned
    for config, top in pipeline.levels.items():
        if config not in {shard.config for shard in planned}:
            for level in range(1, top + 1):
                yield from (shard for shard, _ in pipeline.training(recipe, config, level))


def _spread(cells: "list[Shard]") -> "list[Shard]":
    """Return up to ``CELLS`` of ``cells``, evenly spaced in the list, plus the first cell of each config."""
    first = {shard.config: shard for shard in reversed(cells)}
    step = max(1, len(cells) // CELLS)
    chosen = {*first.values(), *cells[::step][:CELLS]}
    return [shard for shard in cells if shard in chosen]


def _tried(recipe: "Recipe", shard: "Shard") -> "Record":
    """Make the items of ``shard``; return data for the page about them: rows, CPU ms per item, rejections."""
    from planimeter.items.suites import declared
    from planimeter.suites.pipeline import suite_of

    with declared(recipe.suite).blamed(f"making {shard.place} failed"):
        made = suite_of(recipe).make(recipe, shard)
    found = len(made.items)
    rows = [
        _page_row(recipe.suite, config, row) for item in made.items for config, some in item.items() for row in some
    ]
    return {
        "place": shard.place,
        "asked": shard.count,
        "found": found,
        "ms": {stage: 1000 * seconds / max(found, 1) for stage, seconds in made.seconds.items()},
        "rejected": [
            f"{number:,} {config}: {check}, {reason}"
            for config, checks in made.funnel.items()
            for check, entry in checks.items()
            for reason, number in entry["rejected"].items()
        ],
        "rows": rows,
    }


def _page_row(suite: str, config: str, row: "Record") -> "Record":
    """Return the data of ``row`` for the page, with the answer that the certifier recovers from its picture."""
    from planimeter.items.suites import declared
    from planimeter.items.values import data_url

    image = row["image"]
    png = image["bytes"] if isinstance(image, dict) else image
    known, reading_columns = declared(suite), {"read": row["answer"], "reason": "", "margin": 0.0}
    if known.certify and png:
        with known.blamed("its certifier failed"):
            reading = known.load("certify")(png, row["prompt"])
        reading_columns = {"read": reading.answer, "reason": reading.reason, "margin": reading.margin}
    prompt = "\n\n".join(filter(None, (row["system_prompt"], row["prompt"])))
    about = {"config": config, "id": row["id"], "prompt": prompt, "answer": row["answer"]}
    return {**about, **reading_columns, "src": data_url(png) if png else ""}
