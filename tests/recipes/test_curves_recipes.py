"""Recipes of nested curves: what contradicts itself, or would make no row, is refused with the limit."""

import copy
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from planimeter.export.verify.checks.curves import checker
from planimeter.flows.suites.curves import SUITE
from planimeter.recipes.curves import SuiteRecipe
from planimeter.recipes.loading import RecipeError, load, parse


def changed(**change: Any) -> dict[str, Any]:
    values = copy.deepcopy(tomllib.loads(Path("recipes/curves.toml").read_text()))
    values["polygon"].update(change)
    return values


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"gap_px": 6.0}, "need gap_px >= stroke + 3.0 px of paper = 7.2, got gap_px=6.0"),
        ({"stroke_px": [3.0, 4.0]}, "need stroke_px >= 4.0"),
        ({"sizes": [[2, 4], [4, 9]]}, "sizes must rise and not overlap"),
        ({"sizes": [[2, 9000]]}, "take a larger canvas or a smaller gap"),
        ({"depth": [90, 99], "sizes": [[99, 120]]}, "need depth <= 42"),
        ({"canvas_px": 100}, "larger canvas or a smaller gap"),
        ({"limits": {"border_px": 30.0, "paper_px": 3.0, "stroke_px": 4.0, "opening_px": 4.0}}, "got 30.0 and 20.0"),
        ({"limits": {"border_px": 9.0, "paper_px": 8.0, "stroke_px": 4.0, "opening_px": 4.0}}, "10.0 and 4.2 + 8.0"),
        ({"look": {"ink": "coloured", "paper": "textured"}}, "coloured ink needs plain paper"),
        ({"every_tree": True}, "need at most 2000 trees"),
        ({"every_tree": True, "sizes": [[1, 5]]}, "need depth = [1, 5] for every_tree"),
        ({"every_tree": True, "sizes": [[5, 6]], "depth": [1, 6], "splits": {"test": 60}}, "need a row of each of 68"),
        ({"every_tree": 6}, "need a range of sizes that ends with every_tree = 6"),
        ({"every_tree": 1}, "need a range of sizes that ends with every_tree = 1"),
        (
            {"every_tree": 4, "splits": {"test": 45}},
            "need a row of each of 15 trees in test and two in all, got 15",
        ),
        ({"splits": {"dev": 5}}, "polygon.splits"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_a_recipe_that_contradicts_itself_is_refused_with_the_limit(change: dict[str, Any], said: str) -> None:
    with pytest.raises(RecipeError) as caught:
        parse(changed(**change), source="mine.toml")
    assert said in str(caught.value)


def test_the_recipe_in_a_manifest_deals_the_rows_of_the_one_that_was_built() -> None:
    """JSON is written with sorted keys: read back, `test` is named before `train` and would get every tree first."""
    values = copy.deepcopy(tomllib.loads(Path("recipes/curves.toml").read_text()))
    values["easy"]["splits"] = {"train": 100, "test": 5}
    built = parse(values, source="mine.toml")
    assert isinstance(built, SuiteRecipe)
    stored = parse(json.loads(json.dumps(built.model_dump(mode="json"), sort_keys=True)), source="manifest.json")
    assert SUITE.plan(stored) == SUITE.plan(built)  # type: ignore[arg-type]


LIMITS = {"border_px": 10.0, "paper_px": 3.0, "stroke_px": 4.0, "opening_px": 4.0}


@pytest.mark.parametrize(
    ("table", "change", "said"),
    [
        ("easy", {"canvas_px": 160}, "easy: need a tree of at most 8.6 lanes on a side"),
        ("easy", {"limits": {**LIMITS, "opening_px": 600.0}}, "easy: need room for every tree with an opening of 600"),
        ("easy", {"sizes": [[1, 600]]}, "easy: need at most 2000 trees for every_tree"),
        ("polygon", {"sizes": [[50, 50]], "depth": [1, 1]}, "of 500 that were drawn (uniform) none will do"),
        ("topographical", {"limits": {**LIMITS, "opening_px": 900.0}}, "has room for inside of 3 curves"),
        ("counting", {"sizes": [[3000, 3000]]}, "counting: need nodes <= 953 or so on a canvas of 1024 px"),
        ("counting", {"limits": {**LIMITS, "opening_px": 200.0}}, "counting: need nodes <="),
        ("curriculum", {"limits": {**LIMITS, "stroke_px": 4.6}}, "need limits.stroke_px <= stroke_px, got 4.6 and 4.0"),
        ("curriculum", {"limits": {**LIMITS, "paper_px": 4.0}}, "need gap_px >= stroke_px + limits.paper_px, got 7.5"),
        ("curriculum", {"canvas_px": 400}, "curriculum: need nodes <= 83 or so on a canvas of 400 px"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_a_recipe_of_which_no_drawing_would_be_kept_is_refused_before_the_build(
    table: str, change: dict[str, Any], said: str
) -> None:
    name = "curves-train" if table == "curriculum" else "curves"
    values = copy.deepcopy(tomllib.loads(Path(f"recipes/{name}.toml").read_text()))
    values[table].update(change)
    with pytest.raises(RecipeError) as caught:
        parse(values, source="mine.toml")
    assert said in str(caught.value)


def test_a_terrain_may_show_what_no_drawn_tree_does() -> None:
    """Uniform trees of 28 to 30 curves are never 3 deep; terrains of wide plains are."""
    values = changed()
    values["topographical"].update(sizes=[[28, 30]], depth=[3, 3])
    parse(values, source="mine.toml")


def test_rows_without_number_are_read_at_once() -> None:
    """What a build of them would take is another question, which `planimeter build` answers."""
    values = changed()
    values["easy"]["splits"] = {"test": 10**18}
    parse(values, source="mine.toml")


def test_a_recipe_without_any_table_is_refused() -> None:
    values = {key: value for key, value in changed().items() if not isinstance(value, dict)}
    with pytest.raises(RecipeError, match="at least one of easy"):
        parse(values, source="mine.toml")


def test_shares_must_name_every_level() -> None:
    values = tomllib.loads(Path("recipes/curves-train.toml").read_text())
    values["curriculum"]["level_shares"] = [1, 2]
    with pytest.raises(RecipeError, match="one share for each of 8 levels"):
        parse(values, source="mine.toml")


def test_the_verifier_wants_of_each_level_what_the_plan_deals_to_it() -> None:
    recipe = load("curves-train")
    assert isinstance(recipe, SuiteRecipe)
    found = checker(recipe.model_dump(mode="json"))
    for shard in SUITE.plan(recipe):
        found.levels[shard.cell[2], shard.cell[1]] += shard.count
    assert list(found.quotas()) == []
    number = found.levels[1, "easy"]
    found.levels[1, "easy"] -= 1
    told = f"the recipe promises {number} rows of easy at level 1, found {number - 1}"
    assert list(found.quotas()) == [("curriculum", told)]
