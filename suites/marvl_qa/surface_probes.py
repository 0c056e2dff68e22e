"""The baselines of the config ``surface``, and the inputs of its probes."""

from typing import Final

import cv2
import numpy as np

from planimeter.evals.baselines.solver import Reader
from planimeter.evals.probes.part import Part, columns, shrunk_by
from planimeter.filters.certify.marvl_qa import surface
from planimeter.filters.certify.png import decoded
from planimeter.items.values import Row
from planimeter.suites.marvl_qa.thumbnails import peaks

#: The part of a picture with the surface: rows and columns in px; and the least grey of paper.
SURFACE_PLOT: Final = (slice(20, 620), slice(40, 640))
PAPER: Final = 254


class SurfaceCertificate(Reader):
    """The count of the certifier of ``surface``."""

    columns = ("image", "feature")
    slow = True

    def read(self, row: Row) -> str:
        return surface.certify(row["image"]["bytes"], row["feature"]).answer or ""


class ThumbnailSurface(Reader):
    """The number of prominent extrema in a thumbnail, with the paper at the most frequent height of the surface."""

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
