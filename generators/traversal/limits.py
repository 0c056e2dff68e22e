"""The limits of distances, angles and size that every path has to meet, in pixels of the picture (TraversalBench, A.2).

A recipe gives the size of markers (glyphs) and of the picture (view); the limits of distances follow from these.
Contradictory limits are rejected here, before a search for a path that meets them runs for minutes. All coordinates are
multiples of 1/16 px (``LATTICE``). Their differences and cross products need at most 34 bits, so that an orientation
test in float64 is exact for every picture up to 2,048 px wide.
"""

import math
from dataclasses import dataclass

#: Lattice steps in a pixel.
LATTICE = 16

#: The widest view, px, for which float64 orientation tests on the lattice are exact with a margin.
WIDEST_VIEW = 2048

#: For smooth paths: samples on a piece between two vertices; steps of their coordinates in a pixel; and the greatest
#: smoothness, above which a piece of the spline can loop.
PIECES, STEPS, SMOOTHEST = 24, 1024, 1.5


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The limits of every path, px and degrees; the defaults are those of the recipe `traversal`.

    TraversalBench has no ``crossing_angle`` and ``crossing_gap``; without them lines could meet at a grazing angle, or
    two crossings merge into one blot.
    """

    view: int = 672
    """Side of the square picture, px."""
    margin_fraction: float = 0.06
    """Empty border, as a share of the view."""
    glyph_radius: float = 12.0
    """Radius r of a marker, px."""
    glyph_pad: float = 6.0
    """Least blank distance p between two markers, px."""
    spacing_slack: float = 10.0
    """Added to 2 r + p; the sum is the least length of segments and the least distance between vertices, px."""
    turn: float = 170.0
    """Sharpest turn, degrees."""
    extent_fraction: float = 0.75
    """Least longer side of the path's bounding box, as a share of the view."""
    crossing_angle: float = 20.0
    """Least angle of two segments that cross, degrees."""
    crossing_gap: float = 12.0
    """Least distance of two crossings, px."""
    duplicate_distance: float = 24.0
    """Least distance as shapes (``signatures``) of two paths in the same tortuosity and crossing bins, px."""

    def __post_init__(self) -> None:
        if not 64 <= self.view <= WIDEST_VIEW:
            raise ValueError(f"need 64 <= view <= {WIDEST_VIEW} px, the limit of exact arithmetic, got {self.view}")
        if not (self.glyph_radius > 0 and self.glyph_pad >= 0 and self.spacing_slack >= 0):
            raise ValueError(f"need glyph_radius > 0, glyph_pad >= 0 and spacing_slack >= 0, got {self}")
        if not self.duplicate_distance >= 0:
            raise ValueError(f"need duplicate_distance >= 0, got {self.duplicate_distance}")
        if not (0 < self.turn < 180 and 0 <= self.crossing_angle < 90 and self.crossing_gap >= 0):
            raise ValueError(f"need 0 < turn < 180, 0 <= crossing_angle < 90 and crossing_gap >= 0, got {self}")
        if not 0 <= self.margin_fraction < 0.5 or self.margin < self.glyph_radius:
            raise ValueError(
                f"a glyph on the margin would leave the picture: need margin_fraction * view >= glyph_radius, got "
                f"{self.margin_fraction} * {self.view} < {self.glyph_radius}; widen the margin or shrink the glyph"
            )
        if not 0 <= self.extent_fraction * self.view <= self.room:
            raise ValueError(
                f"extent is impossible: extent_fraction * view = {self.extent_fraction} * {self.view} px is more than "
                f"the {self.room:.2f} px inside the margins; lower extent_fraction or margin_fraction"
            )

    @property
    def margin(self) -> float:
        """Return the width of the empty border, px."""
        return self.margin_fraction * self.view

    @property
    def room(self) -> float:
        """Return the side of the square inside the margins, px."""
        return self.view - 2 * self.margin

    @property
    def spacing(self) -> float:
        """Return the least length of a segment and the least distance between vertices, px.

        It is 2 r + p + ``spacing_slack``; r is ``glyph_radius``, p is ``glyph_pad``.
        """
        return 2 * self.glyph_radius + self.glyph_pad + self.spacing_slack

    @property
    def clearance(self) -> float:
        """Return the least distance between segments that do not cross, and between a vertex and other segments, px.

        It is the diameter of a marker.
        """
        return 2 * self.glyph_radius

    @property
    def crossing_clearance(self) -> float:
        """Return the least distance from a crossing to a vertex, px: ``glyph_radius + glyph_pad``."""
        return self.glyph_radius + self.glyph_pad

    @property
    def extent(self) -> float:
        """Return the least length of the longer side of a path's bounding box, px."""
        return self.extent_fraction * self.view

    def check_points(self, n_points: int) -> None:
        """Raise an error if no path of ``n_points`` points can meet the limits.

        Raises:
            ValueError: for fewer than 3 points, or more than can be ``spacing`` px apart inside the margins.
        """
        if n_points < 3:
            raise ValueError(f"a path needs at least 3 points, got {n_points}")
        discs = n_points * math.pi * (self.spacing / 2) ** 2
        if discs > 0.9069 * (self.room + self.spacing) ** 2:
            raise ValueError(
                f"vertex spacing is impossible: {n_points} vertices {self.spacing} px apart do not fit into "
                f"{self.room:.1f} x {self.room:.1f} px; use fewer points, a wider view or smaller glyphs"
            )
