"""Writes a scene as Asymptote in the manner of the corpora that GeoGramBench is drawn from.

There a program names several points in one declaration, derives points by the constructions of a module (`olympiad`,
`cse5`) or by a function that it defines, labels a dot as it draws it, fills and strokes at once, multiplies without a
sign, draws graphs with `graph` and solids with `three`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from planimeter.generators.geogram.printers._infix import Infix
from planimeter.generators.geogram.printers.asymptote import STOCK, Writer, grey
from planimeter.generators.geogram.run import run
from planimeter.generators.geogram.scene import (
    Circle,
    Draw,
    Expr,
    Fill,
    Helper,
    Label,
    Let,
    Procedure,
    Scene,
    Spot,
    Statement,
    View,
    call,
)

_PAGES: Final = (
    *("size(150);", "size(200);", "size(6cm);", "unitsize(0.7cm);", "unitsize(0.3inch);"),
    "size(180);\ndefaultpen(linewidth(0.7)+fontsize(10));",
    "unitsize(15);\ndefaultpen(linewidth(0.8));",
    "size(5cm);\npen dps = linewidth(0.7)+fontsize(10);\ndefaultpen(dps);",
)
_MODULES: Final = ((), (), (), (), ("olympiad",), ("olympiad",), ("olympiad",), ("olympiad", "cse5"))

#: Names in one declaration at most.
_TOGETHER: Final = (1, 3, 6)

#: How many spellings there are: of page, modules, declarations, products, and labelled dots.
STYLES: Final = len(_PAGES) * len(_MODULES) * len(_TOGETHER) * 2 * 2

#: Idioms of Asymptote that stand for expressions of a scene, and what `olympiad` brings.
_IDIOMS: Final = {
    "middle": "midpoint({0}--{1})",
    "crossing": "intersectionpoint({0}--{1}, {2}--{3})",
    "between": "interp({0}, {1}, {2})",
    "spin": "(rotate({2}, {0})*{1})",
}
_OLYMPIAD: Final = {
    "foot": "foot({0}, {1}, {2})",
    "incenter": "incenter({0}, {1}, {2})",
    "between": "waypoint({0}--{1}, {2})",
}
_CORNER: Final = (
    "path corner(pair A, pair B, pair C, real s) {",
    "  pair u = s*unit(A - B), v = s*unit(C - B);",
    "  return (B + u)--(B + u + v)--(B + v);",
    "}",
)

#: The unit in which `rightanglemark` takes the side of its mark.
_MARK: Final = 0.03


#: Segments that only touch, up to what processors disagree on, do not cross.
_CLEARLY: Final = 1e-6


def program(scene: Scene, style: int) -> str:
    """Return the text of ``scene`` in the spelling ``style``, 0 to ``STYLES - 1``."""
    return _Corpora(scene, style).program()


class _Corpora(Writer):
    def __init__(self, scene: Scene, style: int) -> None:
        super().__init__()
        self.scene, self.places = scene, run(scene).values
        self.view = next((h for h in scene.helpers if isinstance(h, View)), None)
        choices = []
        for among in (len(_PAGES), len(_MODULES), len(_TOGETHER), 2, 2):
            style, choice = divmod(style, among)
            choices.append(choice)
        page, module, together, self.brief, self.dotted = choices
        self.page, self.together, self.modules = _PAGES[page], _TOGETHER[together], _MODULES[module]
        self.cse5 = "cse5" in self.modules and self.view is None
        self.stock = STOCK | _IDIOMS | (_OLYMPIAD if self.modules else {})

    def program(self) -> str:
        helpers = [h for h in self.scene.helpers if h.name not in self.stock and h is not self.view]
        text = "\n".join([*map(self.define, helpers), *self.lines(self.scene.statements)])
        if self.brief:
            text = re.sub(r"(?<![/\w.])(\d+(?:\.\d+)?)\*(?=[A-Za-z(])", r"\1", text)
        modules = {
            "three": self.view is not None,
            "graph": re.search(r"graph\(|axis\(", text),
            "olympiad": self.modules and re.search(r"foot\(|incenter\(|waypoint\(|rightanglemark\(|MP\(", text),
            "cse5": self.cse5,
        }
        head = [*(f"import {name};" for name, needed in modules.items() if needed), self.page]
        head += [f"currentprojection = {self.view.written};"] if self.view else []
        return "\n".join([*head, *(_CORNER if "corner(" in text else ()), text])

    # Expressions

    def text(self, expr: Expr) -> str:
        return self.infix(self.idiom(expr))

    def joined(self, point: Expr) -> str:
        return self.infix.inner(self.idiom(point), 4)

    def idiom(self, expr: Expr) -> Expr:
        """Return ``expr`` with calls in place of what Asymptote has a name for."""
        expr = replace(expr, args=tuple(map(self.idiom, expr.args)))
        match expr:
            case Expr(op="/", kind="pair" | "triple", args=(Expr(op="+", args=ends), Expr(op="int", value=2))):
                return call("middle", expr.kind, *ends) if _names(ends) else expr
            case Expr(op="+", kind="pair", args=(a, Expr(op="*", args=(share, Expr(op="-", args=(b, c)))))):
                # What lies beyond the ends is no point of a path.
                inside = self.places.get(share.name, 2) if share.op == "var" else share.value
                named = a == c and _names((a, b)) and 0 < inside < 1 and (self.modules or self.together > 3)
                return call("between", "pair", a, b, share) if named else expr
            case Expr(op="+", args=(a, Expr(op="call", name="turn", args=(Expr(op="-", args=(b, c)), angle)))):
                return call("spin", "pair", a, b, angle) if a == c and _names((a, b)) else expr
            case Expr(op="call", name="meet", args=ends):
                return call("crossing", "pair", *ends) if self.cross(ends) else expr
        return expr

    def cross(self, ends: Sequence[Expr]) -> bool:
        """Return whether the segments AB and CD of the main program cross, so that paths do."""
        if not _names(ends) or any(end.name not in self.places for end in ends):
            return False
        a, b, c, d = (self.places[end.name] for end in ends)
        return max(_side(a, b, c) * _side(a, b, d), _side(c, d, a) * _side(c, d, b)) < -_CLEARLY

    def leaf(self, expr: Expr, infix: Infix) -> str:
        if expr.op == "call" and expr.name == "graph":
            return f"graph({expr.args[0].name}, {infix(expr.args[1])}, {infix(expr.args[2])})"
        if expr.op == "call" and self.view and expr.name == self.view.name:
            return infix.inner(expr.args[0], 4)
        return super().leaf(expr, infix)

    def define(self, helper: Helper) -> str:
        text = super().define(helper)
        if helper.base is None:
            return text
        stop = f"{{\n  if ({helper.params[-1][0]} == 0) return {self.text(helper.base)};\n  return "
        return text.replace("{ return ", stop, 1).replace("; }", ";\n}")

    # Statements

    def block(self, statements: Sequence[Statement]) -> list[str]:
        return ["  " + line for line in self.lines(statements)]

    def lines(self, statements: Sequence[Statement]) -> list[str]:
        """Return the lines of statements that stand together, what belongs together written at once."""
        spots = {s.at for s in statements if isinstance(s, Spot)}
        named = {s.at for s in statements if isinstance(s, Label) and self.dotted} & spots
        kept = [s for s in statements if not (isinstance(s, Spot) and s.at in named)]
        kept = kept if self.view else _filled(kept)
        lines: list[str] = []
        for kind, run_of in groupby(kept, lambda s: s.expr.kind if isinstance(s, Let) and not s.again else ""):
            if kind:
                declared = [f"{s.name} = {self.bare(self.idiom(s.expr))}" for s in run_of if isinstance(s, Let)]
                parts = (declared[at : at + self.together] for at in range(0, len(declared), self.together))
                lines += [f"{kind} {', '.join(part)};" for part in parts]
                continue
            for s in run_of:
                lines += self.label(s, s.at in named) if isinstance(s, Label) else self.statement(s)
        return lines

    def label(self, s: Label, dot: bool) -> list[str]:
        """Return the line of a label, which draws its dot too if ``dot`` is set."""
        if s.number is not None:
            return self.statement(s)
        place = self.text(s.at) + (f", {s.compass}" if s.compass else "")
        if self.cse5:
            return [f'D(MP("{s.text}", {place}));' if dot else f'MP("{s.text}", {place});']
        return [f'{"dot" if dot else "label"}("${s.text}$", {place});']

    def statement(self, s: Statement) -> list[str]:
        draw = "D" if self.cse5 else "draw"
        match s:
            case Draw(axis="x" | "y" as axis, path=path) if not isinstance(path, Circle):
                low, high = (self.text(end.args["xy".index(axis)]) for end in path.pieces if isinstance(end, Expr))
                return [f"{axis}axis({low}, {high});"]
            case Draw(right=(a, b, c, side)):
                corner = ", ".join(map(self.text, (a, b, c)))
                mark = f"rightanglemark({corner}, {round(side.value / _MARK)})"
                return [f"{draw}({mark if self.modules else f'corner({corner}, {self.text(side)})'}, {self.pen(s)});"]
            case _Filled():
                return [f"filldraw({self.path(s.path)}, {grey(s)}, black);"]
            case Fill() if self.view:
                return [f"draw(surface({self.path(s.path)}), {grey(s)});"]
            case Procedure(helper=Helper() as helper):
                return self.define(helper).split("\n")
            case Spot() if self.cse5:
                return [f"D({self.text(s.at)});"]
        return [re.sub("^draw", draw, line) if isinstance(s, Draw) else line for line in super().statement(s)]


class _Filled(Fill):
    """A path that is stroked as it is filled."""


def _filled(statements: Sequence[Statement]) -> list[Statement]:
    """Return ``statements`` where a stroke around a filled path, among those that follow at once, is part of it."""
    merged = list(statements)
    for at, fill in enumerate(merged):
        if isinstance(fill, Fill):
            after = at + 1
            while after < len(merged) and isinstance(merged[after], Draw):
                if merged[after] == Draw(path=fill.path):
                    merged[at] = _Filled(path=fill.path, shade=fill.shade)
                    del merged[after]
                    break
                after += 1
    return merged


def _names(ends: Sequence[Expr]) -> bool:
    return all(end.op == "var" for end in ends)


def _side(a: complex, b: complex, p: complex) -> float:
    return ((b - a).conjugate() * (p - a)).imag
