"""Chooses the place of a build by its outputs: a folder, or a bucket."""

from pathlib import Path

from planimeter.flows.store.place import Place
from planimeter.flows.store.storage import checked, is_remote
from planimeter.recipes.base import Recipe


def place_of(recipe: Recipe, outputs: str) -> Place:
    """Return the place of ``recipe`` below ``outputs``, a path or an address such as ``s3://bucket/prefix``.

    Raises ``PlanimeterError`` if that is no place to build in.
    """
    named = checked(outputs)
    if not is_remote(named):
        return Place(recipe, Path(named))
    # fsspec is needed for buckets only, and takes a while to load.
    from planimeter.flows.store.remote_place import RemotePlace

    return RemotePlace(recipe, named)
