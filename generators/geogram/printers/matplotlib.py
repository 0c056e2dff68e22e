"""Print a drawing program (``Scene``) as a complete Python script with numpy and matplotlib.

matplotlib has several spellings for the same thing (``color="black"``, ``c="k"``); ``style`` chooses among them, so
that programs of one template are not copies of each other.
"""

from typing import Final

from planimeter.generators.geogram import scene as sc
from planimeter.generators.geogram.printers._infix import Infix, number
from planimeter.generators.geogram.run import COMPASS

_BUILTIN: Final = {
    "dot": "np.dot({0}, {1})",
    "abs": "np.linalg.norm({0})",
    "sqrt": "np.sqrt({0})",
    "sin": "np.sin(np.radians({0}))",
    "cos": "np.cos(np.radians({0}))",
}

_ARC: Final = (
    "def arc(O, r, a, b):",
    "    t = np.radians(np.linspace(a, b, 181))",
    "    return np.transpose([O[0] + r*np.cos(t), O[1] + r*np.sin(t)])",
)


_BLACK: Final = ('color="black"', 'color="k"', 'c="k"', 'c="black"')
_PLACED: Final = (
    'textcoords="offset points", ha="center", va="center"',
    'ha="center", va="center", textcoords="offset points"',
    'textcoords="offset points", ha="center", va="center", fontsize=14',
    'fontsize=13, va="center", ha="center", textcoords="offset points"',
)
_SHORT: Final = (("linewidth", "lw"), ("linestyle", "ls"))

#: The number of spellings.
STYLES: Final = len(_BLACK) * len(_PLACED) * 2


def program(scene: sc.Scene, style: int = 0) -> str:
    """Return ``scene`` as a Python script; ``style``, from 0 to ``STYLES - 1``, chooses the spelling of arguments."""
    body = [_spelled(line, style) for statement in scene.statements for line in _statement(statement)]
    lines = ["import matplotlib.pyplot as plt", "import numpy as np", ""]
    for helper in scene.helpers:
        lines += [*_define(helper), ""]
    if any("*arc(" in line for line in body):
        lines += [*_ARC, ""]
    lines += ["fig, ax = plt.subplots()", *body, 'ax.set_aspect("equal")', 'ax.axis("off")', "plt.show()"]
    return "\n".join(lines)


def _spelled(line: str, style: int) -> str:
    rest, short = divmod(style, 2)
    label, ink = divmod(rest, len(_BLACK))
    if "plt.Circle" not in line:
        line = line.replace(_BLACK[0], _BLACK[ink])
    if short:
        for long, brief in _SHORT:
            line = line.replace(f"{long}=", f"{brief}=")
    return line.replace(_PLACED[0], _PLACED[label])


def _leaf(expr: sc.Expr) -> str:
    args = [_infix(a) for a in expr.args]
    match expr.op:
        case "pair" | "triple":
            return f"np.array([{', '.join(args)}])"
        case "part":
            return f"{_infix.inner(expr.args[0], 4)}[{'xyz'.index(expr.name)}]"
        case "cell":
            return f"{expr.name}[{args[0]}][{args[1]}]"
    return _BUILTIN[expr.name].format(*args) if expr.name in _BUILTIN else f"{expr.name}({', '.join(args)})"


_infix: Final = Infix(leaf=_leaf)


def _define(helper: sc.Helper) -> list[str]:
    params = ", ".join(name for name, _ in helper.params)
    return [f"def {helper.name}({params}):", f"    return {_infix(helper.body)}"]


def _points(path: sc.Path) -> str:
    pieces = [f"*{_arc(p)}" if isinstance(p, sc.Arc) else _infix(p) for p in path.pieces]
    first = path.pieces[0]
    if path.closed:
        # A closed path that starts on an arc ends where that arc starts.
        pieces.append(f"{_arc(first)}[0]" if isinstance(first, sc.Arc) else _infix(first))
    return f"*zip({', '.join(pieces)})"


def _arc(arc: sc.Arc) -> str:
    return f"arc({', '.join(_infix(e) for e in (arc.center, arc.radius, arc.start, arc.end))})"


def _statement(s: sc.Statement) -> list[str]:
    match s:
        case sc.Let():
            return [f"{s.name} = {_infix(s.expr)}"]
        case sc.Table():
            return [f"{s.name} = [{', '.join(str(list(row)) for row in s.rows)}]"]
        case sc.Draw():
            return [_stroke(s)]
        case sc.Fill():
            grey = '"white"' if s.shade == 1.0 else f'"{s.shade}"'
            if isinstance(s.path, sc.Circle):
                circle = f"plt.Circle({_infix(s.path.center)}, {_infix(s.path.radius)}, color={grey})"
                return [f"ax.add_patch({circle})"]
            return [f"ax.fill({_points(s.path)}, color={grey})"]
        case sc.Spot():
            return [f'ax.plot(*{_infix.inner(s.at, 4)}, "ko", markersize=4)']
        case sc.Label():
            return [_label(s)]
        case sc.Run():
            return [f"{s.name}({', '.join(_infix(a) for a in s.args)})"]
        case sc.Loop():
            start = "" if s.start.op == "int" and s.start.value == 0 else _infix(s.start) + ", "
            return [f"for {s.variable} in range({start}{_infix(s.stop)}):", *_block(s.body)]
        case sc.Procedure():
            return [f"def {s.name}({', '.join(name for name, _ in s.params)}):", *_block(s.body)]
        case sc.IfZero():
            tail = ["else:", *_block(s.otherwise)] if s.otherwise else []
            return [f"if {_infix(s.test)} == 0:", *_block(s.then), *tail]


def _stroke(s: sc.Draw) -> str:
    width = "" if s.width == 1.0 else f", linewidth={number(s.width)}"
    style = f'color="black"{width}' + (', linestyle="--"' if s.dashed else "")
    if isinstance(s.path, sc.Circle):
        return f"ax.add_patch(plt.Circle({_infix(s.path.center)}, {_infix(s.path.radius)}, fill=False, {style}))"
    return f"ax.plot({_points(s.path)}, {style})"


def _label(s: sc.Label) -> str:
    text = f'"${s.text}$"' if s.number is None else f"str({_infix(s.number)})"
    dx, dy = (round(10 * v) for v in COMPASS[s.compass])
    offset = f"xytext=({dx}, {dy}), {_PLACED[0]}"
    return f"ax.annotate({text}, {_infix(s.at)}, {offset})"


def _block(statements: tuple[sc.Statement, ...]) -> list[str]:
    return ["    " + line for statement in statements for line in _statement(statement)]
