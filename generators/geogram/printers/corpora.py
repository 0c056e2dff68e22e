"""Print a drawing program (``Scene``) in Asymptote in the style of the corpora from which GeoGramBench is taken, where
people wrote the programs.

Such a program declares several points at once, derives points by the functions of a module (`olympiad`, `cse5`) or by
one that it defines, draws a dot together with its label, fills and strokes in one call, omits multiplication signs, and
draws graphs of functions with the module `graph` and solids with `three`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from planimeter.generators.geogram import scene as sc
from planimeter.generators.geogram.printers.asymptote import STOCK, Writer, grey
from planimeter.generators.geogram.run import run

_PAGES: Final = (
    *("size(150);", "size(200);", "size(6cm);", "unitsize(0.7cm);", "unitsize(0.3inch);"),
    "size(180);\ndefaultpen(linewidth(0.7)+fontsize(10));",
    "unitsize(15);\ndefaultpen(linewidth(0.8));",
    "size(5cm);\npen dps = linewidth(0.7)+fontsize(10);\ndefaultpen(dps);",
)
_MODULES: Final = ((), (), (), (), ("olympiad",), ("olympiad",), ("olympiad",), ("olympiad", "cse5"))

#: The largest number of names in one declaration.
_TOGETHER: Final = (1, 3, 6)

#: The number of spellings: the product of the choices of page, modules, declarations, products and labelled dots.
STYLES: Final = len(_PAGES) * len(_MODULES) * len(_TOGETHER) * 2 * 2

#: Idioms of Asymptote for expressions of a scene, and the constructions of `olympiad`.
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

#: The unit of the size argument of `rightanglemark`.
_MARK: Final = 0.03

#: Segments cross if the products of ``_side`` are below the negative of this, above the rounding of a processor.
_CLEARLY: Final = 1e-6


def program(scene: sc.Scene, style: int) -> str:
    """Return ``scene`` as an Asymptote program; ``style``, from 0 to ``STYLES - 1``, chooses page size, modules and
    idioms.
    """
    return _Corpora(scene, style).program()


class _Corpora(Writer):
    def __init__(self, scene: sc.Scene, style: int) -> None:
        super().__init__()
        self.scene, self.places = scene, run(scene).values
        self.view = next((h for h in scene.helpers if isinstance(h, sc.View)), None)
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

    def text(self, expr: sc.Expr) -> str:
        return self.infix(self.idiom(expr))

    def joined(self, point: sc.Expr) -> str:
        return self.infix.inner(self.idiom(point), 4)

    def idiom(self, expr: sc.Expr) -> sc.Expr:
        """Return ``expr`` with calls of Asymptote's functions (such as `midpoint`) in place of equal constructions."""
        expr = replace(expr, args=tuple(map(self.idiom, expr.args)))
        match expr:
            case sc.Expr(op="/", kind="pair" | "triple", args=(sc.Expr(op="+", args=ends), sc.Expr(op="int", value=2))):
                return sc.call("middle", expr.kind, *ends) if _names(ends) else expr
            case sc.Expr(op="+", kind="pair", args=(a, sc.Expr(op="*", args=(share, sc.Expr(op="-", args=(b, c)))))):
                # `interp` is used for points between a and b only.
                inside = self.places.get(share.name, 2) if share.op == "var" else share.value
                named = a == c and _names((a, b)) and 0 < inside < 1 and (self.modules or self.together > 3)
                return sc.call("between", "pair", a, b, share) if named else expr
            case sc.Expr(op="+", args=(a, sc.Expr(op="call", name="turn", args=(sc.Expr(op="-", args=(b, c)), angle)))):
                return sc.call("spin", "pair", a, b, angle) if a == c and _names((a, b)) else expr
            case sc.Expr(op="call", name="meet", args=ends):
                return sc.call("crossing", "pair", *ends) if self.cross(ends) else expr
        return expr

    def cross(self, ends: Sequence[sc.Expr]) -> bool:
        """Return True if the segments AB and CD cross in their interiors; ``ends``: the points A, B, C and D.

        Asymptote's ``intersectionpoint`` requires it.
        """
        if not _names(ends) or any(end.name not in self.places for end in ends):
            return False
        a, b, c, d = (self.places[end.name] for end in ends)
        return max(_side(a, b, c) * _side(a, b, d), _side(c, d, a) * _side(c, d, b)) < -_CLEARLY

    def leaf(self, expr: sc.Expr) -> str:
        if expr.op == "call" and expr.name == "graph":
            return f"graph({expr.args[0].name}, {self.infix(expr.args[1])}, {self.infix(expr.args[2])})"
        if expr.op == "call" and self.view and expr.name == self.view.name:
            return self.infix.inner(expr.args[0], 4)
        return super().leaf(expr)

    def define(self, helper: sc.Helper) -> str:
        text = super().define(helper)
        if helper.base is None:
            return text
        stop = f"{{\n  if ({helper.params[-1][0]} == 0) return {self.text(helper.base)};\n  return "
        return text.replace("{ return ", stop, 1).replace("; }", ";\n}")

    # Statements

    def block(self, statements: Sequence[sc.Statement]) -> list[str]:
        return ["  " + line for line in self.lines(statements)]

    def lines(self, statements: Sequence[sc.Statement]) -> list[str]:
        """Return the lines of ``statements``, with declarations joined and, in some styles, dots drawn with their
        labels.
        """
        spots = {s.at for s in statements if isinstance(s, sc.Spot)}
        named = {s.at for s in statements if isinstance(s, sc.Label) and self.dotted} & spots
        kept = [s for s in statements if not (isinstance(s, sc.Spot) and s.at in named)]
        kept = kept if self.view else _filled(kept)
        lines: list[str] = []
        for kind, run_of in groupby(kept, lambda s: s.expr.kind if isinstance(s, sc.Let) and not s.again else ""):
            if kind:
                declared = [f"{s.name} = {self.bare(self.idiom(s.expr))}" for s in run_of if isinstance(s, sc.Let)]
                parts = (declared[at : at + self.together] for at in range(0, len(declared), self.together))
                lines += [f"{kind} {', '.join(part)};" for part in parts]
                continue
            for s in run_of:
                lines += self.label(s, s.at in named) if isinstance(s, sc.Label) else self.statement(s)
        return lines

    def label(self, s: sc.Label, dot: bool) -> list[str]:
        """Return the line that writes a label; if ``dot``, it also draws a dot at the point."""
        if s.number is not None:
            return self.statement(s)
        place = self.text(s.at) + (f", {s.compass}" if s.compass else "")
        if self.cse5:
            return [f'D(MP("{s.text}", {place}));' if dot else f'MP("{s.text}", {place});']
        return [f'{"dot" if dot else "label"}("${s.text}$", {place});']

    def statement(self, s: sc.Statement) -> list[str]:
        draw = "D" if self.cse5 else "draw"
        match s:
            case sc.Draw(axis="x" | "y" as axis, path=path) if not isinstance(path, sc.Circle):
                low, high = (self.text(end.args["xy".index(axis)]) for end in path.pieces if isinstance(end, sc.Expr))
                return [f"{axis}axis({low}, {high});"]
            case sc.Draw(right=(a, b, c, side)):
                corner = ", ".join(map(self.text, (a, b, c)))
                mark = f"rightanglemark({corner}, {round(side.value / _MARK)})"
                return [f"{draw}({mark if self.modules else f'corner({corner}, {self.text(side)})'}, {self.pen(s)});"]
            case _Filled():
                return [f"filldraw({self.path(s.path)}, {grey(s)}, black);"]
            case sc.Fill() if self.view:
                return [f"draw(surface({self.path(s.path)}), {grey(s)});"]
            case sc.Procedure(helper=sc.Helper() as helper):
                return self.define(helper).split("\n")
            case sc.Spot() if self.cse5:
                return [f"D({self.text(s.at)});"]
        return [re.sub("^draw", draw, line) if isinstance(s, sc.Draw) else line for line in super().statement(s)]


class _Filled(sc.Fill):
    """A statement that fills and strokes a closed path in one call (`filldraw`)."""


def _filled(statements: Sequence[sc.Statement]) -> list[sc.Statement]:
    """Return ``statements`` with each fill merged with a later stroke of the same path, if only strokes are between."""
    merged = list(statements)
    for at, fill in enumerate(merged):
        if isinstance(fill, sc.Fill):
            after = at + 1
            while after < len(merged) and isinstance(merged[after], sc.Draw):
                if merged[after] == sc.Draw(path=fill.path):
                    merged[at] = _Filled(path=fill.path, shade=fill.shade)
                    del merged[after]
                    break
                after += 1
    return merged


def _names(ends: Sequence[sc.Expr]) -> bool:
    return all(end.op == "var" for end in ends)


def _side(a: complex, b: complex, p: complex) -> float:
    return ((b - a).conjugate() * (p - a)).imag
