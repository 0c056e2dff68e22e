"""The command `train-log`: draws how the reward of trainers' runs rose."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from planimeter.evals.scores import training
from planimeter.export.atomic import clear_errors, write_file
from planimeter.flows.errors import PlanimeterError


def run(places: Sequence[Path], file: Path, out: Console, *, metric: str, window: int) -> None:
    """Draw ``metric`` of the runs in ``places`` to the SVG ``file``, and print where each ended.

    Raises:
        PlanimeterError: if a place holds no log, or its log no such metric.
        ExportError: if the file cannot be written.
    """
    try:
        runs = [training.read(place, metric) for place in places]
    except training.LogError as error:
        raise PlanimeterError(str(error)) from None
    with clear_errors(file):
        write_file(file, training.figure(runs, metric, window).encode())
    for log in runs:
        parts = []
        if log.train[1]:
            parts.append(f"{training.smoothed(log.train[1], window)[-1]:.3f} over the last {window} points trained on")
        if log.held[1]:
            best, step = max(zip(log.held[1], log.held[0], strict=True))
            parts.append(f"at best {best:.3f} on held-out questions, at step {step:g}")
        out.print(f"{log.name}: {'; '.join(parts)}", markup=False)
    out.print(str(file), markup=False)
