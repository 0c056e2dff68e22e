"""Shows how far a build is: bars on a terminal, a line in the log elsewhere, an artifact in Prefect."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

ERRORS = Console(stderr=True)


class Stage:
    """One stage of a build under way; ``note`` stands at the end of its bar (a rate, a reject share)."""

    def __init__(self, progress: Progress, name: str, total: int) -> None:
        self._progress = progress
        self._task = progress.add_task(name, total=total, note="")

    def advance(self, steps: int = 1, note: str = "") -> None:
        """Move on by ``steps``."""
        self._progress.update(self._task, advance=steps, note=note)


class Bars:
    """The bars of one build, one for each stage in the order in which they begin."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def stage(self, name: str, total: int) -> Stage:
        """Begin the stage called ``name``."""
        return Stage(self._progress, name, total)


@contextmanager
def bars() -> Iterator[Bars]:
    """Yield the bars of a build; they are silent where nobody looks at a terminal."""
    progress = Progress(
        TextColumn("{task.description:<9}"),
        BarColumn(bar_width=32),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=ERRORS,
        disable=not sys.stderr.isatty(),
    )
    with progress:
        yield Bars(progress)
