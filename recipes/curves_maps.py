"""The recipe of the suite of crossing curves, whose planar map is asked for: rows, limits, what is alike."""

from dataclasses import fields
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from planimeter.generators.curves_maps.candidates import PlanarMapConfig
from planimeter.recipes.base import Positive, Recipe, Table
from planimeter.recipes.curves import Length, Span, Splits, check_sizes


class PlanarMap(Table):
    """Crossing curves (CurveBench, section 8). ``sizes`` and ``similarity`` are as in a category; for the lengths, the
    angle and the areas see ``generators.curves_maps.candidates.PlanarMapConfig``. The rules judge by the same limits.
    """

    splits: Splits
    """Rows of each split."""
    sizes: tuple[tuple[Positive, Positive], ...] = Field(min_length=1)
    """Ranges of the number of curves, which share the rows evenly."""
    canvas_px: Annotated[int, Field(ge=64, le=4096)]
    """Side of the square picture, px."""
    margin_px: Length
    """Margin that the layout keeps free, px."""
    stroke_px: Span
    """Thinnest and widest stroke, px."""
    crossing_degrees: Length
    """Least angle of two curves where they cross, degrees."""
    arc_px: Length
    """Least length along a curve between two crossings, px."""
    opening_px: Length
    """Least width of a face, necks included, px."""
    face_px2: Length
    """Least white paper in a face, px²."""
    area_ratio: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    """Least ratio of the areas of two faces."""
    similarity: Annotated[float, Field(gt=0, le=1)]
    """From this similarity on, 0 to 1, two drawings are duplicates."""
    attempts: Positive
    """Candidates for one row before it is given up."""
    rows_per_shard: Positive
    """Rows of one shard, the unit of work."""

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        check_sizes(self.sizes)
        for curves in self.sizes:
            self.config(curves)
        return self

    def config(self, curves: tuple[int, int]) -> PlanarMapConfig:
        """Return what is asked of an arrangement of that many curves. Raises ``ValueError`` if none can be read."""
        names = {field.name for field in fields(PlanarMapConfig)} - {"curves"}
        return PlanarMapConfig(curves=curves, **self.model_dump(include=names))


class SuiteRecipe(Recipe):
    """A recipe with ``suite = "curves_maps"``."""

    QUOTAS: ClassVar[frozenset[str]] = frozenset({"splits", "similarity", "rows_per_shard"})

    suite: Literal["curves_maps"]
    """Names the suite; it decides which tables there are."""
    planar_map: PlanarMap
    """Curves that cross."""
