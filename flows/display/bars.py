"""Shows the progress of a command or a step: bars on a terminal, otherwise a line every 30 seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from planimeter.flows.display.console import Console

ERRORS = Console(stderr=True)

#: Seconds between two lines of a stage: in the log of the run, and without a terminal.
EVERY = 30.0


class Stage:
    """One stage in progress; ``note`` is at the end of its bar."""

    def __init__(self, progress: Progress, name: str, total: int, say: Callable[[str], object]) -> None:
        self._say = say
        self._progress = progress
        self._task = progress.add_task(name, total=total, note="")
        self._logged = time.monotonic()

    def advance(self, steps: int = 1, note: str = "", *, worked: bool = True) -> None:
        """Advance by ``steps``. Steps without work (not ``worked``) do not count for the remaining time."""
        task = self._progress.tasks[self._task]
        if not worked:
            # Steps outside of `update` do not count for the speed.
            task.completed += steps
        self._progress.update(self._task, advance=steps if worked else 0, note=note)
        now = time.monotonic()
        if now - self._logged >= EVERY:
            self._logged = now
            seconds = task.time_remaining
            remaining = "" if seconds is None else f"{seconds // 60:.0f}:{seconds % 60:02.0f} left"
            progress = f"{task.description} {task.completed:,.0f} of {task.total:,.0f}"
            self._say(", ".join(filter(None, (progress, note, remaining))))


@dataclass
class Bars:
    """The bars of one command or step, one for each stage; ``log`` gets the lines of progress."""

    progress: Progress
    log: Callable[[str], object]

    def stage(self, name: str, total: int) -> Stage:
        """Begin the stage ``name`` of ``total`` steps."""
        return Stage(self.progress, name, total, self._say)

    def _say(self, line: str) -> None:
        self.log(line)
        if self.progress.disable:
            ERRORS.print(line)


@contextmanager
def bars(log: Callable[[str], object] = lambda _: None) -> Iterator[Bars]:
    """Show the progress bars of a command or step; every 30 s of a stage, ``log`` gets a line with its progress."""
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
        yield Bars(progress, log)
