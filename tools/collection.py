"""Recipes of collections that tools build: many datasets at one scale."""

import json
from collections.abc import Sequence
from pathlib import Path


def write_collection(path: Path, datasets: Sequence[str], scale: float) -> None:
    """Write the recipe of a collection of ``datasets``, each at ``scale``, to ``path``, whose stem is its name."""
    path.write_text(
        f'collection = "{path.stem}"\nsummary = "Built to be compared."\n'
        f"scale = {scale}\ndatasets = {json.dumps(list(datasets))}\n"
    )
