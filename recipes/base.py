"""What every recipe has, whatever its suite: identity, seed, scale, and what a shortfall means."""

import re
from collections.abc import Callable
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


class Shortcut(Table):
    """What a blind probe is known to find, and why the dataset is published all the same."""

    config: str
    #: As `planimeter probe` calls it.
    probe: str
    reason: str


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
    known_shortcuts: tuple[Shortcut, ...] = Field(default=(), exclude_if=lambda found: not found)

    def tables_of(self, config: str) -> tuple[str, ...]:
        """Return the names of the tables that decide what the shards of ``config`` hold."""
        return (config,)
