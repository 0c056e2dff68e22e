"""CPU milliseconds of a piece of work and of the plain way, and their table.

A benchmark yields ``Measured`` from ``rows()``, and ``benchmarks/table.py`` prints them.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from tools.markdown import table


class Measured(NamedTuple):
    """CPU ms of one piece of work, ours and the plain way's; ``how`` names that. Infinite: it never came to an end."""

    what: str
    ours: float
    plain: float
    how: str


@contextmanager
def spent(into: Counter[str], what: str = "") -> Iterator[None]:
    """Add the CPU seconds of this process in the block to ``into``."""
    began = time.process_time()
    yield
    into[what] += time.process_time() - began


def milliseconds(work: Callable[..., object], *given: Any, repeats: int = 3, pieces: int = 1) -> float:
    """Return the CPU ms of each of ``pieces`` that ``work(*given)`` makes: the median, after a call that is not counted
    because it compiles; of a single call, where ``repeats`` is 0, that one.
    """
    times = []
    for _ in range(repeats + 1):
        began = time.process_time()
        work(*given)
        times.append(time.process_time() - began)
    return float(np.median(times[1:] or times)) / pieces * 1e3


def ratios(rows: Iterable[Measured]) -> str:
    """Return ``rows`` as a table of Markdown."""
    head = ("what", "ours, CPU ms", "plain, CPU ms", "ratio", "the plain way")
    return table(head, ([r.what, _number(r.ours), _number(r.plain), _number(r.plain / r.ours), r.how] for r in rows))


def _number(value: float) -> str:
    """Return three digits of ``value``."""
    return "none" if value == float("inf") else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
