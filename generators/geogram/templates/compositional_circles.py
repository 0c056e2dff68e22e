"""Compositional problems with one or two circles and lines."""

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import Arc, fine, lit
from planimeter.generators.geogram.sketch import Sketch
from planimeter.generators.geogram.template import Draft, Template, choose, code_of, draw_decoy, letters, randint, tex

R = sympy.Rational


def _power_of_a_point(rng: np.random.Generator) -> Draft:
    """Two lines through a point cut a circle; the code says whether the point is inside or outside."""
    A, B, C, D, P = letters(rng, 5)
    inside = bool(rng.integers(2))
    pa, pc = randint(rng, 2, 9), randint(rng, 2, 9)
    pb = pa + randint(rng, 1, 14)
    pd = R(pa * pb, pc)
    if pa == pc or pd <= pc or pd > 40:
        raise ValueError("need four different segments")
    s = Sketch(rng)
    o = s.free("O", 0, 0)
    r = s.real("r", 3)
    t = float(rng.uniform(0, 360))
    if inside:
        # A and C are near P, B and D far from it, on opposite sides.
        places: tuple[float, float, float, float] = (
            0.0,
            170 + rng.uniform(-20, 20),
            55 + rng.uniform(-12, 12),
            235 + rng.uniform(-20, 20),
        )
    else:
        places = (
            25 + rng.uniform(-5, 5),
            115 + rng.uniform(-12, 12),
            -25 + rng.uniform(-5, 5),
            -115 + rng.uniform(-12, 12),
        )
    a, b, c, d = (
        s.let(n, o + r * con.HEADING(lit((t + at) % 360))) for n, at in zip((A, B, C, D), places, strict=True)
    )
    p = s.let(P, con.MEET(a, b, c, d))
    s.circle(o, r)
    s.draw(*((a, b) if inside else (p, b)))
    s.draw(*((c, d) if inside else (p, d)))
    s.state(f"{A}, {B}, {C} and {D} lie on a circle.")
    if inside:
        s.state(f"The segments {A}{B} and {C}{D} meet at {P}.")
    else:
        s.state(f"The lines {A}{B} and {C}{D} meet at {P}, with {A} between {P} and {B}, and {C} between {P} and {D}.")
    s.names(A + B + C + D + P, a, b, c, d, p)
    known = f"${P}{A} = {pa}$, ${P}{B} = {pb}$ and ${P}{C} = {pc}$"
    statement = choose(
        rng,
        f"Lines ${A}{B}$ and ${C}{D}$ meet at ${P}$. If {known}, what is the length of chord ${C}{D}$?",
        f"The points ${A}$, ${B}$, ${C}$, ${D}$ are on a circle, and the lines ${A}{B}$, ${C}{D}$ pass through "
        f"${P}$. With {known}, find ${C}{D}$.",
        f"In the figure {known}. How long is ${C}{D}$?",
    )
    facts = [(f"dist({P},{A})", str(pa)), (f"dist({P},{B})", str(pb)), (f"dist({P},{C})", str(pc))]
    return Draft(
        sketch=s, statement=statement, givens=facts, asked=f"dist({C},{D})", answer=pd + pc if inside else pd - pc
    )


def _common_tangent(rng: np.random.Generator) -> Draft:
    """The segment of a common tangent of two circles; the code says whether the tangent crosses between them."""
    A, B, P, Q = letters(rng, 4)
    small, extra = randint(rng, 1, 6), randint(rng, 1, 6)
    big = small + extra
    apart = small + big + randint(rng, 1, 10)
    outer = bool(rng.integers(2))
    s = Sketch(rng)
    a = s.free(A, 0, 0)
    b = s.free(B, 5.2, rng.uniform(-0.6, 0.6))
    r1 = s.real("r", rng.uniform(2.0, 2.5))
    r2 = s.real("s", rng.uniform(1.0, 1.6))
    k = s.let("k", (r1 - r2 if outer else r1 + r2) / con.length(b - a))
    u = con.UNIT(b - a)
    n = s.let("n", k * u + con.root(1 - k * k) * con.TURN(u, 90))
    p = s.let(P, a + r1 * n)
    q = s.let(Q, b + r2 * n if outer else b - r2 * n)
    s.circle(a, r1)
    s.circle(b, r2)
    s.draw(p, q)
    s.draw(a, p, dashed=True)
    s.draw(b, q, dashed=True)
    s.dots(a, b)
    s.state(f"The circles with centres {A} and {B} touch the line {P}{Q} at {P} and {Q}.")
    s.state(f"They lie on {'the same side' if outer else 'opposite sides'} of it.")
    s.names(A + B + P + Q, a, b, p, q)
    known = f"radii ${A}{P} = {big}$ and ${B}{Q} = {small}$"
    statement = choose(
        rng,
        f"Two circles with centres ${A}$ and ${B}$ and {known} are given, and ${A}{B} = {apart}$. Segment ${P}{Q}$ "
        "touches both circles. How long is it?",
        f"Line ${P}{Q}$ is tangent to a circle about ${A}$ at ${P}$ and to a circle about ${B}$ at ${Q}$. If "
        f"${A}{B} = {apart}$ and the circles have {known}, find ${P}{Q}$.",
        f"The centres ${A}$ and ${B}$ of two circles are ${apart}$ apart. The circles have {known}. What is the "
        f"length of the common tangent segment ${P}{Q}$ that is drawn?",
    )
    answer = sympy.sqrt(apart**2 - (big - small if outer else big + small) ** 2)
    facts = [(f"dist({A},{P})", str(big)), (f"dist({B},{Q})", str(small)), (f"dist({A},{B})", str(apart))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"dist({P},{Q})", answer=answer)


def _common_chord(rng: np.random.Generator) -> Draft:
    """The common chord of two circles from the radii and the distance of the centres."""
    A, B, P, Q = letters(rng, 4)
    # A triangle with a whole altitude: two right triangles on the common leg.
    triples = (
        (3, 4, 5),
        (5, 12, 13),
        (8, 6, 10),
        (6, 8, 10),
        (8, 15, 17),
        (9, 12, 15),
        (16, 12, 20),
        (15, 8, 17),
        (12, 5, 13),
        (4, 3, 5),
    )
    x, half, big = triples[int(rng.integers(len(triples)))]
    y = randint(rng, 2, 14)
    other = sympy.sqrt(half**2 + y * y)
    s = Sketch(rng)
    a = s.free(A, 0, 0)
    b = s.free(B, rng.uniform(3.4, 4.2), rng.uniform(-0.3, 0.3))
    p = s.free(P, rng.uniform(1.4, 2.4), rng.uniform(1.5, 2.4))
    q = s.let(Q, con.MIRROR(p, a, b))
    s.circle(a, con.length(p - a))
    s.circle(b, con.length(p - b))
    s.draw(p, q)
    s.draw(a, b, dashed=True)
    s.dots(a, b)
    s.state(f"The circles with centres {A} and {B} cross at {P} and {Q}.")
    s.names(A + B + P + Q, a, b, p, q)
    statement = choose(
        rng,
        f"Circles with centres ${A}$ and ${B}$ cross at ${P}$ and ${Q}$. Their radii are ${big}$ and "
        f"${tex(other)}$, in this order, and ${A}{B} = {x + y}$. Find the length of ${P}{Q}$.",
        f"A circle of radius ${big}$ about ${A}$ and a circle of radius ${tex(other)}$ about ${B}$ have the common "
        f"chord ${P}{Q}$. If the centres are ${x + y}$ apart, how long is this chord?",
        f"What is the length of the common chord ${P}{Q}$ of two circles, one with centre ${A}$ and radius ${big}$, "
        f"the other with centre ${B}$ and radius ${tex(other)}$, where ${A}{B} = {x + y}$?",
    )
    facts = [(f"dist({A},{P})", str(big)), (f"dist({B},{P})", code_of(other)), (f"dist({A},{B})", str(x + y))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"dist({P},{Q})", answer=2 * half)


def _third_circle(rng: np.random.Generator) -> Draft:
    """Three circles on a line, each touching the two others."""
    A, B, C = letters(rng, 3)
    m, n = randint(rng, 1, 7), randint(rng, 1, 7)
    factor = randint(rng, 1, 4)
    if m == n:
        raise ValueError("need two different circles")
    big, small = factor * max(m, n) ** 2, factor * min(m, n) ** 2
    s = Sketch(rng, upright=False)
    r1, r2 = rng.uniform(2.2, 2.6), rng.uniform(0.9, 1.9)
    if abs(r2 / r1 - small / big) < 0.1 * small / big:
        raise ValueError("need a decoy of another shape")
    between = r1 * r2 / (np.sqrt(r1) + np.sqrt(r2)) ** 2
    p, q = s.free("u", 0, 0), s.free("v", 10, 0)
    e = s.let("e", con.UNIT(q - p))
    f = s.let("f", con.TURN(e, -90 if s.flip else 90))
    ra, rb, rc = (s.let(name, fine(value * s.scale)) for name, value in (("r", r1), ("s", r2), ("t", between)))
    a = s.let(A, p + ra * f)
    b = s.let(B, p + fine(2 * np.sqrt(r1 * r2) * s.scale) * e + rb * f)
    c = s.let(C, p + fine(2 * np.sqrt(r1 * between) * s.scale) * e + rc * f)
    s.draw(p - s.size(1.6 * r1) * e, p + s.size(2 * np.sqrt(r1 * r2) + 1.6 * r2) * e)
    for center, radius in ((a, ra), (b, rb), (c, rc)):
        s.circle(center, radius)
    s.dots(a, b, c)
    s.state(
        f"Circles with centres {A}, {B} and {C} stand on the same side of a line and touch it. "
        "They also touch each other."
    )
    s.state(f"The circle with centre {C} touches the line between the others.")
    s.names(A + B + C, a, b, c)
    smallest = R(big * small, 1) / (sympy.sqrt(big) + sympy.sqrt(small)) ** 2
    area = bool(rng.integers(2))
    what = "area of the circle" if area else "radius of the circle"
    statement = choose(
        rng,
        f"Three circles stand on a line and touch each other. Those about ${A}$ and ${B}$ have radii ${big}$ and "
        f"${small}$. What is the {what} with centre ${C}$?",
        f"Circles of radius ${big}$ (centre ${A}$) and ${small}$ (centre ${B}$) touch each other and a line. In the "
        f"gap lies a third circle that touches both of them and the line. Find the {what} about ${C}$.",
        "Each of the three circles is tangent to the two others and to the straight line. If the circles with "
        f"centres ${A}$, ${B}$ have radii ${big}$, ${small}$, find the {what} with centre ${C}$.",
    )
    facts = [
        ("r", str(big)),
        ("s", str(small)),
        (f"dist({A},{B})/(r+s)-1", "0"),
        (f"dist({A},{C})/(r+t)-1", "0"),
        (f"dist({B},{C})/(s+t)-1", "0"),
    ]
    return Draft(
        sketch=s,
        statement=statement,
        givens=facts,
        asked="pi*t**2" if area else "t",
        answer=sympy.pi * smallest**2 if area else smallest,
    )


def _tangent_points(rng: np.random.Generator) -> Draft:
    """Two tangents from a point and an angle on the circle; the code says on which arc its vertex lies."""
    A, B, C, P = letters(rng, 4)
    at_p = 2 * randint(rng, 16, 60)
    drawn = draw_decoy(rng, 40, 100, at_p)
    major = bool(rng.integers(2))
    s = Sketch(rng)
    o = s.free("O", 0, 0)
    r = s.real("r", 2.4)
    t, h = float(rng.uniform(0, 360)), (180 - drawn) / 2
    half = s.let("h", lit(h))
    middle = s.let("t", lit(t))
    a = s.let(A, o + r * con.HEADING(middle - half))
    b = s.let(B, o + r * con.HEADING(middle + half))
    p = s.let(P, o + r / con.cosine(half) * con.HEADING(middle))
    at_c = t + (180 if major else 0) + rng.uniform(-0.3, 0.3) * h
    c = s.let(C, o + r * con.HEADING(lit(at_c % 360)))
    s.circle(o, r)
    s.draw(a, p, b)
    s.draw(a, c, b)
    s.dots(o)
    s.state(
        f"{A}, {B} and {C} lie on a circle with centre O, "
        f"with {C} on the {'longer' if major else 'shorter'} arc {A}{B}."
    )
    s.state(f"The tangents at {A} and {B} meet at {P}.")
    s.names(A + B + C + P + "O", a, b, c, p, o)
    stated = f"\\angle {A}{P}{B} = {at_p}^\\circ"
    statement = choose(
        rng,
        f"${P}{A}$ and ${P}{B}$ touch the circle with centre $O$ at ${A}$ and ${B}$, and ${stated}$. How many "
        f"degrees is $\\angle {A}{C}{B}$?",
        f"Two tangents from ${P}$ meet at an angle of ${at_p}^\\circ$ and touch the circle at ${A}$ and ${B}$. Find "
        f"$\\angle {A}{C}{B}$ in degrees.",
        f"From ${P}$ the tangents ${P}{A}$ and ${P}{B}$ are drawn to a circle, with ${stated}$. What is the measure "
        f"of $\\angle {A}{C}{B}$, in degrees?",
    )
    answer = R(180 - at_p, 2) if major else 180 - R(180 - at_p, 2)
    return Draft(
        sketch=s,
        statement=statement,
        givens=[(f"angle({A},{P},{B})", str(at_p))],
        asked=f"angle({A},{C},{B})",
        answer=answer,
    )


def _ring(rng: np.random.Generator) -> Draft:
    """Two concentric circles and a chord of the outer one, which touches or crosses the inner one."""
    A, B, C, D = letters(rng, 4)
    half, inner = randint(rng, 4, 14), randint(rng, 1, 8)
    if inner >= half:
        raise ValueError("need a chord that is longer than its part inside")
    s = Sketch(rng)
    o = s.free("O", 0, 0)
    big, small = s.real("q", 3), s.real("r", rng.uniform(1.6, 2.2))
    m = s.let("h", s.size(rng.uniform(0.7, 1.3)))
    t = s.let("t", lit(float(rng.uniform(0, 360))))
    foot = s.let("f", o + m * con.HEADING(t))
    a = s.let(A, foot + con.root(big * big - m * m) * con.HEADING(t + 90))
    b = s.let(B, foot - con.root(big * big - m * m) * con.HEADING(t + 90))
    c = s.let(C, foot + con.root(small * small - m * m) * con.HEADING(t + 90))
    d = s.let(D, foot - con.root(small * small - m * m) * con.HEADING(t + 90))
    s.circle(o, big, shade=0.82)
    s.circle(o, small, shade=1.0)
    s.draw(a, b)
    s.dots(o)
    s.state(f"The line {A}{B} meets the larger of two circles with centre O at {A} and {B}.")
    s.state(f"It meets the smaller one at {C} and {D}, with {C} nearer to {A}. The ring between the circles is shaded.")
    s.names(A + B + C + D + "O", a, b, c, d, o)
    known = f"${A}{B} = {2 * half}$ and ${C}{D} = {2 * inner}$"
    statement = choose(
        rng,
        f"Line ${A}{B}$ cuts two concentric circles, so that {known}. What is the area of the shaded ring?",
        f"A chord of the larger of two circles about $O$ crosses the smaller one at ${C}$ and ${D}$. If {known}, "
        "find the area between the circles.",
        f"Find the area of the grey ring, given that {known}.",
    )
    facts = [(f"dist({A},{B})", str(2 * half)), (f"dist({C},{D})", str(2 * inner))]
    return Draft(
        sketch=s, statement=statement, givens=facts, asked="pi*(q*q-r*r)", answer=sympy.pi * (half**2 - inner**2)
    )


def _lunes(rng: np.random.Generator) -> Draft:
    """Half discs on the sides of a right triangle; the code says which of the regions are shaded."""
    A, B, C = letters(rng, 3)
    p, q = randint(rng, 2, 16), randint(rng, 2, 16)
    if p == q:
        raise ValueError("need two different legs")
    case = int(rng.integers(3))
    s = Sketch(rng)
    c = s.free(C, 0, 0)
    t = s.let("t", lit(float(rng.uniform(0, 360))))
    a = s.let(A, c + s.size(3) * con.HEADING(t))
    b = s.let(B, c + s.size(3 * draw_decoy(rng, 0.6, 1.6, q / p)) * con.HEADING(t + 90))
    leg_a, leg_b = con.length(a - c) / 2, con.length(b - c) / 2
    on_a = Arc(center=con.mid(a, c), radius=leg_a, start=t + 180, end=t + 360)
    on_b = Arc(center=con.mid(b, c), radius=leg_b, start=t + 90, end=t + 270)
    if case in (0, 2):
        s.fill(on_a)
    if case in (1, 2):
        s.fill(on_b)
    if case == 2:
        s.fill(a, b, c)
    s.draw(on_a)
    s.draw(on_b)
    s.draw(a, b, c, closed=True)
    s.right(a, c, b)
    s.state(f"{A}{B}{C} is a triangle. The angle {A}{C}{B} is marked as a right angle.")
    s.state(f"Half discs stand outside the triangle on the sides {A}{C} and {B}{C}.")
    discs = (f"half disc on {A}{C} is", f"half disc on {B}{C} is", "triangle and the half discs are")
    s.state(f"The {discs[case]} shaded.")
    s.names(A + B + C, a, b, c)
    hypotenuse = sympy.sqrt(p * p + q * q)
    known = f"hypotenuse ${A}{B} = {tex(hypotenuse)}$ and leg ${A}{C} = {p}$"
    answer = (sympy.pi * R(p * p, 8), sympy.pi * R(q * q, 8), R(p * q, 2) + sympy.pi * R(p * p + q * q, 8))[case]
    statement = choose(
        rng,
        f"Semicircles are drawn outwards on the legs of right triangle ${A}{B}{C}$ with {known}. What is the area "
        "of the shaded region?",
        f"A right triangle has {known}; on both legs stand half discs. Find the total shaded area.",
        f"In the figure, the right triangle ${A}{B}{C}$ has {known}, and the arcs are semicircles. How large is the "
        "area that is filled?",
    )
    facts = [(f"dist({A},{B})", code_of(hypotenuse)), (f"dist({A},{C})", str(p))]
    return Draft(sketch=s, statement=statement, givens=facts, asked="shaded()", answer=answer)


TEMPLATES = (
    Template(name="power_of_a_point", level="compositional", draft=_power_of_a_point),
    Template(name="common_tangent", level="compositional", draft=_common_tangent),
    Template(name="common_chord", level="compositional", draft=_common_chord),
    Template(name="third_circle", level="compositional", draft=_third_circle),
    Template(name="tangent_points", level="compositional", draft=_tangent_points),
    Template(name="concentric_ring", level="compositional", draft=_ring),
    Template(name="half_discs", level="compositional", draft=_lunes),
)
