"""Faults that were planted in ``recipes`` and that no other test found."""

from planimeter.recipes.loading import load
from planimeter.recipes.traversal import SuiteRecipe


def test_the_search_for_paths_to_be_bent_is_stricter_than_the_rules() -> None:
    recipe = load("traversal-curved")
    assert isinstance(recipe, SuiteRecipe)
    assert recipe.curved is not None
    rules, searched, slack = recipe.rules.limits(), recipe.searched("curved"), recipe.curved.slack
    assert slack > 0
    assert searched.crossing_gap == rules.crossing_gap + slack
    assert searched.spacing_slack == rules.spacing_slack - 2 * slack
    assert searched.spacing_slack > 0
