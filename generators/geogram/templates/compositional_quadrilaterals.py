"""Compositional problems with quadrilaterals and parallel lines."""

import numpy as np
import sympy
from scipy.optimize import brentq

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import fine, lit
from planimeter.generators.geogram.sketch import Sketch
from planimeter.generators.geogram.template import Draft, Template, choose, draw_decoy, letters, randint

R = sympy.Rational


def _trapezoid_diagonals(rng: np.random.Generator) -> Draft:
    """The diagonals of a trapezoid cut it into four triangles; the code shades one or two of them."""
    A, B, C, D, P = letters(rng, 5)
    n, scale = randint(rng, 1, 8), randint(rng, 1, 3)
    m = n + randint(rng, 1, 6)
    case = int(rng.integers(3))
    s = Sketch(rng)
    a = s.free(A, 0, 0)
    b = s.free(B, 5.4, 0)
    d = s.free(D, rng.uniform(0.5, 1.7), rng.uniform(2.8, 3.6))
    c = s.let(C, d + fine(draw_decoy(rng, 0.4, 0.7, n / m)) * (b - a))
    p = s.let(P, con.MEET(a, c, b, d))
    for shade in (((b, c, p),), ((d, a, p),), ((b, c, p), (d, a, p)))[case]:
        s.fill(*shade)
    s.draw(a, b, c, d, closed=True)
    s.draw(a, c)
    s.draw(b, d)
    s.state(f"{A}{B}{C}{D} is a trapezoid whose sides {A}{B} and {D}{C} are parallel.")
    s.state(f"The segments {A}{C} and {B}{D} meet at {P}.")
    shaded = (f"triangle {B}{C}{P} is", f"triangle {D}{A}{P} is", f"triangles {B}{C}{P} and {D}{A}{P} are")[case]
    s.state(f"The {shaded} shaded.")
    s.names(A + B + C + D + P, a, b, c, d, p)
    big, small = scale * m * m, scale * n * n
    known = f"triangles ${A}{B}{P}$ and ${C}{D}{P}$ have areas ${big}$ and ${small}$"
    statement = choose(
        rng,
        f"In trapezoid ${A}{B}{C}{D}$ with ${A}{B} \\parallel {C}{D}$, {known}. What is the area of the shaded region?",
        f"Sides ${A}{B}$ and ${C}{D}$ are parallel, and the {known}. Find the shaded area.",
        f"The diagonals of a trapezoid with parallel sides ${A}{B}$, ${C}{D}$ cross at ${P}$, such that {known}. "
        "How large is the grey area?",
    )
    facts = [(f"area({A},{B},{P})", str(big)), (f"area({C},{D},{P})", str(small))]
    answer = scale * m * n * (2 if case == 2 else 1)
    return Draft(sketch=s, statement=statement, givens=facts, asked="shaded()", answer=answer)


def _crossed_ladders(rng: np.random.Generator) -> Draft:
    """Two ladders between upright walls: the height of their crossing."""
    A, B, C, D, P, H = letters(rng, 6)
    left, right, width = randint(rng, 3, 20), randint(rng, 3, 20), randint(rng, 4, 30)
    if left == right:
        raise ValueError("need two different walls")
    s = Sketch(rng, upright=True)
    a = s.free(A, 0, 0)
    b = s.free(B, 5, 0)
    tall = rng.uniform(0.6, 1.0)
    short = draw_decoy(rng, 0.35, 0.9, tall * right / left)
    up = con.TURN(b - a, 90)
    c = s.let(C, a + fine(tall) * up)
    d = s.let(D, b + fine(short) * up)
    p = s.let(P, con.MEET(a, d, b, c))
    h = s.let(H, con.FOOT(p, a, b))
    s.draw(a, b)
    s.draw(a, c, width=1.6)
    s.draw(b, d, width=1.6)
    s.draw(a, d)
    s.draw(b, c)
    s.draw(p, h, dashed=True)
    s.right(c, a, b)
    s.right(a, b, d)
    s.state(f"{A}{C} and {B}{D} are perpendicular to {A}{B} and lie on the same side of it.")
    s.state(f"The segments {A}{D} and {B}{C} meet at {P}. {H} is the foot of the perpendicular from {P} to {A}{B}.")
    s.state(f"{P}{H} is dashed.")
    s.names(A + B + C + D + P + H, a, b, c, d, p, h)
    along = bool(rng.integers(2))
    walls = f"${A}{C} = {left}$ and ${B}{D} = {right}$"
    facts = [(f"dist({A},{C})", str(left)), (f"dist({B},{D})", str(right))]
    if along:
        statement = choose(
            rng,
            f"Two upright posts {walls} stand ${width}$ apart on level ground. Wires join the top of each to the "
            f"foot of the other and cross at ${P}$. How far is the point ${H}$ below the crossing from ${A}$?",
            f"Segments ${A}{C}$ and ${B}{D}$ are perpendicular to ${A}{B} = {width}$, with {walls}. Lines ${A}{D}$ "
            f"and ${B}{C}$ cross at ${P}$, and ${H}$ is the foot of the perpendicular from ${P}$. Find ${A}{H}$.",
            f"Walls {walls} rise from the ends of the ground ${A}{B} = {width}$. Two ladders cross at ${P}$, right "
            f"above ${H}$. What is the distance ${A}{H}$?",
        )
        return Draft(
            sketch=s,
            statement=statement,
            givens=[*facts, (f"dist({A},{B})", str(width))],
            asked=f"dist({A},{H})",
            answer=R(left * width, left + right),
        )
    statement = choose(
        rng,
        f"Two upright posts {walls} stand on level ground. Wires join the top of each to the foot of the other and "
        f"cross at ${P}$. How high above the ground is the crossing?",
        f"Segments ${A}{C}$ and ${B}{D}$ are perpendicular to ${A}{B}$, with {walls}. Lines ${A}{D}$ and ${B}{C}$ "
        f"cross at ${P}$. Find the distance of ${P}$ from ${A}{B}$.",
        f"Between walls {walls} lean two crossed ladders, each from the foot of one wall to the top of the other. "
        f"What is the length of the dashed segment ${P}{H}$?",
    )
    return Draft(
        sketch=s, statement=statement, givens=facts, asked=f"dist({P},{H})", answer=R(left * right, left + right)
    )


def _zigzag(rng: np.random.Generator) -> Draft:
    """A zigzag between parallel lines: the turns to one side add up to those to the other."""
    A, B, C, D, X, Y = letters(rng, 6)
    at_a, at_d = randint(rng, 18, 62), randint(rng, 18, 62)
    at_b = at_a + randint(rng, 15, 70)
    at_c = at_b - at_a + at_d
    if at_c > 150 or at_d == at_a:
        raise ValueError("need a zigzag that does not fold back")
    s = Sketch(rng)
    drawn_a, drawn_d = draw_decoy(rng, 25, 60, at_a), draw_decoy(rng, 25, 60, at_d)
    lean = draw_decoy(rng, 20, 60, at_b - at_a)
    t = s.let("t", lit(float(rng.uniform(0, 360))))
    a = s.free(A, 0, 0)
    b = s.let(B, a + s.size(2.3) * con.HEADING(t + lit(drawn_a)))
    c = s.let(C, b + s.size(2.4) * con.HEADING(t + 180 - lit(lean)))
    d = s.let(D, c + s.size(2.3) * con.HEADING(t + lit(drawn_d)))
    x = s.let(X, a + s.size(4.2) * con.HEADING(t))
    y = s.let(Y, d - s.size(4.2) * con.HEADING(t))
    s.draw(a, b, c, d)
    s.draw(a, x)
    s.draw(d, y)
    s.state(f"{A}{B}{C}{D} is a broken line. The rays {A}{X} and {D}{Y} are parallel and point in opposite directions.")
    s.state(f"{B} and {C} lie between the lines {A}{X} and {D}{Y}.")
    s.state(f"{X} and {C} lie on opposite sides of the line {A}{B}.")
    s.state(f"{B} and {Y} lie on opposite sides of the line {C}{D}.")
    s.names(A + B + C + D + X + Y, a, b, c, d, x, y)
    known = (
        f"\\angle {X}{A}{B} = {at_a}^\\circ",
        f"\\angle {A}{B}{C} = {at_b}^\\circ",
        f"\\angle {C}{D}{Y} = {at_d}^\\circ",
    )
    statement = choose(
        rng,
        f"Rays ${A}{X}$ and ${D}{Y}$ are parallel. Given ${known[0]}$, ${known[1]}$ and ${known[2]}$, find $\\angle "
        f"{B}{C}{D}$ in degrees.",
        f"If ${A}{X} \\parallel {D}{Y}$, ${known[2]}$, ${known[1]}$ and ${known[0]}$, how many degrees is the angle "
        f"at ${C}$?",
        f"A path ${A}{B}{C}{D}$ leads from one of two parallel lines to the other, with ${known[1]}$, ${known[0]}$ "
        f"and ${known[2]}$. What is the degree measure of $\\angle {B}{C}{D}$?",
    )
    facts = [(f"angle({X},{A},{B})", str(at_a)), (f"angle({A},{B},{C})", str(at_b)), (f"angle({C},{D},{Y})", str(at_d))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"angle({B},{C},{D})", answer=at_c)


def _cyclic_quadrilateral(rng: np.random.Generator) -> Draft:
    """Angles on the same arc are equal: an angle of a cyclic quadrilateral from two angles at its diagonals."""
    A, B, C, D = letters(rng, 4)
    bac, dbc = randint(rng, 22, 70), randint(rng, 22, 70)
    s = Sketch(rng)
    o = s.free("O", 0, 0)
    r = s.real("r", 3)
    t = float(rng.uniform(0, 360))
    ab, bc, cd = rng.uniform(65, 95), 2 * draw_decoy(rng, 35, 55, bac), 2 * draw_decoy(rng, 30, 55, dbc)
    points = []
    for name, at in zip((A, B, C, D), (0, ab, ab + bc, ab + bc + cd), strict=True):
        points.append(s.let(name, o + r * con.HEADING(lit((t + at) % 360))))
    a, b, c, d = points
    s.circle(o, r)
    s.draw(a, b, c, d, closed=True)
    s.draw(a, c)
    s.draw(b, d)
    s.state(f"{A}, {B}, {C} and {D} lie on a circle, in this order.")
    s.names(A + B + C + D, a, b, c, d)
    first, second = f"\\angle {B}{A}{C} = {bac}^\\circ", f"\\angle {D}{B}{C} = {dbc}^\\circ"
    statement = choose(
        rng,
        f"Quadrilateral ${A}{B}{C}{D}$ is inscribed in a circle. If ${first}$ and ${second}$, how many degrees is "
        f"$\\angle {B}{C}{D}$?",
        f"Points ${A}$, ${B}$, ${C}$, ${D}$ are on a circle and ${second}$, ${first}$. Find $\\angle {B}{C}{D}$ in "
        "degrees.",
        f"In the circle shown, ${first}$ while ${second}$. What is the measure, in degrees, of $\\angle {B}{C}{D}$?",
    )
    facts = [(f"angle({B},{A},{C})", str(bac)), (f"angle({D},{B},{C})", str(dbc))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"angle({B},{C},{D})", answer=180 - bac - dbc)


def _mirror_path(rng: np.random.Generator) -> Draft:
    """The way from one point to another over a mirror line."""
    A, B, H, K, P = letters(rng, 5)
    down, up, run = randint(rng, 2, 15), randint(rng, 2, 15), randint(rng, 4, 30)
    if down == up:
        raise ValueError("need two different distances")
    s = Sketch(rng)
    h = s.free(H, 0, 0)
    k = s.free(K, 5.5, 0)
    normal = con.TURN(k - h, 90)
    first = rng.uniform(0.25, 0.65)
    second = draw_decoy(rng, 0.25, 0.65, first * up / down)
    a = s.let(A, h + fine(first) * normal)
    b = s.let(B, k + fine(second) * normal)
    p = s.let(P, con.MEET(a, con.MIRROR(b, h, k), h, k))
    s.draw(h, k, width=1.6)
    s.draw(a, p, b)
    s.draw(a, h, dashed=True)
    s.draw(b, k, dashed=True)
    s.right(a, h, k)
    s.right(h, k, b)
    s.state(f"{H}{A} and {K}{B} are perpendicular to {H}{K} and lie on the same side of it.")
    s.state(f"{P} lies on segment {H}{K}. The angles {A}{P}{H} and {B}{P}{K} are equal.")
    s.names(A + B + H + K + P, a, b, h, k, p)
    facts = [(f"dist({A},{H})", str(down)), (f"dist({B},{K})", str(up)), (f"dist({H},{K})", str(run))]
    known = f"${A}{H} = {down}$, ${B}{K} = {up}$ and ${H}{K} = {run}$"
    if rng.integers(2):
        statement = choose(
            rng,
            f"A ray of light from ${A}$ is reflected at ${P}$ by the mirror ${H}{K}$ and reaches ${B}$. If {known}, "
            "how long is its way?",
            f"The lines ${P}{A}$ and ${P}{B}$ make equal angles with ${H}{K}$. Find ${A}{P} + {P}{B}$, where {known}.",
            f"Point ${P}$ of line ${H}{K}$ is chosen so that ${A}{P} + {P}{B}$ is as small as possible. With "
            f"{known}, what is this smallest value?",
        )
        return Draft(
            sketch=s,
            statement=statement,
            givens=facts,
            asked=f"dist({A},{P})+dist({P},{B})",
            answer=sympy.sqrt(run**2 + (down + up) ** 2),
        )
    statement = choose(
        rng,
        f"A ray of light from ${A}$ is reflected at ${P}$ by the mirror ${H}{K}$ and reaches ${B}$. If {known}, how "
        f"far is ${P}$ from ${H}$?",
        f"The lines ${P}{A}$ and ${P}{B}$ make equal angles with ${H}{K}$. Given {known}, find ${H}{P}$.",
        f"Point ${P}$ of line ${H}{K}$ makes the path from ${A}$ over ${P}$ to ${B}$ as short as possible. With "
        f"{known}, what is ${H}{P}$?",
    )
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"dist({H},{P})", answer=R(run * down, down + up))


def _tangential_quadrilateral(rng: np.random.Generator) -> Draft:
    """The two pairs of opposite sides around a circle have equal sums."""
    A, B, C, D = letters(rng, 4)
    parts = [randint(rng, 5, 11) for _ in range(4)]
    if len(set(parts)) < 3:
        raise ValueError("need sides that differ")
    s = Sketch(rng)
    o = s.free("O", 0, 0)
    r = s.real("r", 2)
    # Decoy tangent lengths not far from the true ones, and the circle around which they close.
    decoys = np.array(parts) * rng.uniform(0.75, 1.3, 4)
    inradius = float(brentq(lambda x: np.arctan(decoys / x).sum() - np.pi, 0.1, 100.0))
    halves = np.degrees(np.arctan(decoys / inradius))[:3]
    t = s.let("t", lit(float(rng.uniform(0, 360))))
    h = [s.let(name, lit(v)) for name, v in zip("hijk", halves, strict=False)]
    h.append(s.let("k", 180 - h[0] - h[1] - h[2]))
    at, corners = t, []
    for name, half in zip((A, B, C, D), h, strict=True):
        corners.append(s.let(name, o + r / con.cosine(half) * con.HEADING(at + half)))
        at = at + 2 * half
    s.circle(o, r)
    s.draw(*corners, closed=True)
    s.dots(o)
    s.state(f"{A}{B}{C}{D} is a quadrilateral. The circle with centre O touches all its sides.")
    s.names(A + B + C + D + "O", *corners, o)
    a, b, c, d = parts
    known = f"${A}{B} = {a + b}$, ${B}{C} = {b + c}$ and ${C}{D} = {c + d}$"
    whole_perimeter = bool(rng.integers(2))
    what = f"the perimeter of ${A}{B}{C}{D}$" if whole_perimeter else f"${D}{A}$"
    statement = choose(
        rng,
        f"All four sides of quadrilateral ${A}{B}{C}{D}$ touch the circle. If {known}, find {what}.",
        f"A circle about $O$ is inscribed in a quadrilateral with {known}. What is {what}?",
        f"In the figure {known}, and the circle is tangent to every side. Determine {what}.",
    )
    facts = [(f"dist({A},{B})", str(a + b)), (f"dist({B},{C})", str(b + c)), (f"dist({C},{D})", str(c + d))]
    asked = f"perimeter({A},{B},{C},{D})" if whole_perimeter else f"dist({D},{A})"
    return Draft(
        sketch=s,
        statement=statement,
        givens=facts,
        asked=asked,
        answer=2 * (a + b + c + d) if whole_perimeter else d + a,
    )


TEMPLATES = (
    Template(name="trapezoid_diagonals", level="compositional", draft=_trapezoid_diagonals),
    Template(name="crossed_ladders", level="compositional", draft=_crossed_ladders),
    Template(name="zigzag", level="compositional", draft=_zigzag),
    Template(name="cyclic_quadrilateral", level="compositional", draft=_cyclic_quadrilateral),
    Template(name="mirror_path", level="compositional", draft=_mirror_path),
    Template(name="tangential_quadrilateral", level="compositional", draft=_tangential_quadrilateral),
)
