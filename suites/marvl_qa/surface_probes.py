"""The baselines (reference models) of 3D surface plots, and the inputs of the probes, which search for shortcuts."""

from typing import Final

import cv2
import numpy as np

from planimeter.evals.baselines.solver import Reader
from planimeter.evals.probes.part import Part, columns, shrunk_by
from planimeter.filters.certify.marvl_qa import surface, surface_motions
from planimeter.filters.certify.marvl_qa.reading import UnreadableError
from planimeter.filters.certify.png import Pixels, decoded
from planimeter.filters.certify.readable import shown_at
from planimeter.items.values import Row
from planimeter.suites.marvl_qa.thumbnails import peaks

#: The part of a picture with the surface: rows and columns in px; and the least grey of paper.
SURFACE_PLOT: Final = (slice(20, 620), slice(40, 640))
PAPER: Final = 254
#: Side of that part, px.
SIDE: Final = 600


class SurfaceCertificate(Reader):
    """A baseline that answers with the count of the certifier of ``surface``."""

    columns = ("image", "feature")
    slow = True

    def read(self, row: Row) -> str:
        return surface.certify(row["image"]["bytes"], row["feature"]).answer or ""


class ThumbnailSurface(Reader):
    """A baseline that counts the prominent extrema in a thumbnail of the surface.

    The white background around the surface is first filled with the most frequent grey of the surface.
    """

    columns = ("image", "feature")
    slow = True
    sized = True

    def read(self, row: Row) -> str:
        picture = decoded(row["image"]["bytes"], cv2.IMREAD_GRAYSCALE)
        if picture is None:
            return ""
        plot = picture[SURFACE_PLOT]
        ground = np.bincount(plot.ravel(), minlength=256)[:PAPER].argmax()
        plot = np.where(plot >= PAPER, ground, plot).astype(np.uint8)
        small = cv2.resize(plot, (self.size, self.size), interpolation=cv2.INTER_AREA)
        return str(peaks(np.asarray(small, np.float32), row["feature"]))


class SurfaceMotionCertificate(Reader):
    """A baseline that answers with the option that the certifier of ``surface_transformation`` finds."""

    columns = ("image", "options")
    slow = True

    def read(self, row: Row) -> str:
        return surface_motions.certify(row["image"]["bytes"], row["options"]).answer or ""


class ThumbnailSurfaceMotion(Reader):
    """A baseline that answers with the motion that makes a thumbnail of surface A most similar to that of surface B.

    It gets the cameras and the colour keys from the picture in full size.
    """

    columns = ("image", "options")
    slow = True
    sized = True

    def read(self, row: Row) -> str:
        picture = decoded(row["image"]["bytes"])
        if picture is None:
            return ""
        try:
            maps = surface_motions.maps_of(self._thumbnail(half) for half in np.split(picture, 2, axis=1))
            residuals = surface_motions.residuals(*maps)
        except UnreadableError:
            return ""
        return str(row["options"].index(min(residuals, key=residuals.__getitem__)) + 1)

    def _thumbnail(self, half: Pixels) -> surface_motions.PixelReading:
        small = np.full_like(half, 255)
        small[SURFACE_PLOT] = shown_at(half[SURFACE_PLOT], self.size / SIDE, "area")
        return *surface.heights_near(small, surface.key_of(half)), surface.camera_of(half.max(axis=2))


VIEW = columns("elevation", "azimuth", "mesh", "colormap")
PART = Part(
    guesses="count",
    targets=lambda rows: [str(row["count"]) for row in rows],
    stratum=lambda row: str(row["family"]),
    metrics=("accuracy", "relaxed_10", "relaxed_20"),
    style=VIEW,
    blind={"view": VIEW, "tick labels": columns("x_min", "x_max", "y_min", "y_max")},
    shrunk=shrunk_by(surface.read_count, "feature"),
    constants=20,
    pixels=(8, 16, 24, 32, 48),
)
