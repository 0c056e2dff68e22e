"""The command `leaderboard`: the scores of models on several datasets in one table and page."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from planimeter.evals import report
from planimeter.evals.scores import sides
from planimeter.evals.scores.leaderboard import leaderboard
from planimeter.evals.scores.tables import markdown
from planimeter.export.atomic import clear_errors, write_file
from planimeter.flows.commands.score import show


def run(scores: Sequence[Path], folder: Path | None, out: Console) -> None:
    """Print the leaderboard, and write it into ``folder``, if there is one.

    Raises:
        PlanimeterError, ExportError: if the scores do not go together, or the folder cannot be written.
    """
    ranking = leaderboard({str(path): sides.load(path) for path in scores})
    show(ranking.table, out)
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
    out.print(f"page: {folder / 'leaderboard.html'}", markup=False)
