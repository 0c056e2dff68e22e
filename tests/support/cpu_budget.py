"""Fails a test that takes more CPU seconds than it may, and lists the dearest ones.

Counted is the call of a test, with the children that it waited for: not its fixtures, and neither what numba compiles
nor modules that are loaded on the way, which whichever test comes first would pay for all. Tests marked ``slow`` or
``process``, and laws in the profile ``full`` of hypothesis, may take as long as they need.
"""

import builtins
import multiprocessing
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from typing import Any

import pytest
from hypothesis import settings

#: CPU seconds of one test on a machine that does ``_pace``'s work in ``REFERENCE`` CPU seconds.
BUDGET = 2.0
#: How much longer a test may take on busy cores, as seen here: it fails beyond that. `.ci/run` allows more, for
#: nothing is known of the machine that it runs on.
TOLERANCE = float(os.environ.get("PLANIMETER_TEST_TOLERANCE", "1.5"))
REFERENCE = 0.065
DEAREST = 10


class _SharedCosts:
    """Adds up the CPU seconds of what numba compiles and of modules that are loaded; listens to numba."""

    def __init__(self) -> None:
        self.seconds, self._depth, self._began = 0.0, 0, 0.0

    def begin(self) -> None:
        if not self._depth:
            self._began = time.process_time()
        self._depth += 1

    def end(self) -> None:
        self._depth -= 1
        if not self._depth:
            self.seconds += time.process_time() - self._began

    def notify(self, event: Any) -> None:
        (self.begin if event.is_start else self.end)()


_SHARED = _SharedCosts()
_import = builtins.__import__


def _counted_import(*arguments: Any, **named: Any) -> Any:
    _SHARED.begin()
    try:
        return _import(*arguments, **named)
    finally:
        _SHARED.end()


builtins.__import__ = _counted_import


def pytest_collection_finish() -> None:
    """Listen to numba where tests run: the process in front of the workers need not load it."""
    from numba.core import event

    event.Listener.register(_SharedCosts)
    event.register("numba:compile", _SHARED)


#: How many processes were started: a child of an earlier test, or fixture, may end while a test runs that has none.
_started = 0


def _counted(start: Callable[..., None]) -> Callable[..., None]:
    def counting(*arguments: Any, **named: Any) -> None:
        global _started
        _started += 1
        start(*arguments, **named)

    return counting


subprocess.Popen.__init__ = _counted(subprocess.Popen.__init__)  # type: ignore[method-assign]
BaseProcess.start = _counted(BaseProcess.start)  # type: ignore[method-assign]


def _seconds() -> tuple[float, float, int]:
    """Return the CPU seconds of this process and of the children that have ended, and how many were started."""
    multiprocessing.active_children()
    times = os.times()
    return times.user + times.system - _SHARED.seconds, times.children_user + times.children_system, _started


def _pace() -> float:
    """Return how many times as long as the reference this machine takes now; 1 if it is faster."""
    began = time.process_time()
    sum(number * number for number in range(1_500_000))
    return max(1.0, (time.process_time() - began) / REFERENCE)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    before = _seconds()
    try:
        result = yield
    finally:
        own, children, started = (now - then for now, then in zip(_seconds(), before, strict=True))
        seconds = own + (children if started else 0.0)
        item.user_properties.append(("cpu", seconds))
    # `make slow` looks at seven times as many examples of a law.
    thorough = item.get_closest_marker("law") and settings.get_current_profile_name() == "full"
    exempt = item.get_closest_marker("slow") or item.get_closest_marker("process") or thorough
    if seconds > BUDGET * TOLERANCE and not exempt and seconds > BUDGET * TOLERANCE * (pace := _pace()):
        pytest.fail(
            f"took {seconds / pace:.1f} CPU seconds, and may take {BUDGET:g}: make it cheaper, or mark it `slow` "
            "(or `process`, if it starts processes and belongs into `make test`)",
            pytrace=False,
        )
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the dearest tests, and the sum of all."""
    reports = [report for key in ("passed", "failed") for report in terminalreporter.stats.get(key, [])]
    spent = sorted(((dict(report.user_properties).get("cpu", 0.0), report.nodeid) for report in reports), reverse=True)
    if len(spent) > DEAREST:
        terminalreporter.section(f"{sum(seconds for seconds, _ in spent):.0f} CPU seconds, the dearest tests")
        for seconds, name in spent[:DEAREST]:
            terminalreporter.line(f"{seconds:6.1f} s  {name}")
