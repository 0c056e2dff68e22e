"""The recipe of the MaRVL-QA suite: quotas, limits of the filters, and which pairs of styles are shown."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from planimeter.generators.marvl_qa.curriculum import COUNTING, TRANSFORMATION
from planimeter.recipes.base import BY_LEVELS, COURSE, TESTS, Course, Positive, Recipe, Table, require

#: A share of a range (of heights, or of the window's side).
Share = Annotated[float, Field(gt=0, lt=1)]
Bin = tuple[Positive, Positive]


class Curation(Table):
    """Limits that stand for the authors' manual review (MaRVL-QA, A.3); ``filters.marvl_qa.extrema.CurationLimits``."""

    prominence: Share
    """Least prominence of a feature that counts, as a share of the plot's range of heights."""
    ripple: Share
    """Prominence above which a sceptic counts a feature; both counts must agree. Share of the range of heights."""
    border: Share
    """Least distance of a feature from the frame, as a share of the window."""
    separation: Share
    """Least distance of two features, as a share of the window."""
    ring: Share
    """Radius of the ring around a feature that must lie lower, as a share of the window."""
    ring_drop: Share
    """By how much that ring lies lower in every direction, as a share of the range of heights."""
    definiteness: Share
    """Least ratio of the smallest to the largest curvature at a feature."""

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        require(
            (self.ripple <= self.prominence, f"need ripple <= prominence, got {self.ripple} and {self.prominence}"),
            (
                2 * self.ring <= self.separation,
                f"need 2 * ring <= separation, got ring = {self.ring} and separation = {self.separation}",
            ),
        )
        return self


class CountingTask(Table):
    """What test and training questions share."""

    questions_per_shard: Positive
    """Questions of one shard, the unit of work."""
    attempts: Positive
    """Candidates for one question before it is given up."""
    curation: Curation
    """Limits that make the count definite."""


class CountingCourse(CountingTask, Course):
    """Counting by level, for training (``generators/marvl_qa/curriculum.py``): each question in one style."""

    TOP_LEVEL: ClassVar[int] = len(COUNTING)

    styles: Literal["one"]
    """Each question is drawn in one style."""


class Counting(CountingTask):
    """Topological Counting (MaRVL-QA, section 3.2.1)."""

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


class Shifts(Table):
    """Distances of translations (MaRVL-QA, Table 6 and A.7); see ``generators.marvl_qa.transformation.ShiftRange``."""

    smallest: Share
    """Shortest shift, as a share of the axis."""
    largest: Annotated[float, Field(gt=0, le=0.25)]
    """Longest shift, as a share of the axis."""

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.smallest >= self.largest:
            raise ValueError(f"need smallest < largest, got {self.smallest} and {self.largest}")
        return self


class Ambiguity(Table):
    """Limits of Algorithm 1 (MaRVL-QA, A.4) and beyond; ``filters.marvl_qa.ambiguity.AmbiguityLimits``."""

    threshold: Share
    """NRMSE from which on two surfaces differ."""
    largest_shift: Annotated[float, Field(gt=0, le=0.25)]
    """Longest translation that a rotation is compared with, as a share of the axis."""
    prominence: Share
    """Least prominence of a feature by which a translation is seen, as a share of the range of heights."""
    border: Share
    """By how much such a feature lies inside of the frame, as a share of the window."""
    ridge_lines: Share
    """A ridge across this share of the lines of the plot is such a feature, too."""
    cliff_lines: Share
    """A discontinuity across this share of the lines of the plot is such a feature, too."""
    margin: Share
    """Distance from the threshold below which a finer grid decides."""
    cliff_margin: Share
    """The same for surfaces with cliffs."""

    @model_validator(mode="after")
    def _margins_are_below_the_threshold(self) -> Self:
        if not self.margin <= self.cliff_margin < self.threshold:
            raise ValueError(
                f"need margin <= cliff_margin < threshold, got {self.margin}, {self.cliff_margin} and {self.threshold}"
            )
        return self


class PairTask(Table):
    """What test and training pairs of plots share."""

    pairs_per_shard: Positive
    """Pairs of one shard, the unit of work."""
    attempts: Positive
    """Candidates for one pair before it is given up."""
    shifts: Shifts
    """Lengths of the translations."""
    ambiguity: Ambiguity
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
    """Transformation Recognition (MaRVL-QA, section 3.2.2).

    ``styles`` says which of the 81 pairs of styles show each pair of plots: ``one-same-one-different`` draws two rows
    (section 3.3), ``all`` makes all 81 (A.4).
    """

    pairs: Positive
    """Pairs of plots."""
    styles: Literal["one-same-one-different", "all"]
    """Two pairs of styles for each pair of plots, or all 81."""


class SuiteRecipe(Recipe):
    """A recipe with ``suite = "marvl_qa"``."""

    QUOTAS: ClassVar[frozenset[str]] = frozenset(
        {"questions", "pairs", "maxima_share", "questions_per_shard", "pairs_per_shard", "rows", "level_shares"}
    )

    suite: Literal["marvl_qa"]
    """Names the suite; it decides which tables there are."""
    counting: Annotated[Annotated[Counting, TESTS] | Annotated[CountingCourse, COURSE], BY_LEVELS]
    """Questions that count, for testing or by level for training."""
    transformation: Annotated[Annotated[TransformationTask, TESTS] | Annotated[TransformationCourse, COURSE], BY_LEVELS]
    """Questions on two plots, for testing or by level for training."""
