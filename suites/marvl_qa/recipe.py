"""The recipe of the MaRVL-QA suite: quotas, limits of the filters, and which pairs of styles are shown."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from planimeter.filters.marvl_qa.limits import AmbiguityLimits, CurationLimits
from planimeter.generators.marvl_qa.curriculum import COUNTING, TRANSFORMATION
from planimeter.generators.marvl_qa.transformation import ShiftRange
from planimeter.suites.base import BY_LEVELS, COURSE, TESTS, Course, Positive, Recipe, Table, require

Bin = tuple[Positive, Positive]


class CountingTask(Table):
    """The common settings of test and training questions."""

    questions_per_shard: Positive
    """Questions of one shard, the unit of work."""
    attempts: Positive
    """Candidates for one question before it is given up."""
    curation: CurationLimits
    """Limits that make the count definite."""


class CountingCourse(CountingTask, Course):
    """Counting by level, for training (``generators/marvl_qa/curriculum.py``): each question in one style."""

    TOP_LEVEL: ClassVar[int] = len(COUNTING)

    styles: Literal["one"]
    """Each question is drawn in one style."""
    recounted: bool = Field(default=False, exclude_if=lambda recounted: not recounted)
    """Also count by the paper's method (A.3), and reject questions on which both counts differ."""


class Counting(CountingTask):
    """Topological Counting (MaRVL-QA, section 3.2.1)."""

    #: Questions for testing are always counted by the paper's method too.
    recounted: ClassVar[bool] = True

    count_bins: tuple[Bin, ...] = Field(min_length=1)
    """Ranges of the right count, both ends included."""
    questions: tuple[Annotated[int, Field(ge=0)], ...]
    """Questions of each range of counts, each drawn in nine styles."""
    maxima_share: Annotated[float, Field(ge=0, le=1)]
    """Share of the questions that ask for maxima."""

    @model_validator(mode="after")
    def _bins_are_in_order(self) -> Self:
        bins, numbers = len(self.count_bins), len(self.questions)
        edges = [edge for low_high in self.count_bins for edge in low_high]
        overlap = {low for low, _ in self.count_bins} & {high for _, high in self.count_bins[:-1]}
        rise = edges == sorted(edges) and not overlap
        require(
            (numbers == bins, f"need one number of questions for each count bin, got {numbers} for {bins}"),
            (rise, f"count_bins must rise and not overlap, got {self.count_bins}"),
            (any(self.questions), "questions: need at least one"),
        )
        return self


class PairTask(Table):
    """The common settings of test and training pairs of plots."""

    pairs_per_shard: Positive
    """Pairs of one shard, the unit of work."""
    attempts: Positive
    """Candidates for one pair before it is given up."""
    shifts: ShiftRange
    """Lengths of the translations."""
    ambiguity: AmbiguityLimits
    """Limits that leave one right answer."""


class TransformationCourse(PairTask, Course):
    """Pairs of plots by level, for training (``generators/marvl_qa/curriculum.py``): each in one pair of styles."""

    TOP_LEVEL: ClassVar[int] = len(TRANSFORMATION)

    styles: Literal["one"]
    """Each pair is drawn in one pair of styles."""

    @model_validator(mode="after")
    def _has_room_for_each_level(self) -> Self:
        low, high = self.shifts.smallest, self.shifts.largest
        wanted = [level.shifts for level in TRANSFORMATION]
        if any(shortest < low or longest > high for shortest, longest in wanted):
            raise ValueError(f"need shifts.smallest and shifts.largest that hold all of {wanted}, got {low} and {high}")
        return self


class TransformationTask(PairTask):
    """Transformation Recognition (MaRVL-QA, section 3.2.2); each pair in two pairs of styles (3.3), or in 81 (A.4)."""

    pairs: Positive
    """Pairs of plots."""
    styles: Literal["one-same-one-different", "all"]
    """Two pairs of styles for each pair of plots, or all 81."""


class SuiteRecipe(Recipe):
    """A recipe with ``suite = "marvl_qa"``."""

    QUOTAS = frozenset({"questions", "pairs", "maxima_share"})

    counting: Annotated[Annotated[Counting, TESTS] | Annotated[CountingCourse, COURSE], BY_LEVELS]
    """Questions that count, for testing or by level for training."""
    transformation: Annotated[Annotated[TransformationTask, TESTS] | Annotated[TransformationCourse, COURSE], BY_LEVELS]
    """Questions on two plots, for testing or by level for training."""
