"""Print a drawing program (``Scene``) as an Asymptote program that imports no modules."""

from collections.abc import Mapping, Sequence
from typing import Final

from planimeter.generators.geogram import scene as sc
from planimeter.generators.geogram.printers._infix import Infix, number

#: Built-in constructions of Asymptote, under its own names.
STOCK: Final = {
    "turn": "(rotate({1})*{0})",
    "heading": "dir({0})",
    "unit": "unit({0})",
    "meet": "extension({0}, {1}, {2}, {3})",
    "mirror": "(reflect({1}, {2})*{0})",
    "sin": "Sin({0})",
    "cos": "Cos({0})",
}


#: The number of spellings.
STYLES: Final = 4


def program(scene: sc.Scene, style: int = 0) -> str:
    """Return ``scene`` as an Asymptote program; ``style``, from 0 to ``STYLES - 1``, chooses the size of its page."""
    writer = Writer()
    lines = [("size(7cm);", "size(150);", "size(200);", "size(5cm);")[style]]
    lines += [writer.define(h) for h in scene.helpers if h.name not in STOCK]
    for statement in scene.statements:
        lines += writer.statement(statement)
    return "\n".join(lines)


class Writer:
    """A writer of expressions, paths and statements in Asymptote; subclasses override single methods."""

    def __init__(self) -> None:
        self.stock: Mapping[str, str] = STOCK
        self.infix = Infix(leaf=self.leaf)

    def leaf(self, expr: sc.Expr) -> str:
        """Return the text of a pair, triple, coordinate, cell of a table or call."""
        args = [self.infix(a) for a in expr.args]
        match expr.op:
            case "pair" | "triple":
                return f"({', '.join(args)})"
            case "part":
                return f"{self.infix.inner(expr.args[0], 4)}.{expr.name}"
            case "cell":
                return f"{expr.name}[{args[0]}][{args[1]}]"
        if expr.name in ("turn", "mirror"):
            args[0] = self.infix.inner(expr.args[0], 3)
        return self.stock[expr.name].format(*args) if expr.name in self.stock else f"{expr.name}({', '.join(args)})"

    def text(self, expr: sc.Expr) -> str:
        """Return the text of an expression."""
        return self.infix(expr)

    def bare(self, expr: sc.Expr) -> str:
        """Return the text of an expression on the right of an equals sign, where a rotation or reflection, such as
        ``rotate(90)*A``, needs no brackets around it.
        """
        text = self.text(expr)
        return text[1:-1] if text.startswith(("(rotate", "(reflect")) and expr.op == "call" else text

    def define(self, helper: sc.Helper) -> str:
        """Return the definition of the function ``helper``."""
        params = ", ".join(f"{kind} {name}" for name, kind in helper.params)
        return f"{helper.body.kind} {helper.name}({params}) {{ return {self.text(helper.body)}; }}"

    def path(self, path: sc.Path | sc.Circle) -> str:
        """Return the Asymptote expression for a path."""
        if isinstance(path, sc.Circle):
            return f"circle({self.text(path.center)}, {self.text(path.radius)})"
        pieces = [self.arc(p) if isinstance(p, sc.Arc) else self.joined(p) for p in path.pieces]
        return "--".join([*pieces, "cycle"] if path.closed else pieces)

    def joined(self, point: sc.Expr) -> str:
        """Return the text of a point in a path, in brackets if needed."""
        return self.infix.inner(point, 4)

    def arc(self, arc: sc.Arc) -> str:
        """Return the Asymptote expression for an arc."""
        return f"arc({', '.join(self.text(e) for e in (arc.center, arc.radius, arc.start, arc.end))})"

    def pen(self, draw: sc.Draw) -> str:
        """Return the pen (dashes, width) of a stroke, empty for the default pen."""
        width = [f"linewidth({number(draw.width)})"] if draw.width != 1.0 else []
        return "+".join([*(["dashed"] if draw.dashed else []), *width])

    def statement(self, s: sc.Statement) -> list[str]:
        """Return the lines of the program for one statement."""
        match s:
            case sc.Let():
                return [f"{'' if s.again else s.expr.kind + ' '}{s.name} = {self.bare(s.expr)};"]
            case sc.Table():
                rows = ", ".join("{" + ", ".join(map(str, row)) + "}" for row in s.rows)
                return [f"int[][] {s.name} = {{{rows}}};"]
            case sc.Draw():
                pen = self.pen(s)
                return [f"draw({self.path(s.path)}{', ' + pen if pen else ''});"]
            case sc.Fill():
                return [f"fill({self.path(s.path)}, {grey(s)});"]
            case sc.Spot():
                return [f"dot({self.text(s.at)});"]
            case sc.Label():
                text = f'"${s.text}$"' if s.number is None else f"string({self.text(s.number)})"
                return [f"label({text}, {self.text(s.at)}{', ' + s.compass if s.compass else ''});"]
            case sc.Run():
                return [f"{s.name}({', '.join(self.text(a) for a in s.args)});"]
            case sc.Loop():
                i = s.variable
                head = f"for (int {i} = {self.text(s.start)}; {i} < {self.text(s.stop)}; ++{i}) {{"
                return [head, *self.block(s.body), "}"]
            case sc.Procedure():
                params = ", ".join(f"{kind} {name}" for name, kind in s.params)
                return [f"void {s.name}({params}) {{", *self.block(s.body), "}"]
            case sc.IfZero():
                tail = ["} else {", *self.block(s.otherwise)] if s.otherwise else []
                return [f"if ({self.text(s.test)} == 0) {{", *self.block(s.then), *tail, "}"]

    def block(self, statements: Sequence[sc.Statement]) -> list[str]:
        """Return the lines of ``statements``, the body of a loop, procedure or condition, indented."""
        return ["  " + line for statement in statements for line in self.statement(statement)]


def grey(fill: sc.Fill) -> str:
    """Return the Asymptote pen for the grey of ``fill``."""
    return "white" if fill.shade == 1.0 else f"gray({fill.shade})"
