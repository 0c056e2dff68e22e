"""The recipe of the TraversalBench suite: the grid, the rules of a path in the picture, spurs, lanes and widths.

The tables of limits are the records that the generators, the filters and the renderer take; they judge themselves, so
that a limit is refused here, with its path, and not after minutes of search.
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

#: The most contradictory cells that are listed; the rest are of the same kind.
_LISTED = 5


class PathTask(Table):
    """Settings that paths for testing and for training have in common."""

    items_per_shard: Positive
    """Paths of one shard, the unit of work."""
    steps: Positive
    """Annealing steps of the search for one path."""
    attempts: Positive
    """Paths that are found before their pictures are given up."""


class BaseCourse(PathTask, Course):
    """Paths by level, for training (``generators/traversal/curriculum.py``); none has spurs."""

    TOP_LEVEL: ClassVar[int] = len(LEVELS)


class Grid(PathTask):
    """Cells (TraversalBench, section 2.1), but those that no search has reached."""

    points: tuple[Positive, ...]
    """Numbers of vertices."""
    skipped: tuple[tuple[Index, Index], ...]
    """Pairs of tortuosity bin and crossing bin, 0-based, that are left out."""
    items_per_cell: Positive
    """Paths of each cell."""

    @model_validator(mode="after")
    def _is_a_grid(self) -> Self:
        if not self.points or sorted(set(self.points)) != list(self.points):
            raise ValueError(f"need points that rise and do not repeat, got {self.points}")
        return self


class Base(Grid):
    """The grid, of whose paths the first ``sources_per_cell`` of each cell have spurs too."""

    sources_per_cell: Index
    """Paths of each cell that are drawn with spurs, too."""

    @model_validator(mode="after")
    def _has_its_sources(self) -> Self:
        if self.sources_per_cell > self.items_per_cell:
            raise ValueError(
                f"need sources_per_cell <= items_per_cell, got {self.sources_per_cell} and {self.items_per_cell}"
            )
        return self


class Dial(Table):
    """The smoothness of bent paths (``generators.traversal.smooth``), and the space that the search leaves for it."""

    smoothness: tuple[Annotated[float, Field(gt=0, le=SMOOTHEST)], ...]
    """How round the bends are, least first."""
    slack: Length
    """Further distance of lines that the search keeps for bends, px."""

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if not self.smoothness or sorted(set(self.smoothness)) != list(self.smoothness):
            raise ValueError(f"need smoothness that rises and does not repeat, got {self.smoothness}")
        return self


class Curved(Grid, Dial):
    """Paths that are drawn straight and at each ``smoothness`` of the dial, all of them one pair."""


class CurvedCourse(BaseCourse, Dial):
    """Bent paths by level, for training: each is drawn once, at any ``smoothness`` of the dial.

    ``skipped`` as in a grid: the levels are those of straight paths, of which not all can bend.
    """

    skipped: tuple[tuple[Index, Index], ...]
    """Pairs of tortuosity bin and crossing bin, 0-based, that are left out."""


class ReadingOrder(Table):
    """Lanes (TraversalBench, section 4.3): ``items_per_group`` paths for each regime, lane count and point count."""

    lanes: tuple[Positive, ...] = Field(min_length=1)
    """Numbers of lanes."""
    points: tuple[Positive, ...] = Field(min_length=1)
    """Numbers of vertices."""
    items_per_group: Positive
    """Paths for each regime, number of lanes and number of vertices."""
    items_per_shard: Positive
    """Paths of one shard, the unit of work."""
    attempts: Positive
    """Candidates for one path before it is given up."""


class SuiteRecipe(Recipe):
    """A recipe with ``suite = "traversal"``."""

    QUOTAS = frozenset({"points", "skipped", "lanes", "items_per_cell", "sources_per_cell", "items_per_group"})

    rules: Limits
    """What every path obeys."""
    bins: Bins
    """Bins of tortuosity and of crossings."""
    style: TraversalStyle
    """Widths and grays of the pictures."""
    base: Annotated[Annotated[Base, TESTS] | Annotated[BaseCourse, COURSE], BY_LEVELS] | None = None
    """Paths on a grid of difficulty, or by level for training."""
    #: Both need the grid, and exclude training levels.
    confounded: SpurLimits | None = None
    """Gray spurs on the paths of the grid."""
    reading_order: ReadingOrder | None = None
    """Paths that run in lanes."""
    curved: Annotated[Annotated[Curved, TESTS] | Annotated[CurvedCourse, COURSE], BY_LEVELS] | None = Field(
        default=None, exclude_if=lambda found: found is None
    )
    """Paths that bend, on a grid of difficulty or by level for training."""

    @model_validator(mode="after")
    def _has_the_tables_that_belong_together(self) -> Self:
        if not (self.base or self.curved):
            raise ValueError("need a table base or curved")
        for name in ("confounded", "reading_order"):
            if (getattr(self, name) is None) == isinstance(self.base, Base):
                need = "need the table beside a grid" if isinstance(self.base, Base) else "there is none in training"
                raise ValueError(f"{name}: {need}")
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
                f"a glyph with radius {radius} px and an outline of {outline} px shows too little colour: need outline "
                "+ 1 <= glyph_radius / 2",
            ),
        )
        return self

    def cells(self, config: str = "base") -> tuple[Cell, ...]:
        """Return the cells of the grid of ``config`` in the order of points, tortuosity bin, crossing bin; none of
        training paths.
        """
        grid = getattr(self, config)
        if not isinstance(grid, Grid):
            return ()
        return grid_cells(self.bins, grid.points, grid.skipped)

    def course(self, level: int, config: str = "base") -> tuple[Cell, ...]:
        """Return the cells of ``level`` of ``config``, 1 to 8; none of a grid."""
        table = getattr(self, config)
        skipped = table.skipped if isinstance(table, CurvedCourse) else ()
        cells = level_cells(level) if isinstance(table, BaseCourse) else ()
        return tuple(cell for cell in cells if (cell.tortuosity_bin, cell.crossing_bin) not in skipped)

    def searched(self, config: str) -> Limits:
        """Return the limits of the search for paths of ``config``, tighter than the rules if paths need space."""
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
        """The limits of the spurs; those of the release if the recipe has none."""
        return self.confounded or SpurLimits()

    def tables_of(self, config: str) -> tuple[str, ...]:
        """Return the names of the tables that decide the shards of ``config``."""
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
