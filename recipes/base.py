"""What every recipe has, whatever its suite: identity, seed, scale, and what a shortfall means."""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _matching(pattern: str, needed: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(f"need {needed}, got {value!r}")
        return value

    return check


#: Without dots and slashes, so that no dataset can leave the folder of its builds.
DatasetName = Annotated[
    str,
    AfterValidator(_matching(r"[a-z0-9]+(-[a-z0-9]+){0,9}", "lower-case words joined by hyphens, such as marvl-qa")),
]
Version = Annotated[
    str, AfterValidator(_matching(r"(0|[1-9]\d{0,5})(\.(0|[1-9]\d{0,5})){2}", "a version such as 1.0.0"))
]
Date = Annotated[
    str, AfterValidator(_matching(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", "a date such as 2026-01-31"))
]
#: A share of the quotas: 0.01 is about one per cent of everything, 10 is ten times as much.
Scale = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]
Seed = Annotated[int, Field(ge=0, lt=2**64)]
Positive = Annotated[int, Field(gt=0)]


class Table(BaseModel):
    """A table of a recipe: frozen, and a key that nobody reads is an error rather than silence."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Course(Table):
    """Training rows by level: ``level_shares`` says how ``rows`` are shared out, the easiest level first."""

    rows: Positive
    level_shares: tuple[Annotated[float, Field(ge=0)], ...]

    def check_shares(self, levels: int) -> None:
        """Raise ``ValueError`` unless there is a share for each of ``levels``, and one that is not 0."""
        if len(self.level_shares) != levels or not sum(self.level_shares):
            raise ValueError(
                f"need one share for each of {levels} levels, not all zero, got {len(self.level_shares)}: "
                f"{self.level_shares}"
            )


def by_levels(tests: type[Table], course: type[Course]) -> Callable[[object], object]:
    """Return what reads a config's table: as ``course`` where it shares out rows by level, otherwise as ``tests``.

    A union would tell the faults of a table twice, once for each kind.
    """

    def read(table: object) -> object:
        if not isinstance(table, Mapping):
            return table
        return (course if "level_shares" in table else tests).model_validate(table)

    return read


class Recipe(Table):
    """The part that all recipes share. A suite's recipe adds one table for each config."""

    #: Keys of the tables that decide how many items there are and not what is in them; no shard is made again for them.
    QUOTAS: ClassVar[frozenset[str]] = frozenset()

    dataset: DatasetName
    version: Version
    #: One of ``items.suites.SUITES``.
    suite: str
    title: str
    summary: str
    #: ISO 8601 date that Croissant calls datePublished; pinned, because the clock may decide no byte.
    release_date: Date
    license: Literal["CC-BY-4.0"]
    seed: Seed
    scale: Scale = 1.0
    #: Publish fewer rows than the quotas where a cell cannot be filled, instead of failing.
    allow_shortfall: bool = False
    #: Rows of one Parquet file; a larger split is cut into several files.
    rows_per_file: Positive = 5_000

    def tables_of(self, config: str) -> tuple[str, ...]:
        """Return the names of the tables that decide what the shards of ``config`` hold."""
        return (config,)
