"""The recipe of the GeoGramBench suite: rows of each level, and the limits of the filters."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from planimeter.recipes.base import Positive, Recipe, Table

Share = Annotated[float, Field(gt=0, lt=1)]
Rows = Annotated[int, Field(ge=0)]


class Levels(Table):
    """Rows of each level of the taxonomy (GeoGramBench, section 3.2)."""

    primitive: Rows
    compositional: Rows
    abstract: Rows


class Leakage(Table):
    """Relative differences between the answer and what needs no solving; see ``filters.geogram.leakage``."""

    measured: Share
    coincidence: Share

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if self.coincidence > self.measured:
            raise ValueError(
                f"need coincidence <= measured, because a measurement is one of the computations; got "
                f"{self.coincidence} and {self.measured}"
            )
        return self


class Problems(Table):
    """The problems: how many of each level, and what they must not do."""

    levels: Levels
    template_share: Share
    similarity: Share
    problems_per_shard: Positive
    attempts: Positive
    leakage: Leakage

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        if not any(self.levels.model_dump().values()):
            raise ValueError("levels: need at least one row")
        return self


class SuiteRecipe(Recipe):
    """A recipe with ``suite = "geogram"``."""

    QUOTAS: ClassVar[frozenset[str]] = frozenset({"levels", "problems_per_shard", "similarity", "template_share"})

    suite: Literal["geogram"]
    geogram: Problems
