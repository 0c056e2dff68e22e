"""Problems whose programs are those of the corpora: recursion that draws or returns a point, graphs of functions."""

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import (
    Draw,
    Expr,
    Fill,
    Helper,
    IfZero,
    Kind,
    Let,
    Path,
    Procedure,
    Run,
    Statement,
    call,
    graph,
    pair,
    var,
    wrap,
)
from planimeter.generators.geogram.sketch import Sketch
from planimeter.generators.geogram.template import Draft, Template, choose, draw_decoy, letters, randint

R = sympy.Rational

Params = tuple[tuple[str, Kind], ...]

_ONE: Params = (("x", "real"),)


def _snowflake(rng: np.random.Generator) -> Draft:
    """After Koch's snowflake: a procedure puts a triangle amid a side, and calls itself for what arises."""
    A, B, C = letters(rng, 3)
    m, n = ((1, 3), (1, 4), (2, 5), (2, 7), (3, 8), (3, 7), (3, 10))[int(rng.integers(7))]
    depth, sides = randint(rng, 1, 3), randint(rng, 1, 3)
    side = n ** randint(rng, 1, 2) * randint(rng, 1, 12)
    s = Sketch(rng)
    t = s.ratio("t", draw_decoy(rng, 0.26, 0.42, m / n, 0.1))
    p, q, u, v, w, k = (*(var(name, "pair") for name in "pquvw"), var("k", "int"))
    grow: tuple[Statement, ...] = (
        Let(name="u", expr=p + t * (q - p)),
        Let(name="v", expr=q + t * (p - q)),
        Let(name="w", expr=u + con.TURN(v - u, 60 if s.flip else -60)),
        Fill(path=Path(pieces=(u, w, v), closed=True), shade=0.8),
        *(Run(name="grow", args=(*ends, k - 1)) for ends in ((p, u), (u, w), (w, v), (v, q))),
    )
    base = (Draw(path=Path(pieces=(p, q))),)
    params: Params = (("p", "pair"), ("q", "pair"), ("k", "int"))
    s.add(Procedure(name="grow", params=params, body=(IfZero(test=k, then=base, otherwise=grow),)))
    a = s.free(A, 0, 0)
    b = s.free(B, rng.uniform(4, 6), 0)
    c = s.let(C, a + con.TURN(b - a, -60 if s.flip else 60))
    s.fill(a, b, c, shade=0.8)
    for number, ends in enumerate(((a, b), (b, c), (c, a))):
        s.add(Run(name="grow", args=(*ends, wrap(depth if number < sides else 0))))
    s.names(A + B + C, a, b, c)
    outer, base_share = R(m, n), 1 - 2 * R(m, n)
    added = sum((base_share**2 * (2 * outer**2 + 2 * base_share**2) ** i for i in range(depth)), R(0))
    share = f"$\\frac{{{m}}}{{{n}}}$"
    statement = choose(
        rng,
        f"Triangle ${A}{B}{C}$ is equilateral with ${A}{B} = {side}$. The procedure cuts {share} of a segment off at "
        "either end and puts an equilateral triangle on the rest, as often as the code says. Find the shaded area.",
        f"On sides of the equilateral triangle ${A}{B}{C}$ the program grows parts of a snowflake: of each segment the "
        f"two outer pieces, each {share} of its length, stay, and a regular triangle stands on the piece between them. "
        f"How large is the whole grey region if ${A}{B} = {side}$?",
        f"Let ${side}$ be the side length of the equilateral triangle ${A}{B}{C}$ with which a recursive figure "
        f"begins, and let $t$ be {share}. What is the area of everything that is shaded at the end?",
    )
    area = sympy.sqrt(3) * R(side**2, 4) * (1 + sides * added)
    facts = [(f"dist({A},{B})", str(side)), ("t", f"{m}/{n}")]
    return Draft(sketch=s, statement=statement, givens=facts, asked="shaded()", answer=area)


def _settling_point(rng: np.random.Generator) -> Draft:
    """A function that calls itself returns a point of a side: how far along, its depth says."""
    A, B, C, P = letters(rng, 4)
    m, n = ((1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (2, 5), (3, 5))[int(rng.integers(7))]
    depth, total = randint(rng, 2, 4), n ** randint(rng, 1, 2) * randint(rng, 2, 20)
    s = Sketch(rng)
    w = s.ratio("w", draw_decoy(rng, 0.3, 0.7, m / n))
    u, v, k = var("u", "pair"), var("v", "pair"), var("k", "int")
    params: Params = (("u", "pair"), ("v", "pair"), ("k", "int"))
    settle = Helper(name="settle", params=params, body=call("settle", "pair", v, v + w * (u - v), k - 1), base=v)
    s.add(Procedure(name="settle", params=params, helper=settle))
    a, b = s.free(A, 0, 0), s.free(B, rng.uniform(4.8, 6.2), 0)
    c = s.free(C, rng.uniform(1, 4), rng.uniform(3.2, 4.8))
    point = s.let(P, settle(a, b, wrap(depth)))
    shaded = bool(rng.integers(2))
    s.fill(*((a, point, c) if shaded else (point, b, c)), shade=0.85)
    s.draw(a, b, c, closed=True)
    s.draw(c, point)
    s.dots(point)
    s.names(A + B + C + P, a, b, c, point)
    last, here = R(0), R(1)
    for _ in range(depth):
        last, here = here, here + R(m, n) * (last - here)
    share = f"$\\frac{{{m}}}{{{n}}}$"
    statement = choose(
        rng,
        f"The area of triangle ${A}{B}{C}$ is ${total}$. A bug on side ${A}{B}$ walks from ${A}$ to ${B}$ and then "
        f"turns back again and again, each time for {share} of its last way, until the function returns its place "
        f"${P}$. Find the area of the shaded part.",
        f"A recursive function places ${P}$ on ${A}{B}$: each of its points lies on the way from the last one back to "
        f"the one before, after {share} of it. What is the area of the grey triangle if the whole triangle "
        f"${A}{B}{C}$ has area ${total}$?",
        f"In triangle ${A}{B}{C}$, whose area is ${total}$, the code determines where ${P}$ divides ${A}{B}$, but the "
        f"true value of $w$ is {share}. How large is the shaded triangle?",
    )
    facts = [(f"area({A},{B},{C})", str(total)), ("w", f"{m}/{n}")]
    answer = total * (here if shaded else 1 - here)
    return Draft(sketch=s, statement=statement, givens=facts, asked="shaded()", answer=answer)


def _axes(s: Sketch, left: Expr, right: Expr, low: Expr, high: Expr) -> None:
    s.add(Draw(path=Path(pieces=(pair(left, 0), pair(right, 0))), axis="x"))
    s.add(Draw(path=Path(pieces=(pair(0, low), pair(0, high))), axis="y"))


def _parabola(rng: np.random.Generator) -> Draft:
    """A parabola over the x-axis; the code says which of its points is meant, or which region."""
    A, B, C, V = letters(rng, 4)
    wide, high = randint(rng, 2, 24), randint(rng, 2, 24)
    case = int(rng.integers(4))
    s = Sketch(rng, upright=True)
    p, q = s.real("p", rng.uniform(0.5, 2)), s.real("q", rng.uniform(4, 6.5))
    h = s.real("h", rng.uniform(2.4, 4.5))
    x = var("x", "real")
    f = Helper(name="f", params=_ONE, body=4 * h * (x - p) * (q - x) / ((q - p) * (q - p)))
    s.add(Procedure(name="f", params=_ONE, helper=f))
    a, b = s.let(A, pair(p, 0)), s.let(B, pair(q, 0))
    v = s.let(V, pair((p + q) / 2, f((p + q) / 2)))
    share = ((1, 4), (1, 3), (3, 4), (2, 3), (1, 5), (4, 5))[int(rng.integers(6))]
    at = s.let("c", p + (share[0] * (q - p) if share[0] > 1 else q - p) / share[1])
    c = s.let(C, pair(at, f(at)))
    curve = graph(f, p, q)
    if case == 0:
        s.fill(curve, shade=0.85)
    _axes(s, s.size(-0.6), s.size(7.4), s.size(-0.7), s.size(5))
    s.draw(curve)
    if case:
        s.draw(*((a, c, b), (a, c, v), (a, c, b))[case - 1], closed=case != 3)
    s.dots(v, c)
    s.names(A + B + C + V, a, b, c, v)
    k = R(*share)
    height = 4 * high * k * (1 - k)
    asked, answer, what = (
        ("shaded()", R(2 * wide * high, 3), "the area of the shaded region"),
        (f"area({A},{C},{B})", wide * height / 2, f"the area of triangle ${A}{C}{B}$"),
        (
            f"area({A},{C},{V})",
            abs(k * wide * high - R(wide, 2) * height) / 2,
            f"the area of triangle ${A}{C}{V}$",
        ),
        (f"dist({A},{C})", sympy.sqrt((k * wide) ** 2 + height**2), f"the length of ${A}{C}$"),
    )[case]
    known = f"${A}{B} = {wide}$"
    statement = choose(
        rng,
        f"The graph of a quadratic function meets the $x$-axis at ${A}$ and ${B}$, and its vertex ${V}$ is ${high}$ "
        f"above the axis. If {known}, find {what}.",
        f"In the coordinate plane a parabola has its vertex at ${V}$, at a distance of ${high}$ from the $x$-axis, "
        f"which it cuts at ${A}$ and ${B}$ with {known}. What is {what}?",
        f"Points ${A}$ and ${B}$, with {known}, are the zeros of the quadratic function that the program plots, and "
        f"${high}$ is its largest value, taken at ${V}$. Determine {what}.",
    )
    facts = [(f"dist({A},{B})", str(wide)), (f"line_distance({V},{A},{B})", str(high))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=asked, answer=answer)


def _falling_line(rng: np.random.Generator) -> Draft:
    """A falling line between the axes, and a rectangle under it whose corner the code places."""
    A, B, P, Q, T = letters(rng, 5)
    across, up = randint(rng, 2, 30), randint(rng, 2, 30)
    if across == up:
        raise ValueError("need two different intercepts")
    m, n = ((1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (2, 5), (3, 5), (1, 5), (4, 5))[int(rng.integers(9))]
    s = Sketch(rng, upright=True)
    u, v = s.real("a", rng.uniform(4, 6.5)), s.real("b", rng.uniform(3, 5.5))
    x = var("x", "real")
    f = Helper(name="f", params=_ONE, body=v - v * x / u)
    s.add(Procedure(name="f", params=_ONE, helper=f))
    o = s.let("O", pair(0, 0))
    a, b = s.let(A, pair(u, 0)), s.let(B, pair(0, f(wrap(0))))
    at = s.let("t", (m * u if m > 1 else u) / n)
    p = s.let(P, pair(at, f(at)))
    q, t = s.let(Q, pair(at, 0)), s.let(T, pair(0, f(at)))
    _axes(s, s.size(-0.7), s.size(7), s.size(-0.6), s.size(6.2))
    s.draw(graph(f, wrap(0), u))
    s.draw(q, p, t)
    case = int(rng.integers(3))
    if case:
        s.draw(*((o, p), (a, p))[case - 1], dashed=True)
    s.dots(p)
    s.names("O" + A + B + P + Q + T, o, a, b, p, q, t)
    k = R(m, n)
    asked, answer, what = (
        (f"area(O,{Q},{P},{T})", across * k * up * (1 - k), f"the area of rectangle $O{Q}{P}{T}$"),
        (f"dist(O,{P})", sympy.sqrt((across * k) ** 2 + (up * (1 - k)) ** 2), f"the length of $O{P}$"),
        (f"area(O,{A},{P},{T})", R(across + across * k) * up * (1 - k) / 2, f"the area of trapezoid $O{A}{P}{T}$"),
    )[case]
    known = f"$O{A} = {across}$ and $O{B} = {up}$"
    statement = choose(
        rng,
        f"The graph of a linear function meets the coordinate axes at ${A}$ and ${B}$, where {known} and $O$ is the "
        f"origin. Find {what}.",
        f"With {known} a line is drawn through points of the two axes, and rectangle $O{Q}{P}{T}$ has its corner ${P}$ "
        f"on the line, where the code puts it. What is {what}?",
        f"The program plots a linear function that runs from ${B}$ on the $y$-axis down to ${A}$ on the $x$-axis. If "
        f"{known}, with the origin $O$, determine {what}.",
    )
    facts = [(f"dist(O,{A})", str(across)), (f"dist(O,{B})", str(up))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=asked, answer=answer)


TEMPLATES = (
    Template(name="snowflake", level="abstract", draft=_snowflake, corpora=True),
    Template(name="settling_point", level="abstract", draft=_settling_point, corpora=True),
    Template(name="parabola", level="compositional", draft=_parabola, corpora=True),
    Template(name="falling_line", level="compositional", draft=_falling_line, corpora=True),
)
