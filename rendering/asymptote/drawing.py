"""Draws imported Asymptote programs where ``asy`` is not at hand: interprets them, never runs anything else.

The reader knows the language as figures of school problems use it (declarations, loops, functions, arithmetic on pairs,
straight and smooth paths, transforms, pens, labels) and raises ``UnreadableError`` where a program goes beyond it: axes
of graphs, three dimensions, clipping, modules. Colours become greys, and font sizes are ours, so that imported figures
look like ours. Limits on steps and sizes end a program that would not end itself.
"""

from collections.abc import Callable, Sequence
from typing import Final

from planimeter.filters.certify.geogram.asymptote import Node, UnreadableError, parse
from planimeter.items import Area, Caption, Dot, Drawing, Stroke
from planimeter.rendering.asymptote.operators import (
    FUNCTIONS,
    MAX_TEXT,
    VALUES,
    Arrow,
    Ignored,
    Pen,
    calculate,
    converted,
)
from planimeter.rendering.asymptote.paths import Path, Segment, Transform, Value, line, smooth

MAX_STEPS: Final = 50_000
MAX_MARKS: Final = 4_000
MAX_CALLS: Final = 40

#: Length of an arrowhead over the extent of the figure, and half its width over its length.
_HEAD: Final = (0.028, 0.38)

_SILENT: Final = frozenset({"size", "unitsize", "defaultpen", "dotfactor", "currentpen", "pointpen", "pathpen"})
_DEFAULTS: Final[dict[str, Callable[[], Value]]] = {
    "int": lambda: 0.0, "real": lambda: 0.0, "pair": lambda: 0j, "string": str, "pen": Pen, "bool": lambda: False,
    "path": lambda: Path(0j, ()), "guide": lambda: Path(0j, ()), "transform": Transform,
}  # fmt: skip


def draw(code: str) -> Drawing:
    """Return what ``code``, which holds no comments, draws.

    Raises:
        UnreadableError: if it holds something that is not drawn here, or does not end.
    """
    machine = Machine()
    try:
        machine.run(parse(code))
    except UnreadableError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise UnreadableError(f"values that do not fit together ({type(error).__name__})") from error
    return machine.drawing()


class _Leave(Exception):  # noqa: N818 - control flow, not an error
    """Leaves a loop or a function; ``word`` says which, ``value`` is what a function returns."""

    def __init__(self, word: str, value: Value = None) -> None:
        self.word = word
        self.value = value


class Machine:
    """Carries out statements; ``names`` are what they have declared so far, ``marks`` what they have drawn."""

    def __init__(self) -> None:
        self.names: dict[str, Value] = {}
        self._scopes: list[dict[str, Value]] = [dict(VALUES), self.names]
        self._functions: dict[str, tuple[list[tuple[str, Node | None]], list[Node]]] = {}
        self.marks: list[Stroke | Area | Dot | Caption] = []
        self._heads: list[tuple[complex, complex]] = []
        self._steps = 0
        self._calls = 0

    def drawing(self) -> Drawing:
        """Return the marks, arrowheads in proportion to the whole."""
        points = [p for m in self.marks if isinstance(m, Stroke | Area) for p in m.points]
        if not points:
            raise UnreadableError("nothing drawn")
        extent = max(max(p[i] for p in points) - min(p[i] for p in points) for i in (0, 1))
        if not 0 < extent < 1e9:
            raise UnreadableError("a figure without extent")
        return Drawing(marks=(*self.marks, *(_head(tip, way, _HEAD[0] * extent) for tip, way in self._heads)))

    # Statements

    def run(self, body: Sequence[Node]) -> None:
        """Carry out statements."""
        for node in body:
            self._step()
            self._statement(node)

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS or len(self.marks) > MAX_MARKS:
            raise UnreadableError("a program that takes too long")

    def _statement(self, node: Node) -> None:
        match node:
            case ("import", names):
                if {"three", "solids", "graph3"} & set(names):
                    raise UnreadableError("three dimensions")
            case ("block", body):
                self.run(body)
            case ("expr", value):
                self.value(value)
            case ("declare", made):
                for kind, name, initial in made:
                    self._scopes[-1][name] = self._initial(kind, initial)
            case ("define", name, parameters, body):
                self._functions[name] = (parameters, body)
            case ("if", test, then, otherwise):
                self._statement(then if self.value(test) else otherwise)
            case ("return" | "break" | "continue" as word, value):
                raise _Leave(word, None if value is None else self.value(value))
            case _:
                self._loop(node)

    def _loop(self, node: Node) -> None:
        match node:
            case ("while", test, body):
                while self.value(test) and self._turn(body):
                    pass
            case ("for", start, test, steps, body):
                self._statement(start)
                while self.value(test) and self._turn(body):
                    for step in steps:
                        self.value(step)
            case ("each", name, values, body):
                for value in list(self.value(values)):
                    self._scopes[-1][name] = value
                    if not self._turn(body):
                        break

    def _turn(self, body: Node) -> bool:
        """Carry out the body of a loop once; False if it leaves the loop."""
        self._step()
        try:
            self._statement(body)
        except _Leave as leave:
            if leave.word == "return":
                raise
            return leave.word == "continue"
        return True

    def _initial(self, kind: str, initial: Node | None) -> Value:
        if kind.endswith("[]"):
            return [] if initial is None else list(self.value(initial))
        if initial is None:
            return _DEFAULTS.get(kind, float)()
        return converted(kind, self.value(initial))

    # Expressions

    def value(self, node: Node) -> Value:
        """Return the value of an expression."""
        self._step()
        match node:
            case ("num" | "str" as kind, literal):
                return float(literal) if kind == "num" else literal
            case ("name", name):
                return self._look_up(name)
            case ("vector", (x, y)):
                return complex(_real(self.value(x)), _real(self.value(y)))
            case ("list", items):
                return [self.value(item) for item in items]
            case ("unary", operator, inner):
                value = self.value(inner)
                return (not value) if operator == "!" else -value if operator == "-" else value
            case ("binary", operator, left, right):
                return self._binary(operator, left, right)
            case ("choose", test, then, otherwise):
                return self.value(then if self.value(test) else otherwise)
            case ("index", base, place):
                items, index = self.value(base), int(self.value(place))
                return items.point(index) if isinstance(items, Path) else items[index]
            case ("member", base, name):
                return self._member(self.value(base), name)
            case ("join", points, joins):
                return self._join(points, joins)
        return self._effect(node)

    def _effect(self, node: Node) -> Value:
        match node:
            case ("assign", place, operator, value):
                return self._assign(place, operator, self.value(value))
            case ("call", target, arguments):
                return self._call(target, arguments)
        raise UnreadableError("three dimensions" if node[0] == "vector" else f"an expression of the kind {node[0]}")

    def _look_up(self, name: str) -> Value:
        for scope in (self._scopes[-1], self._scopes[1], self._scopes[0]):
            if name in scope:
                return scope[name]
        raise UnreadableError(f"the name {name}")

    def _member(self, value: Value, name: str) -> Value:
        if isinstance(value, list) and name == "length":
            return float(len(value))
        if isinstance(value, complex) and name in ("x", "y"):
            return value.real if name == "x" else value.imag
        raise UnreadableError(f"the member {name}")

    def _binary(self, operator: str, left_node: Node, right_node: Node) -> Value:
        left = self.value(left_node)
        if operator in ("&&", "||"):
            return bool(self.value(right_node)) if bool(left) == (operator == "&&") else bool(left)
        right = self.value(right_node)
        if operator == "^^":
            return [*_paths(left), *_paths(right)]
        return calculate(operator, left, right)

    def _assign(self, place: Node, operator: str, value: Value) -> Value:
        if operator != "=":
            value = calculate(operator[0], self.value(place), value)
        match place:
            case ("name", name):
                scope = self._scopes[-1] if name in self._scopes[-1] or name not in self._scopes[1] else self._scopes[1]
                scope[name] = value
            case ("index", base, index):
                items, at = self.value(base), int(self.value(index))
                if not isinstance(items, list) or not 0 <= at < MAX_MARKS:
                    raise UnreadableError("an index out of range")
                items.extend([0.0] * (at + 1 - len(items)))
                items[at] = value
            case _:
                raise UnreadableError("an assignment to an expression")
        return value

    def _join(self, knots: Sequence[Value], joins: Sequence[str]) -> Path:
        """Join points and paths; runs of ``..`` are smooth as a whole, and straight joins part them."""
        closed = knots[-1][1] == ("name", "cycle")
        parts = [self.value(knot[1]) for knot in (knots[:-1] if closed else knots)]
        if any(join not in ("--", "..") for join in joins):
            raise UnreadableError("a join of another kind than -- and ..")
        ways = [tuple(None if w is None else complex(self.value(w)) for w in (k[0], k[2])) for k in knots]
        if closed and all(join == ".." for join in joins) and all(isinstance(p, complex) for p in parts):
            directions = [after if after is not None else before for before, after in ways]
            if any(directions) and len(parts) >= 2:
                last = directions[0] if directions[-1] is None else directions[-1]
                pieces = smooth([*parts, parts[0]], False, [*directions[:-1], last])
                return Path(parts[0], tuple(pieces), True)
            return Path(parts[0], tuple(smooth(parts, True, [None] * len(parts))), True)
        if closed:
            parts.append(_end(parts[0], first=True))
        segments: list[Segment] = list(parts[0].segments) if isinstance(parts[0], Path) else []
        run: list[int] = [0]
        for i, join in enumerate(joins):
            a, b = _end(parts[i], first=False), _end(parts[i + 1], first=True)
            if join == "--":
                segments += [] if closed and i == len(joins) - 1 and a == b else [line(a, b)]
            else:
                run = [i, i + 1] if run[-1] != i or len(run) == 1 else [*run, i + 1]
                more = i + 1 < len(joins) and joins[i + 1] == ".." and isinstance(parts[i + 1], complex)
                if not more:
                    points = [_end(parts[run[0]], first=False), *(_end(parts[k], first=True) for k in run[1:])]
                    directions = [ways[run[0]][1], *(w if w is not None else v for w, v in (ways[k] for k in run[1:]))]
                    segments += smooth(points, False, directions)
                    run = [i + 1]
            if isinstance(parts[i + 1], Path):
                segments += parts[i + 1].segments
        return Path(_end(parts[0], first=True), tuple(segments), closed)

    # Calls

    def _call(self, target: Node, arguments: Sequence[Node]) -> Value:
        positional = [a for a in arguments if a[0] != "assign"]
        named = {a[1][1]: a[3] for a in arguments if a[0] == "assign" and a[1][0] == "name" and a[2] == "="}
        match target:
            case ("member", base, "push"):
                self.value(base).append(self.value(positional[0]))
                return None
            case ("name", name) if name in self._functions:
                return self._apply(name, positional, named)
            case ("name", name) if name in _SILENT:
                return None
            case ("name", "draw" | "fill" | "filldraw" | "unfill" | "label" | "dot" as name):
                values = [self.value(a) for a in (*positional, *named.values())]
                if name == "dot" and len(values) == 2 and all(isinstance(v, complex) for v in values):
                    return FUNCTIONS["dot"](*values)
                return self._command(name, [v for v in values if not isinstance(v, Ignored)])
            case ("name", "Label" | "minipage"):
                return self.value(positional[0])
            case ("name", name) if name in FUNCTIONS:
                return FUNCTIONS[name](*(self.value(a) for a in (*positional, *named.values())))
        raise UnreadableError(f"the function {target[1] if target[0] == 'name' else 'of an expression'}")

    def _apply(self, name: str, positional: Sequence[Node], named: dict[str, Node]) -> Value:
        parameters, body = self._functions[name]
        self._calls += 1
        if self._calls > MAX_CALLS:
            raise UnreadableError("calls in calls without end")
        scope: dict[str, Value] = {}
        for i, (parameter, default) in enumerate(parameters):
            node = positional[i] if i < len(positional) else named.get(parameter, default)
            if node is None:
                raise UnreadableError(f"a call of {name} with too few arguments")
            scope[parameter] = self.value(node)
        self._scopes.append(scope)
        try:
            self.run(body)
        except _Leave as leave:
            return leave.value
        finally:
            self._scopes.pop()
            self._calls -= 1
        return None

    # Marks

    def _command(self, name: str, values: list[Value]) -> None:
        pens = [v for v in values if isinstance(v, Pen)]
        texts = [v for v in values if isinstance(v, str)]
        if name in ("label", "dot"):
            self._place(name, values, texts, pens)
            return
        paths = [p for v in values if isinstance(v, Path | list) for p in _paths(v)]
        if not paths:
            paths = [Path(v, ()) for v in values if isinstance(v, complex)][:1]
        if name != "draw" and len(paths) > 1:
            raise UnreadableError("a filled region with holes")
        for path in paths:
            if name != "draw":
                pen = Pen(grey=1.0) if name == "unfill" else pens[0] if pens else Pen()
                if pen.drawn:
                    self.marks.append(Area(points=_points(path), shade=pen.grey or 0.0))
            if name in ("draw", "filldraw"):
                self._stroke(path, pens if name == "draw" else pens[1:], values)
        if texts and name == "draw":
            beside = next((v for v in values if isinstance(v, complex)), 0j)
            self._caption(texts[0], FUNCTIONS["midpoint"](paths[0]), beside)

    def _stroke(self, path: Path, pens: Sequence[Pen], values: Sequence[Value]) -> None:
        pen = sum(pens, Pen())
        if not pen.drawn or not path.segments:
            return
        points = path.polyline()
        # White lines are drawn to hide something, which a black one would not.
        if pen.grey is not None and pen.grey > 0.97:
            raise UnreadableError("a white line")
        self.marks.append(Stroke(points=_points(path), dashed=bool(pen.dashed), width=min(pen.width or 1.0, 4.0)))
        arrow = next((v for v in values if isinstance(v, Arrow)), Arrow(begin=False, end=False))
        self._heads += [(points[-1], points[-1] - points[-2])] * arrow.end
        self._heads += [(points[0], points[0] - points[1])] * arrow.begin

    def _place(self, name: str, values: list[Value], texts: list[str], pens: Sequence[Pen]) -> None:
        lists = [z for v in values if isinstance(v, list) for z in v]
        places = [*lists, *(v for v in values if isinstance(v, complex | Path | int | float))]
        if not places:
            raise UnreadableError(f"a {name} without a place")
        spots = lists or places[:1]
        for spot in spots:
            z = FUNCTIONS["midpoint"](spot) if isinstance(spot, Path) else complex(spot)
            if name == "dot" and all(pen.drawn for pen in pens):
                self.marks.append(Dot(point=_point(z)))
            beside = places[1] if len(places) > 1 and not lists else (1 + 0j if name == "dot" else 0j)
            for text in texts[:1]:
                self._caption(text, z, complex(beside))

    def _caption(self, text: str, at: complex, beside: complex) -> None:
        if len(text) > MAX_TEXT:
            raise UnreadableError("a long text")
        reach = abs(beside)
        way = beside / reach * min(reach, 3.0) if reach else 0j
        if text.strip():
            self.marks.append(Caption(text=text.strip(), point=_point(at), direction=(way.real, way.imag)))


def _real(value: Value) -> float:
    if not isinstance(value, int | float):
        raise UnreadableError("a coordinate that is no number")
    return float(value)


def _paths(value: Value) -> list[Path]:
    items = value if isinstance(value, list) else [value]
    return [Path(item, ()) if isinstance(item, complex) else item for item in items]


def _end(part: Value, *, first: bool) -> complex:
    if isinstance(part, Path):
        return part.start if first or not part.segments else part.segments[-1][3]
    return complex(part)


def _point(z: complex) -> tuple[float, float]:
    return round(z.real, 9), round(z.imag, 9)


def _points(path: Path) -> tuple[tuple[float, float], ...]:
    return tuple(_point(z) for z in path.polyline())


def _head(tip: complex, way: complex, length: float) -> Area:
    back = way / abs(way) * length if way else 0j
    side = back * 1j * _HEAD[1]
    return Area(points=tuple(_point(z) for z in (tip, tip - back + side, tip - back - side)), shade=0.0)
