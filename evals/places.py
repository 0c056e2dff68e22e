"""Finds the suite and config of a row by its columns, and the grader of a suite by its name."""

from collections.abc import Mapping
from types import ModuleType
from typing import cast

from planimeter.items.suites import declared, working_suites

Row = Mapping[str, object]


def protocol(suite: str) -> ModuleType:
    """Return the grader module of ``suite``. Raises ``LookupError``, with a list of suites, for an unknown suite."""
    return cast("ModuleType", declared(suite).load("grader"))


def place_of(row: Row) -> tuple[str, str]:
    """Return the names of the suite and the config to which ``row`` belongs, found by its columns.

    Each config lists the columns that identify its rows; if ``row`` has those of several configs, the first counts.

    Raises:
        LookupError: if ``row`` has the columns of no config.
    """
    for suite in working_suites():
        for config, columns in suite.recognised_by.items():
            if columns <= row.keys():
                return suite.name, config
    raise LookupError(f"no suite has rows with only the columns {', '.join(sorted(row))}; pass suite and config")


def plain(row: Row, suite: str, config: str) -> dict[str, object]:
    """Return the columns of ``row`` to pass to the suite's grader, the same for scores, rewards and exports.

    They are numbers, texts, lists of these, and the columns that the grader names in ``NEEDED``; pictures, coordinates
    and records are omitted. NaN becomes None.
    """
    needed = getattr(protocol(suite), "NEEDED", {}).get(config, ())
    values = ((name, value.tolist() if hasattr(value, "tolist") else value) for name, value in row.items())
    return {name: None if value != value else value for name, value in values if name in needed or _is_plain(value)}


def _is_plain(value: object) -> bool:
    parts = value if isinstance(value, list | tuple) else (value,)
    return all(part is None or isinstance(part, str | int | float) for part in parts)


def resolve_place(row: Row, suite: str, config: str) -> tuple[str, str]:
    """Return ``suite`` and ``config`` if both are given, else those that the row's columns determine.

    Raises:
        LookupError: if there is no such suite or config, or the row's columns determine none.
    """
    if not (suite and config):
        return place_of(row)
    if config not in protocol(suite).CONFIGS:
        raise LookupError(f"{suite} has no config {config!r}; it has: {', '.join(protocol(suite).CONFIGS)}")
    return suite, config
