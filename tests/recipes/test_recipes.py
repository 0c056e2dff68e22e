"""Recipes are read whole or refused: each fault with its path, and no name that leads out of a folder."""

import importlib
import tomllib
from pathlib import Path
from typing import Any

import pytest

from planimeter.flows.deployments import build_all
from planimeter.recipes.loading import Collection, RecipeError, available, load, parse
from planimeter.recipes.marvl_qa import SuiteRecipe


def mini(**change: Any) -> dict[str, Any]:
    return {**tomllib.loads(Path("recipes/marvl-qa-mini.toml").read_text()), **change}


def test_every_recipe_that_comes_along_can_be_read_and_the_smoke_collection_names_every_dataset():
    recipes = {name: load(name) for name in available()}
    datasets = {name for name, recipe in recipes.items() if not isinstance(recipe, Collection)}
    smoke = recipes["smoke"]
    assert isinstance(smoke, Collection)
    assert "marvl-qa-mini" in datasets == set(smoke.datasets)


def test_mini_has_the_papers_scale():
    recipe = load("marvl-qa-mini")
    assert isinstance(recipe, SuiteRecipe)
    assert sum(recipe.counting.questions) * 9 == 1548
    assert recipe.transformation.pairs * 2 == 1200


def test_seed_and_version_reach_the_datasets_of_a_collection():
    smoke = load("smoke", seed=5, version="2.0.0")
    assert isinstance(smoke, Collection)
    assert (smoke.seed, smoke.version) == (5, "2.0.0")
    with pytest.raises(RecipeError, match="seed: Input should be greater than or equal to 0"):
        load("smoke", seed=-1)


def test_all_faults_are_listed_at_once_each_with_its_path():
    values = mini(seed=-1, release_date="yesterday")
    values["counting"]["curation"]["ring"] = 0.5
    values["transformation"] |= {"pairs": 0, "colour": "red"}
    with pytest.raises(RecipeError, match=r"2 \* ring <= separation") as caught:
        parse(values, source="mine.toml")
    for path in ("seed", "release_date", "counting.curation", "transformation.pairs", "transformation.colour"):
        assert any(fault.startswith(f"{path}:") for fault in caught.value.faults), caught.value


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("dataset", ["../../etc/passwd", "/etc/passwd", "a/b", "UPPER", "a..b", "", "a-"]),
        ("version", ["1.0", "v1.0.0", "1.0.0/..", "..", "1.0.0 ", "01.0.0"]),
        ("scale", [0, -1, float("nan"), float("inf"), 1001]),
    ],
)
def test_no_name_or_version_can_leave_its_folder_and_no_scale_is_without_meaning(key, values):
    for value in values:
        with pytest.raises(RecipeError, match=key):
            parse(mini(**{key: value}), source="mine.toml")


def test_an_unknown_name_lists_those_that_exist():
    with pytest.raises(RecipeError, match="marvl-qa-mini"):
        load("marvl")
    with pytest.raises(RecipeError, match="marvl_qa"):
        parse(mini(suite="os"), source="mine.toml")


def test_what_is_not_toml_or_not_there_is_one_line(tmp_path):
    broken = tmp_path / "broken.toml"
    for content, words in ((b"dataset = ", "not TOML"), (b"\xff\xfe", "cannot be read")):
        broken.write_bytes(content)
        with pytest.raises(RecipeError, match=words):
            load(str(broken))
    with pytest.raises(RecipeError, match="cannot be read"):
        load(str(tmp_path / "missing.toml"))


def test_overlapping_bins_are_refused():
    values = mini()
    values["counting"]["count_bins"] = [[1, 5], [5, 10], [11, 15], [16, 20]]
    with pytest.raises(RecipeError, match="overlap"):
        parse(values, source="mine.toml")


def test_a_collection_that_cannot_be_read_is_refused_before_any_of_its_datasets_is_built():
    state = build_all.fn(version="1.0")
    message = "all.toml: 1 fault\n  version: need a version such as 1.0.0, got '1.0'"
    assert (state.name, state.message) == ("Refused", message)
    with pytest.raises(AttributeError, match="no attribute 'build_nothing'"):
        importlib.import_module("planimeter.flows.deployments").build_nothing  # noqa: B018


def test_all_builds_every_dataset_of_the_papers_and_claims_no_more():
    collection = load("all")
    assert isinstance(collection, Collection)
    assert set(collection.datasets) == {"marvl-qa-mini", "marvl-qa", "traversal", "curves", "geogram"}
    # The deployment takes the description of the flow.
    assert all("datasets of the papers" in text for text in (collection.summary, build_all.description or ""))
