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
    sizes: tuple[tuple[Positive, Positive], ...] = Field(min_length=1)
    canvas_px: Annotated[int, Field(ge=64, le=4096)]
    margin_px: Length
    stroke_px: Span
    crossing_degrees: Length
    arc_px: Length
    opening_px: Length
    face_px2: Length
    area_ratio: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    similarity: Annotated[float, Field(gt=0, le=1)]
    attempts: Positive
    rows_per_shard: Positive

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
    planar_map: PlanarMap
