"""The checks of rows of crossing curves.

Crossings, faces and adjacency are computed again from the stored vertices, and the number of faces also by Euler's
formula.
"""

from collections.abc import Iterator
from dataclasses import fields

import numpy as np

from planimeter.export.checks import broken_rules, differing
from planimeter.filters.curves_maps import judge
from planimeter.items.planar_map import PlanarMapItem, PlanarMapLimits
from planimeter.items.values import Row
from planimeter.suites.curves_maps.rows import COLUMNS, derived
from planimeter.suites.drawing.checks import DrawingsChecker


class CurvesMapsChecker(DrawingsChecker):
    """The checks of rows of crossing curves: drawings obey the recipe's limits, and columns match the planar map."""

    columns = COLUMNS
    certified_by = "planar-map-components"
    size = "num_curves"

    def faults(self, config: str, row: Row) -> Iterator[str]:
        """Yield a line for each contradiction between columns of ``row``, and for each limit that its curves break."""
        yield from super().faults(config, row)
        limits = PlanarMapLimits(**{field.name: self.table(config)[field.name] for field in fields(PlanarMapLimits)})
        item = PlanarMapItem(
            curves=tuple(np.array(curve, np.float64) for curve in row["curves"]),
            areas=tuple(row["areas"]),
            adjacent=tuple(map(tuple, row["adjacent"])),
            canvas_px=limits.canvas_px,
            stroke_px=row["stroke_px"],
            seed=0,
        )
        drawn, verdicts = judge(item, limits)
        yield from broken_rules(verdicts)
        if drawn and all(verdict.kept for verdict in verdicts if verdict.check == "map"):
            yield from differing(row, derived(item, drawn), "these curves")


checker = CurvesMapsChecker
