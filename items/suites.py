"""The suites, in the order in which they are listed, and where each room keeps its part of a suite.

A suite is registered here and nowhere else. Its part of a room is the module of that room that bears its name: the
verifier's checks of ``curves`` are ``export.verify.checks.curves``. It is imported when asked for, so that one suite
does not load what another one needs, and no shard's cache key depends on this list.
"""

import importlib
from collections.abc import Iterable, Mapping
from types import ModuleType

#: The last one is imported, and has no generator.
SUITES: tuple[str, ...] = ("marvl_qa", "traversal", "curves", "curves_maps", "geogram", "geogram_import")

#: Suites whose problem is told in words and code alone; the picture in a row is for people, and no model is shown it.
WITHOUT_PICTURES = frozenset({"geogram", "geogram_import"})

#: Configs that are loaded, asked and scored together under a name of their own (CurveBench, section 4), by suite.
POOLS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "curves": {"hard": ("polygon", "topographical", "maze", "counting")}
}


def pooled(suite: str, names: Iterable[str]) -> list[str]:
    """Return the configs of ``suite`` that are called ``names``: configs, and pools of them; each of them once."""
    pools = POOLS.get(suite, {})
    return list(dict.fromkeys(config for name in names for config in pools.get(name, (name,))))


def part_of(room: str, suite: str, name: str = "") -> ModuleType:
    """Import and return the part of ``suite`` in the package ``room``; in a room of folders, its module ``name``.

    Raises:
        LookupError: if there is no such suite, with those that there are, or if the room has no part of it.
    """
    if suite not in SUITES:
        raise LookupError(f"there is no suite {suite!r}; there are: {', '.join(SUITES)}")
    part = ".".join(filter(None, (room, suite, name)))
    try:
        return importlib.import_module(part)
    except ModuleNotFoundError as error:
        # What the part itself imports and is not there is another fault.
        if error.name is None or not f"{part}.".startswith(f"{error.name}."):
            raise
        raise LookupError(f"the suite {suite} lacks its part {part}; write that module") from None
