"""The recipe, the settings of a dataset, of crossing curves (CurveBench, section 8)."""

from dataclasses import fields
from typing import Annotated

from pydantic import Field

from planimeter.generators.curves_maps import PlanarMapConfig
from planimeter.items.planar_map import PlanarMapLimits
from planimeter.suites.base import Recipe
from planimeter.suites.drawing.recipe import BySize, Length, Span


class PlanarMap(BySize):
    """The settings of drawings of crossing curves (CurveBench, section 8) and the limits that they must meet."""

    stroke_px: Span
    """Thinnest and widest stroke, px."""
    crossing_degrees: Length
    """Least angle between two curves at a crossing, degrees."""
    arc_px: Length
    """Least length along a curve between two crossings, px."""
    opening_px: Length
    """Least width of a face, also at its narrowest place, px."""
    face_px2: Length
    """Least area of white paper in a face, px²."""
    area_ratio: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    """Least ratio of the larger to the smaller area of two faces."""

    def config(self, nodes: tuple[int, int]) -> PlanarMapConfig:
        """Return the generator's parameters for drawings of ``nodes`` (least, greatest) curves.

        Raises:
            ValueError: if the limits are impossible.
        """
        return PlanarMapConfig(curves=nodes, **self.model_dump(include={f.name for f in fields(PlanarMapLimits)}))


class SuiteRecipe(Recipe):
    """The recipe of a dataset of crossing curves, ``suite = "curves_maps"``."""

    planar_map: PlanarMap
    """Rows of crossing curves."""
