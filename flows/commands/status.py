"""The command `status`: prints the progress of the build of a dataset."""

import os
from typing import Annotated

import typer

from planimeter.flows.commands.options import Dataset, Out, Version, out


def status(
    dataset: Dataset,
    scale: Annotated[float | None, typer.Option(help="The --scale of `build`.")] = None,
    seed: Annotated[int | None, typer.Option(help="The --seed of `build`.")] = None,
    out_folder: Out = None,
    version: Version = None,
    sealed: Annotated[str | None, typer.Option(help="The --sealed of `build`.")] = None,
) -> None:
    """Print how many of the planned shards (parts of a build) of DATASET with these options are finished."""
    from planimeter.flows.options import BuildOptions
    from planimeter.flows.store.keys import plan
    from planimeter.flows.store.place import is_held
    from planimeter.flows.store.results import finished_keys

    given = BuildOptions.of(recipe=dataset, scale=scale, seed=seed, out=out_folder, version=version, sealed=sealed)
    for options in given.each():
        place = options.place()
        planned = {key for _, key in plan(place.recipe, place.sealed)}
        state = "built" if place.is_taken() else "not built"
        # In a read-only folder of another user, the lock cannot be tested.
        if os.access(place.lock_file, os.W_OK) and is_held(place.lock_file):
            state = "being built on this machine"
        done = len(planned & finished_keys(place.store))
        out.print(f"{place.dataset} {place.version}, {state}: {done} of {len(planned)} shards are finished")
