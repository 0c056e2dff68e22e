"""Reads the points, lines, fills and texts of an imported drawing program with the certifier's reader. Runs nothing.

A statement without a meaning is passed over, and the sketch says which one: leaks that it might show are then not
searched. Both languages are read statement by statement, with their literals as they are written.
"""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.geogram.arithmetic import cos, sin
from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.machine import (
    MEANINGLESS,
    OPERATORS,
    Closure,
    Names,
    Piece,
    Trace,
    _name,
    _piece_nodes,
)
from planimeter.filters.certify.geogram.measures import _outline
from planimeter.filters.certify.geogram.modules import FUNCTIONS, ArcPiece, GraphPiece
from planimeter.filters.certify.geogram.translation import tree
from planimeter.items import Area, Caption, Dot, Drawing, Language, Stroke

Array = npt.NDArray[np.float64]
Value = Any

#: Most points of a path, marks of a drawing and characters of a text.
MOST_POINTS, MOST_MARKS, MOST_CHARACTERS = 20_000, 4_000, 1_000

#: Calls and names that set up the page, and draw nothing that a leak could show.
_PAGE: Final = frozenset({
    "size", "unitsize", "defaultpen", "import", "show", "set_aspect", "axis", "savefig", "xaxis", "yaxis", "clip",
    "figure", "subplots", "gca", "gcf", "grid", "set_xlim", "set_ylim", "xlim", "ylim", "xticks", "yticks",
    "set_xticks", "set_yticks", "tight_layout", "axhline", "axvline", "close", "use", "axes", "add_subplot", "dotfactor",
    "currentpen", "currentprojection", "set_axis_off", "xlimits", "ylimits", "limits", "pointpen", "pathpen", "add",
    "markscalefactor", "linewidth", "fontsize", "shipout",
})  # fmt: skip
_TITLES: Final = frozenset(
    {"title", "suptitle", "set_title", "legend", "xlabel", "ylabel", "set_xlabel", "set_ylabel", "figtext"}
)
_MARKS: Final = frozenset({"rightanglemark", "anglemark", "markangle", "perpendicularmark"})
_COMPASS: Final = {
    "N": (0, 1), "S": (0, -1), "E": (1, 0), "W": (-1, 0), "NE": (0.7, 0.7), "NW": (-0.7, 0.7), "SE": (0.7, -0.7),
    "SW": (-0.7, -0.7), "NNE": (0.4, 0.9), "ENE": (0.9, 0.4), "ESE": (0.9, -0.4), "SSE": (0.4, -0.9),
    "SSW": (-0.4, -0.9), "WSW": (-0.9, -0.4), "WNW": (-0.9, 0.4), "NNW": (-0.4, 0.9), "up": (0, 1), "down": (0, -1),
    "left": (-1, 0), "right": (1, 0),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Sketch:
    """A drawing as it is read: the points among the names of its program, its marks, and its texts without a place.

    ``unread`` describes the first statement without a meaning; it is empty if the whole program was read.
    """

    names: Mapping[str, tuple[float, float]]
    drawing: Drawing
    texts: tuple[str, ...] = ()
    unread: str = ""


@dataclass(frozen=True, slots=True)
class Affine:
    """The map p -> matrix p + offset of the plane."""

    matrix: Array
    offset: Array

    def of(self, value: Value) -> Value:
        """Return the image of a point, a path, paths or another map."""
        if isinstance(value, Affine):
            return Affine(self.matrix @ value.matrix, self.matrix @ value.offset + self.offset)
        if isinstance(value, tuple):
            return tuple(self.of(path) for path in value)
        if isinstance(value, list | ArcPiece):
            return [self.of(point) for point in _points(value)]
        return self.matrix @ _pair(value) + self.offset


@dataclass(slots=True)
class _Canvas(Trace):
    marks: list[Stroke | Area | Dot | Caption] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def add(self, mark: Stroke | Area | Dot | Caption) -> None:
        if len(self.marks) >= MOST_MARKS:
            raise UnreadableError(f"more than {MOST_MARKS} marks")
        self.marks.append(mark)


def sketch_of(code: str, language: Language) -> Sketch:
    """Return what ``code`` draws, as far as it is read."""
    canvas = _Canvas({})
    names = canvas.values = Names(canvas, 0, _VALUES.items())
    unread = ""
    try:
        body = tree(code, language).body
    except UnreadableError as error:
        body, unread = [], str(error)
    literals: list[float] = []
    functions: dict[str, Any] = {}
    canvas.functions = functions
    for statement in body:
        try:
            piece = _Sketched([statement], functions, language)
            names.first = len(literals)
            literals += piece.literals
            canvas.parameters = np.array(literals, float)[:, None]
            functions |= {name: _moved(function, names.first) for name, function in piece.functions.items()}
            with np.errstate(all="ignore"):
                for step in piece.steps:
                    step(names)
        except MEANINGLESS as error:
            said = str(error) if isinstance(error, UnreadableError) else f"values that do not fit ({error!r})"
            unread = unread or said[:200]
    points = {name: _place(value) for name, value in names.items() if name not in _VALUES and _is_pair(value)}
    finite = {name: point for name, point in points.items() if np.isfinite(point).all()}
    marks = tuple(mark for mark in canvas.marks if _is_finite(mark))
    return Sketch(names=finite, drawing=Drawing(marks=marks), texts=tuple(canvas.texts), unread=unread)


def _moved(function: Any, first: int) -> Any:
    return type(function)(function.params, function.body, first)


class _Sketched(Piece):
    """Statements that leave marks and texts on a ``_Canvas``."""

    def __init__(self, body: list[ast.stmt], known: Iterable[str], language: Language) -> None:
        self._pairs = language == "asymptote"
        super().__init__(body, tuple(known))

    def _statement(self, node: ast.stmt) -> Closure | None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in _PAGE:
                return None
            case ast.Assign(targets=[ast.Name()], value=ast.Call(func=function)) if _name(function) in _PAGE:
                return None
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
                steps = [self._statement(ast.Assign([n], v, lineno=1)) for n, v in zip(names, values, strict=True)]
                return _all(step for step in steps if step)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=place)]):
                return self._element(name, self._value(place), self._value(node.value))
            case ast.Expr(value=ast.Constant()):
                return None
        return super()._statement(node)

    def _element(self, name: str, place: Closure, value: Closure) -> Closure:
        def step(values: Names) -> None:
            items = values.get(name) if isinstance(values.get(name), list) else []
            at, count = place(values), len(items)
            if not isinstance(at, int) or not 0 <= at < MOST_MARKS:
                raise UnreadableError("an element out of range")
            values[name] = [*items, *[None] * (at + 1 - count)]
            values[name][at] = value(values)

        return step

    def _branch(self, left: Closure, op: ast.cmpop, right: Closure, node: ast.If) -> Closure:
        then, otherwise = self._block(node.body), self._block(node.orelse)
        test = _TESTS[type(op)]
        return lambda values: (then if test(_real(left(values)), _real(right(values))) else otherwise)(values)

    # What is drawn

    def _command(self, node: ast.Call) -> Closure | None:
        name = _name(node.func)
        labels = [keyword.value for keyword in node.keywords if keyword.arg == "label"]
        titled = _all(self._title(label) for label in labels)
        if name in _PAGE:
            return titled
        if name in _TITLES:
            texts = chain(node.args, *(a.elts for a in node.args if isinstance(a, ast.List | ast.Tuple)))
            return _all([titled, *(self._title(text) for text in texts if isinstance(text, ast.Constant))])
        if name in self._known:
            return self._value(node)
        if name not in _DRAWN:
            raise UnreadableError(f"no meaning in a drawing: {ast.unparse(node)[:60]}")
        arguments = [a.value if isinstance(a, ast.NamedExpr) else a for a in node.args]
        return _all([titled, *self._drawn(name, node, arguments)])

    def _title(self, node: ast.expr) -> Closure:
        text = self._value(node)
        return lambda values: values.trace.texts.append(_text(text(values)))  # type: ignore[attr-defined]

    def _drawn(self, name: str, node: ast.Call, arguments: list[ast.expr]) -> list[Closure]:
        if name in ("D", "draw") and isinstance(arguments[0], ast.Call):
            inner = _name(arguments[0].func)
            if inner in _MARKS or inner == "surface":
                return []
            if name == "D" and inner in ("D", "MP"):
                return [step for step in (self._command(arguments[0]),) if step]
        if self._pairs:
            return [self._asymptote(name, arguments)]
        if name == "add_patch" and isinstance(arguments[0], ast.Call):
            hollow = any(k.arg == "fill" and getattr(k.value, "value", 1) is False for k in arguments[0].keywords)
            path = self._value(arguments[0])
            return [lambda values: _draw(values, path(values), drawn=True, filled=not hollow)]
        if name in ("text", "annotate"):
            words = [a for a in arguments if not isinstance(a, ast.Starred)]
            parts = [self._value(a) for a in (words[1:2] + words[:1] if name == "annotate" else words)]
            return [lambda values: _caption(values, [part(values) for part in parts])]
        if isinstance(arguments[0], ast.Starred):
            corners = [self._value(n) for n in _piece_nodes(arguments[0])]
            return [lambda values: _draw(values, [c(values) for c in corners], drawn=name != "fill", filled=name == "fill")]
        x, y = map(self._value, arguments[:2])
        return [lambda values: _plot(values, name, x(values), y(values))]

    def _asymptote(self, name: str, arguments: list[ast.expr]) -> Closure:
        """Return the step of a command: what pens, arrows and alignments it has changes no place."""
        if name in ("label", "dot", "MP", "draw", "D"):
            wanted = [a for a in arguments if not _is_style(a)]
        else:
            wanted = arguments[:1]
        parts = [self._value(a) for a in wanted]
        if name in ("label", "MP"):
            return lambda values: _caption(values, [part(values) for part in parts])
        if name == "dot":
            return lambda values: _dot(values, [part(values) for part in parts])

        def draw(values: Names) -> None:
            made = [part(values) for part in parts]
            paths = [value for value in made if not isinstance(value, str)]
            _draw(values, paths[0], drawn=name in ("draw", "D", "filldraw"), filled="fill" in name)
            if len(paths) < len(made):
                _caption(values, [next(value for value in made if isinstance(value, str)), paths[0]])

        return draw

    # Expressions

    def _value(self, node: ast.expr) -> Closure:
        match node:
            case ast.Constant(value=str(text)):
                return lambda _: text
            case ast.Name(id="cycle"):
                return lambda _: _CYCLE
            case ast.Name(id="unitcircle" | "unitsquare" as shape) if self._pairs:
                return lambda _: _MADE[shape]()
            case ast.Attribute(attr="pi"):
                return lambda _: np.pi
            case ast.Tuple(elts=parts) | ast.List(elts=parts) if 2 <= len(parts) <= 3 and not self._pairs:
                return self._listed(parts)
            case ast.Call(func=function, args=args) if _name(function) in _MADE and _name(function) not in self._known:
                values_of = [self._value(a.value if isinstance(a, ast.NamedExpr) else a) for a in args]
                make = _MADE[_name(function)]
                return lambda values: make(*(part(values) for part in values_of))
        return super()._value(node)

    def _listed(self, parts: list[ast.expr]) -> Closure:
        made = [self._value(part) for part in parts]

        def listed(values: Names) -> Value:
            items = [part(values) for part in made]
            return _vector(*items) if all(map(_is_real, items)) else items

        return listed

    def _binary(self, node: ast.BinOp) -> Closure:
        compute = OPERATORS.get(type(node.op))
        if compute is None:
            raise UnreadableError(f"no operator of a drawing: {ast.unparse(node)[:60]}")
        left, right, kind = self._value(node.left), self._value(node.right), type(node.op)
        combined = _combined if self._pairs else _plain
        return lambda values: combined(kind, left(values), right(values))


_CYCLE: Final = object()


def _all(steps: Iterable[Closure | None]) -> Closure | None:
    listed = [step for step in steps if step is not None]

    def run(values: Names) -> None:
        for step in listed:
            step(values)

    return run if listed else None


def _is_style(node: ast.expr) -> bool:
    """Return whether an argument is a pen, an arrow or an alignment, which stand behind what is drawn."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    calls = {_name(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    return bool(calls & _STYLES or names & _STYLES)


# Values: a real is an int or an array (1,) or (n,), a point (2, 1) or (3, 1), a path a list of points


def _is_pair(value: Value) -> bool:
    return isinstance(value, np.ndarray) and value.shape == (2, 1)


def _is_real(value: Value) -> bool:
    return isinstance(value, int | float) or (isinstance(value, np.ndarray) and value.shape in ((), (1,)))


def _real(value: Value) -> float:
    if not _is_real(value):
        raise UnreadableError("need a number")
    return float(np.asarray(value, float).reshape(-1)[0])


def _pair(value: Value) -> Array:
    if _is_pair(value):
        return np.asarray(value, float)
    return _vector(value, 0.0)


def _vector(*parts: Value) -> Array:
    return np.array([[_real(part)] for part in parts])


def _place(value: Value) -> tuple[float, float]:
    x, y = _pair(value)[:, 0].round(9).tolist()
    return x, y


def _text(value: Value) -> str:
    if not isinstance(value, str) or len(value) > MOST_CHARACTERS:
        raise UnreadableError("need a short text")
    return value


def _combined(kind: type[ast.operator], left: Value, right: Value) -> Value:
    """Compute as Asymptote does: pairs multiply as complex numbers, and a real counts as a pair beside one."""
    if isinstance(left, Affine) and kind is ast.Mult:
        return right if isinstance(right, str) else left.of(right)
    if isinstance(left, str) and isinstance(right, str) and kind is ast.Add:
        return _text(left + right)
    if _is_pair(left) or _is_pair(right):
        if kind in (ast.Add, ast.Sub):
            left, right = _pair(left), _pair(right)
        elif _is_pair(left) and _is_pair(right):
            a, b = complex(*_place(left)), complex(*_place(right))
            made = {ast.Mult: a * b, ast.Div: a / b if b else np.nan}[kind]
            return np.array([[complex(made).real], [complex(made).imag]])
    return OPERATORS[kind](left, right)


def _plain(kind: type[ast.operator], left: Value, right: Value) -> Value:
    return OPERATORS[kind](left, right)


def _path(*parts: Value) -> list[Array]:
    """Return the points of a path that joins points and paths; ``_CYCLE`` closes it."""
    points: list[Array] = []
    for part in parts:
        points += points[:1] if part is _CYCLE else _points(part)
        if len(points) > MOST_POINTS:
            raise UnreadableError(f"a path of more than {MOST_POINTS} points")
    return points


def _points(value: Value) -> list[Array]:
    if isinstance(value, ArcPiece | GraphPiece):
        flat = _outline([value], lambda part: np.asarray(part, float)[..., 0] if np.ndim(part) else part)
        return [point[:, None] for point in flat[:: max(1, len(flat) // 360)]] + [flat[-1][:, None]]
    if isinstance(value, list):
        return [point for part in value for point in _points(part)] if len(value) > 0 else []
    if not _is_pair(value):
        raise UnreadableError("need a point or a path in the plane")
    return [value]


def _several(left: Value, right: Value) -> tuple[Value, ...]:
    paths = tuple(chain(*(value if isinstance(value, tuple) else (value,) for value in (left, right))))
    if sum(len(path) if isinstance(path, list) else 1 for path in paths) > MOST_POINTS:
        raise UnreadableError(f"paths of more than {MOST_POINTS} points")
    return paths


def _middle(value: Value) -> Array:
    points = _points(value)
    return (points[0] + points[-1]) / 2 if len(points) == 2 else points[len(points) // 2]


def _crossings(first: Value, second: Value) -> list[Array]:
    """Return where two paths cross, in the order of the first one."""
    a, b = (np.hstack(_points(path)).T for path in (first, second))
    if min(len(a), len(b)) < 2 or len(a) * len(b) > MOST_POINTS**2 // 400:
        raise UnreadableError("need two short paths to cross")
    start, u = a[:-1, None], np.diff(a, axis=0)[:, None]
    other, v = b[None, :-1], np.diff(b, axis=0)[None]
    gap, across = other - start, u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    s = (gap[..., 0] * v[..., 1] - gap[..., 1] * v[..., 0]) / across
    t = (gap[..., 0] * u[..., 1] - gap[..., 1] * u[..., 0]) / across
    slack = 1e-9
    met = (s > -slack) & (s < 1 + slack) & (t > -slack) & (t < 1 + slack)
    places = (start + s[..., None] * u)[met]
    distinct = [p for i, p in enumerate(places) if i == 0 or not (abs(places[:i] - p) < 1e-6).all(axis=1).any()]
    return [place[:, None] for place in distinct]


def _linspace(start: Value, end: Value, count: Value = 50) -> Array:
    if not 0 < (number := int(_real(count))) <= MOST_POINTS:
        raise UnreadableError("too many numbers")
    return np.linspace(_real(start), _real(end), number)


def _turned(degrees: Value, about: Value = 0.0) -> Affine:
    c, s = float(cos(np.radians(_real(degrees)))), float(sin(np.radians(_real(degrees))))
    matrix, centre = np.array([[c, -s], [s, c]]), _pair(about)
    return Affine(matrix, centre - matrix @ centre)


def _reflected(a: Value, b: Value) -> Affine:
    (x, y), start = (_pair(b) - _pair(a))[:, 0] / np.linalg.norm(_pair(b) - _pair(a)), _pair(a)
    matrix = np.array([[x * x - y * y, 2 * x * y], [2 * x * y, y * y - x * x]])
    return Affine(matrix, start - matrix @ start)


def _scaled(x: Value, y: Value | None = None) -> Affine:
    return Affine(np.diag([_real(x), _real(x if y is None else y)]), np.zeros((2, 1)))


def _arc(centre: Value, radius: Value, start: Value, end: Value) -> ArcPiece:
    if _is_pair(radius):
        u, v = _pair(radius) - _pair(centre), _pair(start) - _pair(centre)
        begin = float(np.degrees(np.arctan2(u[1, 0], u[0, 0])))
        sweep = (float(np.degrees(np.arctan2(v[1, 0], v[0, 0]))) - begin) % 360
        return ArcPiece(_pair(centre), float(np.hypot(*u[:, 0])), begin, begin + sweep)  # type: ignore[arg-type]
    return ArcPiece(_pair(centre), _real(radius), _real(start), _real(end))  # type: ignore[arg-type]


def _circle(centre: Value, radius: Value) -> ArcPiece:
    return _arc(centre, radius, 0, 360)


def _ellipse(centre: Value, across: Value, up: Value) -> list[Array]:
    return list(Affine(np.diag([_real(across), _real(up)]), _pair(centre)).of(_circle(_vector(0, 0), 1)))


def _box(a: Value, b: Value, c: Value | None = None) -> list[Array]:
    (x, y), (right, top) = _place(a), _place(b) if c is None else (_place(a)[0] + _real(b), _place(a)[1] + _real(c))
    return _path(*(_vector(*at) for at in ((x, y), (right, y), (right, top), (x, top))), _CYCLE)


# Marks


def _draw(values: Names, value: Value, *, drawn: bool, filled: bool) -> None:
    for path in value if isinstance(value, tuple) else (value,):
        points = tuple(_place(point) for point in _points(path))
        if filled and len(points) > 2:
            values.trace.add(Area(points=points, shade=0.5))  # type: ignore[attr-defined]
        if drawn and len(points) > 1:
            values.trace.add(Stroke(points=points))  # type: ignore[attr-defined]


def _plot(values: Names, name: str, x: Value, y: Value) -> None:
    across, up = (np.concatenate([np.ravel(part) for part in (v if isinstance(v, list) else [v])]) for v in (x, y))
    if len(across) != len(up) or not 0 < len(up) <= MOST_POINTS:
        raise UnreadableError("need as many x as y")
    points = [np.array([[float(a)], [float(b)]]) for a, b in zip(across, up, strict=True)]
    if name == "scatter" or len(points) == 1:
        _dot(values, points)
    else:
        _draw(values, points, drawn=name != "fill", filled=name == "fill")


def _dot(values: Names, parts: list[Value]) -> None:
    if any(isinstance(part, str) for part in parts):
        _caption(values, parts)
    places = [part for part in parts if not isinstance(part, str)][:1] if values.trace.columns else parts
    for place in _path(*places):
        values.trace.add(Dot(point=_place(place)))  # type: ignore[attr-defined]


def _caption(values: Names, parts: list[Value]) -> None:
    """Add the text among ``parts`` at the place among them: a point, two numbers or the middle of a path."""
    text = _text(next((part for part in parts if isinstance(part, str)), "")).strip()
    places = [part for part in parts if not isinstance(part, str)]
    if not places:
        values.trace.texts.append(text)  # type: ignore[attr-defined]
        return
    at = _vector(*places[:2]) if _is_real(places[0]) and len(places) > 1 else _middle(places[0])
    if text:
        values.trace.add(Caption(text=text, point=_place(at), direction=(0.0, 0.0)))  # type: ignore[attr-defined]


def _is_finite(mark: Stroke | Area | Dot | Caption) -> bool:
    points = mark.points if isinstance(mark, Stroke | Area) else (mark.point,)
    return bool(np.isfinite(points).all())


_DRAWN: Final = frozenset(
    {"draw", "D", "MP", "label", "dot", "fill", "filldraw", "unfill", "plot", "scatter", "text", "annotate", "add_patch"}
)
_STYLES: Final = frozenset({
    "rgb", "gray", "grey", "linewidth", "linetype", "fontsize", "dashed", "dotted", "solid", "longdashed", "dashdotted",
    "black", "white", "red", "green", "blue", "yellow", "orange", "purple", "brown", "pink", "cyan", "magenta", "palegray",
    "lightgray", "mediumgray", "heavygray", "deepgray", "darkgray", "lightgrey", "mediumgrey", "darkgrey", "palegrey",
    "lightblue", "lightgreen", "lightred", "lightyellow", "darkblue", "darkgreen", "darkred", "pathpen", "pointpen",
    "currentpen", "defaultpen", "invisible", "nullpen", "opacity", "cmyk", "dot", "Arrow", "Arrows", "EndArrow",
    "BeginArrow", "ArcArrow", "ArcArrows", "EndArcArrow", "BeginArcArrow", "MidArrow", "Bar", "Bars", "EndBar",
    "BeginBar", "NoFill", "Fill", "UnFill", "CrossIntervalMarker", "StickIntervalMarker", "marker", "TeXHead",
    "HookHead", "SimpleHead", "PenMargin", "PenMargins", "BeginPenMargin", "EndPenMargin", "Margin", "Margins",
    "heavygreen", "heavyblue", "heavyred", "paleblue", "palegreen", "palered", "paleyellow", "lightcyan", "miterjoin",
    "roundcap", "squarecap", "beveljoin", "royalblue", "olive", "gold", "heavycyan", "springgreen",
})  # fmt: skip

_TESTS: Final[dict[type[ast.cmpop], Callable[[float, float], bool]]] = {
    ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b, ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b,
}  # fmt: skip

_VALUES: Final = {
    **{name: np.array([[x], [y]], float) for name, (x, y) in _COMPASS.items()},
    "origin": np.zeros((2, 1)), "pi": np.pi, "cm": 28.35, "inch": 72.0, "inches": 72.0, "mm": 2.835, "pt": 1.0,
}  # fmt: skip

#: What computes with one drawing: functions beyond those of the certifier, and those that it knows for segments only.
_MADE: Final[dict[str, Callable[..., Value]]] = {
    "_path": _path, "_several": _several, "_vector": _vector, "array": lambda value: value, "midpoint": _middle,
    "rotate": _turned, "reflect": _reflected, "scale": _scaled, "xscale": lambda x: _scaled(x, 1),
    "yscale": lambda y: _scaled(1, y), "identity": lambda: _scaled(1),
    "shift": lambda *by: Affine(np.eye(2), _vector(*by) if len(by) == 2 else _pair(*by)),
    "arc": _arc, "Arc": _arc, "circle": _circle, "Circle": _circle, "CR": _circle, "box": _box, "Rectangle": _box,
    "incircle": lambda a, b, c: _circle(i := FUNCTIONS["incenter"](a, b, c), np.linalg.norm(i - FUNCTIONS["foot"](i, a, b))),
    "Polygon": lambda points: _path(points, _CYCLE), "polygon": lambda n: _regular(n), "linspace": _linspace,
    "unitcircle": lambda: _circle(_vector(0, 0), 1), "conj": lambda z: z * [[1], [-1]], "xpart": lambda z: z[0],
    "ypart": lambda z: z[1], "length": lambda z: np.linalg.norm(_pair(z)), "tan": lambda t: sin(t) / cos(t),
    "deg2rad": np.radians, "Label": lambda text, *_: text, "string": lambda x: f"{_real(x):g}",
    "dir": lambda way: _heading(way), "abs": lambda z: np.linalg.norm(_pair(z)), "norm": lambda z: np.linalg.norm(z),
    "point": lambda path, t: _points(path)[int(_real(t))], "degrees": lambda z: np.degrees(np.arctan2(z[1], z[0])),
    "MP": lambda text, at, *_: at, "D": lambda at, *_: at, "IP": lambda a, b, *_: _crossings(a, b)[0],
    "intersectionpoint": lambda a, b, *_: _crossings(a, b)[0], "intersectionpoints": _crossings, "IPs": _crossings,
    "unitsquare": lambda: _box(_vector(0, 0), _vector(1, 1)), "ellipse": _ellipse,
    "expi": lambda t: _heading(np.degrees(_real(t))), "acos": lambda x: np.arccos(_real(x)),
    "asin": lambda x: np.arcsin(_real(x)), "atan": lambda x: np.arctan(_real(x)),
    "aCos": lambda x: np.degrees(np.arccos(_real(x))), "Tan": lambda t: np.tan(np.radians(_real(t))),
}  # fmt: skip


def _heading(way: Value) -> Array:
    if isinstance(way, list):
        way = way[-1] - way[0]
    if _is_pair(way):
        return np.asarray(way / np.linalg.norm(way))
    return _vector(cos(np.radians(_real(way))), sin(np.radians(_real(way))))


def _regular(n: Value) -> list[Array]:
    if not 3 <= (count := int(_real(n))) <= MOST_POINTS:
        raise UnreadableError("no polygon of so many corners")
    turns = np.radians(-90 + 180 / count + 360 * np.arange(count) / count)
    return _path(*(_vector(cos(float(t)), sin(float(t))) for t in turns), _CYCLE)
