"""Measures the tables of docs/performance.md, and writes them into the page: `make bench`.

    python -m benchmarks.table [SECTION ...] [--write] [--quick]

Sections: datasets, growth, searches, memory, ratios; or what only some of the ratios come from, as ``rendering``. Each
build, search and set of ratios has a process of its own. Builds are made in it, without Prefect and its server, after a
small one of the same dataset that compiles; those of ``memory`` are the real command. Everything is CPU seconds: they
hardly depend on what else the machine does. ``--quick`` measures next to nothing, and stands for a test.
"""

import math
import os
import platform
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.measured import ratios
from tools.markdown import table

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "performance.md"

#: The scale at which each dataset is measured: some CPU seconds.
SCALES = {
    "marvl-qa-mini": 0.04,
    "marvl-qa": 0.02,
    "marvl-qa-train": 0.01,
    "traversal": 0.02,
    "traversal-hard": 0.02,
    "traversal-curved": 0.01,
    "traversal-train": 0.01,
    "curves": 0.05,
    "curves-train": 0.005,
    "curves-looks": 0.05,
    "curves-polygons": 0.2,
    "curves-maps": 0.05,
    "geogram": 0.2,
    "geogram-paired": 0.1,
    "geogram-programs": 0.2,
    "geogram-train": 0.01,
}

#: Builds of these at so many times the scale; searches of so many; real builds.
GROWTH, TIMES = {"marvl-qa-mini": 0.01, "traversal": 0.01, "curves": 0.02, "geogram": 0.02}, (1, 4, 16)
SIZES = (1250, 5000)
REAL = (("marvl-qa-mini", 0.02), ("marvl-qa-mini", 0.08))

#: Modules ``bench_`` whose ``rows`` are the ratios.
RATIOS = ("rendering", "encoding", "curves", "traversal", "geogram", "repeats")

STEPS = ("generate", "filter", "render", "certify", "store", "write", "verify")


def alone(module: str, function: str, *given: Any) -> Any:
    """Return what a function of a benchmark returns in a process of its own, which imports nothing else of ours."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_called, module, function, *given).result()


def _called(module: str, function: str, *given: Any) -> Any:
    found = getattr(import_module(f"benchmarks.{module}"), function)(*given)
    return [*found] if isinstance(found, Iterator) else found


def datasets(quick: bool) -> str:
    """Rows a CPU second of each dataset, CPU ms of each step, and the limit."""
    lines = []
    for name, scale in {"curves-maps": 0.001}.items() if quick else SCALES.items():
        (one,) = alone("builds", "built", name, scale)
        rest = one.seconds["in all"] - sum(one.seconds[step] for step in STEPS)
        steps = [1e3 * seconds / one.rows for seconds in (*(one.seconds[step] for step in STEPS), rest)]
        share = f"{one.limit:.2f} ({one.limit / one.each:.1%})"
        counts = f"{one.rows:,}", f"{1e3 / one.each:,.1f}", f"{one.each:.2f}"
        lines.append([f"`{name}`", *counts, *(f"{ms:.2f}" for ms in steps), share, f"{one.zlib:.2f}"])
    head = ("dataset", "rows", "rows a CPU s", "CPU ms a row", *STEPS, "rest", "limit (share)", "limit by zlib")
    return table(head, lines)


def growth(quick: bool) -> str:
    """CPU against rows."""
    lines = []
    for name, scale in {"curves-maps": 0.001}.items() if quick else GROWTH.items():
        made = alone("builds", "built", name, *(scale * times for times in TIMES[: 2 if quick else None]))
        cells = [f"{one.rows:,}: {one.seconds['in all']:.1f} s, {one.each:.2f} ms a row" for one in made]
        points = [(one.rows, one.seconds["in all"]) for one in made]
        lines.append([f"`{name}`", *cells, exponents(points)])
    return table(("dataset", *(f"{times}x" for times in TIMES[: 2 if quick else None]), "exponents"), lines)


def exponents(points: Sequence[tuple[int, float]]) -> str:
    """Return by which power of the first number the second one grows, from each point to the next."""
    steps = [(math.log(b[0] / a[0]), math.log(b[1] / a[1])) for a, b in pairwise(points)]
    return ", ".join(f"{up / along:.2f}" if along else "-" for along, up in steps)


def searches(quick: bool) -> str:
    """Near-duplicates among so many: CPU, growth and memory."""
    sizes, lines = (40, 80) if quick else SIZES, []
    for kind in ("drawings", "paths", "texts"):
        found = alone("bench_repeats", "search", kind, sizes)
        cells = [f"{one.seconds:.1f} s, {one.alike:,} alike, {one.peak} MiB" for one in found]
        lines.append([kind, *cells, exponents([(n, one.seconds) for n, one in zip(sizes, found, strict=True)])])
    return table(("among", *(f"{size:,}" for size in sizes), "exponent"), lines)


def memory(quick: bool) -> str:
    """The processes of the command, with one worker."""
    lines = []
    for name, scale in (("curves-maps", 0.01),) if quick else REAL:
        one = alone("bench_scale", "built", name, scale, 1, None)
        cells = [f"{used:,.0f}" for role in ("parent", "worker") for used in (one.cpu(role), one.peak(role))]
        lines.append([f"`{name}`", f"{one.rows:,}", *cells])
    return table(("dataset", "rows", "parent, CPU s", "parent, MiB", "worker, CPU s", "worker, MiB"), lines)


def all_ratios(quick: bool, *names: str) -> str:
    """Pieces of work against the plain way."""
    return ratios(row for name in names or RATIOS for row in alone(f"bench_{name}", "rows", quick))


SECTIONS: dict[str, Callable[[bool], str]] = {
    "datasets": datasets,
    "growth": growth,
    "searches": searches,
    "memory": memory,
    "ratios": all_ratios,
    **{name: lambda quick, name=name: all_ratios(quick, name) for name in RATIOS},
}


def machine() -> str:
    """Return when, where and of which commit something is measured."""
    cpu = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    command = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    where = f"{cpu[1] if cpu else platform.machine()}, {os.cpu_count()} processors"
    return f"{time.strftime('%Y-%m-%d')}, {where}, Python {platform.python_version()}, commit {commit}."


def written(page: str, section: str, content: str) -> str:
    """Return ``page`` with ``content`` between the marks of ``section``."""
    begin, end = f"<!-- {section} -->\n", f"<!-- end of {section} -->"
    return re.sub(f"(?<={begin}).*?(?={end})", lambda _: f"\n{content}\n\n", page, count=1, flags=re.DOTALL)


def main(
    sections: Annotated[list[str], typer.Argument()] = list(SECTIONS)[:5], write: bool = False, quick: bool = False
) -> None:
    # Before a page is written that is not committed.
    where = machine()
    for section in sections:
        content = f"{SECTIONS[section](quick)}\n\n{where}"
        print(f"{content}\n", flush=True)
        if write:
            PAGE.write_text(written(PAGE.read_text(), section, content))


if __name__ == "__main__":
    typer.run(main)
