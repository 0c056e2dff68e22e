"""Sums of axis-parallel Gaussians: separable, so a grid costs two exponentials in one variable a term.

The terms are numbered from 1: centre (x1, y1), widths u1 and v1, height a1; ``n`` is how many there are. Widths follow
the distance to the nearest neighbour, so that every bump has a separate summit at least a tenth of the range above
the saddles around it.
"""

from collections.abc import Sequence

import numba
import numpy as np

from planimeter.generators.marvl_qa.families._drawing import nearest, rounded, scattered, uniform
from planimeter.generators.marvl_qa.families._frame import BELL, Array, around
from planimeter.generators.marvl_qa.families._printing import bell, scaled, total
from planimeter.generators.marvl_qa.family import Parameters
from planimeter.items import Domain

HALF_WIDTH = 5.0
#: No bump is wider than this, however far its neighbours; near the border it is slimmer, so that the window shows it.
WIDEST = 1.9


def draw(rng: np.random.Generator, count: int) -> Parameters:
    """Return the parameters of a mixture of ``count`` bumps scattered over [-4.2, 4.2]**2."""
    points = scattered(rng, count, 4.2 if count > 4 else 3.0)
    return terms(rng, points, [1] * count)


def terms(rng: np.random.Generator, points: Sequence[tuple[float, float]], signs: Sequence[int]) -> Parameters:
    """Return the parameters of the mixture with bumps (sign 1) and hollows (sign -1) at ``points``."""
    p: dict[str, float] = {"n": float(len(points))}
    for i, (point, sign) in enumerate(zip(points, signs, strict=True), start=1):
        room = min(nearest(point, [q for q in points if q != point]), WIDEST / 0.36)
        p |= {f"x{i}": point[0], f"y{i}": point[1], f"a{i}": sign * uniform(rng, 0.65, 1.0)}
        for width, place in (("u", point[0]), ("v", point[1])):
            p[f"{width}{i}"] = rounded(min(rng.uniform(0.24, 0.36) * room, 0.7 * (HALF_WIDTH - abs(place))), 2)
    return p


def outline(p: Parameters) -> Domain:
    """Return the box of the bumps and hollows, down to a twentieth of their heights."""
    ends = {
        axis: [(p[f"{axis}{i}"], BELL * p[f"{width}{i}"]) for i in range(1, int(p["n"]) + 1)]
        for axis, width in (("x", "u"), ("y", "v"))
    }
    return around(ends["x"], ends["y"])


def height(x: Array, y: Array, p: Parameters) -> Array:
    """Return the sum of the terms."""
    columns = [[p[f"{name}{i}"] for i in range(1, int(p["n"]) + 1)] for name in "axuyv"]
    a, x0, u, y0, v = np.array(columns).reshape(5, -1, *(1,) * x.ndim)
    across, down = a * np.exp(-(((x - x0) / u) ** 2)), np.exp(-(((y - y0) / v) ** 2))
    if x.ndim == y.ndim == 2 and x.shape[0] == y.shape[1] == 1:
        grid: Array = _products(across[:, 0], down[:, :, 0])
        return grid
    z = np.zeros(np.broadcast_shapes(x.shape, y.shape))
    for one, other in zip(across, down, strict=True):
        z += one * other
    return z


@numba.njit(cache=True)
def _products(across, down):  # type: ignore[no-untyped-def]
    """Return the sum of the products of ``across`` (k, columns) and ``down`` (k, rows), term by term: (rows, columns).

    Row by row, so that sums stay in the processor's cache; each has the bits of numpy's.
    """
    z = np.zeros((down.shape[1], across.shape[1]))
    for r in range(len(z)):
        for k in range(len(across)):
            for c in range(z.shape[1]):
                z[r, c] += across[k, c] * down[k, r]
    return z


def expression(p: Parameters) -> str:
    """Return the sum of the terms."""
    return total(*(_term(i, p) for i in range(1, int(p["n"]) + 1)))


def _term(i: int, p: Parameters) -> str:
    exponent = total(bell("x", p[f"x{i}"], p[f"u{i}"]), bell("y", p[f"y{i}"], p[f"v{i}"]))
    return scaled(p[f"a{i}"], f"exp({exponent})")
