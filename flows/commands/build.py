"""The command `build`: one dataset, or those of a collection one after the other."""

import shlex
import sys

from rich.console import Console

from planimeter.flows.commands.prefect_mode import importing_prefect
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.storage import checked
from planimeter.flows.workers.runners import check
from planimeter.recipes.loading import Collection, load


def run(
    dataset: str,
    console: Console,
    *,
    out: str | None,
    workers: int | None,
    runner: str,
    address: str | None,
    **given: object,
) -> None:
    """Build ``dataset`` below ``out``, with what is ``given`` in place of its recipe's, and print where it stands.

    Raises ``PlanimeterError`` or ``RecipeError`` for whatever a user can cause.
    """
    loaded = load(dataset, **given)
    if workers is not None and not 1 <= workers <= 128:
        raise PlanimeterError(f"--workers: need 1 to 128, got {workers}")
    check(runner, workers, address)
    execution = {"workers": workers, "runner": runner, "address": address, "out": out and checked(out)}
    command = shlex.join(["planimeter", *sys.argv[1:]])
    names: tuple[str, ...] = (dataset,)
    if isinstance(loaded, Collection):
        names = loaded.datasets
        given = {"scale": loaded.scale, "seed": loaded.seed, "version": loaded.version}
    with importing_prefect():
        from planimeter.flows.service import run as service
    # One server for all: each start of an embedded one takes seconds.
    with service.server():
        for name in names:
            folder = service.run(name, command=command, **given, **execution)
            console.print(f"{folder}\nreport: {folder}/report/index.html", markup=False)
