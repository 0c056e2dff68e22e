"""Write the parts of expressions that all languages write alike: infix operators, brackets and numbers."""

from collections.abc import Callable
from dataclasses import dataclass

from planimeter.generators.geogram.scene import Expr

_STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3}


@dataclass(frozen=True, kw_only=True, slots=True)
class Infix:
    """A writer of expressions as text; ``leaf`` writes those that differ by language: pairs, table cells, calls ..."""

    leaf: Callable[[Expr], str]

    def __call__(self, expr: Expr) -> str:
        """Return the text of ``expr``, without brackets around the whole."""
        match expr.op:
            case "int":
                return str(int(expr.value))
            case "lit":
                return number(expr.value)
            case "var":
                return expr.name
            case "neg":
                return "-" + self.inner(expr.args[0], 3)
            case "+" | "-" | "*" | "/":
                strength = _STRENGTH[expr.op]
                left = self.inner(expr.args[0], strength)
                right = self.inner(expr.args[1], strength + (expr.op in "-/"))
                return f"{left} {expr.op} {right}" if strength == 1 else f"{left}{expr.op}{right}"
        return self.leaf(expr)

    def inner(self, expr: Expr, strength: int) -> str:
        """Return the text of ``expr`` as an operand, in brackets if it binds less strongly than ``strength``.

        Strengths: 1 for sums, 2 for products, 3 for negations, 4 for all else.
        """
        text = self(expr)
        binding = _STRENGTH.get(expr.op, 4)
        # A negative literal binds like a negation: 2 - (-1.50), not 2 - -1.50.
        if expr.op in ("lit", "int") and expr.value < 0:
            binding = 1
        return text if binding >= strength and not (strength > 1 and text.startswith("-")) else f"({text})"


def number(value: float) -> str:
    """Return ``value`` as a decimal with four digits after the point, or two if the last two are zero."""
    text = f"{value:.4f}"
    return text[:-2] if text.endswith("00") else text
