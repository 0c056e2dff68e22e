"""Shows the progress of a command or step: as bars on a terminal, otherwise as a line every 30 seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from planimeter.flows.display.console import Console

ERRORS = Console(stderr=True)

#: Seconds between two lines about the progress of a stage.
EVERY = 30.0


class Stage:
    """The progress bar of a stage of ``total`` steps; every ``EVERY`` s, ``say`` is called with a line about it."""

    def __init__(self, progress: Progress, name: str, total: int, say: Callable[[str], object]) -> None:
        self._say = say
        self._progress = progress
        self._task = progress.add_task(name, total=total, note="")
        self._logged = time.monotonic()

    def advance(self, steps: int = 1, note: str = "", *, worked: bool = True) -> None:
        """Advance by ``steps`` and show ``note``; the estimated time left ignores cached steps (``worked=False``)."""
        task = self._progress.tasks[self._task]
        if not worked:
            # rich computes the speed from the steps that `update` gets.
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
    """The progress bars of a command, one for each stage; ``log`` is called with lines about their progress."""

    progress: Progress
    log: Callable[[str], object]

    def stage(self, name: str, total: int) -> Stage:
        """Return a new stage ``name`` of ``total`` steps, whose bar is shown from now on."""
        return Stage(self.progress, name, total, self._say)

    def _say(self, line: str) -> None:
        self.log(line)
        if self.progress.disable:
            ERRORS.print(line)


@contextmanager
def bars(log: Callable[[str], object] = lambda _: None) -> Iterator[Bars]:
    """Show progress bars until the end of this block; every 30 s, call ``log`` with a line about the running stage.

    Yields an object whose method ``stage`` adds a bar.
    """
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
