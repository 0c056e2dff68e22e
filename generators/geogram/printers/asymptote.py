"""Writes a scene as Asymptote, with nothing beyond the modules that are loaded by default."""

from typing import Final

from planimeter.generators.geogram.printers._infix import Infix, number
from planimeter.generators.geogram.scene import (
    Arc,
    Circle,
    Draw,
    Expr,
    Fill,
    Helper,
    IfZero,
    Label,
    Let,
    Loop,
    Path,
    Procedure,
    Run,
    Scene,
    Spot,
    Statement,
    Table,
)

#: Constructions that Asymptote has in stock, under its own names.
_STOCK: Final = {
    "turn": "(rotate({1})*{0})",
    "heading": "dir({0})",
    "unit": "unit({0})",
    "meet": "extension({0}, {1}, {2}, {3})",
    "mirror": "(reflect({1}, {2})*{0})",
    "sin": "Sin({0})",
    "cos": "Cos({0})",
}


#: How many spellings there are.
STYLES: Final = 4


def program(scene: Scene, style: int = 0) -> str:
    """Return the text of ``scene`` in the spelling ``style``, 0 to ``STYLES - 1``."""
    lines = [("size(7cm);", "size(150);", "size(200);", "size(5cm);")[style]]
    lines += [_define(h) for h in scene.helpers if h.name not in _STOCK]
    for statement in scene.statements:
        lines += _statement(statement)
    return "\n".join(lines)


def _leaf(expr: Expr, infix: Infix) -> str:
    args = [infix(a) for a in expr.args]
    match expr.op:
        case "pair" | "triple":
            return f"({', '.join(args)})"
        case "part":
            return f"{infix.inner(expr.args[0], 4)}.{expr.name}"
        case "cell":
            return f"{expr.name}[{args[0]}][{args[1]}]"
    if expr.name == "turn":
        args[0] = infix.inner(expr.args[0], 3)
    if expr.name == "mirror":
        args[0] = infix.inner(expr.args[0], 3)
    return _STOCK[expr.name].format(*args) if expr.name in _STOCK else f"{expr.name}({', '.join(args)})"


_infix: Final = Infix(leaf=_leaf)


def _bare(expr: Expr) -> str:
    """Return the text of a whole right-hand side, where a rotation needs no brackets."""
    text = _infix(expr)
    return text[1:-1] if expr.op == "call" and text.startswith(("(rotate", "(reflect")) else text


def _define(helper: Helper) -> str:
    params = ", ".join(f"{kind} {name}" for name, kind in helper.params)
    return f"{helper.body.kind} {helper.name}({params}) {{ return {_infix(helper.body)}; }}"


def _path(path: Path | Circle) -> str:
    if isinstance(path, Circle):
        return f"circle({_infix(path.center)}, {_infix(path.radius)})"
    pieces = [_arc(p) if isinstance(p, Arc) else _joined(p) for p in path.pieces]
    return "--".join([*pieces, "cycle"] if path.closed else pieces)


def _joined(point: Expr) -> str:
    return _infix.inner(point, 4)


def _arc(arc: Arc) -> str:
    return f"arc({', '.join(_infix(e) for e in (arc.center, arc.radius, arc.start, arc.end))})"


def _pen(draw: Draw) -> str:
    pens = [*(["dashed"] if draw.dashed else []), *([f"linewidth({number(draw.width)})"] if draw.width != 1.0 else [])]
    return "+".join(pens)


def _statement(s: Statement) -> list[str]:
    match s:
        case Let():
            return [f"{'' if s.again else s.expr.kind + ' '}{s.name} = {_bare(s.expr)};"]
        case Table():
            rows = ", ".join("{" + ", ".join(map(str, row)) + "}" for row in s.rows)
            return [f"int[][] {s.name} = {{{rows}}};"]
        case Draw():
            pen = _pen(s)
            return [f"draw({_path(s.path)}{', ' + pen if pen else ''});"]
        case Fill():
            return [f"fill({_path(s.path)}, {'white' if s.shade == 1.0 else f'gray({s.shade})'});"]
        case Spot():
            return [f"dot({_infix(s.at)});"]
        case Label():
            text = f'"${s.text}$"' if s.number is None else f"string({_infix(s.number)})"
            return [f"label({text}, {_infix(s.at)}{', ' + s.compass if s.compass else ''});"]
        case Run():
            return [f"{s.name}({', '.join(_infix(a) for a in s.args)});"]
        case Loop():
            i = s.variable
            head = f"for (int {i} = {_infix(s.start)}; {i} < {_infix(s.stop)}; ++{i}) {{"
            return [head, *_block(s.body), "}"]
        case Procedure():
            params = ", ".join(f"{kind} {name}" for name, kind in s.params)
            return [f"void {s.name}({params}) {{", *_block(s.body), "}"]
        case IfZero():
            tail = ["} else {", *_block(s.otherwise)] if s.otherwise else []
            return [f"if ({_infix(s.test)} == 0) {{", *_block(s.then), *tail, "}"]


def _block(statements: tuple[Statement, ...]) -> list[str]:
    return ["  " + line for statement in statements for line in _statement(statement)]
