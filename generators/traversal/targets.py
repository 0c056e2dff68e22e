"""From the limits and bins of a cell to the vector of numbers that the kernels compare with."""

import math

import numpy as np

from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.kernels import (
    BOX_HIGH,
    BOX_LOW,
    CLEARANCE,
    CROSSING_CLEARANCE,
    CROSSING_GAP,
    CROSSING_SINE,
    CROSSINGS_HIGH,
    CROSSINGS_LOW,
    EXTENT,
    SEAM_CLEARANCE,
    SEAM_TILE,
    SLOTS,
    SPACING,
    TORTUOSITY_HIGH,
    TORTUOSITY_LOW,
    TURN_COSINE,
    Floats,
)
from planimeter.generators.traversal.limits import Limits

#: Raise of every length limit, px, and relative inset of the tortuosity bin.
SLACK = 0.02
TORTUOSITY_INSET = 0.002


def targets(cell: Cell, bins: Bins, limits: Limits) -> Floats:
    """Return the vector of targets of ``cell``: limits in px, sines and cosines, ranges of the two bins."""
    low, high = bins.tortuosity_range(cell.tortuosity_bin)
    fewest, most = bins.crossing_range(cell.crossing_bin)
    vector = np.zeros(SLOTS)
    vector[SPACING] = limits.spacing + SLACK
    vector[CLEARANCE] = limits.clearance + SLACK
    vector[CROSSING_CLEARANCE] = limits.crossing_clearance + SLACK
    vector[CROSSING_SINE] = round(math.sin(math.radians(limits.crossing_angle + 0.05)), 9)
    vector[CROSSING_GAP] = limits.crossing_gap + SLACK
    vector[TURN_COSINE] = round(math.cos(math.radians(limits.turn - 0.05)), 9)
    vector[TORTUOSITY_LOW] = low * (1 + TORTUOSITY_INSET) if low > 1 else 1.0
    vector[TORTUOSITY_HIGH] = high * (1 - TORTUOSITY_INSET)
    vector[CROSSINGS_LOW], vector[CROSSINGS_HIGH] = fewest, most
    vector[BOX_LOW], vector[BOX_HIGH] = limits.margin, limits.view - limits.margin
    vector[EXTENT] = limits.extent + SLACK
    vector[SEAM_TILE], vector[SEAM_CLEARANCE] = limits.seam_tile, limits.seam_clearance + SLACK
    return vector
