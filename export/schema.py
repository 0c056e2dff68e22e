"""The columns of every suite and config, and the checker of every suite.

The Arrow schema of the Parquet files, the fields of Croissant, the table of the dataset card and the checks of the
verifier follow from the columns, which ``suites/<suite>/rows.py`` declares.
"""

from collections.abc import Collection, Iterator, Mapping
from importlib import import_module

from planimeter.export.checks import Checker
from planimeter.export.columns import COMMON, SEED, Column, Schema
from planimeter.items import suites
from planimeter.items.values import Recipe


class _Columns(Mapping[str, Mapping[str, tuple[Column, ...]]]):
    """A mapping suite -> config -> columns. A suite is loaded on first use, since few callers need all of them."""

    def __getitem__(self, suite: str) -> Mapping[str, tuple[Column, ...]]:
        if suite not in suites.names():
            raise KeyError(suite)
        found: Mapping[str, tuple[Column, ...]] = suites.declared(suite).load("export").COLUMNS
        return found

    def __iter__(self) -> Iterator[str]:
        return (suite.name for suite in suites.working_suites())

    def __len__(self) -> int:
        return len(list(suites.working_suites()))


#: Suite -> config -> the columns of the config that follow the common ones.
COLUMNS: Mapping[str, Mapping[str, tuple[Column, ...]]] = _Columns()


def schema_of(suite: str, config: str, splits: Collection[str] = (), *, sealed: bool = False) -> Schema:
    """Return the columns of ``config`` in ``suite`` for files of ``splits``.

    Only files of the split ``train`` have the training level; rows of a ``sealed`` edition have no seed.

    Raises:
        LookupError: for an unknown config; the message lists the known ones.
    """
    try:
        own = COLUMNS[suite][config]
    except KeyError:
        known = ", ".join(f"{name}/{part}" for name, parts in COLUMNS.items() for part in parts)
        raise LookupError(f"no columns are declared for {suite}/{config}; there are: {known}") from None
    columns = [column for column in own if "train" in splits or not column.trains]
    # A suite may redefine a common column, such as a picture that may be missing.
    redefined = {column.name: column for column in columns if column.name in {common.name for common in COMMON}}
    common = (redefined.get(column.name, column) for column in COMMON if not (sealed and column.name == SEED))
    return Schema(config=config, columns=(*common, *(c for c in columns if c.name not in redefined)))


def checker(suite: str, recipe: Recipe) -> Checker:
    """Return the checker of ``suite`` for a dataset made by ``recipe``. Raises ``LookupError`` if there is none."""
    found: Checker = import_module(module_of(suite)).checker(recipe)
    return found


def module_of(suite: str) -> str:
    """Return the name of the module that defines the function ``checker`` of ``suite``.

    By default it is the module that the suite declares as ``export``, where ``CHECKS`` may name another.
    """
    own = suites.declared(suite).load("export")
    name: str = getattr(own, "CHECKS", own.__name__)
    return name
