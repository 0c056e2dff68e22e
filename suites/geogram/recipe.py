"""The recipe, the settings of a dataset, of GeoGramBench: numbers of rows by level, and the limits of the filters."""

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from planimeter.generators.geogram.curriculum import LEVELS
from planimeter.suites.base import BY_LEVELS, COURSE, TESTS, Course, Positive, Recipe, Table

Share = Annotated[float, Field(gt=0, lt=1)]
Rows = Annotated[int, Field(ge=0)]


class Levels(Table):
    """The number of rows of each level of the taxonomy (GeoGramBench, section 3.2)."""

    primitive: Rows
    """Rows of the first level."""
    compositional: Rows
    """Rows of the second level."""
    abstract: Rows
    """Rows of the third level."""


class Leakage(Table):
    """The limits that reject a problem if its answer can be measured in its figure (``filters.geogram.leakage``)."""

    measured: Share
    """Least relative difference of the answer from the asked quantity as measured in the drawn figure, to scale."""
    coincidence: Share
    """Least relative difference of the answer from all other distances, angles and areas of labelled points."""

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if self.coincidence > self.measured:
            raise ValueError(
                f"need coincidence <= measured, since the measured quantity is among those that can coincide; got "
                f"{self.coincidence} and {self.measured}"
            )
        return self


class ProblemTask(Table):
    """The settings that test and training problems share: filter limits, tries per problem, and problems per shard."""

    template_share: Share
    """Largest share of the rows from one template."""
    similarity: Share
    """Least 8-gram similarity at which two statements, or two programs, are near-duplicates."""
    problems_per_shard: Positive
    """Problems of one shard, the unit of work."""
    attempts: Positive
    """Candidates that are tried for one problem."""
    leakage: Leakage
    """Limits that exclude figures from which the answer can be measured."""


class ProblemCourse(ProblemTask, Course):
    """The settings of training problems by level of difficulty (``generators/geogram/curriculum.py``)."""

    TOP_LEVEL: ClassVar[int] = len(LEVELS)


class Problems(ProblemTask):
    """The settings of test problems: their number at each level of the taxonomy, and how figures are described."""

    levels: Levels
    """Rows of each level of the taxonomy."""
    paired: bool = Field(default=False, exclude_if=lambda paired: not paired)
    """True to ask each problem in both languages and in words, with a config for each form."""
    corpora: bool = Field(default=False, exclude_if=lambda corpora: not corpora)
    """True to print all programs as Asymptote in the style of the corpora."""

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        if not any(self.levels.model_dump().values()):
            raise ValueError("levels: need at least one row")
        if self.paired and self.corpora:
            raise ValueError("paired, corpora: only one of the two can be true")
        return self


class SuiteRecipe(Recipe):
    """The recipe of a dataset of generated geometry problems, ``suite = "geogram"``, for testing or for training."""

    QUOTAS = frozenset({"levels", "similarity", "template_share"})

    geogram: Annotated[Annotated[Problems, TESTS] | Annotated[ProblemCourse, COURSE], BY_LEVELS]
    """Problems for testing, or by level for training."""

    @property
    def paired(self) -> bool:
        """True if each problem has a row in every form: two programming languages, and words."""
        return isinstance(self.geogram, Problems) and self.geogram.paired
