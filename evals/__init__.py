"""Protocols: for each suite, the same file that words the question reads the answer and scores it.

A suite is a module with ``score_gold(config, row)``, ``parse(config, reply, ...)`` and ``score(config, row, parsed)``.
It is imported when asked for, so that scoring one suite does not load what another one needs.
"""

import importlib
from types import ModuleType

#: The suites, each a module of this package; what else lies here is shared by them.
SUITES: tuple[str, ...] = ("marvl_qa", "traversal", "curves", "geogram", "geogram_import")


def suite(name: str) -> ModuleType:
    """Import and return the protocol of the suite ``name``.

    Raises:
        LookupError: if there is no such suite; the message lists those that exist.
    """
    if name not in SUITES:
        raise LookupError(f"evals has no suite {name!r}; it has: {', '.join(SUITES)}")
    return importlib.import_module(f"planimeter.evals.{name}")
