"""Names that Asymptote's plain module brings, as far as figures of problems use them, and its operators."""

import cmath
import math
import operator as operators
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.rendering.asymptote.paths import Path, Transform, Value, arc, meetings, polygon


@dataclass(frozen=True, slots=True)
class Pen:
    """``grey`` from 0 (black) to 1 (white), ``width`` 1 for a normal line; None where the pen does not say."""

    grey: float | None = None
    dashed: bool | None = None
    width: float | None = None
    drawn: bool = True

    def __add__(self, other: "Pen") -> "Pen":
        values = {name: getattr(other, name) for name in ("grey", "dashed", "width")}
        changes = {name: value for name, value in values.items() if value is not None}
        return replace(self, **changes, drawn=self.drawn and other.drawn)


@dataclass(frozen=True, slots=True)
class Arrow:
    """Where arrowheads sit: at the beginning, at the end."""

    begin: bool
    end: bool


@dataclass(frozen=True, slots=True)
class Ignored:
    """An argument without a meaning for the figure: a margin, a bar, a pen's cap."""


#: Asymptote's line of 0.5 bp is our 1; ``linewidth(1)`` is in common use for slightly heavier lines.
_BP: Final = 0.5

#: Luminance (ITU-R BT.601) of the colours in common use.
_COLOURS: Final = {
    "black": 0.0, "white": 1.0, "gray": 0.5, "grey": 0.5, "lightgray": 0.9, "lightgrey": 0.9, "mediumgray": 0.75,
    "mediumgrey": 0.75, "heavygray": 0.25, "heavygrey": 0.25, "palegray": 0.95, "palegrey": 0.95, "darkgray": 0.35,
    "darkgrey": 0.35, "red": 0.3, "green": 0.59, "blue": 0.11, "yellow": 0.89, "cyan": 0.7, "heavycyan": 0.5,
    "lightcyan": 0.9, "palecyan": 0.95, "magenta": 0.41,
    "orange": 0.59, "brown": 0.25, "purple": 0.25, "pink": 0.8, "lightblue": 0.75, "lightgreen": 0.85, "lightred": 0.65,
    "lightyellow": 0.94, "paleblue": 0.87, "palegreen": 0.92, "palered": 0.82, "paleyellow": 0.97, "heavyblue": 0.1,
    "heavygreen": 0.45, "heavyred": 0.25, "mediumblue": 0.5, "mediumgreen": 0.75, "mediumred": 0.5, "darkblue": 0.08,
    "darkgreen": 0.35, "darkred": 0.2, "deepblue": 0.1, "deepgreen": 0.4, "deepred": 0.25, "royalblue": 0.35,
    "olive": 0.45, "lightolive": 0.85, "fuchsia": 0.41, "salmon": 0.65, "chartreuse": 0.75, "springgreen": 0.65,
}  # fmt: skip

#: A coordinate of a unit vector halfway between two axes.
_DIAGONAL: Final = math.sqrt(0.5)
_COMPASS: Final = {
    "up": 1j, "down": -1j, "left": -1 + 0j, "right": 1 + 0j,
    "N": 1j, "S": -1j, "E": 1 + 0j, "W": -1 + 0j,
    **{n: _DIAGONAL * z for n, z in (("NE", 1 + 1j), ("NW", -1 + 1j), ("SE", 1 - 1j), ("SW", -1 - 1j))},
    **{n: cmath.rect(1, math.radians(a)) for n, a in (
        ("ENE", 22.5), ("NNE", 67.5), ("NNW", 112.5), ("WNW", 157.5), ("WSW", 202.5), ("SSW", 247.5), ("SSE", 292.5),
        ("ESE", 337.5),
    )},
}  # fmt: skip

_ARROWS: Final = {
    **dict.fromkeys(("Arrows", "ArcArrows"), Arrow(begin=True, end=True)),
    **dict.fromkeys(("Arrow", "EndArrow", "ArcArrow", "EndArcArrow"), Arrow(begin=False, end=True)),
    **dict.fromkeys(("BeginArrow", "BeginArcArrow"), Arrow(begin=True, end=False)),
}

VALUES: Final[dict[str, Value]] = {
    **{name: Pen(grey=grey) for name, grey in _COLOURS.items()},
    **_COMPASS,
    **{name: Pen(dashed=True) for name in ("dashed", "dotted", "longdashed", "dashdotted", "Dotted")},
    **{name: Ignored() for name in ("roundcap", "squarecap", "extendcap", "beveljoin", "miterjoin", "roundjoin")},
    **{name: Ignored() for name in ("Margins", "Margin", "BeginMargin", "EndMargin", "NoMargin", "PenMargins")},
    **{name: Ignored() for name in ("PenMargin", "DotMargins", "DotMargin", "Fill", "NoFill", "UnFill", "evenodd")},
    **{name: Ignored() for name in ("Bars", "BeginBar", "EndBar", "Bar", "currentprojection", "dotfactor", "Center")},
    **{name: Ignored() for name in ("Aspect", "IgnoreAspect", "TeXHead", "HookHead", "SimpleHead", "DefaultHead")},
    **_ARROWS,
    "None": Arrow(begin=False, end=False), "invisible": Pen(drawn=False), "nullpen": Pen(drawn=False),
    "solid": Pen(dashed=False), "defaultpen": Pen(), "currentpen": Pen(), "currentpicture": Ignored(),
    "pi": math.pi, "I": 1j, "true": True, "false": False, "infinity": math.inf, "origin": 0j,
    "cm": 72 / 2.54, "mm": 7.2 / 2.54, "inch": 72.0, "inches": 72.0, "bp": 1.0, "pt": 72 / 72.27,
    "unitcircle": arc(0, 1, 0, 360), "unitsquare": polygon((0, 1, 1 + 1j, 1j)),
    "Relative": Ignored(), "identity": Transform(),
}  # fmt: skip


def _dir(first: Value, second: Value = None) -> complex:
    if isinstance(first, Path):
        time = 0.0 if second is None else float(second)
        return _unit(first.point(time + 1e-4) - first.point(time - 1e-4))
    if isinstance(first, complex):
        return _unit(first)
    return cmath.rect(1, math.radians(first))


def _unit(z: complex) -> complex:
    return z / abs(z) if z else 0j


def _extension(a: complex, b: complex, c: complex, d: complex) -> complex:
    u, v, w = b - a, d - c, c - a
    cross = (u.conjugate() * v).imag
    if not cross:
        raise UnreadableError("parallel lines that should meet")
    return a + (w.conjugate() * v).imag / cross * u


def _reflect(a: complex, b: complex) -> Transform:
    u = _unit(b - a)
    return Transform(0, u * u, a - u * u * complex(a).conjugate())


def _rotate(angle: float, about: complex = 0j) -> Transform:
    turn = cmath.rect(1, math.radians(angle))
    return Transform(turn, 0, about - turn * about)


def _scale(x: float, y: float | None = None) -> Transform:
    y = x if y is None else y
    return Transform((x + y) / 2, (x - y) / 2)


def _arc(center: complex, radius: Value, start: Value, end: Value = None, *_: Value) -> Path:
    if end is None or isinstance(end, bool | Ignored):
        # arc(c, z1, z2): from one point counterclockwise to the direction of the other.
        first, last = (math.degrees(cmath.phase(z - center)) for z in (radius, start))
        return arc(center, abs(radius - center), first, last if last > first else last + 360)
    return arc(center, radius, start, end)


def _whole_arc(center: complex, radius: float = 1.0, *_: Value) -> Path:
    return arc(center, radius, 0, 360)


def _meeting(first: Path, second: Path, *_: Value) -> complex:
    points = meetings(first, second)
    if not points:
        raise UnreadableError("paths that do not meet")
    return points[0]


def _relative(path: Path, share: float) -> complex:
    points = path.polyline()
    lengths = [abs(b - a) for a, b in pairwise(points)]
    left = share * sum(lengths)
    for a, b, length in zip(points, points[1:], lengths, strict=False):
        if left <= length:
            return a + (b - a) * (left / length if length else 0)
        left -= length
    return points[-1]


def _rgb(*parts: float) -> Pen:
    if len(parts) != 3:
        raise UnreadableError("a colour in words")
    return Pen(grey=min(1.0, max(0.0, 0.3 * parts[0] + 0.59 * parts[1] + 0.11 * parts[2])))


def _size(value: Value) -> float:
    return float(len(value.segments) if isinstance(value, Path) else abs(value))


FUNCTIONS: Final[dict[str, Callable[..., Value]]] = {
    **{name: getattr(math, name) for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log")},
    "Sin": lambda x: math.sin(math.radians(x)), "Cos": lambda x: math.cos(math.radians(x)),
    "Tan": lambda x: math.tan(math.radians(x)), "aSin": lambda x: math.degrees(math.asin(x)),
    "aCos": lambda x: math.degrees(math.acos(x)), "aTan": lambda x: math.degrees(math.atan(x)),
    **{name: lambda *_: Ignored() for name in ("Fill", "Margin", "Margins", "fontsize", "font", "Relative", "linecap")},
    **{name: lambda *_, arrow=arrow: arrow for name, arrow in _ARROWS.items()},
    "Cycle": lambda *_: Ignored(), "opacity": lambda *_: Ignored(), "scale3": lambda *_: Ignored(),
    "linewidth": lambda width: Pen(width=max(0.3, width / _BP / 1.6)), "gray": lambda grey: Pen(grey=grey),
    "grey": lambda grey: Pen(grey=grey), "rgb": _rgb,
    "linetype": lambda *_: Pen(dashed=True), "abs": _size, "length": _size, "unit": _unit, "dir": _dir,
    "degrees": lambda z: math.degrees(cmath.phase(z)) % 360 if isinstance(z, complex) else math.degrees(z),
    "radians": math.radians, "angle": cmath.phase, "expi": lambda t: cmath.rect(1, t), "conj": lambda z: z.conjugate(),
    "xpart": lambda z: z.real, "ypart": lambda z: z.imag, "dot": lambda z, w: (z.conjugate() * w).real,
    "floor": lambda x: float(math.floor(x)), "ceil": lambda x: float(math.ceil(x)), "round": lambda x: float(round(x)),
    "min": min, "max": max, "string": lambda x, *_: f"{x:.6g}", "extension": _extension, "reflect": _reflect,
    "rotate": _rotate, "shift": lambda x, y=None: Transform(1, 0, x if y is None else complex(x.real, y)),
    "scale": _scale, "xscale": lambda x: _scale(x, 1.0), "yscale": lambda y: _scale(1.0, y),
    "circle": _whole_arc, "Circle": _whole_arc, "arc": _arc, "Arc": _arc,
    "ellipse": lambda c, a, b: Transform(1, 0, c).path(_scale(a, b).path(arc(0, 1, 0, 360))),
    "box": lambda a, b: polygon((a, complex(b.real, a.imag), b, complex(a.real, b.imag))),
    "polygon": lambda n: polygon([cmath.rect(1, math.pi * (2 * k + 1) / n - math.pi / 2) for k in range(int(n))]),
    "intersectionpoint": _meeting, "intersectionpoints": lambda p, q, *_: meetings(p, q),
    "midpoint": lambda path: _relative(path, 0.5), "point": lambda p, t: p.point(t), "relpoint": _relative,
    "reverse": Path.reversed, "interp": lambda a, b, t: a + (b - a) * t,
}  # fmt: skip


_COMPARE: Final[dict[str, Callable[[Value, Value], bool]]] = {
    "==": operators.eq, "!=": operators.ne, "<": operators.lt, "<=": operators.le, ">": operators.gt,
    ">=": operators.ge,
}  # fmt: skip
_COMPUTE: Final[dict[str, Callable[[Value, Value], Value]]] = {
    "+": operators.add, "-": operators.sub, "*": operators.mul, "/": operators.truediv, "%": operators.mod,
    "^": operators.pow,
}  # fmt: skip

#: Signs in a string; figures have labels, not pages.
MAX_TEXT: Final = 2_000


def calculate(operator: str, left: Value, right: Value) -> Value:
    """Return ``left operator right``. Raises ``UnreadableError`` where Asymptote, or we, know no such operation."""
    if operator in _COMPARE:
        return _COMPARE[operator](left, right)
    if isinstance(left, Transform) and operator == "*":
        return _moved(left, right)
    if isinstance(left, Pen | Ignored) or isinstance(right, Pen | Ignored):
        return _pens(operator, left, right)
    if isinstance(left, str) and isinstance(right, str) and operator == "+" and len(left) + len(right) <= MAX_TEXT:
        return left + right
    if not isinstance(left, int | float | complex) or not isinstance(right, int | float | complex):
        raise UnreadableError(f"{operator} between values that have none")
    made = _COMPUTE[operator](left, right)
    if not abs(made) < math.inf:
        raise UnreadableError("a number that is not finite")
    return made


def converted(kind: str, value: Value) -> Value:
    """Return ``value`` as a variable of ``kind`` holds it."""
    if kind == "pair" and isinstance(value, int | float):
        return complex(value)
    if kind in ("path", "guide") and isinstance(value, complex):
        return Path(value, ())
    if kind == "int" and isinstance(value, float):
        return float(math.trunc(value))
    return value


def _moved(by: Transform, what: Value) -> Value:
    match what:
        case Transform():
            return by.after(what)
        case Path():
            return by.path(what)
        case list():
            return [_moved(by, item) for item in what]
        case int() | float() | complex():
            return by.point(complex(what))
        case str():
            return what
    raise UnreadableError("a transform of something else than a figure")


def _pens(operator: str, left: Value, right: Value) -> Value:
    match operator, left, right:
        case "+", Ignored(), Pen() | Ignored():
            return right
        case "+", Pen(), Ignored():
            return left
        case "+", Pen(), Pen():
            return left + right
        case "+", Pen(), int() | float():
            return left + FUNCTIONS["linewidth"](right)
        case "*", int() | float(), Pen():
            return Pen(right.grey * left if right.grey is not None else None, right.dashed, right.width, right.drawn)
    raise UnreadableError(f"{operator} between pens")
