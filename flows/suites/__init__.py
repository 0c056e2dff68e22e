"""The pipelines of the suites: one file a suite, which exports its ``Pipeline`` as ``SUITE``."""

from typing import Any

from planimeter.flows.errors import PlanimeterError
from planimeter.flows.suites.pipeline import Pipeline
from planimeter.items.suites import declared
from planimeter.suites.base import Recipe


def suite_of(recipe: Recipe) -> Pipeline[Any]:
    """Return the pipeline of the suite of ``recipe``.

    Raises:
        PlanimeterError: if the suite has none, or if numba has no place for compiled code.
    """
    try:
        found: Pipeline[Any] = declared(recipe.suite).load("build")
    except RuntimeError as error:
        # Where neither the project's folder nor the user's cache can be written, numba refuses while we import.
        if "cannot cache function" not in str(error):
            raise
        raise PlanimeterError(
            "numba finds no writable folder for its compiled code; name one in the environment variable NUMBA_CACHE_DIR"
        ) from error
    return found
