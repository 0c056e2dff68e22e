"""Where a suite's grader is, and which suite a row belongs to."""

from collections.abc import Mapping
from types import ModuleType
from typing import cast

from planimeter.items.suites import declared, sound

Row = Mapping[str, object]


def protocol(suite: str) -> ModuleType:
    """Import and return the grader of ``suite``; ``LookupError`` if there is none, with those that there are."""
    return cast("ModuleType", declared(suite).load("grader"))


def place_of(row: Row) -> tuple[str, str]:
    """Return the suite and the config of ``row``, as its columns determine them; of several suites the first listed.

    Raises:
        LookupError: if the columns fit no suite.
    """
    for suite in sound():
        for config, columns in suite.recognised_by.items():
            if columns <= row.keys():
                return suite.name, config
    raise LookupError(f"the columns {', '.join(sorted(row))} fit no suite; name the suite and the config")


def plain(row: Row, suite: str, config: str) -> dict[str, object]:
    """Return the columns of ``row`` that a grader is handed, by whatever way replies reach it.

    They are numbers, texts, and lists of these, and those that the grader names in ``NEEDED``; pictures, coordinates
    and records are left out. A missing number is None, as in the files.
    """
    needed = getattr(protocol(suite), "NEEDED", {}).get(config, ())
    values = ((name, value.tolist() if hasattr(value, "tolist") else value) for name, value in row.items())
    return {name: None if value != value else value for name, value in values if name in needed or _is_plain(value)}


def _is_plain(value: object) -> bool:
    parts = value if isinstance(value, list | tuple) else (value,)
    return all(part is None or isinstance(part, str | int | float) for part in parts)


def settled(row: Row, suite: str, config: str) -> tuple[str, str]:
    """Return ``suite`` and ``config`` if both are named, else those that the row's columns determine.

    Raises:
        LookupError: if there are no such ones.
    """
    if not (suite and config):
        return place_of(row)
    if config not in protocol(suite).CONFIGS:
        raise LookupError(f"{suite} has no config {config!r}; it has: {', '.join(protocol(suite).CONFIGS)}")
    return suite, config
