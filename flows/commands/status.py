"""The command `status`: the progress of the build of a dataset."""

import os
from typing import Annotated

import typer

from planimeter.flows.commands.options import Dataset, Out, Version, out


def status(
    dataset: Dataset,
    scale: Annotated[float | None, typer.Option(help="Factor of the number of rows, as given to `build`.")] = None,
    seed: Annotated[int | None, typer.Option(help="Root seed, as given to `build`.")] = None,
    out_folder: Out = None,
    version: Version = None,
    sealed: Annotated[str | None, typer.Option(help="Seed file, as given to `build`.")] = None,
) -> None:
    """Report how far the build of DATASET with these options is: its planned shards against the store."""
    from planimeter.flows.options import BuildOptions
    from planimeter.flows.store.keys import plan
    from planimeter.flows.store.place import is_held
    from planimeter.flows.store.results import finished_keys

    given = BuildOptions.of(recipe=dataset, scale=scale, seed=seed, out=out_folder, version=version, sealed=sealed)
    for options in given.each():
        place = options.place()
        planned = {key for _, key in plan(place.recipe, place.sealed)}
        state = "built" if place.is_taken() else "not built"
        # In another user's read-only folder, it is unknown whether they build.
        if os.access(place.lock_file, os.W_OK) and is_held(place.lock_file):
            state = "being built on this machine"
        done = len(planned & finished_keys(place.store))
        out.print(f"{place.dataset} {place.version}, {state}: {done} of {len(planned)} shards are finished")
