"""The command `sheet`: writes questions of a built dataset for people, and the answers in separate files."""

from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import Folder, names_in, out
from planimeter.flows.errors import PlanimeterError


def sheet(
    folder: Folder,
    target: Annotated[Path, typer.Option("--out", help="New folder for the questions and the answers.")],
    rows: Annotated[int, typer.Option(help="Number of questions, in all configs together.")] = 8,
    config: Annotated[str, typer.Option(help="Configs to draw from, such as base; all by default.")] = "",
    by: Annotated[
        str,
        typer.Option(help="Columns: `level` draws equally many rows of each value, `level=abstract` only this value."),
    ] = "",
    seed: Annotated[int, typer.Option(help="Another seed draws other rows.")] = 0,
) -> None:
    """Write questions of a built dataset as HTML for people to print, and the answers as HTML and CSV."""
    from planimeter.evals.harnesses.rows import source
    from planimeter.export.atomic import Staging
    from planimeter.export.pages.sheet import (
        Section,
        Sheet,
        describe_choice,
        key_csv,
        key_html,
        pick,
        section,
        sheet_html,
    )

    if not 0 <= seed < 2**64:
        raise PlanimeterError(f"--seed must be 0 to 2**64 - 1, got {seed}")
    parts = (part.partition("=") for part in names_in(by))
    strata = {name: value if equals else None for name, equals, value in parts}
    data = source(str(folder))
    manifest = data.manifest
    picked = pick(data, names_in(config), strata, rows, seed)
    sections: list[Section] = []
    for drawn_of, drawn in groupby(picked, key=lambda row: row.config):
        first = 1 + sum(len(part.questions) for part in sections)
        values = [(row.values, row.row) for row in drawn]
        sections.append(section(drawn_of, values, first, pictures=data.shows_pictures))
    origin = f"{manifest.dataset} {manifest.version}, drawn with seed {seed}"
    sheet = Sheet(
        title=str(manifest.recipe["title"]),
        drawn="; ".join(filter(None, (origin, describe_choice(strata)))),
        by=tuple(strata),
        sections=tuple(sections),
    )
    files = {"sheet.html": sheet_html(sheet), "key.html": key_html(sheet), "key.csv": key_csv(sheet)}
    with Staging(target) as staging:
        for name, content in files.items():
            (staging.path / name).write_bytes(content)
        staging.commit()
    out.print(f"{target}: {rows} question{'s' if rows > 1 else ''} in {', '.join(files)}")
