"""Reads the points, lines, fills and texts of an imported drawing program with the certifier's parser.

The program is not executed. A statement without a meaning in a drawing is skipped; ``Sketch.unread`` describes the
first one, because leaks in such statements are not found. Programs of both languages are read statement by statement,
with unchanged literals.
"""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final

import numpy as np

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
from planimeter.filters.certify.geogram.translation import tree
from planimeter.filters.geogram.plane import (
    CYCLE,
    MOST_POINTS,
    PLANE_FUNCTIONS,
    VALUES,
    Value,
    combined,
    is_pair,
    is_real,
    middle,
    path_of,
    place_of,
    points_of,
    real,
    text_of,
    vector,
)
from planimeter.items import Area, Caption, Dot, Drawing, Language, Stroke

#: Most marks of a drawing.
MOST_MARKS: Final = 4_000

#: Calls and names that set up the page, and draw nothing that could show a leak.
_PAGE: Final = frozenset({
    "size", "unitsize", "defaultpen", "import", "show", "set_aspect", "axis", "savefig", "xaxis", "yaxis", "clip",
    "figure", "subplots", "gca", "gcf", "grid", "set_xlim", "set_ylim", "xlim", "ylim", "xticks", "yticks",
    "set_xticks", "set_yticks", "tight_layout", "axhline", "axvline", "close", "use", "axes", "add_subplot",
    "dotfactor", "currentpen", "currentprojection", "set_axis_off", "xlimits", "ylimits", "limits", "pointpen",
    "pathpen", "add", "markscalefactor", "linewidth", "fontsize", "shipout",
})  # fmt: skip
_TITLES: Final = frozenset(
    {"title", "suptitle", "set_title", "legend", "xlabel", "ylabel", "set_xlabel", "set_ylabel", "figtext"}
)
_MARKS: Final = frozenset({"rightanglemark", "anglemark", "markangle", "perpendicularmark"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Sketch:
    """A drawing as its program describes it: named points, drawn objects, and texts without coordinates (titles).

    ``unread`` describes the first statement that was not understood; it is empty if all were.
    """

    names: Mapping[str, tuple[float, float]]
    drawing: Drawing
    texts: tuple[str, ...] = ()
    unread: str = ""


@dataclass(slots=True)
class _Canvas(Trace):
    marks: list[Stroke | Area | Dot | Caption] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def add(self, mark: Stroke | Area | Dot | Caption) -> None:
        if len(self.marks) >= MOST_MARKS:
            raise UnreadableError(f"the drawing has more than {MOST_MARKS} marks")
        self.marks.append(mark)


def sketch_of(code: str, language: Language) -> Sketch:
    """Return the drawing that ``code`` describes, as far as its statements are understood."""
    canvas = _Canvas({})
    names = canvas.values = Names(canvas, 0, VALUES.items())
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
            functions |= {name: replace(function, first=names.first) for name, function in piece.functions.items()}
            with np.errstate(all="ignore"):
                for step in piece.steps:
                    step(names)
        except MEANINGLESS as error:
            reason = str(error) if isinstance(error, UnreadableError) else f"incompatible values ({error!r})"
            unread = unread or reason[:200]
    own = {name: value for name, value in names.items() if value is not VALUES.get(name) and is_pair(value)}
    points = {name: place_of(value) for name, value in own.items()}
    finite = {name: point for name, point in points.items() if np.isfinite(point).all()}
    marks = tuple(mark for mark in canvas.marks if _is_finite(mark))
    return Sketch(names=finite, drawing=Drawing(marks=marks), texts=tuple(canvas.texts), unread=unread)


class _Sketched(Piece):
    """The compiled statements of a program; when they run, drawn objects and texts are added to the ``_Canvas``."""

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
            known = values.get(name)
            items: list[Value] = known if isinstance(known, list) else []
            at, count = place(values), len(items)
            if not isinstance(at, int) or not 0 <= at < MOST_MARKS:
                raise UnreadableError(f"need an index from 0 to {MOST_MARKS - 1}")
            values[name] = [*items, *[None] * (at + 1 - count)]
            values[name][at] = value(values)

        return step

    def _branch(self, left: Closure, op: ast.cmpop, right: Closure, node: ast.If) -> Closure:
        then, otherwise = self._block(node.body), self._block(node.orelse)
        test = _TESTS[type(op)]
        return lambda values: (then if test(real(left(values)), real(right(values))) else otherwise)(values)

    # Drawing commands

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
            raise UnreadableError(f"unsupported in a drawing: {ast.unparse(node)[:60]}")
        arguments = [a.value if isinstance(a, ast.NamedExpr) else a for a in node.args]
        return _all([titled, *self._drawn(name, arguments)])

    def _title(self, node: ast.expr) -> Closure:
        text = self._value(node)
        return lambda values: values.trace.texts.append(text_of(text(values)))  # type: ignore[attr-defined]

    def _drawn(self, name: str, arguments: list[ast.expr]) -> list[Closure]:
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
            filled = name == "fill"
            return [lambda values: _draw(values, [c(values) for c in corners], drawn=not filled, filled=filled)]
        x, y = map(self._value, arguments[:2])
        return [lambda values: _plot(values, name, x(values), y(values))]

    def _asymptote(self, name: str, arguments: list[ast.expr]) -> Closure:
        """Return the closure that runs the drawing command ``name``; pens, arrows and alignments are ignored."""
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
            results = [part(values) for part in parts]
            paths = [value for value in results if not isinstance(value, str)]
            _draw(values, paths[0], drawn=name in ("draw", "D", "filldraw"), filled="fill" in name)
            if len(paths) < len(results):
                _caption(values, [next(value for value in results if isinstance(value, str)), paths[0]])

        return draw

    # Expressions

    def _value(self, node: ast.expr) -> Closure:
        match node:
            case ast.Constant(value=str(text)):
                return lambda _: text
            case ast.Name(id="cycle"):
                return lambda _: CYCLE
            case ast.Name(id="unitcircle" | "unitsquare" as shape) if self._pairs:
                return lambda _: PLANE_FUNCTIONS[shape]()
            case ast.Attribute(attr="pi"):
                return lambda _: np.pi
            case ast.Tuple(elts=parts) | ast.List(elts=parts) if 2 <= len(parts) <= 3 and not self._pairs:
                return self._listed(parts)
            case ast.Call(func=function, args=args) if (
                _name(function) in PLANE_FUNCTIONS and _name(function) not in self._known
            ):
                values_of = [self._value(a.value if isinstance(a, ast.NamedExpr) else a) for a in args]
                make = PLANE_FUNCTIONS[_name(function)]
                return lambda values: make(*(part(values) for part in values_of))
        return super()._value(node)

    def _listed(self, parts: list[ast.expr]) -> Closure:
        results = [self._value(part) for part in parts]

        def listed(values: Names) -> Value:
            items = [part(values) for part in results]
            return vector(*items) if all(map(is_real, items)) else items

        return listed

    def _binary(self, node: ast.BinOp) -> Closure:
        kind = type(node.op)
        if not self._pairs or kind not in OPERATORS:
            return super()._binary(node)
        left, right = self._value(node.left), self._value(node.right)
        return lambda values: combined(kind, left(values), right(values))


def _all(steps: Iterable[Closure | None]) -> Closure | None:
    listed = [step for step in steps if step is not None]

    def run(values: Names) -> None:
        for step in listed:
            step(values)

    return run if listed else None


def _is_style(node: ast.expr) -> bool:
    """Return True if an argument of a drawing command is a pen, an arrow or an alignment, not an object to draw."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    calls = {_name(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    return bool(calls & _STYLES or names & _STYLES)


# Marks


def _draw(values: Names, value: Value, *, drawn: bool, filled: bool) -> None:
    for path in value if isinstance(value, tuple) else (value,):
        points = tuple(place_of(point) for point in points_of(path))
        if filled and len(points) > 2:
            values.trace.add(Area(points=points, shade=0.5))  # type: ignore[attr-defined]
        if drawn and len(points) > 1:
            values.trace.add(Stroke(points=points))  # type: ignore[attr-defined]


def _plot(values: Names, name: str, x: Value, y: Value) -> None:
    across, up = (np.concatenate([np.ravel(part) for part in (v if isinstance(v, list) else [v])]) for v in (x, y))
    if len(across) != len(up) or not 0 < len(up) <= MOST_POINTS:
        raise UnreadableError(f"need 1 to {MOST_POINTS} x and as many y, got {len(across)} and {len(up)}")
    points = [np.array([[float(a)], [float(b)]]) for a, b in zip(across, up, strict=True)]
    if name == "scatter" or len(points) == 1:
        _dot(values, points)
    else:
        _draw(values, points, drawn=name != "fill", filled=name == "fill")


def _dot(values: Names, parts: list[Value]) -> None:
    if any(isinstance(part, str) for part in parts):
        _caption(values, parts)
    places = [part for part in parts if not isinstance(part, str)][:1] if values.trace.columns else parts
    for place in path_of(*places):
        values.trace.add(Dot(point=place_of(place)))  # type: ignore[attr-defined]


def _caption(values: Names, parts: list[Value]) -> None:
    """Add the text among ``parts`` to the canvas, at the position that is also among them.

    The position is a point, two numbers or the middle of a path.
    """
    text = text_of(next((part for part in parts if isinstance(part, str)), "")).strip()
    places = [part for part in parts if not isinstance(part, str)]
    if not places:
        values.trace.texts.append(text)  # type: ignore[attr-defined]
        return
    at = vector(*places[:2]) if is_real(places[0]) and len(places) > 1 else middle(places[0])
    if text:
        values.trace.add(Caption(text=text, point=place_of(at), direction=(0.0, 0.0)))  # type: ignore[attr-defined]


def _is_finite(mark: Stroke | Area | Dot | Caption) -> bool:
    points = mark.points if isinstance(mark, Stroke | Area) else (mark.point,)
    return bool(np.isfinite(points).all())


_DRAWN: Final = frozenset({
    "draw", "D", "MP", "label", "dot", "fill", "filldraw", "unfill", "plot", "scatter", "text", "annotate", "add_patch",
})  # fmt: skip
_STYLES: Final = frozenset({
    "rgb", "gray", "grey", "linewidth", "linetype", "fontsize", "dashed", "dotted", "solid", "longdashed", "dashdotted",
    "black", "white", "red", "green", "blue", "yellow", "orange", "purple", "brown", "pink", "cyan", "magenta",
    "palegray", "lightgray", "mediumgray", "heavygray", "deepgray", "darkgray", "lightgrey", "mediumgrey", "darkgrey",
    "palegrey", "lightblue", "lightgreen", "lightred", "lightyellow", "darkblue", "darkgreen", "darkred", "pathpen",
    "pointpen", "currentpen", "defaultpen", "invisible", "nullpen", "opacity", "cmyk", "dot", "Arrow", "Arrows",
    "EndArrow", "BeginArrow", "ArcArrow", "ArcArrows", "EndArcArrow", "BeginArcArrow", "MidArrow", "Bar", "Bars",
    "EndBar", "BeginBar", "NoFill", "Fill", "UnFill", "CrossIntervalMarker", "StickIntervalMarker", "marker", "TeXHead",
    "HookHead", "SimpleHead", "PenMargin", "PenMargins", "BeginPenMargin", "EndPenMargin", "Margin", "Margins",
    "heavygreen", "heavyblue", "heavyred", "paleblue", "palegreen", "palered", "paleyellow", "lightcyan", "miterjoin",
    "roundcap", "squarecap", "beveljoin", "royalblue", "olive", "gold", "heavycyan", "springgreen",
})  # fmt: skip

_TESTS: Final[dict[type[ast.cmpop], Callable[[float, float], bool]]] = {
    ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b, ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b,
}  # fmt: skip
