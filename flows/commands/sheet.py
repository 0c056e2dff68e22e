"""The command `sheet`: questions of a built dataset for people, to be printed or read, and their key apart."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from rich.console import Console

from planimeter.evals.harnesses.rows import source
from planimeter.export.atomic import Staging
from planimeter.export.pages.sheet import Section, Sheet, described, key_csv, key_html, section, sheet_html
from planimeter.export.pages.sheet_rows import pick
from planimeter.flows.errors import PlanimeterError
from planimeter.items.suites import pooled


def run(
    folder: Path, target: Path, out: Console, *, rows: int, by: Sequence[str], configs: Sequence[str], seed: int
) -> None:
    """Write a sheet of ``rows`` questions of the dataset in ``folder``, and its key, to the new folder ``target``.

    Raises ``ExportError`` if there is no such dataset, config, column or value, or ``target`` exists.
    """
    if not 0 <= seed < 2**64:
        raise PlanimeterError(f"need a --seed of 0 to 2**64 - 1, got {seed}")
    strata = {name: value if equals else None for name, equals, value in (part.partition("=") for part in by)}
    data = source(str(folder))
    manifest = data.manifest
    picked = pick(data.folder, manifest, pooled(data.suite, configs), strata, rows, seed)
    sections: list[Section] = []
    for config, drawn in groupby(picked, key=lambda row: row.config):
        first = 1 + sum(len(part.questions) for part in sections)
        values = [(row.values, row.row) for row in drawn]
        sections.append(section(config, values, first, pictures=data.shows_pictures))
    origin = f"{manifest.dataset} {manifest.version}, drawn with seed {seed}"
    sheet = Sheet(
        title=str(manifest.recipe["title"]),
        drawn="; ".join(filter(None, (origin, described(strata)))),
        by=tuple(strata),
        sections=tuple(sections),
    )
    files = {
        "sheet.html": sheet_html(sheet),
        "key.html": key_html(sheet),
        "key.csv": key_csv(sheet),
    }
    with Staging(target) as staging:
        for name, content in files.items():
            (staging.path / name).write_bytes(content)
        staging.commit()
    out.print(f"{target}: {rows} question{'s' if rows > 1 else ''} in {', '.join(files)}", markup=False)
