"""Drawings of crossing curves of a published test item: as those of nested ones (``recipes.editions.curves``)."""

from collections.abc import Iterable
from typing import cast

from planimeter.recipes.curves_maps import SuiteRecipe
from planimeter.recipes.editions import Likeness
from planimeter.recipes.editions.curves import Alike, likeness
from planimeter.recipes.loading import load

__all__ = ["judge_of", "likeness"]


def judge_of(items: Iterable[Likeness]) -> Alike:
    """Return the judge that holds ``items``."""
    return Alike(items, {"planar_map": cast("SuiteRecipe", load("curves-maps")).planar_map.similarity})
