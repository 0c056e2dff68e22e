r"""Exact answers in simplest form: a sum of rationals times square roots times powers of pi, over one denominator.

This module writes the LaTeX itself instead of ``sympy.latex(simplify(...))``, because equal answers must have equal
texts in the dataset: ``\frac{3\sqrt{2}+5}{4}`` is never ``\frac{3 \sqrt{2}}{4} + \frac{5}{4}``.
"""

from dataclasses import dataclass
from math import gcd, lcm

import sympy

Term = tuple[int, int, int]  # coefficient, radicand, power of pi


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    r"""An exact answer: its LaTeX, for use inside ``\boxed{}``, and its value as a float."""

    latex: str
    value: float


def exact(expr: sympy.Expr | int) -> Answer:
    """Return ``expr`` as an answer in simplest form.

    Raises:
        ValueError: if ``expr`` is not a sum of rationals times square roots times powers of pi (for example, with a
            nested root or a cube root). Such an answer is hard to read; callers try other random parameters.
    """
    terms, denominator = _terms(sympy.sympify(expr))
    top = _sum(terms)
    if denominator == 1:
        latex = top
    elif top.startswith("-") and len(terms) == 1:
        latex = rf"-\frac{{{top[1:]}}}{{{denominator}}}"
    else:
        latex = rf"\frac{{{top}}}{{{denominator}}}"
    return Answer(latex=latex, value=float(sympy.N(expr, 17)))


def _terms(expr: sympy.Expr) -> tuple[list[Term], int]:
    """Return the terms of the numerator of ``expr``, in the order in which they are written, and the denominator.

    The fraction is in lowest terms. Raises ValueError as ``exact`` does.
    """
    expanded = expr if expr.is_Rational else sympy.expand(sympy.radsimp(sympy.expand(expr)))
    products: list[tuple[sympy.Rational, int, int]] = []
    for term in sympy.Add.make_args(expanded):
        coefficient, radicand, power = sympy.Integer(1), 1, 0
        for factor in sympy.Mul.make_args(term):
            base, exponent = factor.as_base_exp()
            if factor.is_Rational:
                coefficient *= factor
            elif base == sympy.pi and exponent.is_Integer:
                power += int(exponent)
            elif base.is_Integer and base > 0 and exponent == sympy.Rational(1, 2):
                radicand *= int(base)
            else:
                raise ValueError(f"need a sum of rationals, square roots and powers of pi, got {expr}")
        products.append((coefficient, radicand, power))
    denominator = lcm(*(int(c.q) for c, _, _ in products))
    terms = [(int(c * denominator), r, p) for c, r, p in products]
    common = gcd(denominator, *(c for c, _, _ in terms))
    terms = [(c // common, r, p) for c, r, p in terms]
    # Powers of pi first, then the larger root; a leading minus is avoided if a positive term can lead.
    terms.sort(key=lambda t: (-t[2], -t[1]))
    if terms[0][0] < 0:
        terms.sort(key=lambda t: t[0] < 0)
    return terms, denominator // common


def _sum(terms: list[Term]) -> str:
    text = "".join(("-" if c < 0 else "+") + _term(abs(c), r, p) for c, r, p in terms)
    return text.removeprefix("+")


def _term(coefficient: int, radicand: int, power: int) -> str:
    root = "" if radicand == 1 else rf"\sqrt{{{radicand}}}"
    pi = "" if power == 0 else r"\pi" if power == 1 else rf"\pi^{{{power}}}"
    number = "" if coefficient == 1 and (root or pi) else str(coefficient)
    return number + root + pi
