"""The command `compare`: two models, or one under two conditions, paired by row or by question."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from rich.console import Console

from planimeter.flows.errors import PlanimeterError
from planimeter.scores import compare, sides
from planimeter.scores.correlations import correlations
from planimeter.scores.dataset import load
from planimeter.scores.forms import FILE
from planimeter.scores.tables import markdown, write


def run(
    scores: Sequence[Path],
    out: Console,
    *,
    between: str,
    dataset: Path | None,
    benchmarks: Path | None,
    folder: Path | None,
) -> None:
    """Print the tables of the comparison; write them, with the figure, into ``folder`` if there is one.

    Raises:
        PlanimeterError, ExportError: if the scores cannot be compared, or there is no such dataset.
    """
    try:
        files = {_name(path): sides.load(path) for path in scores}
        if len(files) < len(scores):
            raise PlanimeterError("two of the scores are the same file, or bear the same name; rename one")
        rows = load(dataset).rows if dataset else None
        compared = sides.comparison(files, between=_between(between), rows=rows)
        found = compare.tables(compared)
        if benchmarks:
            every = pd.concat([one.frame for one in files.values()], ignore_index=True)
            found.append(correlations(every, _read(benchmarks), compared.headline))
    except sides.ComparisonError as error:
        raise PlanimeterError(str(error)) from None
    if folder is None:
        out.print("\n".join(map(markdown, found)), markup=False)
        return
    paths = write(folder, found, compare.figures(compared))
    out.print(f"{folder}: {len(paths)} files, {paths[0].relative_to(folder)} first", markup=False)


def _between(text: str) -> tuple[str, list[str]] | None:
    if not text:
        return None
    column, _, listed = text.partition("=")
    values = [value.strip() for value in listed.split(",") if value.strip()]
    if not column.strip() or len(set(values)) < 2:
        raise PlanimeterError(
            f"--between: need COLUMN=A,B with two values or more, such as config=base,confounded; got {text}"
        )
    return column.strip(), values


def _name(path: Path) -> str:
    """Return the name of a file of scores, or of the folder that holds it."""
    return path.resolve().parent.name if path.name == FILE else path.resolve().name


def _read(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path)
    except (OSError, ValueError) as error:
        raise PlanimeterError(f"--benchmarks: {path}: {error}") from None
