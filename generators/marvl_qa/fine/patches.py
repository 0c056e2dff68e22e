"""The family Chequered Patches: patches of standing waves on distorted coordinates, in terraces.

A surface is the sum of up to six rotated patches of fine waves, each a chequerboard of summits and hollows that fades
to zero at the patch's edge and is higher on one side. Waves displace x and y, which makes every line ragged, and
an increasing function turns heights into terraces; neither adds nor removes a summit.
"""

from math import hypot, pi
from typing import Final

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import rounded, sign, signed, uniform
from planimeter.generators.marvl_qa.families._frame import Array, forms
from planimeter.generators.marvl_qa.families._printing import number, scaled, total
from planimeter.generators.marvl_qa.families._sines import cos, sin
from planimeter.generators.marvl_qa.family import Parameters
from planimeter.generators.marvl_qa.fine._family import COUNTS, HALF_WIDTH, CountedFamily, drawn_at_random
from planimeter.items import FEATURES, Feature

#: Side of a field: 14 to 19 px of a plot of 480.
_FIELD: Final = (0.30, 0.40)
#: Fewest and most fields along a side of a patch.
_SIDES: Final = (3, 9)
#: Random positions that are tried for a patch.
_TRIES: Final = 200
#: Least distance of patches from the border of the window: shearing moves points by less.
_MARGIN: Final = 0.45


def _draw(rng: np.random.Generator, feature: Feature, count: int, half: float) -> Parameters:  # noqa: ARG001 - both are alike
    p: dict[str, float] = {}
    taken: list[tuple[float, float, float]] = []
    left, n = 2 * count, 0
    while left >= 6 and n < 6:
        most = min(_SIDES[1], max(_SIDES[0], left // _SIDES[0]))
        across = int(rng.integers(_SIDES[0], most + 1))
        along = int(np.clip(round(left / across), _SIDES[0], _SIDES[1]))
        reach = (along * rng.uniform(*_FIELD) / 2, across * rng.uniform(*_FIELD) / 2)
        place = _free_place(rng, half - _MARGIN, hypot(*reach), taken)
        if place is None:
            break
        taken.append((*place, hypot(*reach)))
        n += 1
        left -= along * across
        lines = forms(rng.uniform(0, pi), place, reach)
        p |= {f"{name}{n}": value for name, value in lines.items()}
        for axis, fields in (("u", along), ("v", across)):
            p |= {f"k{axis}{n}": rounded(fields * pi / 2, 4), f"p{axis}{n}": rounded((1 - fields % 2) * pi / 2, 4)}
        p |= {f"a{n}": sign(rng), f"s{n}": signed(rng, 0.05, 0.12)}
    for axis in "xy":
        for k, waves, slope in ((1, uniform(rng, 1.2, 2.2), 0.28), (2, uniform(rng, 8.0, 13.0), 0.3)):
            p |= {f"w{axis}{k}": waves, f"c{axis}{k}": uniform(rng, -3.1, 3.1)}
            p[f"e{axis}{k}"] = rounded(slope * rng.uniform(0.6, 1.0) / waves, 3)
    return p | {"n": float(n), "steps": uniform(rng, 10, 16), "depth": uniform(rng, 0.5, 0.8)}


def _free_place(
    rng: np.random.Generator, half: float, radius: float, taken: list[tuple[float, float, float]]
) -> tuple[float, float] | None:
    """Return a random centre for a circle of ``radius`` that overlaps none of the circles ``taken``, or None.

    The circle is inside the square of half side ``half`` about the origin. None is returned after ``_TRIES`` attempts.
    """
    for x, y in (rng.uniform(-1, 1, (_TRIES, 2)) * max(half - radius, 0.0)).tolist():
        if all(hypot(x - u, y - v) >= radius + other for u, v, other in taken):
            return x, y
    return None


def _height(x: Array, y: Array, p: Parameters) -> Array:
    x = x + p["ex1"] * sin(p["wx1"] * y + p["cx1"]) + p["ex2"] * sin(p["wx2"] * y + p["cx2"])
    y = y + p["ey1"] * sin(p["wy1"] * x + p["cy1"]) + p["ey2"] * sin(p["wy2"] * x + p["cy2"])
    z = np.zeros(np.broadcast_shapes(np.shape(x), np.shape(y)))
    for i in range(1, int(p["n"]) + 1):
        u, v = (p[f"{w}x{i}"] * x + p[f"{w}c{i}"] + p[f"{w}y{i}"] * y for w in "uv")
        waves = cos(p[f"ku{i}"] * u - p[f"pu{i}"]) * cos(p[f"kv{i}"] * v - p[f"pv{i}"])
        z = z + p[f"a{i}"] * (1 + p[f"s{i}"] * (u + v)) * _window(u) * _window(v) * waves
    return z + p["depth"] / p["steps"] * sin(p["steps"] * z)


def _window(w: Array) -> Array:
    square = w * w
    sixth = square * square * square
    return np.maximum(0, 1 - sixth * sixth)


def _print(p: Parameters) -> str:
    x = total("x", *(_print_shear("x", "y", k, p) for k in (1, 2)))
    y = total("y", *(_print_shear("y", f"({x})", k, p) for k in (1, 2)))
    z = total(*(scaled(p[f"a{i}"], _print_patch(i, f"({x})", f"({y})", p)) for i in range(1, int(p["n"]) + 1)))
    return f"{z} + {number(p['depth'])}/{number(p['steps'])}*sin({number(p['steps'])}*({z}))"


def _print_shear(axis: str, along: str, k: int, p: Parameters) -> str:
    wave = total(f"{number(p[f'w{axis}{k}'])}*{along}", number(p[f"c{axis}{k}"]))
    return scaled(p[f"e{axis}{k}"], f"sin({wave})")


def _print_patch(i: int, x: str, y: str, p: Parameters) -> str:
    u, v = (f"({total(scaled(p[f'{w}x{i}'], x), scaled(p[f'{w}y{i}'], y), number(p[f'{w}c{i}']))})" for w in "uv")
    windows = "*".join(f"Max(0, 1 - ({w}**6)**2)" for w in (u, v))
    waves = "*".join(
        f"cos({total(scaled(p[f'k{name}{i}'], w), number(-p[f'p{name}{i}']))})" for name, w in (("u", u), ("v", v))
    )
    return f"(1 + {number(p[f's{i}'])}*({u} + {v}))*{windows}*{waves}"


CHEQUERED_PATCHES = CountedFamily(
    "Chequered Patches",
    5,
    HALF_WIDTH,
    drawn_at_random(_draw),
    _height,
    _print,
    dict.fromkeys(FEATURES, COUNTS),
    floor=0.0,
    aim=_draw,
)
