"""Families of waves in x and y, and of waves of the distance from a point.

- Wave Surface: the sum of a wave in x and a wave in y. The window cuts the endless pattern, and a cut part must not
  look like an extremum on the border. Therefore each draw has only whole crests or only whole troughs: with crests, the
  surface falls towards all four edges (an edge is between a crest and the next trough); with troughs, it rises. A
  question about the other feature, which is cut, is rejected.
- Circular Ripples: rings around a point off the centre, on slightly sloping water. The slope distinguishes the surface
  from its rotations: without it, a half turn would be a translation.
- Gabor Function: a wave along one direction under a Gaussian that is long along the wave and narrow across it. An
  unbounded Gabor function has infinitely many, ever fainter lobes. Here the window ends them: the wave runs nearly
  parallel to one axis from edge to edge and, as in Wave Surface, meets both edges between a counted extremum and the
  next one of the other kind; the envelope is so wide that the outermost lobe is still prominent.
- Checkerboard: fields of unequal sides with soft borders, on a slightly tilted board. A board of two exact heights has
  contour lines only at its borders and is equal to its own translation by two fields; soft borders spread the lines,
  and the tilt gives every field a different height.
- Modulated Wave: an oblique wave whose amplitude varies along another oblique direction.
- Damped Oscillator: a wave that is strong on one side and fades across the window, times a Gaussian of the distance
  from an oblique line.
- Windowed Waves: the product of two standing waves inside a smooth window of compact support. The window vanishes where
  the waves do, so that it contains only whole lobes: a Gaussian window would leave a fringe of lobes too faint to
  count. A skew makes one side of the pattern stronger than the other.
"""

from typing import Final

import numpy as np

from planimeter.generators.marvl_qa.families._drawing import integer, rounded, sign, signed, slopes, uniform
from planimeter.generators.marvl_qa.families._frame import Array, form, form_expression, forms, spanned
from planimeter.generators.marvl_qa.families._printing import bell, linear, number, scaled, shifted, total
from planimeter.generators.marvl_qa.families._sines import cos, sin
from planimeter.generators.marvl_qa.family import Family, Parameters
from planimeter.items import FEATURES, Domain

#: Half the sides of the windows of Wave Surface and of Gabor Function, which cut their patterns.
_SURFACE: Final = 6.0
_GABOR: Final = 4.0


def _draw_surface(rng: np.random.Generator) -> Parameters:
    up = sign(rng)
    counts = [integer(rng, 1, 5), integer(rng, 1, 4)]
    if rng.random() < 0.5:
        counts.reverse()
    p: dict[str, float] = {}
    for axis, count in zip("xy", counts, strict=True):
        # A single crest with a short margin would be a ridge without end: its period would be many windows long.
        before, after = rng.uniform(0.36 if count == 1 else 0.18, 0.46, 2)
        period = 2 * _SURFACE / (count - 1 + before + after)
        crest = -_SURFACE + period * (before + count // 2)
        p[f"a{axis}"] = up * uniform(rng, 0.6, 1.4)
        p[f"k{axis}"] = rounded(2 * np.pi / period, 3)
        p[f"{axis}0"] = rounded(crest, 2)
    return p


def _surface(x: Array, y: Array, p: Parameters) -> Array:
    return p["ax"] * np.cos(p["kx"] * (x - p["x0"])) + p["ay"] * np.cos(p["ky"] * (y - p["y0"]))


def _print_surface(p: Parameters) -> str:
    return total(*(scaled(p[f"a{v}"], f"cos({number(p[f'k{v}'])}*{shifted(v, p[f'{v}0'])})") for v in "xy"))


def _draw_ripples(rng: np.random.Generator) -> Parameters:
    x0, y0 = signed(rng, 0.8, 3.2), signed(rng, 0.8, 3.2)
    return {"x0": x0, "y0": y0, "k": uniform(rng, 1.4, 3.0, 3)} | slopes(rng, 0.05, 0.16)


def _ripples(x: Array, y: Array, p: Parameters) -> Array:
    dx, dy = x - p["x0"], y - p["y0"]
    return cos(p["k"] * np.sqrt(dx * dx + dy * dy)) + p["a"] * x + p["b"] * y


def _print_ripples(p: Parameters) -> str:
    r = f"sqrt({shifted('x', p['x0'])}**2 + {shifted('y', p['y0'])}**2)"
    return total(f"cos({number(p['k'])}*{r})", linear(p["a"], p["b"]))


def _draw_gabor(rng: np.random.Generator) -> Parameters:
    count = integer(rng, 1, 8)
    before, after = rng.uniform(0.2, 0.44, 2)
    period = 2 * _GABOR / (count - 1 + before + after)
    k = 2 * np.pi / period
    across = rng.uniform(-1.0, 1.0)
    along, width = ("x", "y") if rng.random() < 0.5 else ("y", "x")
    crest = -_GABOR + period * (before + count // 2)
    slant = rng.uniform(-0.8, 0.8) / _GABOR
    return {
        "a": sign(rng),
        f"k{along}": rounded(k, 3),
        f"k{width}": rounded(slant, 3),
        "phase": rounded(-k * crest - slant * across, 3),
        f"{along}0": uniform(rng, -0.5, 0.5),
        f"w{along}": uniform(rng, 3.6, 5.0),
        f"{width}0": rounded(across, 2),
        f"w{width}": uniform(rng, 1.0, 1.7),
    }


def _gabor(x: Array, y: Array, p: Parameters) -> Array:
    envelope = p["a"] * np.exp(-(((x - p["x0"]) / p["wx"]) ** 2)) * np.exp(-(((y - p["y0"]) / p["wy"]) ** 2))
    return envelope * cos((p["kx"] * x + p["phase"]) + p["ky"] * y)


def _print_gabor(p: Parameters) -> str:
    exponent = total(bell("x", p["x0"], p["wx"]), bell("y", p["y0"], p["wy"]))
    return scaled(p["a"], f"exp({exponent})*cos({linear(p['kx'], p['ky'], p['phase'])})")


def _draw_board(rng: np.random.Generator) -> Parameters:
    sides = [uniform(rng, 0.55, 0.9, 3), uniform(rng, 1.0, 1.6, 3)]
    if rng.random() < 0.5:
        sides.reverse()
    p = {"kx": sides[0], "ky": sides[1], "x0": uniform(rng, -2, 2), "y0": uniform(rng, -2, 2)}
    return p | {"s": uniform(rng, 1.6, 2.6)} | slopes(rng, 0.03, 0.12)


def _board(x: Array, y: Array, p: Parameters) -> Array:
    fields = p["s"] * np.sin(p["kx"] * (x - p["x0"])) * np.sin(p["ky"] * (y - p["y0"]))
    return np.tanh(fields) + p["a"] * x + p["b"] * y


def _print_board(p: Parameters) -> str:
    waves = "*".join(f"sin({number(p[f'k{v}'])}*{shifted(v, p[f'{v}0'])})" for v in "xy")
    return total(f"tanh({number(p['s'])}*{waves})", linear(p["a"], p["b"]))


def _draw_modulated(rng: np.random.Generator) -> Parameters:
    p: dict[str, float] = {"m": uniform(rng, 0.6, 0.9)}
    angle = rng.uniform(0, np.pi)
    lean = angle + rng.uniform(0.5, 2.6)
    for name, direction, k in (("u", angle, rng.uniform(1.3, 2.4)), ("v", lean, rng.uniform(0.4, 0.75))):
        p |= {f"{name}x": rounded(k * np.cos(direction), 3), f"{name}y": rounded(k * np.sin(direction), 3)}
        p[f"{name}c"] = uniform(rng, -3.1, 3.1)
    return p


def _modulated(x: Array, y: Array, p: Parameters) -> Array:
    return (1 + p["m"] * cos(form("v", x, y, p))) * sin(form("u", x, y, p))


def _print_modulated(p: Parameters) -> str:
    return f"(1 + {number(p['m'])}*cos{form_expression('v', p)})*sin{form_expression('u', p)}"


def _draw_damped(rng: np.random.Generator) -> Parameters:
    angle, start, aside = rng.uniform(0, 2 * np.pi), rng.uniform(3, 4.5), rng.uniform(-1.2, 1.2)
    width = rng.uniform(2.0, 3.4)
    return {
        "ux": rounded(np.cos(angle), 3),
        "uy": rounded(np.sin(angle), 3),
        "uc": rounded(start, 3),
        "vx": rounded(-np.sin(angle) / width, 3),
        "vy": rounded(np.cos(angle) / width, 3),
        "vc": rounded(aside / width, 3),
        "d": uniform(rng, 0.12, 0.28),
        "k": uniform(rng, 1.6, 3),
        "phase": uniform(rng, -1.5, 1.5),
    }


def _damped(x: Array, y: Array, p: Parameters) -> Array:
    u, v = form("u", x, y, p), form("v", x, y, p)
    return np.exp(-p["d"] * u - v**2) * cos(p["k"] * u + p["phase"])


def _print_damped(p: Parameters) -> str:
    u, v = form_expression("u", p), form_expression("v", p)
    return f"exp(-{number(p['d'])}*{u} - {v}**2)*cos({_with_phase(scaled(p['k'], u), p['phase'])})"


def _draw_windowed(rng: np.random.Generator) -> Parameters:
    lobes_u, lobes_v = integer(rng, 1, 6), integer(rng, 2, 6)
    if rng.random() < 0.5:
        lobes_u, lobes_v = lobes_v, lobes_u
    angle = float(rng.uniform(-0.7, 0.7))
    reach = 4.85 / (np.cos(angle) + abs(np.sin(angle)))
    widths = (reach * rng.uniform(0.85, 1.0), reach * rng.uniform(0.85, 1.0))
    room = (4.85 - max(widths) * reach**-1 * 4.85) * 0.9
    centre = (rng.uniform(-room, room), rng.uniform(-room, room))
    return forms(angle, centre, widths) | {
        "ku": rounded(lobes_u * np.pi / 2, 4),
        "kv": rounded(lobes_v * np.pi / 2, 4),
        "pu": rounded((1 - lobes_u % 2) * np.pi / 2, 4),
        "pv": rounded((1 - lobes_v % 2) * np.pi / 2, 4),
        "power": 4.0 if max(lobes_u, lobes_v) < 4 else 6.0,
        "skew": signed(rng, 0.1, 0.3),
        "sign": sign(rng),
    }


def _windowed(x: Array, y: Array, p: Parameters) -> Array:
    u, v = form("u", x, y, p), form("v", x, y, p)
    skew = p["sign"] + p["sign"] * p["skew"] * (u + v)
    return skew * _window(u, p) * _window(v, p) * cos(p["ku"] * u - p["pu"]) * cos(p["kv"] * v - p["pv"])


def _window(w: Array, p: Parameters) -> Array:
    square = w * w  # products: np.power with an integer exponent is some thirty times slower
    return np.maximum(0, 1 - square * square * (square if p["power"] == 6 else 1))


def _outline(p: Parameters) -> Domain:
    return spanned(p, 1.0, corners=True)


def _print_windowed(p: Parameters) -> str:
    u, v = form_expression("u", p), form_expression("v", p)
    windows = "*".join(f"Max(0, 1 - {w}**{number(p['power'])})" for w in (u, v))
    angles = (_with_phase(f"{number(p[f'k{name}'])}*{w}", -p[f"p{name}"]) for name, w in (("u", u), ("v", v)))
    waves = "*".join(f"cos({angle})" for angle in angles)
    skew = f"({total('1', scaled(p['skew'], f'({u} + {v})'))})"
    return scaled(p["sign"], f"{skew}*{windows}*{waves}")


def _with_phase(angle: str, phase: float) -> str:
    return total(angle, number(phase)) if phase else angle


#: ``counts`` of families with as many maxima as minima.
_TWENTY, _EIGHT, _EIGHTEEN = (dict.fromkeys(FEATURES, (1, most)) for most in (20, 8, 18))

WAVE_SURFACE = Family("Wave Surface", 2, _SURFACE, _draw_surface, _surface, _print_surface, _TWENTY)
CIRCULAR_RIPPLES = Family("Circular Ripples", 2, 6.0, _draw_ripples, _ripples, _print_ripples)
GABOR_FUNCTION = Family("Gabor Function", 2, _GABOR, _draw_gabor, _gabor, _print_gabor, _EIGHT)
CHECKERBOARD = Family("Checkerboard", 2, 6.0, _draw_board, _board, _print_board)
MODULATED_WAVE = Family("Modulated Wave", 4, 6.0, _draw_modulated, _modulated, _print_modulated)
DAMPED_OSCILLATOR = Family("Damped Oscillator", 2, 5.0, _draw_damped, _damped, _print_damped)
WINDOWED_WAVES = Family(
    "Windowed Waves", 4, 5.0, _draw_windowed, _windowed, _print_windowed, _EIGHTEEN, _outline, floor=0.0
)
