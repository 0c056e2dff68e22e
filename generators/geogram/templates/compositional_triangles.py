"""Compositional problems in a triangle: cevians, its circles, inscribed figures."""

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import Expr, fine
from planimeter.generators.geogram.sketch import Sketch
from planimeter.generators.geogram.template import Draft, Template, choose, draw_decoy, letters, randint

R = sympy.Rational


def _corners(s: Sketch, rng: np.random.Generator, names: tuple[str, ...]) -> tuple[Expr, Expr, Expr]:
    """Declare an acute triangle with names in order: two corners of the base, then the top."""
    b = s.free(names[0], 0, 0)
    c = s.free(names[1], rng.uniform(4.8, 5.8), rng.uniform(-0.3, 0.3))
    a = s.free(names[2], rng.uniform(1.6, 3.6), rng.uniform(3.4, 4.6))
    s.state(f"{names[2]}{names[0]}{names[1]} is a triangle.")
    return b, c, a


def _two_cevians(rng: np.random.Generator) -> Draft:
    """Two cevians from stated divisions of two sides; the area of one of the pieces, which the code shades."""
    A, B, C, D, F, P = letters(rng, 6)
    m, n, p, q = (randint(rng, 1, 7) for _ in range(4))
    if m == n or p == q or (m, n) == (p, q):
        raise ValueError("need two different divisions")
    total = randint(rng, 6, 60) * 2
    s = Sketch(rng)
    b, c, a = _corners(s, rng, (B, C, A))
    d = s.let(D, b + fine(draw_decoy(rng, 0.3, 0.7, m / (m + n))) * (c - b))
    f = s.let(F, c + fine(draw_decoy(rng, 0.3, 0.7, p / (p + q))) * (a - c))
    x = s.let(P, con.MEET(a, d, b, f))
    piece = int(rng.integers(4))
    shade = ((a, b, x), (b, d, x), (a, x, f), (x, d, c, f))[piece]
    s.fill(*shade)
    s.draw(a, b, c, closed=True)
    s.draw(a, d)
    s.draw(b, f)
    s.state(f"{D} lies on side {B}{C}, and {F} lies on side {C}{A}.")
    region = (f"triangle {A}{B}{P}", f"triangle {B}{D}{P}", f"triangle {A}{P}{F}", f"quadrilateral {P}{D}{C}{F}")[piece]
    s.state(f"The segments {A}{D} and {B}{F} meet at {P}. The {region} is shaded.")
    s.names(A + B + C + D + F + P, a, b, c, d, f, x)
    # Barycentric coordinates of P: BD:DC = m:n puts weights n, m on B, C; CF:FA = p:q puts q, p on C, A.
    weight_c = R(1)
    weight_b, weight_a = weight_c * n / m, weight_c * p / q
    whole_weight = weight_a + weight_b + weight_c
    w = weight_c / whole_weight
    abd, abf = R(m, m + n), R(q, p + q)
    answer = (w, abd - w, abf - w, 1 - abd - abf + w)[piece] * total
    known = f"${B}{D} : {D}{C} = {m} : {n}$ and ${C}{F} : {F}{A} = {p} : {q}$"
    statement = choose(
        rng,
        f"Triangle ${A}{B}{C}$ has area ${total}$. Its sides are divided so that {known}. What is the area of the "
        "shaded region?",
        f"In the figure, {known}. If the area of triangle ${A}{B}{C}$ is ${total}$, find the area that is shaded.",
        f"Segments ${A}{D}$ and ${B}{F}$ cut a triangle of area ${total}$ into four parts, where {known}. How large "
        "is the grey part?",
    )
    facts = [
        (f"area({A},{B},{C})", str(total)),
        (f"{n}*dist({B},{D})/dist({D},{C})-{m}", "0"),
        (f"{q}*dist({C},{F})/dist({F},{A})-{p}", "0"),
    ]
    return Draft(sketch=s, statement=statement, givens=facts, asked="shaded()", answer=answer)


def _sides(rng: np.random.Generator) -> tuple[int, int, int]:
    """Return three sides of a triangle that is not too flat, all different."""
    while True:
        a, b, c = (randint(rng, 5, 21) for _ in range(3))
        if len({a, b, c}) == 3 and 2 * max(a, b, c) < 0.93 * (a + b + c):
            return a, b, c


def _incircle_contact(rng: np.random.Generator) -> Draft:
    """The tangent lengths of the incircle from the three sides, or a side from tangent lengths."""
    A, B, C, D, F, G = letters(rng, 6)
    bc, ca, ab = _sides(rng)
    s = Sketch(rng)
    b, c, a = _corners(s, rng, (B, C, A))
    i = s.let("i", con.INCENTER(a, b, c))
    d, f, g = s.let(D, con.FOOT(i, b, c)), s.let(F, con.FOOT(i, c, a)), s.let(G, con.FOOT(i, a, b))
    s.draw(a, b, c, closed=True)
    s.circle(i, con.length(d - i))
    s.dots(d, f, g)
    s.state(f"Its inscribed circle touches side {B}{C} at {D}, side {C}{A} at {F} and side {A}{B} at {G}.")
    s.names(A + B + C + D + F + G, a, b, c, d, f, g)
    known = f"${A}{B} = {ab}$, ${B}{C} = {bc}$ and ${C}{A} = {ca}$"
    corner, contact, answer = ((A, G, R(ab + ca - bc, 2)), (B, D, R(ab + bc - ca, 2)), (C, F, R(bc + ca - ab, 2)))[
        int(rng.integers(3))
    ]
    statement = choose(
        rng,
        f"The circle touches all three sides of triangle ${A}{B}{C}$, in which {known}. Find the length of "
        f"${corner}{contact}$.",
        f"Points ${D}$, ${F}$, ${G}$ are where the inscribed circle touches the sides of the triangle. If {known}, "
        f"how long is ${corner}{contact}$?",
        f"A triangle with {known} has an inscribed circle. What is the distance from ${corner}$ to the point of "
        f"contact ${contact}$?",
    )
    facts = [(f"dist({A},{B})", str(ab)), (f"dist({B},{C})", str(bc)), (f"dist({C},{A})", str(ca))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"dist({corner},{contact})", answer=answer)


_HERON = (
    (13, 14, 15),
    (5, 5, 6),
    (10, 13, 13),
    (9, 10, 17),
    (7, 15, 20),
    (10, 17, 21),
    (13, 20, 21),
    (11, 13, 20),
    (12, 17, 25),
    (8, 15, 17),
    (17, 25, 26),
    (17, 17, 16),
    (13, 37, 40),
    (15, 26, 37),
    (25, 29, 36),
    (15, 37, 44),
    (7, 24, 25),
    (20, 21, 29),
)


def _inradius(rng: np.random.Generator) -> Draft:
    """Radius or area of the inscribed or of the circumscribed circle; the code says which circle is drawn."""
    A, B, C = letters(rng, 3)
    if rng.integers(2):
        sides = np.array(_HERON[int(rng.integers(len(_HERON)))])
        bc, ca, ab = (int(x) for x in rng.permutation(sides))
    else:
        bc, ca, ab = _sides(rng)
    half = R(bc + ca + ab, 2)
    area = sympy.sqrt(half * (half - bc) * (half - ca) * (half - ab))
    inner = bool(rng.integers(2))
    s = Sketch(rng)
    b, c, a = _corners(s, rng, (B, C, A))
    if inner:
        o = s.let("O", con.INCENTER(a, b, c))
        rim = s.let("t", con.FOOT(o, b, c))
    else:
        m, n = con.mid(a, b), con.mid(b, c)
        o = s.let("O", con.MEET(m, m + con.TURN(b - a, 90), n, n + con.TURN(c - b, 90)))
        rim = s.let("t", b)
    s.draw(a, b, c, closed=True)
    s.circle(o, con.length(rim - o))
    s.dots(o)
    s.state(f"Its {'inscribed' if inner else 'circumscribed'} circle is drawn, with centre O.")
    s.names(A + B + C + "O", a, b, c, o)
    known = f"${A}{B} = {ab}$, ${B}{C} = {bc}$ and ${C}{A} = {ca}$"
    facts = [(f"dist({A},{B})", str(ab)), (f"dist({B},{C})", str(bc)), (f"dist({C},{A})", str(ca))]
    radius = area / half if inner else R(bc * ca * ab, 4) / area
    if rng.integers(2):
        statement = choose(
            rng,
            f"Triangle ${A}{B}{C}$ has sides {known}. What is the radius of the circle with centre $O$?",
            f"If {known}, find the radius of the circle that is drawn.",
            f"A circle about $O$ is drawn with a triangle whose sides are {known}. Determine its radius.",
        )
        return Draft(sketch=s, statement=statement, givens=facts, asked="dist(O,t)", answer=radius)
    statement = choose(
        rng,
        f"Triangle ${A}{B}{C}$ has sides {known}. What is the area of the disc with centre $O$?",
        f"How large is the area inside the circle shown, if {known}?",
        f"In the figure, {known}. Find the area enclosed by the circle about $O$.",
    )
    return Draft(sketch=s, statement=statement, givens=facts, asked="pi*dist(O,t)**2", answer=sympy.pi * radius**2)


def _angle_bisector(rng: np.random.Generator) -> Draft:
    """An angle bisector divides the opposite side as the adjacent sides."""
    A, B, C, D = letters(rng, 4)
    bc, ca, ab = _sides(rng)
    s = Sketch(rng)
    b, c, a = _corners(s, rng, (B, C, A))
    d = s.let(D, con.MEET(a, a + con.UNIT(b - a) + con.UNIT(c - a), b, c))
    s.draw(a, b, c, closed=True)
    s.draw(a, d)
    s.state(f"{D} lies on side {B}{C}. The segment {A}{D} bisects the angle {B}{A}{C}.")
    s.names(A + B + C + D, a, b, c, d)
    facts = [(f"dist({A},{B})", str(ab)), (f"dist({A},{C})", str(ca)), (f"dist({B},{C})", str(bc))]
    known = f"${A}{B} = {ab}$, ${A}{C} = {ca}$ and ${B}{C} = {bc}$"
    part = R(bc * ab, ab + ca)
    if rng.integers(2):
        statement = choose(
            rng,
            f"In triangle ${A}{B}{C}$, {known}. Segment ${A}{D}$ bisects the angle at ${A}$. Find ${B}{D}$.",
            f"The bisector of $\\angle {B}{A}{C}$ meets ${B}{C}$ at ${D}$. If {known}, how long is ${B}{D}$?",
            f"Where does the bisector from ${A}$ cut the opposite side? With {known}, give the length of ${B}{D}$.",
        )
        return Draft(sketch=s, statement=statement, givens=facts, asked=f"dist({B},{D})", answer=part)
    statement = choose(
        rng,
        f"In triangle ${A}{B}{C}$, {known}. Segment ${A}{D}$ bisects the angle at ${A}$. How long is this bisector?",
        f"Point ${D}$ on side ${B}{C}$ is such that $\\angle {B}{A}{D} = \\angle {D}{A}{C}$. Given {known}, find "
        f"${A}{D}$.",
        f"Find the length of the angle bisector ${A}{D}$ of a triangle with {known}.",
    )
    answer = sympy.sqrt(ab * ca - part * (bc - part))
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"dist({A},{D})", answer=answer)


def _median_length(rng: np.random.Generator) -> Draft:
    """A median from the three sides, or the third side from two sides and a median."""
    A, B, C, M = letters(rng, 4)
    bc, ca, ab = _sides(rng)
    s = Sketch(rng)
    b, c, a = _corners(s, rng, (B, C, A))
    m = s.let(M, con.mid(b, c))
    s.draw(a, b, c, closed=True)
    s.draw(a, m)
    s.tick(b, m)
    s.tick(m, c)
    s.state(f"{M} is the midpoint of {B}{C}, and the median {A}{M} is drawn.")
    s.names(A + B + C + M, a, b, c, m)
    known = f"${A}{B} = {ab}$, ${A}{C} = {ca}$ and ${B}{C} = {bc}$"
    statement = choose(
        rng,
        f"Triangle ${A}{B}{C}$ has {known}. Find the length of ${A}{M}$.",
        f"How long is the segment from ${A}$ to ${M}$, if {known}? Equal marks mean equal lengths.",
        f"The sides of a triangle are {known}. What is the length of the median shown?",
    )
    facts = [(f"dist({A},{B})", str(ab)), (f"dist({A},{C})", str(ca)), (f"dist({B},{C})", str(bc))]
    answer = sympy.sqrt(R(2 * ab**2 + 2 * ca**2 - bc**2, 4))
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"dist({A},{M})", answer=answer)


def _altitude_on_hypotenuse(rng: np.random.Generator) -> Draft:
    """The altitude on the hypotenuse and the pieces that it cuts."""
    A, B, C, D = letters(rng, 4)
    p, q = randint(rng, 2, 16), randint(rng, 2, 16)
    if p == q:
        raise ValueError("need two different pieces")
    s = Sketch(rng)
    c = s.free(C, 0, 0)
    a = s.free(A, rng.uniform(2.6, 3.6), rng.uniform(-0.4, 0.4))
    b = s.let(B, c + fine(draw_decoy(rng, 0.6, 1.6, (q / p) ** 0.5)) * con.TURN(a - c, 90))
    d = s.let(D, con.FOOT(c, a, b))
    s.draw(a, b, c, closed=True)
    s.draw(c, d)
    s.right(a, c, b)
    s.right(c, d, b)
    s.state(f"{A}{B}{C} is a triangle. The angle {A}{C}{B} is marked as a right angle.")
    s.state(f"{D} is the foot of the perpendicular from {C} to {A}{B}.")
    s.names(A + B + C + D, a, b, c, d)
    known = f"${A}{D} = {p}$ and ${D}{B} = {q}$"
    facts = [(f"dist({A},{D})", str(p)), (f"dist({D},{B})", str(q))]
    which = int(rng.integers(3))
    segment, asked, answer = (
        (f"the length of ${C}{D}$", f"dist({C},{D})", sympy.sqrt(p * q)),
        (f"the length of ${A}{C}$", f"dist({A},{C})", sympy.sqrt(p * (p + q))),
        (f"the area of triangle ${A}{B}{C}$", f"area({A},{B},{C})", (p + q) * sympy.sqrt(p * q) / 2),
    )[which]
    statement = choose(
        rng,
        f"The foot of the altitude to the hypotenuse of a right triangle divides it into {known}. What is {segment}?",
        f"In the figure {known}, and right angles are marked. Find {segment}.",
        f"Triangle ${A}{B}{C}$ is right-angled at ${C}$, and ${D}$ is the foot of the perpendicular from ${C}$, "
        f"with {known}. Compute {segment}.",
    )
    return Draft(sketch=s, statement=statement, givens=facts, asked=asked, answer=answer)


def _parallel_cut(rng: np.random.Generator) -> Draft:
    """A parallel to the base cuts off a similar triangle; the code shades one of the two parts."""
    A, B, C, D, F = letters(rng, 5)
    p, q = randint(rng, 2, 9), randint(rng, 1, 9)
    scale = randint(rng, 1, 6)
    cut_area = scale * p * p
    top = bool(rng.integers(2))
    s = Sketch(rng)
    b, c, a = _corners(s, rng, (B, C, A))
    k = s.ratio("k", draw_decoy(rng, 0.35, 0.72, p / (p + q)))
    d = s.let(D, a + k * (b - a))
    f = s.let(F, a + k * (c - a))
    s.fill(*((d, b, c, f) if top else (a, d, f)))
    s.draw(a, b, c, closed=True)
    s.draw(d, f)
    s.state(f"{D} lies on side {A}{B}, and {F} lies on side {C}{A}. {D}{F} and {B}{C} are parallel.")
    s.state(f"The {f'quadrilateral {D}{B}{C}{F}' if top else f'triangle {A}{D}{F}'} is shaded.")
    s.names(A + B + C + D + F, a, b, c, d, f)
    known = f"${A}{D} = {p}$ and ${D}{B} = {q}$"
    rest = scale * (p + q) ** 2 - cut_area
    stated, measure, answer = (
        (cut_area, f"area({A},{D},{F})", rest) if top else (rest, f"area({D},{B},{C},{F})", cut_area)
    )
    unshaded = f"triangle ${A}{D}{F}$" if top else f"quadrilateral ${D}{B}{C}{F}$"
    statement = choose(
        rng,
        f"Segment ${D}{F}$ is parallel to ${B}{C}$, with {known}. The area of {unshaded} is ${stated}$. What is the "
        "area of the shaded part?",
        f"If {known}, ${D}{F} \\parallel {B}{C}$, and {unshaded} has area ${stated}$, find the shaded area.",
        f"A line parallel to side ${B}{C}$ divides triangle ${A}{B}{C}$ so that {known}. Given that {unshaded} has "
        f"an area of ${stated}$, how large is the grey region?",
    )
    facts = [(f"dist({A},{D})", str(p)), (f"dist({D},{B})", str(q)), (measure, str(stated))]
    return Draft(sketch=s, statement=statement, givens=facts, asked="shaded()", answer=answer)


def _square_in_triangle(rng: np.random.Generator) -> Draft:
    """A square with one side on the base of a triangle."""
    A, B, C, D, F, G, H = letters(rng, 7)
    base, height = randint(rng, 4, 24), randint(rng, 3, 24)
    s = Sketch(rng)
    drawn_base, drawn_height = rng.uniform(5.0, 5.8), rng.uniform(3.4, 5.0)
    if abs(drawn_height / drawn_base - height / base) < 0.12 * height / base:
        raise ValueError("need a decoy of another shape")
    b = s.free(B, 0, 0)
    c = s.free(C, drawn_base, 0)
    a = s.free(A, drawn_base * rng.uniform(0.3, 0.6), drawn_height)
    k = s.ratio("k", drawn_height / (drawn_base + drawn_height))
    g = s.let(G, a + k * (b - a))
    f = s.let(F, a + k * (c - a))
    d = s.let(D, con.FOOT(g, b, c))
    h = s.let(H, con.FOOT(f, b, c))
    s.draw(a, b, c, closed=True)
    s.draw(d, h, f, g, closed=True)
    s.state(f"{A}{B}{C} is a triangle.")
    s.state(f"{D}{H}{F}{G} is a square with {D} and {H} on side {B}{C}, {F} on side {C}{A} and {G} on side {A}{B}.")
    s.names(A + B + C + D + F + G + H, a, b, c, d, f, g, h)
    square = f"${D}{H}{F}{G}$"
    known = f"${B}{C} = {base}$, and the altitude from ${A}$ is ${height}$"
    area = bool(rng.integers(2))
    what = "area" if area else "side"
    statement = choose(
        rng,
        f"Square {square} is inscribed in triangle ${A}{B}{C}$ as shown. If {known}, what is the {what} of the square?",
        f"In triangle ${A}{B}{C}$, {known}. Find the {what} of the inscribed square {square}.",
        f"A square {square} has one side on ${B}{C}$ and its other corners on the other sides of a triangle, where "
        f"{known}. Compute the {what} of that square.",
    )
    side = R(base * height, base + height)
    facts = [
        (f"dist({B},{C})", str(base)),
        (f"line_distance({A},{B},{C})", str(height)),
        (f"dist({D},{H})/dist({D},{G})-1", "0"),
    ]
    asked = f"area({D},{H},{F},{G})" if area else f"dist({D},{H})"
    return Draft(sketch=s, statement=statement, givens=facts, asked=asked, answer=side**2 if area else side)


def _perpendicular_medians(rng: np.random.Generator) -> Draft:
    """Two medians at a right angle tie the three sides together."""
    A, B, C, D, F, G = letters(rng, 6)
    p, q = randint(rng, 4, 20), randint(rng, 4, 20)
    if p == q or max(p, q) > 1.9 * min(p, q):
        raise ValueError("need sides that allow perpendicular medians")
    s = Sketch(rng)
    g = s.free(G, 0, 0)
    d = s.free(D, 0, -1.5)
    true = np.sqrt((4 * q * q - p * p) / (4 * p * p - q * q))
    f = s.let(F, g + fine(-draw_decoy(rng, 0.6, 1.6, 1 / true)) * con.TURN(d - g, 90))
    a = s.let(A, g - 2 * (d - g))
    b = s.let(B, g - 2 * (f - g))
    c = s.let(C, 2 * d - b)
    s.draw(a, b, c, closed=True)
    s.draw(a, d)
    s.draw(b, f)
    s.right(a, g, b)
    for end, middle in ((b, d), (d, c)):
        s.tick(end, middle)
    s.state(f"{A}{B}{C} is a triangle. {D} is the midpoint of {B}{C}, and {F} is the midpoint of {C}{A}.")
    s.state(f"The segments {A}{D} and {B}{F} meet at {G}. The angle {A}{G}{B} is marked as a right angle.")
    s.names(A + B + C + D + F + G, a, b, c, d, f, g)
    known = f"${B}{C} = {p}$ and ${A}{C} = {q}$"
    statement = choose(
        rng,
        f"The medians ${A}{D}$ and ${B}{F}$ of triangle ${A}{B}{C}$ are perpendicular. If {known}, how long is "
        f"${A}{B}$?",
        f"In triangle ${A}{B}{C}$, {known}, and the medians from ${A}$ and ${B}$ cross at a right angle in ${G}$. "
        f"Find ${A}{B}$.",
        f"Two medians of a triangle meet at a right angle, as marked. With {known}, what is the length of side "
        f"${A}{B}$?",
    )
    facts = [(f"dist({B},{C})", str(p)), (f"dist({A},{C})", str(q))]
    return Draft(
        sketch=s, statement=statement, givens=facts, asked=f"dist({A},{B})", answer=sympy.sqrt(R(p * p + q * q, 5))
    )


TEMPLATES = (
    Template(name="two_cevians", level="compositional", draft=_two_cevians),
    Template(name="incircle_contact", level="compositional", draft=_incircle_contact),
    Template(name="triangle_circle", level="compositional", draft=_inradius),
    Template(name="angle_bisector", level="compositional", draft=_angle_bisector),
    Template(name="median_length", level="compositional", draft=_median_length),
    Template(name="altitude_on_hypotenuse", level="compositional", draft=_altitude_on_hypotenuse),
    Template(name="parallel_cut", level="compositional", draft=_parallel_cut),
    Template(name="square_in_triangle", level="compositional", draft=_square_in_triangle),
    Template(name="perpendicular_medians", level="compositional", draft=_perpendicular_medians),
)
