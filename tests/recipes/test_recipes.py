"""Recipes are read whole or refused: each fault with its path, and no name that leads out of a folder."""

import importlib
import tomllib
from pathlib import Path

import pytest

from planimeter.flows.deployments import build_all
from planimeter.recipes.loading import Collection, RecipeError, available, load, parse


def mini(**change):
    return {**tomllib.loads(Path("recipes/marvl-qa-mini.toml").read_text()), **change}


def test_every_recipe_that_comes_along_can_be_read_and_collections_name_their_datasets():
    recipes = {name: load(name) for name in available()}
    datasets = {name for name, recipe in recipes.items() if not isinstance(recipe, Collection)}
    assert "marvl-qa-mini" in datasets == {*recipes["smoke"].datasets}
    assert {*recipes["all"].datasets} == {"marvl-qa-mini", "marvl-qa", "traversal", "curves", "geogram"}
    # The deployment takes the description of the flow.
    assert all("datasets of the papers" in text for text in (recipes["all"].summary, build_all.description or ""))
    recipe = recipes["marvl-qa-mini"]
    assert (sum(recipe.counting.questions) * 9, recipe.transformation.pairs * 2) == (1548, 1200), "the paper's scale"


def test_seed_and_version_reach_the_datasets_of_a_collection():
    smoke = load("smoke", seed=5, version="2.0.0")
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


def test_no_name_or_version_can_leave_its_folder_and_no_scale_is_without_meaning():
    overlapping = mini()["counting"] | {"count_bins": [[1, 5], [5, 10], [11, 15], [16, 20]]}
    for key, words, values in (
        ("dataset", "dataset", ("../../etc/passwd", "/etc/passwd", "a/b", "UPPER", "a..b", "", "a-")),
        ("version", "version", ("1.0", "v1.0.0", "1.0.0/..", "..", "1.0.0 ", "01.0.0")),
        ("scale", "scale", (0, -1, float("nan"), float("inf"), 1001)),
        ("suite", "marvl_qa", ("os",)),
        ("counting", "overlap", (overlapping,)),
    ):
        for value in values:
            with pytest.raises(RecipeError, match=words):
                parse(mini(**{key: value}), source="mine.toml")


def test_what_is_not_toml_or_not_there_is_one_line(tmp_path):
    broken = tmp_path / "broken.toml"
    for content, words in ((b"dataset = ", "not TOML"), (b"\xff\xfe", "cannot be read")):
        broken.write_bytes(content)
        with pytest.raises(RecipeError, match=words):
            load(str(broken))
    with pytest.raises(RecipeError, match="cannot be read"):
        load(str(tmp_path / "missing.toml"))
    with pytest.raises(RecipeError, match="marvl-qa-mini"):
        load("marvl")


def test_a_collection_that_cannot_be_read_is_refused_before_any_of_its_datasets_is_built():
    state = build_all.fn(version="1.0")
    message = "all.toml: 1 fault\n  version: need a version such as 1.0.0, got '1.0'"
    assert (state.name, state.message) == ("Refused", message)
    with pytest.raises(AttributeError, match="no attribute 'build_nothing'"):
        importlib.import_module("planimeter.flows.deployments").build_nothing  # noqa: B018


def test_the_search_for_paths_to_be_bent_is_stricter_than_the_rules():
    recipe = load("traversal-curved")
    rules, searched, slack = recipe.rules.limits(), recipe.searched("curved"), recipe.curved.slack
    assert slack > 0
    assert searched.crossing_gap == rules.crossing_gap + slack
    assert searched.spacing_slack == rules.spacing_slack - 2 * slack
    assert searched.spacing_slack > 0
