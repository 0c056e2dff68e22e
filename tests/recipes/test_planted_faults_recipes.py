"""Faults that were planted in ``recipes`` and that no other test found."""

import pytest

from planimeter.recipes.curves import SuiteRecipe as CurvesRecipe
from planimeter.recipes.loading import load
from planimeter.recipes.traversal import SuiteRecipe


def test_the_search_for_paths_to_be_bent_is_stricter_than_the_rules():
    recipe = load("traversal-curved")
    assert isinstance(recipe, SuiteRecipe)
    assert recipe.curved is not None
    rules, searched, slack = recipe.rules.limits(), recipe.searched("curved"), recipe.curved.slack
    assert slack > 0
    assert searched.crossing_gap == rules.crossing_gap + slack
    assert searched.spacing_slack == rules.spacing_slack - 2 * slack
    assert searched.spacing_slack > 0


def test_the_thinnest_stroke_of_a_range_is_as_wide_as_the_limits_ask_for():
    recipe = load("curves")
    assert isinstance(recipe, CurvesRecipe)
    assert recipe.easy is not None
    easy = recipe.easy.model_copy(update={"limits": recipe.easy.limits.model_copy(update={"stroke_px": 4.6})})
    with pytest.raises(ValueError, match=r"need limits.stroke_px <= stroke_px, got 4.6 and 4.0"):
        easy.drawn((3, 5), (1, 3), (4.0, 6.0), 20.0)
