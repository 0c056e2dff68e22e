"""The command `list`: the recipes that come with Planimeter."""

from rich.console import Console
from rich.table import Table

from planimeter.recipes.loading import Collection, available, load


def run(out: Console) -> None:
    """Print a line for each recipe."""
    table = Table("dataset", "version", "what", box=None)
    for name in available():
        recipe = load(name)
        version = ", ".join(recipe.datasets) if isinstance(recipe, Collection) else recipe.version
        table.add_row(name, version, recipe.summary)
    out.print(table)
