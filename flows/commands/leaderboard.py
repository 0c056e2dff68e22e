"""The command `leaderboard`: the scores of models on several datasets in one table and page."""

from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import out
from planimeter.flows.commands.score import print_table


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

    ranking = leaderboard({str(path): sides.load(path) for path in scores})
    print_table(ranking.table)
    if folder is None:
        return
    files = {
        "csv": ranking.table.frame.to_csv(index=False, lineterminator="\n"),
        "md": markdown(ranking.table),
        "html": report.render_leaderboard(ranking),
    }
    for ending, text in files.items():
        path = folder / f"leaderboard.{ending}"
        with clear_errors(path):
            write_file(path, text.encode(errors="replace"))
    out.print(f"page: {folder / 'leaderboard.html'}")
