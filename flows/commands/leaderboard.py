"""The command `leaderboard`: the scores of models on several datasets in one table and page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.cells import cell_len

from planimeter.flows.commands.options import out

if TYPE_CHECKING:
    from planimeter.evals.scores.forms import Table


def leaderboard(
    scores: Annotated[
        list[Path], typer.Argument(help="What `planimeter score` wrote on several datasets: folders, or files.")
    ],
    folder: Annotated[Path | None, typer.Option("--out", help="Write leaderboard.csv, .md and .html here.")] = None,
) -> None:
    """Rank models over several datasets: a row a model, a column a dataset, and their macro average."""
    from planimeter.evals import report
    from planimeter.evals.scores import sides
    from planimeter.evals.scores.leaderboard import leaderboard
    from planimeter.evals.scores.tables import markdown
    from planimeter.export.atomic import clear_errors, write_file
    from planimeter.export.spreadsheets import csv_of

    ranking = leaderboard({str(path): sides.load(path) for path in scores})
    print_table(ranking.table)
    if folder is None:
        return
    files = {
        "csv": csv_of(ranking.table.frame),
        "md": markdown(ranking.table),
        "html": report.render_leaderboard(ranking),
    }
    for ending, text in files.items():
        path = folder / f"leaderboard.{ending}"
        with clear_errors(path):
            write_file(path, text.encode(errors="replace"))
    out.print(f"page: {folder / 'leaderboard.html'}")


def print_table(table: "Table") -> None:
    """Print ``table`` with its note: text to the left, numbers to the right, nothing wrapped or cut."""
    from planimeter.evals.scores.tables import cells

    heads, lines = cells(table)
    widths = [max(map(cell_len, column)) for column in zip(heads, *lines, strict=True)]
    names = [head in ("model", "variant", "config", "split") for head in heads]
    for line in (heads, *lines):
        # Never cut or wrapped, however narrow the terminal: half a label would name another model.
        blanks = [" " * (width - cell_len(text)) for width, text in zip(widths, line, strict=True)]
        parts = zip(names, line, blanks, strict=True)
        out.print("  ".join(text + blank if is_name else blank + text for is_name, text, blank in parts))
    out.print(table.note)
