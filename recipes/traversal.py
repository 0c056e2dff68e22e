"""The recipe of the TraversalBench suite: the grid, the rules of a path in the picture, spurs, lanes and widths.

The tables hold the fields of the records that the generators take, under the same names; the records judge themselves,
so that a limit is refused here, with its path, and not after minutes of search.
"""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from planimeter.generators.traversal.cells import Bins, Cell, GridConfig, check_cell
from planimeter.generators.traversal.confounders import SpurLimits
from planimeter.generators.traversal.curriculum import LEVELS, level_cells
from planimeter.generators.traversal.limits import Limits
from planimeter.generators.traversal.reading_order import ReadingOrderConfig
from planimeter.recipes.base import Course, Positive, Recipe, Table, by_levels

Length = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Index = Annotated[int, Field(ge=0)]
Gray = Annotated[int, Field(ge=0, le=255)]

#: Contradictory cells that are told; the rest are of the same kind.
_TOLD = 5


class Rules(Table):
    """What every path obeys, px and degrees; see ``generators.traversal.limits.Limits``."""

    view: Positive
    margin_fraction: Length
    glyph_radius: Length
    glyph_pad: Length
    spacing_slack: Length
    turn: Length
    extent_fraction: Length
    crossing_angle: Length
    crossing_gap: Length
    seam_tile: Index
    #: Least distance of two paths of one pair of bins as shapes, px.
    duplicate_distance: Length

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        self.limits()
        return self

    def limits(self) -> Limits:
        """Return the limits of the search and of the filters."""
        return Limits(**self.model_dump(exclude={"duplicate_distance"}))


class BinEdges(Table):
    """Bins of tortuosity and of crossings; see ``generators.traversal.cells.Bins``."""

    tortuosity_edges: tuple[float, ...]
    crossing_starts: tuple[Index, ...]
    crossing_cap: Index

    @model_validator(mode="after")
    def _rise(self) -> Self:
        self.bins()
        return self

    def bins(self) -> Bins:
        """Return the bins."""
        return Bins(**self.model_dump())


class Style(Table):
    """Widths, px, and grays of the pictures; see ``rendering.traversal.TraversalStyle``."""

    line_width: Annotated[float, Field(ge=1)]
    spur_width: Annotated[float, Field(ge=1)]
    outline: Annotated[float, Field(ge=1)]
    ink: Gray
    spur_gray: Gray

    @model_validator(mode="after")
    def _spurs_stand_apart(self) -> Self:
        if not self.ink + 60 < self.spur_gray <= 240:
            raise ValueError(
                f"spurs must stand apart from path and paper: need ink + 60 < spur_gray <= 240, got ink = {self.ink} "
                f"and spur_gray = {self.spur_gray}"
            )
        return self


class PathTask(Table):
    """What test and training paths share.

    ``steps`` is the work of a search for one path, in annealing steps; ``attempts`` how many paths are found before
    their pictures are given up.
    """

    items_per_shard: Positive
    steps: Positive
    attempts: Positive


class BaseCourse(PathTask, Course):
    """Paths by level, for training (``generators/traversal/curriculum.py``); none has spurs."""

    @model_validator(mode="after")
    def _has_a_share_for_each_level(self) -> Self:
        self.check_shares(len(LEVELS))
        return self


class Base(PathTask):
    """The grid (TraversalBench, section 2.1): ``items_per_cell`` paths, the first ``sources_per_cell`` with spurs too.

    ``skipped`` are (tortuosity bin, crossing bin) that no search has reached.
    """

    points: tuple[Positive, ...]
    skipped: tuple[tuple[Index, Index], ...]
    items_per_cell: Positive
    sources_per_cell: Index

    @model_validator(mode="after")
    def _is_a_grid(self) -> Self:
        if self.sources_per_cell > self.items_per_cell:
            raise ValueError(
                f"need sources_per_cell <= items_per_cell, got {self.sources_per_cell} and {self.items_per_cell}"
            )
        GridConfig(points=self.points)
        return self


class Confounded(Table):
    """The gray spurs, px and degrees; see ``generators.traversal.confounders.SpurLimits``."""

    length: tuple[Length, Length]
    to_path: Length
    to_spur: Length
    to_crossing: Length
    to_glyph: Length
    least_angle: Length
    low: tuple[Positive, Positive]
    high: tuple[Positive, Positive]
    attempts: Positive

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        self.spurs()
        return self

    def spurs(self) -> SpurLimits:
        """Return the limits of the spurs."""
        return SpurLimits(**self.model_dump())


class ReadingOrder(Table):
    """Lanes (TraversalBench, section 4.3): ``items_per_group`` paths for each regime, lane count and point count."""

    lanes: tuple[Positive, ...]
    points: tuple[Positive, ...]
    items_per_group: Positive
    items_per_shard: Positive
    attempts: Positive


class SuiteRecipe(Recipe):
    """A recipe with ``suite = "traversal"``."""

    QUOTAS: ClassVar[frozenset[str]] = frozenset(
        {
            *("points", "skipped", "lanes"),
            *("items_per_cell", "sources_per_cell", "items_per_group", "items_per_shard"),
            *("rows", "level_shares"),
        }
    )

    suite: Literal["traversal"]
    rules: Rules
    bins: BinEdges
    style: Style
    base: Annotated[Base | BaseCourse, BeforeValidator(by_levels(Base, BaseCourse))]
    #: Both are asked for beside the grid, and not beside training levels.
    confounded: Confounded | None = None
    reading_order: ReadingOrder | None = None

    @model_validator(mode="after")
    def _has_the_tables_that_belong_together(self) -> Self:
        for name in ("confounded", "reading_order"):
            if (getattr(self, name) is None) == isinstance(self.base, Base):
                need = "need the table beside a grid" if isinstance(self.base, Base) else "there is none in training"
                raise ValueError(f"{name}: {need}")
        return self

    @model_validator(mode="after")
    def _rules_can_hold(self) -> Self:
        if self.reading_order is not None:
            self.lanes()
        faults = self._contradictions()
        if faults:
            more = f"; and {len(faults) - _TOLD} more" if len(faults) > _TOLD else ""
            raise ValueError("; ".join(faults[:_TOLD]) + more)
        if self.style.outline + 1 > self.rules.glyph_radius / 2:
            raise ValueError(
                f"a glyph with radius {self.rules.glyph_radius} px and an outline of {self.style.outline} px shows too "
                "little colour: need outline + 1 <= glyph_radius / 2"
            )
        return self

    def cells(self) -> tuple[Cell, ...]:
        """Return the cells of the grid in the order of points, tortuosity bin, crossing bin; none of training paths."""
        if isinstance(self.base, BaseCourse):
            return ()
        return GridConfig(bins=self.bins.bins(), points=self.base.points, skipped=self.base.skipped).cells()

    def course(self, level: int) -> tuple[Cell, ...]:
        """Return the cells of ``level``, 1 to 8; none of a grid."""
        return level_cells(level) if isinstance(self.base, BaseCourse) else ()

    def spurs(self) -> SpurLimits:
        """Return the limits of the spurs; those of the release where the recipe asks for none."""
        return self.confounded.spurs() if self.confounded else SpurLimits()

    def lanes(self) -> ReadingOrderConfig:
        """Return what the reading-order paths are a function of, besides their seeds. Raises ``ValueError`` if the
        recipe asks for none.
        """
        if self.reading_order is None:
            raise ValueError(f"{self.dataset} has no table reading_order")
        return ReadingOrderConfig(
            lanes=self.reading_order.lanes,
            points=self.reading_order.points,
            quota=self.reading_order.items_per_group,
            bins=self.bins.bins(),
            limits=self.rules.limits(),
        )

    def tables_of(self, config: str) -> tuple[str, ...]:
        """Return the names of the tables that decide what the shards of ``config`` hold."""
        own = ("base", "confounded") if config == "base" and self.confounded else (config,)
        return ("rules", "bins", "style", *own)

    def _contradictions(self) -> list[str]:
        limits, bins = self.rules.limits(), self.bins.bins()
        faults: list[str] = []
        for cell in (*self.cells(), *(cell for level in range(1, len(LEVELS) + 1) for cell in self.course(level))):
            try:
                check_cell(cell, bins, limits)
            except ValueError as error:
                faults.append(str(error))
        return list(dict.fromkeys(faults))
