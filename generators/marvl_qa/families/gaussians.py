"""Families of sums and products of axis-parallel Gaussians; separable, so that exponentials of one variable are enough.

- Gaussian Mixture: 1 to 20 bumps of different heights and widths, scattered over the window.
- Inverted Gaussian Mixture: 1 to 20 hollows of different depths and widths, scattered over the window.
- Mixed-Sign Gaussian Mixture: bumps and hollows that alternate on a jittered chequerboard. If they were scattered at
  random, three bumps could enclose a flat pocket with a faint minimum that nobody can count with confidence. With
  alternating signs every pocket slopes down to a hollow.
- Lattice of Gaussian Peaks: the product of a comb (a row of Gaussians, its teeth) in x and one in y; each crossing of
  two teeth is a peak. The teeth have random heights and jittered positions, so that the lattice looks regular but
  rarely resembles its own rotation or mirror image. Peaks are at least 4.2 standard deviations apart, so that the
  saddle between two is far below both.
- Inverted Lattice of Valleys: the same upside down; each crossing of two teeth is a valley.
- Volcano: a broad mountain less a crater off its axis, so that the rim is highest on one side.

The terms of a mixture are numbered from 1: centre (x1, y1), widths u1 and v1, height a1; ``n`` is their number. Widths
are proportional to the distance to the nearest neighbour, so that every bump has a separate summit at least a tenth of
the range above the saddles around it.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import integer, nearest, rounded, scattered, signed, uniform
from planimeter.generators.marvl_qa.families._frame import BELL, Array, around
from planimeter.generators.marvl_qa.families._printing import bell, scaled, total
from planimeter.generators.marvl_qa.family import Countable, Family, Parameters, upside_down
from planimeter.items import FEATURES, Domain

#: Half the side of the window of all these families.
_HALF_WIDTH: Final = 5.0
#: The largest width of a bump; near the border bumps are narrower, so that the window shows all of them.
_WIDEST: Final = 1.9
#: The largest distance of a comb's tooth from the centre of the window.
_REACH: Final = 4.1


def _draw_scattered(rng: np.random.Generator, sign: int = 1) -> Parameters:
    count = integer(rng, 1, 20)
    return _draw_terms(rng, scattered(rng, count, 4.2 if count > 4 else 3.0), [sign] * count)


def _draw_mixed(rng: np.random.Generator) -> Parameters:
    columns, rows = integer(rng, 1, 6), integer(rng, 2, 5)
    if rng.random() < 0.5:
        columns, rows = rows, columns
    pitch_x, pitch_y = (rng.uniform(0.85, 1.0) * min(9.2 / n, 3.4) for n in (columns, rows))
    slack_x, slack_y = (4.4 - pitch * n / 2 for pitch, n in ((pitch_x, columns), (pitch_y, rows)))
    centre_x, centre_y = (max(s, 0.0) * rng.uniform(-0.7, 0.7) for s in (slack_x, slack_y))
    first, jitter = integer(rng, 0, 1), 0.1
    points, signs = [], []
    for i in range(columns):
        for j in range(rows):
            dx, dy = rng.uniform(-jitter, jitter, 2)
            x = centre_x + pitch_x * (i - (columns - 1) / 2 + dx)
            y = centre_y + pitch_y * (j - (rows - 1) / 2 + dy)
            points.append((rounded(x, 2), rounded(y, 2)))
            signs.append(1 if (i + j + first) % 2 == 0 else -1)
    return _draw_terms(rng, points, signs)


def _draw_terms(rng: np.random.Generator, points: Sequence[tuple[float, float]], signs: Sequence[int]) -> Parameters:
    """Return the parameters of a mixture: a bump (sign 1) or hollow (-1) of random size at each of ``points``."""
    p: dict[str, float] = {"n": float(len(points))}
    for i, (point, sign) in enumerate(zip(points, signs, strict=True), start=1):
        room = min(nearest(point, [q for q in points if q != point]), _WIDEST / 0.36)
        p |= {f"x{i}": point[0], f"y{i}": point[1], f"a{i}": sign * uniform(rng, 0.65, 1.0)}
        for width, place in (("u", point[0]), ("v", point[1])):
            p[f"{width}{i}"] = rounded(min(rng.uniform(0.24, 0.36) * room, 0.7 * (_HALF_WIDTH - abs(place))), 2)
    return p


def _mixture(x: Array, y: Array, p: Parameters) -> Array:
    columns = [[p[f"{name}{i}"] for i in range(1, int(p["n"]) + 1)] for name in "axuyv"]
    a, x0, u, y0, v = np.array(columns).reshape(5, -1, *(1,) * x.ndim)
    across, down = a * np.exp(-(((x - x0) / u) ** 2)), np.exp(-(((y - y0) / v) ** 2))
    if x.ndim == y.ndim == 2 and x.shape[0] == y.shape[1] == 1:
        # Term by term, in the order of the sum below.
        return np.asarray(np.einsum("kc,kr->rc", across[:, 0], down[:, :, 0]))
    z = np.zeros(np.broadcast_shapes(x.shape, y.shape))
    for one, other in zip(across, down, strict=True):
        z += one * other
    return z


def _print_mixture(p: Parameters) -> str:
    return total(*(scaled(p[f"a{i}"], _print_bump(i, p)) for i in range(1, int(p["n"]) + 1)))


def _print_bump(i: int, p: Parameters) -> str:
    return f"exp({total(bell('x', p[f'x{i}'], p[f'u{i}']), bell('y', p[f'y{i}'], p[f'v{i}']))})"


def _around_mixture(p: Parameters) -> Domain:
    """Return the bounding box of the bumps and hollows of a mixture, out to a twentieth of their heights."""
    terms = range(1, int(p["n"]) + 1)
    return around(*([(p[f"{v}{i}"], BELL * p[f"{width}{i}"]) for i in terms] for v, width in (("x", "u"), ("y", "v"))))


def _draw_lattice(rng: np.random.Generator) -> Parameters:
    """Return random parameters of a lattice of 1 x 1 to 5 x 4 or 4 x 5 peaks."""
    sides = [integer(rng, 1, 5), integer(rng, 1, 4)]
    if rng.random() < 0.5:
        sides.reverse()
    return _draw_comb(rng, "x", sides[0]) | _draw_comb(rng, "y", sides[1])


def _draw_comb(rng: np.random.Generator, axis: str, count: int) -> dict[str, float]:
    spacing = rng.uniform(0.86, 1.0) * min(2 * _REACH / (count - 0.5), 3.8)
    slack = _REACH - spacing * (count - 1) / 2 - 0.08 * spacing
    shift = rng.uniform(-0.8, 0.8) * min(slack, 1.6)
    p: dict[str, float] = {f"n{axis}": float(count), f"w{axis}": rounded(rng.uniform(0.22, 0.31) * spacing, 3)}
    for i in range(count):
        place = shift + spacing * (i - (count - 1) / 2 + rng.uniform(-0.08, 0.08))
        p[f"{axis}{i + 1}"] = rounded(place, 2)
        p[f"a{axis}{i + 1}"] = uniform(rng, 0.7, 1.0)
    return p


def _peaks(x: Array, y: Array, p: Parameters) -> Array:
    return _comb(x, "x", p) * _comb(y, "y", p)


def _comb(v: Array, axis: str, p: Parameters) -> Array:
    z = np.zeros_like(v)
    for i in range(1, int(p[f"n{axis}"]) + 1):
        z = z + p[f"a{axis}{i}"] * np.exp(-(((v - p[f"{axis}{i}"]) / p[f"w{axis}"]) ** 2))
    return z


def _print_peaks(p: Parameters) -> str:
    return "*".join(f"({_print_comb(axis, p)})" for axis in "xy")


def _print_comb(axis: str, p: Parameters) -> str:
    teeth = range(1, int(p[f"n{axis}"]) + 1)
    return total(*(scaled(p[f"a{axis}{i}"], f"exp({bell(axis, p[f'{axis}{i}'], p[f'w{axis}'])})") for i in teeth))


def _around_lattice(p: Parameters) -> Domain:
    """Return the bounding box of the peaks of a lattice, out to a twentieth of their heights."""
    return around(*([(p[f"{v}{i}"], BELL * p[f"w{v}"]) for i in range(1, int(p[f"n{v}"]) + 1)] for v in "xy"))


def _draw_volcano(rng: np.random.Generator) -> Parameters:
    x1, y1 = signed(rng, 0.3, 1.6), signed(rng, 0.3, 1.6)
    p = {"x1": x1, "y1": y1, "u1": uniform(rng, 1.7, 2.8), "v1": uniform(rng, 1.7, 2.8)}
    p |= {"x2": rounded(x1 + signed(rng, 0.08, 0.3), 2), "y2": rounded(y1 + signed(rng, 0.08, 0.3), 2)}
    return p | {"u2": uniform(rng, 0.8, 1.3), "v2": uniform(rng, 0.8, 1.3), "a": uniform(rng, 0.7, 1.0)}


def _volcano(x: Array, y: Array, p: Parameters) -> Array:
    return _bump(x, y, p, 1) - p["a"] * _bump(x, y, p, 2)


def _bump(x: Array, y: Array, p: Parameters, i: int) -> Array:
    return np.exp(-(((x - p[f"x{i}"]) / p[f"u{i}"]) ** 2)) * np.exp(-(((y - p[f"y{i}"]) / p[f"v{i}"]) ** 2))


def _print_volcano(p: Parameters) -> str:
    return total(_print_bump(1, p), scaled(-p["a"], _print_bump(2, p)))


_BUMPS: Countable = {"maxima": (1, 20)}, _around_mixture
_PEAKS: Countable = {"maxima": (1, 20)}, _around_lattice

GAUSSIAN_MIXTURE = Family("Gaussian Mixture", 4, _HALF_WIDTH, _draw_scattered, _mixture, _print_mixture, *_BUMPS)
INVERTED_GAUSSIAN_MIXTURE = replace(
    GAUSSIAN_MIXTURE,
    title="Inverted Gaussian Mixture",
    draw=partial(_draw_scattered, sign=-1),
    counts={"minima": (1, 20)},
)
MIXED_SIGN_GAUSSIAN_MIXTURE = replace(
    GAUSSIAN_MIXTURE,
    title="Mixed-Sign Gaussian Mixture",
    draw=_draw_mixed,
    counts=dict.fromkeys(FEATURES, (1, 15)),
    floor=0.0,
)
LATTICE = Family("Lattice of Gaussian Peaks", 4, _HALF_WIDTH, _draw_lattice, _peaks, _print_peaks, *_PEAKS)
INVERTED_LATTICE = upside_down(LATTICE, "Inverted Lattice of Valleys")
VOLCANO = Family("Volcano", 4, _HALF_WIDTH, _draw_volcano, _volcano, _print_volcano)
