"""The recipe, the settings of a dataset, of TraversalBench: numbers of paths, limits of paths and spurs, stroke widths.

The tables of limits are the dataclasses that generators, filters and the renderer use; they validate themselves, so
that an impossible limit is rejected here with the path of its key, and not after minutes of search.
"""

from dataclasses import replace
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from planimeter.generators.traversal.cells import Bins, Cell, check_cell, grid_cells
from planimeter.generators.traversal.confounders import SpurLimits
from planimeter.generators.traversal.curriculum import LEVELS, level_cells
from planimeter.generators.traversal.limits import SMOOTHEST, Limits
from planimeter.generators.traversal.reading_order import check_lanes
from planimeter.rendering.traversal import TraversalStyle
from planimeter.suites.base import BY_LEVELS, COURSE, TESTS, Course, Positive, Recipe, Table, require

Length = Annotated[float, Field(ge=0, le=1e9)]
Index = Annotated[int, Field(ge=0)]

#: The largest number of impossible cells in a message.
_LISTED = 5


class PathTask(Table):
    """The settings that test and training paths share: search steps, tries per path, and paths per shard."""

    items_per_shard: Positive
    """Paths of one shard, the unit of work."""
    steps: Positive
    """Annealing steps of the search for one path."""
    attempts: Positive
    """Paths that are tried for one item, if checks reject their pictures."""


class BaseCourse(PathTask, Course):
    """The settings of training paths by level (``generators/traversal/curriculum.py``); none has spurs."""

    TOP_LEVEL: ClassVar[int] = len(LEVELS)


class Grid(PathTask):
    """The settings of test paths, equally many for each cell: a number of points, range of tortuosity and of crossings.

    The ranges are those of TraversalBench, section 2.1; ``skipped``: pairs of ranges in which no path was found.
    """

    points: tuple[Positive, ...]
    """Numbers of vertices."""
    skipped: tuple[tuple[Index, Index], ...]
    """Pairs of tortuosity bin and crossing bin, 0-based, that are left out."""
    items_per_cell: Positive
    """Paths of each cell."""

    @model_validator(mode="after")
    def _is_a_grid(self) -> Self:
        if not self.points or sorted(set(self.points)) != list(self.points):
            raise ValueError(f"need increasing points without repetition, got {self.points}")
        return self


class Base(Grid):
    """The settings of test paths of straight segments, some of which also have rows with spurs, distracting strokes."""

    sources_per_cell: Index
    """Paths of each cell that also have rows with spurs."""

    @model_validator(mode="after")
    def _has_its_sources(self) -> Self:
        if self.sources_per_cell > self.items_per_cell:
            raise ValueError(
                f"need sources_per_cell <= items_per_cell, got {self.sources_per_cell} and {self.items_per_cell}"
            )
        return self


class Dial(Table):
    """The smoothness values of smooth paths (``generators.traversal.smooth``), and extra clearance in the search."""

    smoothness: tuple[Annotated[float, Field(gt=0, le=SMOOTHEST)], ...]
    """Smoothness of each drawing, increasing; see ``generators.traversal.smooth``."""
    slack: Length
    """Additional clearance in the search, because curves deviate from straight segments, px."""

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if not self.smoothness or sorted(set(self.smoothness)) != list(self.smoothness):
            raise ValueError(f"need increasing smoothness values without repetition, got {self.smoothness}")
        return self


class Curved(Grid, Dial):
    """The settings of test paths, each drawn once with straight segments, and once for each smoothness."""


class CurvedCourse(BaseCourse, Dial):
    """The settings of smooth training paths by level: each is drawn once, at one smoothness.

    The levels are those of ``base``, without the pairs of ranges ``skipped``, where smooth paths do not meet the rules.
    """

    skipped: tuple[tuple[Index, Index], ...]
    """Pairs of tortuosity bin and crossing bin, 0-based, that are left out."""


class ReadingOrder(Table):
    """The settings of test paths in lanes that all run in one direction, like lines of text (TraversalBench, 4.3)."""

    lanes: tuple[Positive, ...] = Field(min_length=1)
    """Numbers of lanes."""
    points: tuple[Positive, ...] = Field(min_length=1)
    """Numbers of vertices."""
    items_per_group: Positive
    """Paths for each regime, number of lanes and number of vertices."""
    items_per_shard: Positive
    """Paths of one shard, the unit of work."""
    attempts: Positive
    """Candidates that are tried for one path."""


class SuiteRecipe(Recipe):
    """The recipe of a dataset of test or training paths, of straight segments or smooth, ``suite = "traversal"``."""

    QUOTAS = frozenset({"points", "skipped", "lanes", "items_per_cell", "sources_per_cell", "items_per_group"})

    rules: Limits
    """Limits that every path must meet."""
    bins: Bins
    """Bins of tortuosity and of crossings."""
    style: TraversalStyle
    """Widths and grays of the pictures."""
    base: Annotated[Annotated[Base, TESTS] | Annotated[BaseCourse, COURSE], BY_LEVELS] | None = None
    """Paths on a grid of difficulty, or by level for training."""
    #: This table and the next one are required with a grid, and not allowed with training levels.
    confounded: SpurLimits | None = None
    """Gray spurs on the paths of the grid."""
    reading_order: ReadingOrder | None = None
    """Paths that run in lanes."""
    curved: Annotated[Annotated[Curved, TESTS] | Annotated[CurvedCourse, COURSE], BY_LEVELS] | None = Field(
        default=None, exclude_if=lambda found: found is None
    )
    """Smooth paths, on a grid of difficulty or by level for training."""

    @model_validator(mode="after")
    def _has_the_tables_that_belong_together(self) -> Self:
        if not (self.base or self.curved):
            raise ValueError("need at least one of the tables base, curved")
        for name in ("confounded", "reading_order"):
            if (getattr(self, name) is None) == isinstance(self.base, Base):
                rule = "required if" if isinstance(self.base, Base) else "allowed only if"
                raise ValueError(f"{name}: this table is {rule} the table base has a grid of test paths")
        return self

    @model_validator(mode="after")
    def _rules_can_hold(self) -> Self:
        if order := self.reading_order:
            for n_points in order.points:
                check_lanes(max(order.lanes), n_points, self.rules)
        faults = self._contradictions()
        more = f"; and {len(faults) - _LISTED} more" if len(faults) > _LISTED else ""
        radius, outline = self.rules.glyph_radius, self.style.outline
        require(
            (not faults, "; ".join(faults[:_LISTED]) + more),
            (
                outline + 1 <= radius / 2,
                f"need outline + 1 <= glyph_radius / 2, got an outline of {outline} px and a glyph_radius of {radius} "
                "px: the glyph would show too little colour",
            ),
        )
        return self

    def cells(self, config: str = "base") -> tuple[Cell, ...]:
        """Return the cells of the test grid of ``config``: (points, range of tortuosity, range of crossings), sorted.

        The result is empty if the config is for training.
        """
        grid = getattr(self, config)
        if not isinstance(grid, Grid):
            return ()
        return grid_cells(self.bins, grid.points, grid.skipped)

    def course(self, level: int, config: str = "base") -> tuple[Cell, ...]:
        """Return the cells, as in ``cells``, of training level ``level`` (1 to 8); empty if ``config`` is for tests."""
        table = getattr(self, config)
        skipped = table.skipped if isinstance(table, CurvedCourse) else ()
        cells = level_cells(level) if isinstance(table, BaseCourse) else ()
        return tuple(cell for cell in cells if (cell.tortuosity_bin, cell.crossing_bin) not in skipped)

    def searched(self, config: str) -> Limits:
        """Return the limits for the search of paths of ``config``; for smooth paths they are stricter than the rules.

        A smooth curve deviates from the path of straight segments that the search finds.
        """
        limits = self.rules
        if config != "curved" or self.curved is None:
            return limits
        slack = self.curved.slack
        return replace(
            limits,
            glyph_radius=limits.glyph_radius + slack,
            spacing_slack=max(0.0, limits.spacing_slack - 2 * slack),
            crossing_gap=limits.crossing_gap + slack,
            margin_fraction=limits.margin_fraction + 2 * slack / limits.view,
        )

    @property
    def spurs(self) -> SpurLimits:
        """The limits of spurs (distracting strokes), by default those of the released dataset."""
        return self.confounded or SpurLimits()

    def tables_of(self, config: str) -> tuple[str, ...]:
        """Return the names of the recipe's tables on which the items of ``config`` depend."""
        tables = ("base", "confounded") if config == "base" and self.confounded else (config,)
        return ("rules", "bins", "style", *tables)

    def _contradictions(self) -> list[str]:
        bins = self.bins
        faults: list[str] = []
        for config in ("base", "curved"):
            trained = (cell for level in range(1, len(LEVELS) + 1) for cell in self.course(level, config))
            for cell in (*self.cells(config), *trained):
                try:
                    check_cell(cell, bins, self.searched(config))
                except ValueError as error:
                    faults.append(str(error))
        return list(dict.fromkeys(faults))
