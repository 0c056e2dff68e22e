"""The command `build`: one dataset, or those of a collection one after the other."""

import shlex
import sys
from typing import Any

from rich.console import Console

from planimeter.flows.commands.prefect_mode import importing_prefect
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.storage import checked
from planimeter.flows.workers.runners import check
from planimeter.recipes.loading import Collection, load


def run(
    dataset: str,
    out: Console,
    *,
    scale: float | None,
    seed: int | None,
    version: str | None,
    outputs: str | None,
    workers: int | None,
    runner: str,
    address: str | None,
) -> None:
    """Build ``dataset`` below ``outputs`` and print where it stands.

    Raises ``PlanimeterError`` or ``RecipeError`` for whatever a user can cause.
    """
    loaded = load(dataset, scale=scale, seed=seed, version=version)
    if workers is not None and not 1 <= workers <= 128:
        raise PlanimeterError(f"--workers: need 1 to 128, got {workers}")
    check(runner, workers, address)
    means = {"workers": workers, "runner": runner, "address": address, "out": outputs and checked(outputs)}
    with importing_prefect():
        from planimeter.flows.service import run as service

    def build(name: str, **given: Any) -> None:
        folder = service.run(name, command=shlex.join(["planimeter", *sys.argv[1:]]), **given, **means)
        out.print(f"{folder}\nreport: {folder}/report/index.html", markup=False)

    if isinstance(loaded, Collection):
        # One server for all: each start of an embedded one takes seconds.
        with service.server():
            for name in loaded.datasets:
                build(name, scale=loaded.scale, seed=loaded.seed, version=loaded.version)
    else:
        build(dataset, scale=scale, seed=seed, version=version)
