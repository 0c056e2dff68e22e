"""Abstract problems about processes: loops, recursion, limits, rolling, sliding, tethers."""

from fractions import Fraction

import numpy as np
import sympy

from generators.geogram import constructions as con
from generators.geogram.scene import Draw, Fill, IfZero, Let, Path, Procedure, Run, fine, lit, var, wrap
from generators.geogram.sketch import Sketch
from generators.geogram.template import Draft, Template, away, letters, one, whole

R = sympy.Rational


def _spiral(rng: np.random.Generator) -> Draft:
    """A chain of shrinking segments; turn, number of segments and direction are in the code."""
    A, B = letters(rng, 2)
    m, n = ((1, 2), (2, 3), (1, 3), (3, 4), (3, 5), (2, 5), (1, 4), (4, 5))[int(rng.integers(8))]
    first = n ** int(rng.integers(1, 3)) * whole(rng, 1, 8)
    degrees = int(rng.choice([60, 90, 120]))
    endless = bool(rng.integers(2))
    count = whole(rng, 9, 12) if endless else whole(rng, 3, 5)
    s = Sketch(rng)
    q = s.ratio("q", away(rng, 0.6, 0.88, m / n, 0.1))
    steps = s.let("n", wrap(count))
    a = s.free(A, 0, 0)
    b = s.free(B, 4, 0)
    p = s.let("p", b)
    v = s.let("v", b - a)
    s.draw(a, b)
    turn = degrees if rng.integers(2) else -degrees
    body = (
        Let(name="v", expr=q * con.TURN(v, turn), again=True),
        Draw(path=Path(pieces=(p, p + v))),
        Let(name="p", expr=p + v, again=True),
    )
    s.loop("i", wrap(1), steps, body)
    s.names(A + B, a, b)
    ratio = f"$\\frac{{{m}}}{{{n}}}$"
    facts = [(f"dist({A},{B})", str(first)), ("q", f"{m}/{n}")]
    if endless:
        squared = R(first**2) / (1 + R(m, n) ** 2 - 2 * R(m, n) * {60: R(1, 2), 90: R(0), 120: R(-1, 2)}[degrees])
        statement = one(
            rng,
            f"A chain of segments begins with ${A}{B} = {first}$. Each further segment is {ratio} times as long as the one before it and turned as in the code. If the chain went on without end, how far from ${A}$ would the point be that it approaches?",
            f"From ${A}$ a bug walks ${first}$ units to ${B}$, turns as the program does, walks {ratio} of the last distance, turns again, and so on for ever. Find the distance from ${A}$ to the point that it comes closer and closer to.",
            f"Suppose the loop never stopped and the true factor from one segment to the next were {ratio}, with ${A}{B} = {first}$. What is the distance between ${A}$ and the limit point of the path?",
        )
        return Draft(sketch=s, statement=statement, givens=facts, asked=f"endless(n, dist({A},p))", answer=sympy.sqrt(squared))
    statement = one(
        rng,
        f"A chain of segments begins with ${A}{B} = {first}$. Each further segment is {ratio} times as long as the one before it and turned as in the code. How far from ${A}$ is the other end of the chain that is drawn?",
        f"From ${A}$ a bug walks ${first}$ units to ${B}$, turns as the program does, walks {ratio} of the last distance, and so on, until the program ends. Find the straight distance between ${A}$ and its last point.",
        f"Let ${A}{B} = {first}$ and let every segment of the path be {ratio} of the one before. What is the distance from ${A}$ to the end of the path?",
    )
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"dist({A},p)", answer=sympy.sqrt(_chain(first, Fraction(m, n), degrees, count)))


def _chain(first: int, q: Fraction, degrees: int, count: int) -> sympy.Rational:
    """Return the squared distance from start to end, exact: places as x + y w with w a turn by 60 or 90 degrees."""
    x, y, u, v = Fraction(0), Fraction(0), Fraction(first), Fraction(0)
    for _ in range(count):
        x, y = x + u, y + v
        for _ in range(degrees // (90 if degrees == 90 else 60)):
            u, v = (-v, u) if degrees == 90 else (-v, u + v)
        u, v = u * q, v * q
    squared = x * x + y * y + (0 if degrees == 90 else x * y)
    return R(squared.numerator, squared.denominator)


def _nested_squares(rng: np.random.Generator) -> Draft:
    """Squares in squares, painted alternately; the code says how many, or they go on without end."""
    A, B, P = letters(rng, 3)
    m, n = ((1, 2), (1, 3), (2, 3), (3, 4), (3, 5), (2, 5), (1, 4), (2, 1), (3, 1), (3, 2), (5, 3))[int(rng.integers(11))]
    side = (m + n) * whole(rng, 1, 6)
    rho = R(m * m + n * n, (m + n) ** 2)
    endless = bool(rng.integers(2))
    count = whole(rng, 3, 4) if endless else whole(rng, 1, 2)
    s = Sketch(rng)
    k = s.ratio("k", away(rng, 0.18, 0.42, m / (m + n)) if m < n else away(rng, 0.58, 0.82, m / (m + n)))
    steps = s.let("n", wrap(count))
    first = s.free(A, 0, 0)
    second = s.free(B, 5, 0)
    point = s.let(P, first + k * (second - first))
    a = s.let("a", first)
    v = s.let("v", second - first)
    square = (a, a + v, a + v + con.TURN(v, 90), a + con.TURN(v, 90))
    shrink = (
        Let(name="a", expr=a + k * v, again=True),
        Let(name="v", expr=(1 - k) * v + k * con.TURN(v, 90), again=True),
    )
    body = (
        Fill(path=Path(pieces=square, closed=True), shade=0.75),
        Draw(path=Path(pieces=square, closed=True)),
        *shrink,
        Fill(path=Path(pieces=square, closed=True), shade=1.0),
        Draw(path=Path(pieces=square, closed=True)),
        *shrink,
    )
    s.loop("i", wrap(0), steps, body)
    s.names(A + B + P, first, second, point)
    ring = side**2 * (1 - rho)
    answer = ring / (1 - rho**2) if endless else sum((ring * rho ** (2 * i) for i in range(count)), R(0))
    rule = f"the corners of each square divide the sides of the square around it in the same ratio, ${A}{P} : {P}{B} = {m} : {n}$ for the first"
    size = f"${A}{B} = {side}$"
    if endless:
        statement = one(
            rng,
            f"Squares are drawn inside each other; {rule}, and {size}. Regions are painted alternately grey and white, beginning with grey at the outside. If this went on without end, what would the total grey area be?",
            f"In the pattern, {rule}. Suppose that the loop ran for ever and {size}. Find the area of all grey regions together.",
            f"With {size} and a process that never ends, how large is the whole grey area of the figure? Note that {rule}.",
        )
    else:
        statement = one(
            rng,
            f"Squares are drawn inside each other; {rule}, and {size}. What is the total area of the grey regions?",
            f"In the pattern, {rule}. If {size}, how large is the area that stays grey when the program has ended?",
            f"Find the grey area of the figure, in which {rule} and {size}.",
        )
    facts = [(f"dist({A},{B})", str(side)), (f"{n}*k/(1-k)-{m}", "0")]
    return Draft(sketch=s, statement=statement, givens=facts, asked="endless(n, shaded())" if endless else "shaded()", answer=answer)


def _carved_triangle(rng: np.random.Generator) -> Draft:
    """A recursive procedure replaces a triangle by copies in its corners; the code says how deep and in which corners."""
    A, B, C = letters(rng, 3)
    m, n = ((1, 2), (1, 3), (2, 5), (3, 7), (3, 8), (1, 4), (4, 9))[int(rng.integers(7))]
    depth, corners = whole(rng, 1, 3), whole(rng, 2, 3)
    total = n ** (2 if depth == 1 else whole(rng, 2, 3)) * whole(rng, 1, 5)
    s = Sketch(rng)
    t = s.ratio("t", away(rng, 0.28, 0.46, m / n, 0.1))
    p, q, r, k = var("p", "pair"), var("q", "pair"), var("r", "pair"), var("k", "int")
    calls = (
        Run(name="carve", args=(p, p + t * (q - p), p + t * (r - p), k - 1)),
        Run(name="carve", args=(q + t * (p - q), q, q + t * (r - q), k - 1)),
        Run(name="carve", args=(r + t * (p - r), r + t * (q - r), r, k - 1)),
    )[:corners]
    triangle = Path(pieces=(p, q, r), closed=True)
    base = (Fill(path=triangle, shade=0.7),)
    s.add(
        Procedure(
            name="carve",
            params=(("p", "pair"), ("q", "pair"), ("r", "pair"), ("k", "int")),
            body=(IfZero(test=k, then=base, otherwise=calls),),
        )
    )
    a = s.free(A, 0, 0)
    b = s.free(B, 5, 0)
    c = s.free(C, rng.uniform(1.2, 3.6), rng.uniform(3.4, 4.6))
    s.add(Run(name="carve", args=(a, b, c, wrap(depth))))
    s.draw(a, b, c, closed=True)
    s.names(A + B + C, a, b, c)
    ratio = f"$\\frac{{{m}}}{{{n}}}$"
    statement = one(
        rng,
        f"The procedure keeps of every triangle only small copies in some of its corners, with sides {ratio} as long, and treats these in the same way. Triangle ${A}{B}{C}$ has area ${total}$. What is the area of the grey part?",
        f"Let the area of triangle ${A}{B}{C}$ be ${total}$ and let each copy that the program makes have {ratio} of the side lengths of the triangle in whose corner it lies. How large is the total area that is filled at the end?",
        f"A pattern arises from triangle ${A}{B}{C}$ of area ${total}$ by replacing triangles by copies in corners, again and again as in the code. If a copy is {ratio} times as wide as its original, find the filled area.",
    )
    facts = [(f"area({A},{B},{C})", str(total)), ("t", f"{m}/{n}")]
    return Draft(sketch=s, statement=statement, givens=facts, asked="shaded()", answer=total * (corners * R(m, n) ** 2) ** depth)


def _rolling_rectangle(rng: np.random.Generator) -> Draft:
    """A rectangle rolls along a line through a full turn; the code says which of its points is followed."""
    A, B, C, D, P = letters(rng, 5)
    a, b = whole(rng, 2, 16), whole(rng, 2, 16)
    if a == b:
        raise ValueError("need a rectangle that is no square")
    case = int(rng.integers(4))
    s = Sketch(rng, upright=True)
    p = s.free(A, 0, 0)
    q = s.free(B, rng.uniform(2.2, 3.0), 0)
    r = fine(away(rng, 0.5, 1.2, b / a))
    u = s.let(D, p + r * con.TURN(q - p, 90))
    v = s.let(C, q + u - p)
    point = s.let(P, (v, con.mid(p, v), con.mid(p, q), con.mid(q, v))[case])
    s.draw(p - s.size(1) * con.UNIT(q - p), q + s.size(4) * con.UNIT(q - p), width=1.6)
    s.draw(p, q, v, u, closed=True)
    s.dots(point)
    labelled = ((A, p), (B, q), (D, u)) + (() if case == 0 else ((C, v),)) + ((P, point),)
    s.labels += list(labelled)
    diagonal = sympy.sqrt(a * a + b * b)
    path = (
        sympy.pi / 2 * (a + b + diagonal),
        sympy.pi * diagonal,
        sympy.pi / 2 * (a + sympy.sqrt(a * a + 4 * b * b)),
        sympy.pi / 2 * (b + sympy.sqrt(b * b + 4 * a * a)),
    )[case]
    known = f"${A}{B} = {a}$ and ${A}{D} = {b}$"
    statement = one(
        rng,
        f"The rectangle in the figure, with {known}, rolls along the line without slipping, over one corner after the other, until it stands on ${A}{B}$ again. How long is the path of the point ${P}$?",
        f"A crate is tipped over its edges along the floor until the side that was at the bottom is there again for the first time. In the side view {known}. Find the length of the track of ${P}$.",
        f"Tip the rectangle with {known} over to the right four times. What distance does the dot ${P}$ cover on its way?",
    )
    facts = [(f"dist({A},{B})", str(a)), (f"dist({A},{D})", str(b))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"rolled({P},{A},{B},{C},{D})", answer=path)


def _circle_round_polygon(rng: np.random.Generator) -> Draft:
    """A disc rolls around a regular polygon, whose number of sides a loop holds."""
    A, B = letters(rng, 2)
    sides, edge, radius = whole(rng, 3, 10), whole(rng, 2, 15), whole(rng, 1, 9)
    s = Sketch(rng)
    o = s.free("o", 0, 0)
    r = s.real("r", 2.6)
    t = s.let("t", lit(float(rng.uniform(0, 360))))
    n = s.let("n", wrap(sides))
    a = s.let(A, o + r * con.HEADING(t))
    b = s.let(B, o + r * con.HEADING(t + wrap(360) / n))
    i = var("i", "int")
    side = Draw(path=Path(pieces=(o + r * con.HEADING(t + 360 * i / n), o + r * con.HEADING(t + 360 * (i + 1) / n))))
    s.loop("i", wrap(0), n, [side])
    s.names(A + B, a, b)
    facts = [(f"dist({A},{B})", str(edge))]
    if rng.integers(2):
        statement = one(
            rng,
            f"A disc of radius ${radius}$ rolls once around the outside of the polygon, which has sides of length ${A}{B} = {edge}$, always touching it. How long is the path of its centre?",
            f"The regular polygon in the figure has ${A}{B} = {edge}$. Find the length of the closed curve of all points outside it whose distance from it is ${radius}$.",
            f"A rope is laid around the drawn polygon at a constant distance of ${radius}$. If ${A}{B} = {edge}$, how long is the rope?",
        )
        return Draft(sketch=s, statement=statement, givens=facts, asked=f"n*dist({A},{B})+2*pi*{radius}", answer=sides * edge + 2 * sympy.pi * radius, drawn=False)
    statement = one(
        rng,
        f"The regular polygon in the figure has ${A}{B} = {edge}$. What is the area of the set of points outside it that are at most ${radius}$ away from it?",
        f"A path of width ${radius}$ runs around a flower bed, which has the form of the drawn regular polygon with ${A}{B} = {edge}$; every point of the path is at most ${radius}$ from the bed. Find the area of the path.",
        f"Points that lie outside the polygon, but no farther than ${radius}$ from it, form a ring. How large is its area, if ${A}{B} = {edge}$?",
    )
    asked = f"n*dist({A},{B})*{radius}+pi*{radius}**2"
    return Draft(sketch=s, statement=statement, givens=facts, asked=asked, answer=sides * edge * radius + sympy.pi * radius**2, drawn=False)


def _tether(rng: np.random.Generator) -> Draft:
    """An animal tied to the wall of a barn; the code says where."""
    A, B, C, D, P = letters(rng, 5)
    a, b = 2 * whole(rng, 2, 8), 2 * whole(rng, 2, 8)
    case = int(rng.integers(3))
    reach = (a + b, a // 2 + b, b // 2 + a)[case]
    rope = whole(rng, min(a, b) // 2 + 1, reach)
    if a == b:
        raise ValueError("need a barn that is no square")
    s = Sketch(rng)
    p = s.free(A, 0, 0)
    q = s.free(B, rng.uniform(3.2, 4.2), 0)
    u = s.let(D, p + fine(away(rng, 0.5, 1.2, b / a)) * con.TURN(q - p, 90))
    v = s.let(C, q + u - p)
    stake = s.let(P, (q, con.mid(p, q), con.mid(q, v))[case])
    s.fill(p, q, v, u, shade=0.8)
    s.draw(p, q, v, u, closed=True)
    outward = con.UNIT(q - v) if case < 2 else con.UNIT(q - p)
    s.draw(stake, stake + s.size(1.6) * (outward + con.UNIT(q - p) if case == 0 else outward), dashed=True)
    s.dots(stake)
    s.labels += [(A, p), (C, v), (D, u), (P, stake)] + ([(B, q)] if case else [])

    def quarter(x: int | sympy.Rational) -> sympy.Expr:
        return sympy.pi * max(R(x), R(0)) ** 2 / 4

    corner, on_a, on_b = (
        3 * quarter(rope) + quarter(rope - a) + quarter(rope - b),
        2 * quarter(rope) + 2 * quarter(rope - R(a, 2)) + 2 * quarter(rope - R(a, 2) - b),
        2 * quarter(rope) + 2 * quarter(rope - R(b, 2)) + 2 * quarter(rope - R(b, 2) - a),
    )
    long, wide = (f"{A}{P}" if case == 0 else f"{A}{B}"), f"{A}{D}"
    known = f"${long} = {a}$ and ${wide} = {b}$"
    animal = one(rng, "goat", "dog", "cow", "pony", "donkey")
    statement = one(
        rng,
        f"A {animal} is tied to a rectangular barn at ${P}$, outside, with a rope of length ${rope}$. The barn has sides {known}. What area can the {animal} reach?",
        f"The shaded rectangle is a barn with {known}. At ${P}$ a {animal} is fastened to its outer wall by a rope ${rope}$ units long. How large is the area where it can graze?",
        f"With {known} and a rope of length ${rope}$ from ${P}$ to its collar, over what area of ground outside the building can a {animal} move?",
    )
    facts = [(f"dist({A},{B if case else P})", str(a)), (f"dist({A},{D})", str(b))]
    second = B if case else P
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"tethered({rope},{P},{A},{second},{C},{D})", answer=(corner, on_a, on_b)[case], drawn=False)


def _sliding_rod(rng: np.random.Generator) -> Draft:
    """A rod slides down a wall: the area under the track of one of its points, or the length of the track of its middle."""
    A, B, P = letters(rng, 3)
    p, q = whole(rng, 1, 12), whole(rng, 1, 12)
    if p == q:
        raise ValueError("need a point that is not the middle")
    s = Sketch(rng, upright=True)
    o = s.free("O", 0, 0)
    a = s.free(A, rng.uniform(2.4, 3.6), 0)
    b = s.let(B, o + fine(rng.uniform(0.7, 1.5)) * con.TURN(a - o, 90))
    point = s.let(P, a + fine(away(rng, 0.25, 0.75, p / (p + q))) * (b - a))
    s.draw(o, o + fine(1.5) * (a - o), width=1.6)
    s.draw(o, o + fine(1.3) * (b - o), width=1.6)
    s.draw(a, b)
    s.dots(point)
    s.right(a, o, b)
    s.names(A + B + P + "O", a, b, point, o)
    known = f"${A}{P} = {p}$ and ${P}{B} = {q}$"
    statement = one(
        rng,
        f"A rod ${A}{B}$ leans against a wall. It slides, its ends always on the wall and the floor, from upright to flat, and {known}. What area do wall, floor and the track of ${P}$ enclose?",
        f"The ends ${A}$ and ${B}$ of a rod move on two perpendicular rays from $O$; {known}. Find the area between the rays and the curve along which ${P}$ moves when the rod takes all positions from one ray to the other.",
        f"As ladder ${A}{B}$ slips down completely, the point ${P}$ on it, where {known}, describes a curve from the wall to the floor. How large is the area under this curve?",
    )
    facts = [(f"dist({A},{P})", str(p)), (f"dist({P},{B})", str(q))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"rod_area(O,{A},{B},{P})", answer=sympy.pi * R(p * q, 4))


def _thread_on_cylinder(rng: np.random.Generator) -> Draft:
    """A thread around a cylinder, seen on the unrolled side; a loop holds the number of turns."""
    A, B, C, D = letters(rng, 4)
    around, height, turns = whole(rng, 2, 12), whole(rng, 4, 40), whole(rng, 2, 7)
    s = Sketch(rng)
    a = s.free(A, 0, 0)
    b = s.free(B, rng.uniform(2.4, 3.4), 0)
    d = s.let(D, a + fine(away(rng, 1.0, 2.0, height / around)) * con.TURN(b - a, 90))
    c = s.let(C, b + d - a)
    n = s.let("n", wrap(turns))
    s.draw(a, b, c, d, closed=True)
    i = var("i", "int")
    rung = Draw(path=Path(pieces=(a + i * (d - a) / n, b + (i + 1) * (d - a) / n)), width=1.4)
    s.loop("i", wrap(0), n, [rung])
    s.names(A + B + C + D, a, b, c, d)
    known = f"${A}{B} = {around}$ and ${A}{D} = {height}$"
    statement = one(
        rng,
        f"The side of a cylinder is unrolled to the rectangle ${A}{B}{C}{D}$, cut open along ${A}{D}$, with {known}. The slanted lines are a thread that winds evenly around the cylinder. How long is the thread?",
        f"A ribbon is wound around a pillar with circumference ${A}{B} = {around}$ and height ${A}{D} = {height}$, from bottom to top. In the drawing the surface of the pillar is laid flat. Find the length of the ribbon.",
        f"Joining the sides ${A}{D}$ and ${B}{C}$ of the rectangle makes a tube, on which the oblique segments form one continuous helix. If {known}, what is the length of this helix?",
    )
    facts = [(f"dist({A},{B})", str(around)), (f"dist({A},{D})", str(height))]
    asked = f"n*dist({A},{B}+({D}-{A})/n)"
    return Draft(sketch=s, statement=statement, givens=facts, asked=asked, answer=sympy.sqrt(height**2 + (turns * around) ** 2))


TEMPLATES = (
    Template(name="segment_spiral", level="abstract", draft=_spiral),
    Template(name="nested_squares", level="abstract", draft=_nested_squares),
    Template(name="carved_triangle", level="abstract", draft=_carved_triangle),
    Template(name="rolling_rectangle", level="abstract", draft=_rolling_rectangle),
    Template(name="around_a_polygon", level="abstract", draft=_circle_round_polygon),
    Template(name="tether", level="abstract", draft=_tether),
    Template(name="sliding_rod", level="abstract", draft=_sliding_rod),
    Template(name="thread_on_cylinder", level="abstract", draft=_thread_on_cylinder),
)
