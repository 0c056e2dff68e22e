"""The cameras of 3D surface plots, used by the renderer, the check that features are visible, and the question's text.

The surface is drawn in a box with sides of 2 units along x and y and a height of ``RELIEF`` units. A camera shows it in
orthographic projection from an elevation and an azimuth, defined as in matplotlib (``Axes3D.view_init``, projection
type "ortho").
"""

from dataclasses import dataclass
from math import cos, radians, sin
from typing import Final

import numpy as np
import numpy.typing as npt

#: Height of the box; its sides are 2.
RELIEF: Final = 0.25

#: Decimals of the projection, so that it has the same figures with any library of sines.
_DECIMALS: Final = 9

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Camera:
    """A direction of view, in degrees: ``elevation`` above the ground, ``azimuth`` from the x to the y axis."""

    elevation: int
    azimuth: int

    @property
    def name(self) -> str:
        """Return the name by which rows of the dataset store the camera: ``elev 55, azim -60``."""
        return f"elev {self.elevation}, azim {self.azimuth}"

    @property
    def towards(self) -> tuple[float, float, float]:
        """Return the unit vector (x, y, up) from the surface to the camera."""
        (sin_e, cos_e), (sin_a, cos_a) = _sin_cos(self.elevation), _sin_cos(self.azimuth)
        return cos_e * cos_a, cos_e * sin_a, sin_e

    def project(self, x: Array, y: Array, height: Array) -> tuple[Array, Array]:
        """Return the screen coordinates (right, up) of points of the surface, in the units of the box.

        ``x`` and ``y`` are in [-1, 1]; ``height`` is from 0 at the bottom of the box to 1 at its top.
        """
        (sin_e, cos_e), (sin_a, cos_a) = _sin_cos(self.elevation), _sin_cos(self.azimuth)
        right = x * -sin_a + y * cos_a
        up = x * (-sin_e * cos_a) + y * (-sin_e * sin_a) + height * (RELIEF * cos_e)
        return right, up


CAMERAS: Final = tuple(Camera(elevation, azimuth) for elevation in (40, 55, 70) for azimuth in (-60, -30, 30, 60))
#: The cameras of pairs of plots. A quarter of a turn further the box looks the same but for the names of its axes. From
#: 40 degrees near bumps hide so much that what is left shows where they are high, even in a thumbnail.
PAIR_CAMERAS: Final = tuple(camera for camera in CAMERAS if camera.azimuth < 0 and camera.elevation > 40)


def _sin_cos(degrees: int) -> tuple[float, float]:
    return round(sin(radians(degrees)), _DECIMALS), round(cos(radians(degrees)), _DECIMALS)
