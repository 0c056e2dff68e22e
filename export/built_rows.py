"""Reads what a built dataset says of one of its rows, so that the row can be made again."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from planimeter.export.atomic import ExportError
from planimeter.export.errors import CurationError
from planimeter.export.manifest import Manifest
from planimeter.export.rows import Row
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import Collection, RecipeError, parse


def find_row(folder: Path, item: str) -> Row:
    """Return the row of the dataset in ``folder`` whose id is ``item``. Raises ``CurationError`` if there is none."""
    try:
        return _find(folder, item)
    except (OSError, pa.ArrowException, KeyError) as error:
        raise CurationError(f"{folder} cannot be read ({error}); `planimeter verify {folder}` says more") from error


def _find(folder: Path, item: str) -> Row:
    files = sorted((folder / "data").rglob("*.parquet"))
    if not files:
        raise CurationError(
            f"{folder} holds no built dataset; give the folder of one, such as outputs/marvl-qa-mini/1.2.0"
        )
    for path in files:
        # The ids first: a file that does not hold it is not read with its pictures.
        if pc.index(pq.read_table(path, columns=["id"])["id"], item).as_py() >= 0:
            found: Row = pq.read_table(path, filters=pc.field("id") == item).to_pylist()[0]
            return found
    raise CurationError(f"{folder} has no row with the id {item!r}; `planimeter show {folder}` tells where to look")


def architecture_and_recipe(folder: Path) -> tuple[str, Recipe]:
    """Return the architecture that the dataset was built on ("" where that of an earlier Planimeter does not say) and
    the recipe, scale and seed included.
    """
    path = folder / "manifest.json"
    try:
        manifest = Manifest.read(folder)
        recipe = parse(manifest.recipe, source=str(path))
    except (ExportError, RecipeError) as error:
        raise CurationError(f"{path} cannot be read ({error})") from error
    if isinstance(recipe, Collection):
        raise CurationError(f"{path} names a collection, not a dataset")
    return manifest.architecture, recipe
