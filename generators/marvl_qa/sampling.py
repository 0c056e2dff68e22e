"""Sample the heights of a surface on a grid of its window, with row 0 at the top.

A window is divided into n × n cells and sampled at their centres. Coordinates are computed as centre + (i - (n - 1) /
2) * step, so that the grid of a window centred on the origin is exactly antisymmetric: the rotated array is equal to
the array of the rotated function to the last bit, which ``linspace`` and ``arange`` do not guarantee. A grid of 400
cells contains all sample points of a grid of 80, because the ratio is odd.
"""

import numpy as np
import numpy.typing as npt

from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import Domain

Grid = npt.NDArray[np.float64]

#: Points per axis of the drawn grid (MaRVL-QA, A.2).
RENDER_POINTS = 400

#: Cells of a grid whose heights are computed at once: the intermediate values of a family are many times its result,
#: and must fit in the processor's cache. A strip has a multiple of eight rows, so that it consists of whole vectors.
_STRIP = 48_000


def axes(domain: Domain, points: int, *, beyond_x: int = 0, beyond_y: int = 0) -> tuple[Grid, Grid]:
    """Return the coordinates of the cell centres of a grid on ``domain``: x as a row (1, points), left to right, and y
    as a column (points, 1), top (``y_max``) to bottom.

    ``beyond_x``, ``beyond_y``: the number of further cells beyond each end of the axis.
    """

    def steps(beyond: int) -> Grid:
        return np.arange(-beyond, points + beyond, dtype=np.float64) - (points - 1) / 2

    x = (domain.x_min + domain.x_max) / 2 + steps(beyond_x) * ((domain.x_max - domain.x_min) / points)
    y = (domain.y_min + domain.y_max) / 2 - steps(beyond_y) * ((domain.y_max - domain.y_min) / points)
    return np.asarray(x[None, :], np.float64), np.asarray(y[:, None], np.float64)


def sample(
    family: Family,
    parameters: Parameters,
    domain: Domain,
    points: int,
    *,
    shift_x: float = 0.0,
    shift_y: float = 0.0,
    beyond_x: int = 0,
    beyond_y: int = 0,
) -> Grid:
    """Return the heights of a surface f on a grid on ``domain``: float64 (points, points), row 0 at the top.

    The heights are f(x - shift_x, y - shift_y), in axis units. If ``beyond_x`` or ``beyond_y`` is positive, the grid
    along this axis consists only of that number of cells beyond each end of the domain, without the cells inside.

    Raises:
        ValueError: if a height is not finite.
    """
    x, y = axes(domain, points, beyond_x=beyond_x, beyond_y=beyond_y)
    if beyond_x:
        x = np.hstack([x[:, :beyond_x], x[:, -beyond_x:]])
    if beyond_y:
        y = np.vstack([y[:beyond_y], y[-beyond_y:]])
    heights = np.empty((y.size, x.size))
    rows = max(_STRIP // x.size // 8 * 8, 8)
    for top in range(0, y.size, rows):
        strip = slice(top, top + rows)
        heights[strip] = family.height(x - shift_x, y[strip] - shift_y, parameters)
    if not np.isfinite(heights.sum()):
        raise ValueError(
            f"{family.name}: need finite heights on {domain} moved by ({shift_x}, {shift_y}), got "
            f"{np.count_nonzero(~np.isfinite(heights))} non-finite ones with {dict(parameters)}; narrow the ranges of "
            "draw() or guard height()"
        )
    return heights
