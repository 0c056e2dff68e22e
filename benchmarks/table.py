"""Measures the tables of docs/performance.md, and writes them into the page: `make bench`.

    python -m benchmarks.table [SECTION ...] [--write]

Sections: datasets and ratios; or the ratios of one module, such as ``rendering``. Each build and each set of ratios
runs in a separate process. Builds run without Prefect and its server, after a small one of the same dataset that
compiles. All figures are CPU seconds, which hardly depend on other work of the machine.
"""

import os
import platform
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
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

#: The modules ``bench_<name>`` whose ``rows`` are the ratios.
RATIOS = ("rendering", "curves", "traversal", "geogram")

STEPS = ("generate", "filter", "render", "certify", "store", "write", "verify")


def alone(module: str, function: str, *given: Any) -> Any:
    """Return the result of a function of a benchmark, called in a separate process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_called, module, function, *given).result()


def _called(module: str, function: str, *given: Any) -> Any:
    found = getattr(import_module(f"benchmarks.{module}"), function)(*given)
    return [*found] if isinstance(found, Iterator) else found


def datasets() -> str:
    """Return the table of rows a CPU second, CPU ms of each step, and the limit, a line a dataset."""
    lines = []
    for name, scale in SCALES.items():
        one = alone("builds", "built", name, scale)
        rest = one.seconds["in all"] - sum(one.seconds[step] for step in STEPS)
        steps = [1e3 * seconds / one.rows for seconds in (*(one.seconds[step] for step in STEPS), rest)]
        share = f"{one.limit:.2f} ({one.limit / one.each:.1%})"
        counts = f"{one.rows:,}", f"{1e3 / one.each:,.1f}", f"{one.each:.2f}"
        lines.append([f"`{name}`", *counts, *(f"{ms:.2f}" for ms in steps), share, f"{one.zlib:.2f}"])
    head = ("dataset", "rows", "rows a CPU s", "CPU ms a row", *STEPS, "rest", "limit (share)", "limit by zlib")
    return table(head, lines)


def all_ratios(*names: str) -> str:
    """Return the table of pieces of work against the plain way."""
    return ratios(row for name in names or RATIOS for row in alone(f"bench_{name}", "rows"))


SECTIONS: dict[str, Callable[[], str]] = {
    "datasets": datasets,
    "ratios": all_ratios,
    **{name: partial(all_ratios, name) for name in RATIOS},
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


def main(sections: Annotated[list[str], typer.Argument()] = ["datasets", "ratios"], write: bool = False) -> None:
    # Before a page is written that is not committed.
    where = machine()
    for section in sections:
        content = f"{SECTIONS[section]()}\n\n{where}"
        print(f"{content}\n", flush=True)
        if write:
            PAGE.write_text(written(PAGE.read_text(), section, content))


if __name__ == "__main__":
    typer.run(main)
