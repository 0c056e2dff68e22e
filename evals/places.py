"""Where a suite's part of the protocols is, and which suite a row belongs to."""

from collections.abc import Mapping
from types import ModuleType

from planimeter.items.suites import part_of

Row = Mapping[str, object]

#: Suite, config, and the columns that only its rows have; the first that fits tells what a row is.
_TOLD_BY: tuple[tuple[str, str, frozenset[str]], ...] = (
    ("marvl_qa", "transformation", frozenset({"options"})),
    ("marvl_qa", "counting", frozenset({"feature", "count"})),
    ("traversal", "confounded", frozenset({"markers", "confounders"})),
    ("traversal", "reading_order", frozenset({"markers", "regime"})),
    ("traversal", "curved", frozenset({"markers", "pair_id"})),
    ("traversal", "base", frozenset({"markers"})),
    ("curves_maps", "planar_map", frozenset({"adjacent"})),
    ("curves", "curriculum", frozenset({"parents", "level"})),
    ("curves", "easy", frozenset({"parents"})),
    ("geogram", "geogram", frozenset({"code", "answer_latex"})),
)


def part(suite: str, name: str) -> ModuleType:
    """Import and return the module ``name`` of ``suite``.

    Raises:
        LookupError: if there is no such suite, with those that there are, or no such module.
    """
    return part_of("planimeter.evals", suite, name)


def protocol(suite: str) -> ModuleType:
    """Import and return the protocol of ``suite``; ``LookupError`` if there is none, with those that there are."""
    return part(suite, "protocol")


def place_of(row: Row) -> tuple[str, str]:
    """Return the suite and the config of ``row``, as its columns tell them.

    The categories of nested curves are read and scored alike: each counts as ``easy`` here.

    Raises:
        LookupError: if the columns fit no suite.
    """
    for suite, config, columns in _TOLD_BY:
        if columns <= row.keys():
            return suite, config
    raise LookupError(f"the columns {', '.join(sorted(row))} fit no suite; name the suite and the config")


def settled(row: Row, suite: str, config: str) -> tuple[str, str]:
    """Return ``suite`` and ``config`` if both are named, else those that the row's columns tell."""
    return (suite, config) if suite and config else place_of(row)
