"""The command `build`: one dataset, or those of a collection one after the other.

Without a configured Prefect server, what stands already is found, and what is refused is refused, before a server is
started: that takes seconds.
"""

import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from planimeter.flows.commands.options import Dataset, Out, Version, err, out
from planimeter.flows.commands.prefect_mode import has_server, importing_prefect
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.storage import checked, is_remote

if TYPE_CHECKING:
    from planimeter.flows.store.place import Place
    from planimeter.flows.workers.processes import Call
    from planimeter.recipes.base import Recipe

#: Shards that are handed to the workers while Prefect starts; two finish some hundred of the cheapest meanwhile.
EARLY = 256


def build(
    dataset: Dataset,
    scale: Annotated[float | None, typer.Option(help="Share of the quotas; 0.01 is about one per cent.")] = None,
    seed: Annotated[int | None, typer.Option(help="Root seed; another seed shares no item.")] = None,
    workers: Annotated[int | None, typer.Option(help="Worker processes; one for each core by default.")] = None,
    out_folder: Out = None,
    version: Version = None,
    runner: Annotated[str, typer.Option(help="Who makes the shards: processes, or dask.")] = "processes",
    address: Annotated[str | None, typer.Option(help="A Dask scheduler, such as tcp://host:8786.")] = None,
) -> None:
    """Build DATASET and verify it. Killed at any moment, the same command goes on from the last finished shard."""
    from planimeter.flows.workers.runners import check
    from planimeter.recipes.loading import Collection, load

    overrides: dict[str, object] = {"scale": scale, "seed": seed, "version": version}
    loaded = load(dataset, **overrides)
    if workers is not None and not 1 <= workers <= 128:
        raise PlanimeterError(f"--workers: need 1 to 128, got {workers}")
    processes = check(runner, workers, address).workers
    execution = {"workers": workers, "runner": runner, "address": address, "out": out_folder and checked(out_folder)}
    command = shlex.join(["planimeter", *sys.argv[1:]])
    names: tuple[str, ...] = (dataset,)
    if isinstance(loaded, Collection):
        names = loaded.datasets
        overrides = {"scale": loaded.scale, "seed": loaded.seed, "version": loaded.version}
    is_embedded, folder = not has_server(), ""
    with ExitStack() as server:
        for name in names:
            recipe = cast("Recipe", load(name, **overrides))
            place = _place(name, recipe, overrides, out_folder) if is_embedded else None
            folder = _standing(place, processes) if place else ""
            if not folder:
                if runner == "processes":
                    server.enter_context(_forked(recipe, processes, first_calls(place) if place else ()))
                with importing_prefect():
                    from planimeter.flows.service import run as service

                    # One server for all: each start of an embedded one takes seconds.
                    server.enter_context(service.server())
                folder = service.run(name, command=command, **overrides, **execution)
            out.print(f"{folder}\nreport: {folder}/report/index.html")
    # On stderr: scripts read where the dataset stands from stdout.
    for line in () if is_remote(folder) else next_steps(Path(folder)):
        err.print(line)


def next_steps(folder: Path) -> tuple[str, ...]:
    """Return what can be done with the dataset in ``folder``, a line each, with the command to type."""
    from planimeter.export.manifest import Manifest
    from planimeter.items.suites import declared
    from planimeter.recipes.loading import available

    # `make mini` leaves the command in an environment that is not on the PATH.
    typed = Path(sys.argv[0]).name == "planimeter" and not shutil.which("planimeter")
    program = shlex.quote(sys.argv[0] if typed else "planimeter")
    at, verl = shlex.quote(str(folder)), shlex.quote(f"{folder}.verl")
    manifest = Manifest.read(folder)
    trains = any("train" in splits for splits in manifest.configs.values())
    suite = str(manifest.recipe["suite"])
    training = f"{suite}-train".replace("_", "-")
    lines = (f"look:  {program} show {at} --open", f"score: {program} score {at} replies.jsonl")
    if trains:
        return *lines, f"train: {program} export {at} --for verl --out {verl}"
    if training in available():
        return *lines, f"train: {program} build {training}  (the rows above are for tests)"
    streams = (f"train: {program} stream {name}  (the rows above are for tests)" for name in declared(suite).ladders)
    return *lines, *islice(streams, 1)


def _place(name: str, recipe: "Recipe", overrides: Mapping[str, object], out: str | None) -> "Place":
    # Which loads what a wrong option need not wait for.
    from planimeter.flows.store.place import default_outputs, place_of

    return place_of(recipe, out or str(default_outputs(name, recipe, overrides)))


def _standing(place: "Place", workers: int) -> str:
    """Return where the dataset stands, whole and sound, empty if it has to be built; raises as its build would."""
    from planimeter.flows import built
    from planimeter.flows.display.bars import bars

    place.prepare()
    with place.locked(), bars() as shown:
        message = built.find(place, shown, workers)
    if message is None:
        return ""
    for line in (*shown.timings(), message):
        err.print(str(line))
    return place.address


def _forked(recipe: "Recipe", workers: int, calls: Iterable["Call"]) -> AbstractContextManager[None]:
    """Load what the build of ``recipe`` needs, and fork its workers, which then need not load it; see
    ``forked_workers``.
    """
    from planimeter.flows import work, writing  # noqa: F401
    from planimeter.flows.suites import suite_of
    from planimeter.flows.workers.processes import forked_workers

    suite_of(recipe)
    return forked_workers(workers, calls)


def first_calls(place: "Place") -> Iterator["Call"]:
    """Yield the calls by which the build at ``place`` makes those of its first shards that are not yet made.

    Raises ``DiskError`` as the build would.
    """
    from planimeter.flows.store import disk, keys
    from planimeter.flows.store.tables import find_shard
    from planimeter.flows.work import make_shard

    recipe, store, planned = place.recipe.model_dump(mode="json"), place.store, keys.plan(place.recipe)
    disk.require(place, planned)
    for shard, key in planned[:EARLY]:
        if find_shard(store, key) is None:
            yield make_shard, recipe, shard, store.url
