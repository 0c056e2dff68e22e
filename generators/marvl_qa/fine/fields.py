"""Families of fine bumps and hollows all over the window, on ground that is symmetric under rotations and reflections.

The bumps are a sum of waves of similar lengths, in all directions and with random phases; the lengths vary enough that
no rotation, reflection or translation maps the surface to itself. The ground is symmetric under every rotation by a
right angle and every reflection about its centre: a swell along both axes (Rippled Swell), a dome or basin (Rippled
Dome), or rings (Rippled Rings). Bumps are low compared with the ground: beats of high bumps would remain visible in a
picture too small to show the bumps.
"""

from collections.abc import Callable
from functools import partial
from math import cos as cosine
from math import pi
from math import sin as sine
from typing import Final

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import rounded, signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array
from planimeter.generators.marvl_qa.families._printing import linear, number, scaled, shifted, total
from planimeter.generators.marvl_qa.families._sines import cos, sin
from planimeter.generators.marvl_qa.family import Family, Heights, Parameters
from planimeter.generators.marvl_qa.fine._family import HALF_WIDTH

#: Waves of a field, and their lengths: 5 to 8 px of a plot of 480.
_WAVES: Final = 12
_LENGTHS: Final = (0.112, 0.16)
#: Root mean square of the bumps, as a share of the range of the ground.
_RELIEF: Final = (0.1, 0.12)
#: Points per axis of the grid on which the range of the ground is measured.
_COARSE: Final = 41


def _draw(rng: np.random.Generator, ground: Heights, draw: Callable[[np.random.Generator], Parameters]) -> Parameters:
    p: dict[str, float] = {}
    for i, angle in enumerate((np.arange(_WAVES) + rng.uniform(0, 1, _WAVES)) * pi / _WAVES, start=1):
        k = 2 * pi / rng.uniform(*_LENGTHS)
        p |= {f"u{i}": rounded(k * cosine(angle), 2), f"v{i}": rounded(k * sine(angle), 2)}
        p[f"c{i}"] = uniform(rng, -3.14, 3.14)
    p |= {"ground_x": 0.0, "ground_y": 0.0, **draw(rng)}
    line = np.linspace(-HALF_WIDTH, HALF_WIDTH, _COARSE)
    spread = float(np.ptp(ground(line[None, :], line[:, None], p)))
    # The root mean square of the sum of waves is the root of half their number.
    return p | {"a": rounded(rng.uniform(*_RELIEF) * spread / (_WAVES / 2) ** 0.5, 4)}


def _waves(x: Array, y: Array, p: Parameters) -> Array:
    """Return the heights of the fine bumps, the sum of the waves, for an amplitude ``a`` of 1.

    Each wave is computed from the sines and cosines of a row of x and a column of y, which is fast.
    """
    z = np.zeros(np.broadcast_shapes(np.shape(x), np.shape(y)))
    for i in range(1, _WAVES + 1):
        b, c = p[f"u{i}"] * x + p[f"c{i}"], p[f"v{i}"] * y
        z += cos(b) * cos(c)
        z -= sin(b) * sin(c)
    return z


def _print_waves(p: Parameters) -> str:
    waves = (f"cos({linear(p[f'u{i}'], p[f'v{i}'], p[f'c{i}'])})" for i in range(1, _WAVES + 1))
    return scaled(p["a"], f"({total(*waves)})")


def _draw_swell(rng: np.random.Generator) -> Parameters:
    return {
        "k": uniform(rng, 0.5, 0.9),
        "m": uniform(rng, 0.9, 1.5),
        "h": signed(rng, 0.6, 1.0),
        "g": signed(rng, 0.4, 0.8),
    }


def _swell(x: Array, y: Array, p: Parameters) -> Array:
    u, v = x - p["ground_x"], y - p["ground_y"]
    return p["h"] * (cos(p["k"] * u) + cos(p["k"] * v)) + p["g"] * (cos(p["m"] * u) * cos(p["m"] * v))


def _print_swell(u: str, v: str, p: Parameters) -> str:
    first, second = ([f"cos({number(p[k])}*{w})" for w in (u, v)] for k in "km")
    return total(scaled(p["h"], f"({total(*first)})"), scaled(p["g"], "*".join(second)))


def _draw_dome(rng: np.random.Generator) -> Parameters:
    return {"h": signed(rng, 0.6, 1.0), "w": uniform(rng, 1.2, 3.0)}


def _squares(x: Array, y: Array, p: Parameters) -> Array:
    u, v = x - p["ground_x"], y - p["ground_y"]
    return u * u + v * v


def _dome(x: Array, y: Array, p: Parameters) -> Array:
    return p["h"] / (1 + _squares(x, y, p) / (p["w"] * p["w"]))


def _print_dome(u: str, v: str, p: Parameters) -> str:
    return f"{number(p['h'])}/(1 + ({u}**2 + {v}**2)/{number(p['w'])}**2)"


def _draw_rings(rng: np.random.Generator) -> Parameters:
    return {"h": signed(rng, 0.6, 1.0), "k": uniform(rng, 0.8, 1.6), "c": uniform(rng, -3.1, 3.1)}


def _rings(x: Array, y: Array, p: Parameters) -> Array:
    return p["h"] * cos(p["k"] * np.sqrt(_squares(x, y, p)) + p["c"])


def _print_rings(u: str, v: str, p: Parameters) -> str:
    radius = f"sqrt({u}**2 + {v}**2)"
    angle = total(f"{number(p['k'])}*{radius}", number(p["c"]))
    return scaled(p["h"], f"cos({angle})")


def _field(
    title: str,
    draw: Callable[[np.random.Generator], Parameters],
    ground: Heights,
    printed: Callable[[str, str, Parameters], str],
) -> Family:
    def height(x: Array, y: Array, p: Parameters) -> Array:
        return ground(x, y, p) + p["a"] * _waves(x, y, p)

    def expression(p: Parameters) -> str:
        u, v = (shifted(axis, p[f"ground_{axis}"]) for axis in "xy")
        return total(printed(u, v, p), _print_waves(p))

    return Family(title, 5, HALF_WIDTH, partial(_draw, ground=ground, draw=draw), height, expression)


RIPPLED_SWELL = _field("Rippled Swell", _draw_swell, _swell, _print_swell)
RIPPLED_DOME = _field("Rippled Dome", _draw_dome, _dome, _print_dome)
RIPPLED_RINGS = _field("Rippled Rings", _draw_rings, _rings, _print_rings)
