"""Counts extrema in thumbnails, for baselines that see only a thumbnail of a picture."""

from typing import Final

import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.marvl_qa.summits import persistences
from planimeter.items import Feature

Thumbnail = npt.NDArray[np.float32]

#: A summit counts if it rises so far above the pass to a higher one, as a share of the thumbnail's range.
STANDS_OUT: Final = 0.1
_THRESHOLDS: Final = np.linspace(0.0, 1.0, 33)


def peaks(thumbnail: Thumbnail, feature: Feature) -> int:
    """Return the number of maxima, or minima, in ``thumbnail`` whose prominence is at least a tenth of its range."""
    heights = -thumbnail if feature == "minima" else thumbnail
    heights = (heights - heights.min()) / max(float(np.ptp(heights)), 1.0)
    return int(np.count_nonzero(persistences(heights, _THRESHOLDS) >= STANDS_OUT))
