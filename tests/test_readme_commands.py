"""The builds of the README, one after the other: none is refused because an earlier one took its place."""

import re
import shlex
from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest

from planimeter.flows.display.flow_names import FLOW_OF
from planimeter.flows.store.place import default_outputs
from planimeter.flows.store.storage import OUTPUTS
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import Collection, load

README = (Path(__file__).parents[1] / "README.md").read_text()
BUILD = re.compile(r"make mini|(?:planimeter build|prefect deployment run) [a-z][^\n`]*")
RECIPE_OF = {flow: recipe for recipe, flow in FLOW_OF.items()}


def builds(command: str) -> list[tuple[str, Recipe]]:
    """Where each dataset of ``command`` is built, and its recipe."""
    words = shlex.split(command, comments=True)
    if words[0] == "prefect":
        name = RECIPE_OF[words[3].removesuffix("/default")]
        given = dict(word.split("=", 1) for word in words if "=" in word)
    else:
        name = "marvl-qa-mini" if words[0] == "make" else words[2]
        given = {flag[2:]: value for flag, value in pairwise(words) if flag.startswith("--")}
    changed = {key: float(given[key]) if key == "scale" else given[key] for key in ("scale", "version") if key in given}
    loaded = load(name, **changed)
    if isinstance(loaded, Collection):
        changed = {"scale": loaded.scale, "seed": loaded.seed, "version": loaded.version}
        names = loaded.datasets
    else:
        names = (name,)
    each = [(name, cast("Recipe", load(name, **changed))) for name in names]
    return [(given.get("out") or str(default_outputs(name, recipe, changed)), recipe) for name, recipe in each]


def test_no_build_of_the_readme_stands_in_the_way_of_a_later_one() -> None:
    commands = BUILD.findall(README)
    assert "make mini" in commands and any("--param scale=" in command for command in commands)
    built: dict[tuple[str, str, str], Recipe] = {}
    for command in [*commands, "planimeter build marvl-qa-mini --scale 0.1", *commands]:
        for outputs, recipe in builds(command):
            place = (outputs, recipe.dataset, recipe.version)
            assert built.setdefault(place, recipe) == recipe, f"{command}: {place} stands there with other rows"


@pytest.mark.parametrize(
    ("given", "folder"),
    [
        ({}, OUTPUTS),
        ({"scale": 1.0}, OUTPUTS),
        ({"scale": 0.05}, OUTPUTS / "x0.05"),
        ({"scale": 10.0}, OUTPUTS / "x10"),
        ({"scale": 0.05, "version": "9.0.0"}, OUTPUTS),
        # As a run of a deployment is given it.
        ({"scale": 0.05, "version": load("traversal").version}, OUTPUTS / "x0.05"),
    ],
)
def test_a_scaled_build_has_a_folder_of_its_own_unless_it_has_a_version_of_its_own(
    given: dict[str, object], folder: Path
) -> None:
    assert default_outputs("traversal", cast("Recipe", load("traversal", **given)), given) == folder
