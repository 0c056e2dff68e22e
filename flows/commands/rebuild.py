"""The command `rebuild`: makes a row again from its address alone, and compares it with the published one."""

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from rich.console import Console

from planimeter.export.atomic import ExportError
from planimeter.export.manifest import Manifest, architecture
from planimeter.export.rows.common import Row
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.store.place import Place
from planimeter.flows.suites import suite_of
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import Collection, RecipeError, parse

SHOWN = 60


def run(recipe: Recipe | Collection, item: str, outputs: Path, out: Console) -> None:
    """Print each column of row ``item`` as built and as made again. Raises ``PlanimeterError`` unless all agree."""
    if isinstance(recipe, Collection):
        raise PlanimeterError(f"{recipe.collection} is a collection; name one of {', '.join(recipe.datasets)}")
    folder = Place(recipe, outputs).folder
    try:
        built = _find(folder, item)
    except (OSError, pa.ArrowException, KeyError) as error:
        raise PlanimeterError(f"{folder} cannot be read ({error}); `planimeter verify {folder}` says more") from error
    differs = f"{item}: the row made again differs from the built one"
    recorded, used = _manifest_of(folder)
    made = suite_of(recipe).again(used, built)
    if made is None:
        out.print(f"{item}: no address of the recipe has its seed {built['seed']}; the row cannot come from this code")
        raise PlanimeterError(differs)
    agree = True
    for column, value in built.items():
        same = made.get(column) == value
        agree = agree and same
        out.print(
            f"{'  ' if same else '! '}{column}: {_shown(value)}"
            + ("" if same else f"  now: {_shown(made.get(column))}"),
            markup=False,
        )
    out.print(f"{item}: {'same bytes' if agree else 'differs'}", markup=False)
    if not agree and recorded not in ("", architecture()):
        out.print(
            f"The dataset was built on {recorded}, and this machine is {architecture()}: the same bytes are promised "
            "within one architecture only.",
            markup=False,
        )
    if not agree:
        raise PlanimeterError(differs)


def _find(folder: Path, item: str) -> Row:
    files = sorted((folder / "data").rglob("*.parquet"))
    if not files:
        raise PlanimeterError(
            f"{folder} holds no built dataset; build it first, or name its place with --out and --version"
        )
    for path in files:
        # The ids first: a file that does not hold it is not read with its pictures.
        if pc.index(pq.read_table(path, columns=["id"])["id"], item).as_py() >= 0:
            found: Row = pq.read_table(path, filters=pc.field("id") == item).to_pylist()[0]
            return found
    raise PlanimeterError(f"{folder} has no row with the id {item!r}; `planimeter show {folder}` tells where to look")


def _manifest_of(folder: Path) -> tuple[str, Recipe]:
    """Return the architecture that the dataset was built on ("" where that of an earlier Planimeter does not say) and
    the recipe, scale and seed included.
    """
    path = folder / "manifest.json"
    try:
        manifest = Manifest.read(folder)
        recipe = parse(manifest.recipe, source=str(path))
    except (ExportError, RecipeError) as error:
        raise PlanimeterError(f"{path} cannot be read ({error})") from error
    if isinstance(recipe, Collection):
        raise PlanimeterError(f"{path} names a collection, not a dataset")
    return manifest.architecture, recipe


def _shown(value: object) -> str:
    if isinstance(value, dict) and isinstance(value.get("bytes"), bytes):
        return f"{len(value['bytes'])} bytes, sha256 {hashlib.sha256(value['bytes']).hexdigest()}"
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
