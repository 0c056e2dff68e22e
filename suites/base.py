"""Pydantic models that the recipes of all suites share; a recipe is the settings of a dataset, such as its name."""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator
from pydantic.fields import FieldInfo

from planimeter.items.errors import PlanimeterError


def _matching(pattern: str, needed: str) -> Callable[[str], str]:
    """Return a validator that raises ValueError unless the whole text matches ``pattern``.

    ``needed``: the pattern in words, for the message.
    """

    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(f"need {needed}, got {value!r}")
        return value

    return check


def _for_editors(pattern: str) -> FieldInfo:
    """Return a field that adds ``pattern`` to the JSON schema, for editors; validators do not appear in the schema."""
    return Field(json_schema_extra={"pattern": f"^({pattern})$"})


_NAME = r"[a-z0-9]+(-[a-z0-9]+){0,9}"
_VERSION = r"(0|[1-9]\d{0,5})(\.(0|[1-9]\d{0,5})){2}"
_DATE = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"

#: Without dots and slashes, so that no dataset can be written outside the folder of builds.
DatasetName = Annotated[
    str, AfterValidator(_matching(_NAME, "lower-case words joined by hyphens, such as marvl-qa")), _for_editors(_NAME)
]
Version = Annotated[str, AfterValidator(_matching(_VERSION, "a version such as 1.0.0")), _for_editors(_VERSION)]
Date = Annotated[str, AfterValidator(_matching(_DATE, "a date such as 2026-01-31")), _for_editors(_DATE)]
#: A factor on the quotas: 0.01 gives about one per cent of the rows, 10 gives ten times as many.
Scale = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]
#: A root seed; one of 2**64 or more is the formerly secret seed of a sealed edition.
Seed = Annotated[int, Field(ge=0, lt=2**256)]
Positive = Annotated[int, Field(gt=0)]


def require(*rules: tuple[bool, str]) -> None:
    """Raise one ValueError with the messages of all broken ``rules``; a rule is (True if it holds, message)."""
    broken = [fault for holds, fault in rules if not holds]
    if broken:
        raise ValueError("; ".join(broken))


class Table(BaseModel):
    """The base model of the tables of a recipe: values cannot be changed, and an unknown key is an error."""

    # The reference describes a key by the docstring of its attribute. Tables that are plain dataclasses inherit this.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)

    #: Keys that decide the number of items but not their content, so that a change of them does not invalidate shards;
    #: keys that end in ``_per_shard`` are such keys too. Those of a recipe apply to all of its tables.
    QUOTAS: ClassVar[frozenset[str]] = frozenset()


class Course(Table):
    """The settings of training rows by level of difficulty: their number, and the share of each level."""

    QUOTAS = frozenset({"rows", "level_shares"})

    #: The hardest level; the easiest is 1.
    TOP_LEVEL: ClassVar[int]

    rows: Positive
    """Rows of all levels together."""
    level_shares: tuple[Annotated[float, Field(ge=0)], ...]
    """Share of the rows for each level, the easiest first; they need not add to 1."""

    @model_validator(mode="after")
    def _has_a_share_for_each_level(self) -> Self:
        if len(self.level_shares) != self.TOP_LEVEL or not sum(self.level_shares):
            raise ValueError(
                f"need one share for each of {self.TOP_LEVEL} levels, not all zero, got {len(self.level_shares)}: "
                f"{self.level_shares}"
            )
        return self


#: Tags of the two kinds of a config's table, with brackets, which no key of a recipe has.
TESTS, COURSE = Tag("(tests)"), Tag("(course)")


def _kind(table: object) -> str:
    """Return the tag by which pydantic validates ``table`` as settings of training rows by level, or of test rows."""
    by_levels = "level_shares" in table if isinstance(table, Mapping) else isinstance(table, Course)
    return COURSE.tag if by_levels else TESTS.tag


#: Validates a config's table as a course if it has rows by level; a plain union would report each fault twice.
BY_LEVELS = Discriminator(_kind)


class Shortcut(Table):
    """A known shortcut: a blind probe predicts answers from an input that should not reveal them.

    A blind probe is a model that sees only such an input. ``reason``: the reason to publish the dataset nevertheless.
    """

    config: str
    """The config in which it is found."""
    probe: str
    """As `planimeter probe` calls it."""
    reason: str
    """Why the dataset is published all the same, stated in the card."""


class Recipe(Table):
    """The settings that all datasets have. The recipe of a suite adds one table for each config (kind of rows)."""

    dataset: DatasetName
    """Name of the dataset, such as marvl-qa."""
    version: Version
    """Version of the dataset, such as 1.0.0."""
    suite: str
    """Names the suite; it decides which tables there are."""
    title: str
    """Name of the dataset for people."""
    summary: str
    """One sentence on what is asked."""
    release_date: Date
    """ISO 8601 date that Croissant calls datePublished; pinned, because the clock may decide no byte."""
    license: Literal["CC-BY-4.0"]
    """Licence of the data."""
    seed: Seed | None = Field(repr=False)
    """Root seed; another seed shares no item. None in a sealed edition, whose seed is in a file of its own."""
    scale: Scale = 1.0
    """Factor of the number of rows: 0.01 makes about one per cent of the rows, 10 makes ten times as many."""
    allow_shortfall: bool = False
    """Publish fewer rows than the quotas where a cell cannot be filled, instead of failing."""
    rows_per_file: Positive = 5_000
    """Rows of one Parquet file; a larger split is cut into several files."""
    known_shortcuts: tuple[Shortcut, ...] = Field(default=(), exclude_if=lambda found: not found)
    """What a blind probe is known to find, stated in the card."""

    @property
    def root(self) -> int:
        """The seed from which all random streams derive.

        Raises:
            PlanimeterError: in a sealed edition, whose secret seed is in a separate file that only workers read.
        """
        if self.seed is None:
            raise PlanimeterError(f"{self.dataset}: this sealed edition has its seed in a file; add --seed FILE")
        return self.seed

    def is_quota(self, table: str, key: str) -> bool:
        """Return True if ``key`` of the recipe's ``table`` determines the number of items but not their content.

        After a change of such a key, finished shards (batches of items) remain valid.
        """
        kinds = (*type(self).__mro__, *type(getattr(self, table)).__mro__)
        return key.endswith("_per_shard") or any(key in vars(kind).get("QUOTAS", ()) for kind in kinds)

    def tables_of(self, config: str) -> tuple[str, ...]:
        """Return the names of the recipe's tables whose settings determine the items of ``config``.

        By default, this is the table with the name of the config or, without one, all tables that the suite adds.
        """
        tables = tuple(name for name in type(self).model_fields if name not in Recipe.model_fields)
        return (config,) if config in tables else tables
