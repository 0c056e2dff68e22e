"""Templates of problems whose programs resemble those that people wrote for the corpora of GeoGramBench (see
``printers.corpora``): recursion that draws or returns a point, and graphs of functions.
"""

import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram import scene as sc
from planimeter.generators.geogram.template import Figure, template

R = sympy.Rational
_ONE: sc.Params = (("x", "real"),)


@template("abstract", "ABC", corpora=True)
def snowflake(fig: Figure) -> Figure:
    """Ask for the area of a figure like Koch's snowflake: a recursive procedure puts an equilateral triangle on the
    middle of each segment.

    Only the drawing code, not the problem's text, shows the depth of the recursion, and on how many sides it runs.
    """
    m, n = fig.choice((1, 3), (1, 4), (2, 5), (2, 7), (3, 8), (3, 7), (3, 10))
    depth, sides = fig.randint(1, 3), fig.randint(1, 3)
    side = n ** fig.randint(1, 2) * fig.randint(1, 12)
    fig.pose()
    t = fig.ratio("t", fig.decoy(0.26, 0.42, m / n, 0.1))
    p, q, u, v, w, k = (*(sc.var(name, "pair") for name in "pquvw"), sc.var("k", "int"))
    grow: tuple[sc.Statement, ...] = (
        sc.Let(name="u", expr=p + t * (q - p)),
        sc.Let(name="v", expr=q + t * (p - q)),
        sc.Let(name="w", expr=u + con.TURN(v - u, 60 if fig.flip else -60)),
        sc.Fill(path=sc.Path(pieces=(u, w, v), closed=True), shade=0.8),
        *(sc.Run(name="grow", args=(*ends, k - 1)) for ends in ((p, u), (u, w), (w, v), (v, q))),
    )
    base = (sc.Draw(path=sc.Path(pieces=(p, q))),)
    params: sc.Params = (("p", "pair"), ("q", "pair"), ("k", "int"))
    fig.add(sc.Procedure(name="grow", params=params, body=(sc.IfZero(test=k, then=base, otherwise=grow),)))
    A, B = fig.free("A", 0, 0), fig.free("B", fig.uniform(4, 6), 0)
    C = fig.let("C", A + con.TURN(B - A, -60 if fig.flip else 60))
    fig.fill(A, B, C, shade=0.8)
    for number, ends in enumerate(((A, B), (B, C), (C, A))):
        fig.add(sc.Run(name="grow", args=(*ends, sc.wrap(depth if number < sides else 0))))
    outer, base_share = R(m, n), 1 - 2 * R(m, n)
    added = sum((base_share**2 * (2 * outer**2 + 2 * base_share**2) ** i for i in range(depth)), R(0))
    share = f"$\\frac{{{m}}}{{{n}}}$"
    area = sympy.sqrt(3) * R(side**2, 4) * (1 + sides * added)
    fig.given(AB=side)
    fig.fact("t", f"{m}/{n}")
    return fig.ask("shaded()", area).worded(f"""
        Triangle $ABC$ is equilateral with $AB = {side}$. The procedure cuts {share} of a segment off at either end and
          puts an equilateral triangle on the rest, as often as the code says. Find the shaded area.
        On sides of the equilateral triangle $ABC$ the program grows parts of a snowflake: of each segment the two outer
          pieces, each {share} of its length, stay, and a regular triangle stands on the piece between them. How large
          is the whole grey region if $AB = {side}$?
        Let ${side}$ be the side length of the equilateral triangle $ABC$ with which a recursive figure begins, and let
          $t$ be {share}. What is the area of everything that is shaded at the end?
    """)


@template("abstract", "ABCP", corpora=True)
def settling_point(fig: Figure) -> Figure:
    """Ask for the area of one of two parts of a triangle ABC, which is cut from C to a point P of AB; a recursive
    function returns P.

    Only the drawing code, not the problem's text, shows the depth of the recursion, which determines P.
    """
    m, n = fig.choice((1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (2, 5), (3, 5))
    depth, total = fig.randint(2, 4), n ** fig.randint(1, 2) * fig.randint(2, 20)
    fig.pose()
    w = fig.ratio("w", fig.decoy(0.3, 0.7, m / n))
    u, v, k = sc.var("u", "pair"), sc.var("v", "pair"), sc.var("k", "int")
    params: sc.Params = (("u", "pair"), ("v", "pair"), ("k", "int"))
    settle = sc.Helper(name="settle", params=params, body=sc.call("settle", "pair", v, v + w * (u - v), k - 1), base=v)
    fig.add(sc.Procedure(name="settle", params=params, helper=settle))
    A, B, C = fig.declare(A=(0, 0), B=(fig.uniform(4.8, 6.2), 0), C=(fig.uniform(1, 4), fig.uniform(3.2, 4.8)))
    P = fig.let("P", settle(A, B, sc.wrap(depth)))
    shaded = fig.coin()
    fig.fill(*((A, P, C) if shaded else (P, B, C)), shade=0.85)
    fig.strokes("ABCA CP", dots="P")
    last, here = R(0), R(1)
    for _ in range(depth):
        last, here = here, here + R(m, n) * (last - here)
    share = f"$\\frac{{{m}}}{{{n}}}$"
    fig.fact("area(A,B,C)", total)
    fig.fact("w", f"{m}/{n}")
    return fig.ask("shaded()", total * (here if shaded else 1 - here)).worded(f"""
        The area of triangle $ABC$ is ${total}$. A bug on side $AB$ walks from $A$ to $B$ and then turns back again and
          again, each time for {share} of its last way, until the function returns its place $P$. Find the area of the
          shaded part.
        A recursive function places $P$ on $AB$: each of its points lies on the way from the last one back to the one
          before, after {share} of it. What is the area of the grey triangle if the whole triangle $ABC$ has area
          ${total}$?
        In triangle $ABC$, whose area is ${total}$, the code determines where $P$ divides $AB$, but the true value of
          $w$ is {share}. How large is the shaded triangle?
    """)


def _axes(fig: Figure, left: float, right: float, low: float, high: float) -> None:
    across = sc.Path(pieces=(sc.pair(fig.size(left), 0), sc.pair(fig.size(right), 0)))
    upwards = sc.Path(pieces=(sc.pair(0, fig.size(low)), sc.pair(0, fig.size(high))))
    fig.add(sc.Draw(path=across, axis="x"))
    fig.add(sc.Draw(path=upwards, axis="y"))


@template("compositional", "ABCV", corpora=True)
def parabola(fig: Figure) -> Figure:
    """Ask for an area or a length in a figure of a parabola and the x-axis, given the height of the vertex and the
    distance between the zeros.

    Only the drawing code, not the problem's text, shows where point C of the parabola is.
    """
    wide, high = fig.randint(2, 24), fig.randint(2, 24)
    case = fig.randint(0, 3)
    fig.pose(upright=True)
    p, q = fig.real("p", fig.uniform(0.5, 2)), fig.real("q", fig.uniform(4, 6.5))
    h = fig.real("h", fig.uniform(2.4, 4.5))
    x = sc.var("x", "real")
    f = sc.Helper(name="f", params=_ONE, body=4 * h * (x - p) * (q - x) / ((q - p) * (q - p)))
    fig.add(sc.Procedure(name="f", params=_ONE, helper=f))
    A, B, V = fig.declare(A=sc.pair(p, 0), B=sc.pair(q, 0), V=sc.pair((p + q) / 2, f((p + q) / 2)))
    share = fig.choice((1, 4), (1, 3), (3, 4), (2, 3), (1, 5), (4, 5))
    at = fig.let("c", p + (share[0] * (q - p) if share[0] > 1 else q - p) / share[1])
    C = fig.let("C", sc.pair(at, f(at)))
    curve = sc.graph(f, p, q)
    if case == 0:
        fig.fill(curve, shade=0.85)
    _axes(fig, -0.6, 7.4, -0.7, 5)
    fig.draw(curve)
    if case:
        fig.draw(*((A, C, B), (A, C, V), (A, C, B))[case - 1], closed=case != 3)
    fig.dots(V, C)
    k = R(*share)
    height = 4 * high * k * (1 - k)
    asked, answer, what = (
        ("shaded()", R(2 * wide * high, 3), "the area of the shaded region"),
        ("area(A,C,B)", wide * height / 2, "the area of triangle $ACB$"),
        ("area(A,C,V)", abs(k * wide * high - R(wide, 2) * height) / 2, "the area of triangle $ACV$"),
        ("dist(A,C)", sympy.sqrt((k * wide) ** 2 + height**2), "the length of $AC$"),
    )[case]
    known = fig.given(AB=wide)
    fig.fact("line_distance(V,A,B)", high)
    return fig.ask(asked, answer).worded(f"""
        The graph of a quadratic function meets the $x$-axis at $A$ and $B$, and its vertex $V$ is ${high}$ above the
          axis. If {known}, find {what}.
        In the coordinate plane a parabola has its vertex at $V$, at a distance of ${high}$ from the $x$-axis, which it
          cuts at $A$ and $B$ with {known}. What is {what}?
        Points $A$ and $B$, with {known}, are the zeros of the quadratic function that the program plots, and ${high}$
          is its largest value, taken at $V$. Determine {what}.
    """)


@template("compositional", "ABPQT", corpora=True)
def falling_line(fig: Figure) -> Figure:
    """Ask for an area or a length in a figure of a falling line between the axes and a rectangle under it.

    Only the drawing code, not the problem's text, shows where on the line the corner of the rectangle is.
    """
    across, up = fig.randint(2, 30), fig.randint(2, 30)
    fig.require(across != up, "two different intercepts")
    m, n = fig.choice((1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (2, 5), (3, 5), (1, 5), (4, 5))
    fig.pose(upright=True)
    u, v = fig.real("a", fig.uniform(4, 6.5)), fig.real("b", fig.uniform(3, 5.5))
    x = sc.var("x", "real")
    f = sc.Helper(name="f", params=_ONE, body=v - v * x / u)
    fig.add(sc.Procedure(name="f", params=_ONE, helper=f))
    o, A, _ = fig.declare(O=sc.pair(0, 0), A=sc.pair(u, 0), B=sc.pair(0, f(sc.wrap(0))))
    at = fig.let("t", (m * u if m > 1 else u) / n)
    P, Q, T = fig.declare(P=sc.pair(at, f(at)), Q=sc.pair(at, 0), T=sc.pair(0, f(at)))
    _axes(fig, -0.7, 7, -0.6, 6.2)
    fig.draw(sc.graph(f, sc.wrap(0), u))
    fig.draw(Q, P, T)
    case = fig.randint(0, 2)
    if case:
        fig.draw(*((o, P), (A, P))[case - 1], dashed=True)
    fig.dots(P)
    fig.label("OABPQT")
    k = R(m, n)
    asked, answer, what = (
        ("area(O,Q,P,T)", across * k * up * (1 - k), "the area of rectangle $OQPT$"),
        ("dist(O,P)", sympy.sqrt((across * k) ** 2 + (up * (1 - k)) ** 2), "the length of $OP$"),
        ("area(O,A,P,T)", R(across + across * k) * up * (1 - k) / 2, "the area of trapezoid $OAPT$"),
    )[case]
    known = fig.given(OA=across, OB=up)
    return fig.ask(asked, answer).worded(f"""
        The graph of a linear function meets the coordinate axes at $A$ and $B$, where {known} and $O$ is the origin.
          Find {what}.
        With {known} a line is drawn through points of the two axes, and rectangle $OQPT$ has its corner $P$ on the
          line, where the code puts it. What is {what}?
        The program plots a linear function that runs from $B$ on the $y$-axis down to $A$ on the $x$-axis. If {known},
          with the origin $O$, determine {what}.
    """)
