"""The recipe, the settings of a dataset, of MaRVL-QA: quotas, limits of the filters, and drawing styles."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from planimeter.filters.marvl_qa.limits import AmbiguityLimits, CurationLimits
from planimeter.filters.marvl_qa.motions import MotionLimits
from planimeter.generators.marvl_qa.curriculum import COUNTING, HARD_LEVELS, TRANSFORMATION
from planimeter.generators.marvl_qa.transformation import ShiftRange
from planimeter.suites.base import BY_LEVELS, COURSE, TESTS, Course, Positive, Recipe, Table, require

Bin = tuple[Positive, Positive]


class CountingTask(Table):
    """The settings that counting questions for tests and for training share."""

    questions_per_shard: Positive
    """Questions of one shard, the unit of work."""
    attempts: Positive
    """Candidates for one question before it is given up."""
    curation: CurationLimits
    """Limits that make the count definite."""


class CountingCourse(CountingTask, Course):
    """The settings of training questions by level (``generators/marvl_qa/curriculum.py``), each drawn in one style."""

    TOP_LEVEL: ClassVar[int] = len(COUNTING)

    styles: Literal["one"]
    """Each question is drawn in one style."""
    recounted: bool = Field(default=False, exclude_if=lambda recounted: not recounted)
    """Also count by the paper's method (A.3), and reject questions on which both counts differ."""


class Counting(CountingTask):
    """The settings of test questions of Topological Counting (MaRVL-QA, section 3.2.1)."""

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
    """The settings that test and training pairs of plots share."""

    pairs_per_shard: Positive
    """Pairs of one shard, the unit of work."""
    attempts: Positive
    """Candidates for one pair before it is given up."""
    shifts: ShiftRange
    """Lengths of the translations."""
    ambiguity: AmbiguityLimits
    """Limits that leave one right answer."""


class TransformationCourse(PairTask, Course):
    """The settings of training pairs of plots by level (``generators/marvl_qa/curriculum.py``), each drawn once."""

    TOP_LEVEL: ClassVar[int] = len(TRANSFORMATION)

    styles: Literal["one"]
    """Each pair is drawn in one pair of styles."""

    @model_validator(mode="after")
    def _has_room_for_each_level(self) -> Self:
        low, high = self.shifts.smallest, self.shifts.largest
        wanted = [level.shifts for level in TRANSFORMATION]
        if any(shortest < low or longest > high for shortest, longest in wanted):
            raise ValueError(f"shifts: {low} to {high} must include the ranges of all training levels, {wanted}")
        return self


class TransformationTask(PairTask):
    """The settings of test pairs of Transformation Recognition (MaRVL-QA, section 3.2.2).

    Each pair is drawn in two pairs of styles (3.3), or in all 81 (A.4).
    """

    pairs: Positive
    """Pairs of plots."""
    styles: Literal["one-same-one-different", "all"]
    """Two pairs of styles for each pair of plots, or all 81."""


class CountingHard(Counting):
    """The settings of test questions with 10 to 60 small features, beyond the paper; each in one style with colours."""


class CountingHardCourse(CountingTask, Course):
    """The settings of training questions of ``counting_hard`` by level (``generators/marvl_qa/curriculum.py``)."""

    TOP_LEVEL: ClassVar[int] = HARD_LEVELS


class Surfaces(Counting):
    """The settings of test questions like those of ``counting_hard`` on 3D surface plots, each from one camera."""


class SurfacesCourse(CountingTask, Course):
    """The settings of training questions of the config ``surface`` by level (``generators/marvl_qa/curriculum.py``)."""

    TOP_LEVEL: ClassVar[int] = HARD_LEVELS


class MotionTask(Table):
    """The settings that test and training pairs of ``transformation_hard`` share."""

    pairs_per_shard: Positive
    """Pairs of one shard, the unit of work."""
    attempts: Positive
    """Candidates for one pair before it is given up."""
    limits: MotionLimits
    """Lengths of translations, and the limit that leaves one right answer."""


class TransformationHard(MotionTask):
    """The settings of test pairs of plots with fine structure, beyond the paper.

    The answer is a rotation or reflection, a translation, or both.
    """

    pairs: Positive
    """Pairs of plots; each is shown once."""
    turned_share: Annotated[float, Field(ge=0, le=1)]
    """Share of the pairs that are turned or reflected and not translated."""


class TransformationHardCourse(MotionTask, Course):
    """The settings of training pairs of ``transformation_hard`` by level (``generators/marvl_qa/curriculum.py``)."""

    TOP_LEVEL: ClassVar[int] = HARD_LEVELS


class SurfacePairs(TransformationHard):
    """The settings of test pairs like those of ``transformation_hard``, as 3D surface plots, each with its camera."""


class SurfacePairsCourse(TransformationHardCourse):
    """The settings of training pairs of ``surface_transformation`` by level (``generators/marvl_qa/curriculum.py``)."""


#: Leaves a table that a recipe does not have out of what is published.
_MAY_BE_MISSING = Field(default=None, exclude_if=lambda table: table is None)


class SuiteRecipe(Recipe):
    """The recipe of a dataset of MaRVL-QA or its hard edition, ``suite = "marvl_qa"``; each config has a table."""

    QUOTAS = frozenset({"questions", "pairs", "maxima_share", "turned_share"})

    counting: Annotated[Annotated[Counting, TESTS] | Annotated[CountingCourse, COURSE], BY_LEVELS] | None = (
        _MAY_BE_MISSING
    )
    """Questions that count, for testing or by level for training."""
    transformation: (
        Annotated[Annotated[TransformationTask, TESTS] | Annotated[TransformationCourse, COURSE], BY_LEVELS] | None
    ) = _MAY_BE_MISSING
    """Questions on two plots, for testing or by level for training."""
    counting_hard: (
        Annotated[Annotated[CountingHard, TESTS] | Annotated[CountingHardCourse, COURSE], BY_LEVELS] | None
    ) = _MAY_BE_MISSING
    """Questions that count many small features, for testing or by level for training."""
    transformation_hard: (
        Annotated[Annotated[TransformationHard, TESTS] | Annotated[TransformationHardCourse, COURSE], BY_LEVELS] | None
    ) = _MAY_BE_MISSING
    """Questions on two plots whose fine structure decides, for testing or by level for training."""
    surface: Annotated[Annotated[Surfaces, TESTS] | Annotated[SurfacesCourse, COURSE], BY_LEVELS] | None = (
        _MAY_BE_MISSING
    )
    """Questions that count features of 3D surface plots, for testing or by level for training."""
    surface_transformation: (
        Annotated[Annotated[SurfacePairs, TESTS] | Annotated[SurfacePairsCourse, COURSE], BY_LEVELS] | None
    ) = _MAY_BE_MISSING
    """Questions on two 3D surface plots, for testing or by level for training."""

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        configs = tuple(name for name in type(self).model_fields if name not in Recipe.model_fields)
        if not any(getattr(self, name) for name in configs):
            raise ValueError(f"need at least one of the tables {', '.join(configs)}")
        return self
