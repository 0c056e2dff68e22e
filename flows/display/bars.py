"""Shows how far a build is, and at its end where the time went.

Bars on a terminal, a line now and then where there is none. The table at the end has a line for each stage (wall
seconds) and, within ``generate``, one for each stage of the shards (CPU seconds of all workers together).
"""

import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from planimeter.flows.display.console import Console
from planimeter.flows.suites.account import STAGES

ERRORS = Console(stderr=True)

#: Seconds between two lines of a stage: in the log of the run, and where there is no terminal.
EVERY = 30.0


class Stage:
    """One stage of a build under way; ``note`` stands at the end of its bar."""

    def __init__(self, progress: Progress, name: str, total: int, say: Callable[[str], object]) -> None:
        self.name = name
        self._say = say
        self.seconds = 0.0
        self.done = 0
        #: CPU seconds that workers spent on each of their own stages.
        self.work: Counter[str] = Counter()
        self._progress = progress
        self._task = progress.add_task(name, total=total, note="")
        self._began = self._logged = time.monotonic()

    def extend(self, total: int) -> None:
        """Make it ``total`` steps long."""
        self._progress.update(self._task, total=total)

    def advance(self, steps: int = 1, note: str = "", *, worked: bool = True) -> None:
        """Advance by ``steps``. Those that took no work (not ``worked``) do not count for the time that is left."""
        self.done += steps
        task = self._progress.tasks[self._task]
        if not worked:
            # Steps that `update` does not see do not count for the speed.
            task.completed += steps
        self._progress.update(self._task, advance=steps if worked else 0, note=note)
        now = time.monotonic()
        self.seconds = now - self._began
        if now - self._logged >= EVERY:
            self._logged = now
            seconds = task.time_remaining
            remaining = "" if seconds is None else f"{seconds // 60:.0f}:{seconds % 60:02.0f} left"
            progress = f"{self.name} {task.completed:,.0f} of {task.total:,.0f}"
            self._say(", ".join(filter(None, (progress, note, remaining))))


@dataclass(kw_only=True)
class Line:
    """One line of the table of timings: wall seconds of a stage of the build, or CPU seconds of one ``within`` it, in
    the workers.
    """

    stage: str
    within: str = ""
    wall: float | None = None
    cpu: float | None = None

    @property
    def path(self) -> str:
        """The stage, and the one that it is within: by themselves two stages may have one name."""
        return f"{self.within}: {self.stage}" if self.within else self.stage

    def __str__(self) -> str:
        """Return the line as text."""
        wall = "" if self.wall is None else f"{self.wall:.1f} s"
        stage = f"  {self.stage}" if self.within else self.stage
        return f"{stage:<12}{wall:>10}" + ("" if self.cpu is None else f"{self.cpu:10.1f} CPU s")


@dataclass
class Bars:
    """The bars of one build, one for each stage in the order in which they begin; ``log`` writes into its log."""

    progress: Progress
    log: Callable[[str], object]
    stages: list[Stage] = field(default_factory=list)

    def say(self, line: str) -> None:
        """Write ``line`` into the log of the run, and to stderr where that is not shown, as for the command line."""
        self.log(line)
        if not any(handler.level <= logging.INFO for handler in logging.getLogger().handlers):
            ERRORS.print(line)

    def stage(self, name: str, total: int) -> Stage:
        """Begin the stage called ``name``."""
        stage = Stage(self.progress, name, total, self.say if self.progress.disable else self.log)
        self.stages.append(stage)
        return stage

    def timings(self) -> list[Line]:
        """Return the table of timings."""
        table: list[Line] = []
        for stage in self.stages:
            table.append(Line(stage=stage.name, wall=stage.seconds))
            table += [
                Line(stage=name, within=stage.name, cpu=stage.work[name]) for name in STAGES if name in stage.work
            ]
        return table


@contextmanager
def bars(log: Callable[[str], object] = lambda _: None) -> Iterator[Bars]:
    """Yield the bars of a build, whose log is written by ``log``."""
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
