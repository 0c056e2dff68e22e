"""Which checks a suite's rows must pass: ``checker`` of the module that it declares as ``export``, or names there."""

from importlib import import_module

from planimeter.export.checks import Checker
from planimeter.export.columns import Recipe
from planimeter.items.suites import declared


def checker(suite: str, recipe: Recipe) -> Checker:
    """Return the checker of ``suite`` for a dataset made by ``recipe``.

    Raises:
        LookupError: if there is no such suite.
    """
    found: Checker = import_module(module_of(suite)).checker(recipe)
    return found


def module_of(suite: str) -> str:
    """Return the name of the module whose ``checker`` checks rows of ``suite``."""
    own = declared(suite).load("export")
    name: str = getattr(own, "CHECKS", own.__name__)
    return name
