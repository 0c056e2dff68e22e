"""From the limits and bins of a cell to the numbers that the kernels compare with."""

import math

from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.kernels import Target
from planimeter.generators.traversal.limits import Limits

#: Raise of every length limit, px, and relative inset of the tortuosity bin.
SLACK = 0.02
TORTUOSITY_INSET = 0.002


def targets(cell: Cell, bins: Bins, limits: Limits) -> Target:
    """Return the targets of ``cell``."""
    low, high = bins.tortuosity_range(cell.tortuosity_bin)
    fewest, most = bins.crossing_range(cell.crossing_bin)
    return Target(
        spacing=limits.spacing + SLACK,
        clearance=limits.clearance + SLACK,
        crossing_clearance=limits.crossing_clearance + SLACK,
        crossing_sine=round(math.sin(math.radians(limits.crossing_angle + 0.05)), 9),
        crossing_gap=limits.crossing_gap + SLACK,
        turn_cosine=round(math.cos(math.radians(limits.turn - 0.05)), 9),
        tortuosity_low=low * (1 + TORTUOSITY_INSET) if low > 1 else 1.0,
        tortuosity_high=high * (1 - TORTUOSITY_INSET),
        crossings_low=float(fewest),
        crossings_high=float(most),
        box_low=limits.margin,
        box_high=limits.view - limits.margin,
        extent=limits.extent + SLACK,
        seam_tile=float(limits.seam_tile),
        seam_clearance=limits.seam_clearance + SLACK,
    )
