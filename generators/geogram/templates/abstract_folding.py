"""Abstract problems in which paper is folded, rolled up or turned: the asked figure is not the one on the sheet."""

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import Arc, Expr, fine, lit, wrap
from planimeter.generators.geogram.sketch import Sketch
from planimeter.generators.geogram.template import Draft, Template, choose, draw_decoy, letters, randint

R = sympy.Rational


def _fold_corner(rng: np.random.Generator) -> Draft:
    """A rectangle folded so that two opposite corners meet."""
    A, B, C, D, P, Q = letters(rng, 6)
    short = randint(rng, 3, 12)
    long = short + randint(rng, 1, 12)
    s = Sketch(rng)
    a = s.free(A, 0, 0)
    b = s.free(B, 5, 0)
    d = s.let(D, a + fine(draw_decoy(rng, 0.45, 0.85, short / long, 0.1)) * con.TURN(b - a, 90))
    c = s.let(C, b + d - a)
    m = s.let("m", con.mid(a, c))
    n = s.let("n", m + con.TURN(c - a, 90))
    p = s.let(P, con.MEET(m, n, a, b))
    q = s.let(Q, con.MEET(m, n, c, d))
    turned = s.let("d", con.MIRROR(d, p, q))
    s.fill(p, c, turned, q, shade=0.85)
    s.draw(a, b, c, d, closed=True)
    s.draw(p, q, dashed=True)
    s.draw(p, c, turned, q)
    s.state(f"{A}{B}{C}{D} is a rectangle. {P} lies on side {A}{B}, and {Q} lies on side {C}{D}.")
    s.state(f"Folding along the dashed line {P}{Q} takes {A} to {C}.")
    s.names(A + B + C + D + P + Q, a, b, c, d, p, q)
    facts = [(f"dist({A},{B})", str(long)), (f"dist({A},{D})", str(short))]
    known = f"${A}{B} = {long}$ and ${A}{D} = {short}$"
    if rng.integers(2):
        statement = choose(
            rng,
            f"A rectangular sheet ${A}{B}{C}{D}$ with {known} is folded along ${P}{Q}$ so that ${A}$ falls on "
            f"${C}$. How long is the crease?",
            f"Folding rectangle ${A}{B}{C}{D}$ at the dashed line brings corner ${A}$ onto corner ${C}$. If "
            f"{known}, find ${P}{Q}$.",
            f"Paper of the form ${A}{B}{C}{D}$, {known}, is creased so that two opposite corners, ${A}$ and ${C}$, "
            f"lie on each other. What is the length of the crease ${P}{Q}$?",
        )
        return Draft(
            sketch=s,
            statement=statement,
            givens=facts,
            asked=f"dist({P},{Q})",
            answer=short * sympy.sqrt(R(long**2 + short**2, long**2)),
        )
    statement = choose(
        rng,
        f"A rectangular sheet ${A}{B}{C}{D}$ with {known} is folded along ${P}{Q}$ so that ${A}$ falls on ${C}$. "
        "What is the area of the part that is now double?",
        f"Folding rectangle ${A}{B}{C}{D}$ at ${P}{Q}$ brings ${A}$ onto ${C}$. Given {known}, find the area of "
        f"triangle ${C}{P}{Q}$, where two layers lie on each other.",
        f"Corner ${A}$ of a sheet with {known} is laid on the opposite corner ${C}$, with a crease ${P}{Q}$. How "
        "large is the region of two layers of paper?",
    )
    return Draft(
        sketch=s,
        statement=statement,
        givens=facts,
        asked=f"area({C},{P},{Q})",
        answer=R(short * (long**2 + short**2), 4 * long),
    )


def _fold_to_side(rng: np.random.Generator) -> Draft:
    """A corner of a rectangle folded onto the opposite side, with the crease through the next corner."""
    A, B, C, D, P, Q = letters(rng, 6)
    x, y, z = (
        (3, 4, 5),
        (4, 3, 5),
        (12, 5, 13),
        (8, 6, 10),
        (6, 8, 10),
        (15, 8, 17),
        (12, 9, 15),
        (16, 12, 20),
        (24, 7, 25),
        (20, 15, 25),
        (24, 10, 26),
        (21, 20, 29),
        (8, 15, 17),
    )[int(rng.integers(13))]
    if z - x >= y:
        raise ValueError("need a crease that ends on the side")
    s = Sketch(rng)
    a = s.free(A, 0, 0)
    b = s.free(B, 4.6, 0)
    d = s.let(D, a + fine(draw_decoy(rng, 0.55, 0.93, y / z, 0.08)) * con.TURN(b - a, 90))
    c = s.let(C, b + d - a)
    p = s.let(P, d + con.root(con.dot(b - a, b - a) - con.dot(d - a, d - a)) * con.UNIT(c - d))
    q = s.let(Q, con.MEET(a, a + con.UNIT(b - a) + con.UNIT(p - a), b, c))
    s.fill(a, p, q, shade=0.85)
    s.draw(a, b, c, d, closed=True)
    s.draw(a, q, dashed=True)
    s.draw(a, p, q)
    s.state(f"{A}{B}{C}{D} is a rectangle. {P} lies on side {C}{D}, and {Q} lies on side {B}{C}.")
    s.state(f"Folding along the dashed line {A}{Q} takes {B} to {P}.")
    s.names(A + B + C + D + P + Q, a, b, c, d, p, q)
    known = f"${A}{B} = {z}$ and ${A}{D} = {y}$"
    foot = R(y * y + (z - x) ** 2, 2 * y)
    crease = bool(rng.integers(2))
    what, asked, answer = (
        (f"the crease ${A}{Q}$", f"dist({A},{Q})", sympy.sqrt(z * z + foot**2))
        if crease
        else (f"${B}{Q}$", f"dist({B},{Q})", foot)
    )
    statement = choose(
        rng,
        f"Sheet ${A}{B}{C}{D}$ is a rectangle with {known}. It is folded along ${A}{Q}$, and ${B}$ comes to lie at "
        f"${P}$ on side ${D}{C}$. How long is {what}?",
        f"A rectangle with {known} is creased along a line through ${A}$, such that corner ${B}$ lands on the "
        f"opposite long side, at ${P}$. Find the length of {what}.",
        f"Triangle ${A}{B}{Q}$ of rectangle ${A}{B}{C}{D}$ is folded over ${A}{Q}$ to ${A}{P}{Q}$, with ${P}$ on "
        f"${C}{D}$. If {known}, determine the length of {what}.",
    )
    facts = [(f"dist({A},{B})", str(z)), (f"dist({A},{D})", str(y))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=asked, answer=answer)


def _net_of_a_box(rng: np.random.Generator) -> Draft:
    """The net of a box: how far two of its corners are apart once it is folded."""
    A, B, C, D, P, Q = letters(rng, 6)
    a, b, c = randint(rng, 2, 12), randint(rng, 2, 12), randint(rng, 2, 12)
    if len({a, b, c}) < 3:
        raise ValueError("need three different edges")
    s = Sketch(rng)
    o = s.free(A, 0, 0)
    t = s.let("t", lit(float(rng.uniform(0, 360))))
    e, f = s.let("e", con.HEADING(t)), s.let("f", con.HEADING(t + 90))
    x, y, z = (s.real(name, rng.uniform(1.0, 2.2)) for name in "xyz")

    zero = wrap(0)

    def at(u: Expr, v: Expr) -> Expr:
        across = o if u is zero else o + u * e
        if v.op == "neg":
            return across - v.args[0] * f
        return across if v is zero else across + v * f

    right, back, left = x + y, 2 * x + y, 2 * x + 2 * y
    for low, high in ((zero, x), (x, right), (right, back), (back, left)):
        s.fill(at(low, zero), at(high, zero), at(high, z), at(low, z), shade=0.92)
    s.fill(at(zero, z), at(x, z), at(x, z + y), at(zero, z + y), shade=0.92)
    s.fill(at(zero, zero), at(x, zero), at(x, -y), at(zero, -y), shade=0.92)
    s.draw(at(zero, zero), at(left, zero), at(left, z), at(zero, z), closed=True)
    s.draw(at(zero, -y), at(x, -y), at(x, z + y), at(zero, z + y), closed=True)
    s.draw(at(right, zero), at(right, z))
    s.draw(at(back, zero), at(back, z))
    # Corners of the net and where they go: front (x, 0, z), then round the box; top and bottom hang on the front.
    corners = [
        (at(right, z), (a, b, c)),
        (at(back, z), (0, b, c)),
        (at(left, z), (0, 0, c)),
        (at(back, zero), (0, b, 0)),
        (at(left, zero), (0, 0, 0)),
        (at(x, z + y), (a, b, c)),
        (at(zero, z + y), (0, b, c)),
        (at(x, -y), (a, b, 0)),
        (at(zero, -y), (0, b, 0)),
    ]
    i, j = sorted(int(v) for v in rng.choice(len(corners), 2, replace=False))
    (first, u), (second, v) = corners[i], corners[j]
    squared = sum((m - n) ** 2 for m, n in zip(u, v, strict=True))
    if sum(m != n for m, n in zip(u, v, strict=True)) < 2:
        raise ValueError("need corners that are no edge apart")
    p, q = s.let(P, first), s.let(Q, second)
    near, far, up = s.let(B, at(x, zero)), s.let(C, at(right, zero)), s.let(D, at(zero, z))
    s.dots(p, q)
    s.names(A + B + C + D + P + Q, o, near, far, up, p, q)
    known = f"${A}{B} = {a}$, ${B}{C} = {b}$ and ${A}{D} = {c}$"
    statement = choose(
        rng,
        f"The figure is the net of a closed box, with {known}. How far apart are the corners ${P}$ and ${Q}$ once "
        "the box is folded, measured straight through space?",
        f"Cardboard of the form shown, with {known}, is folded up to a box. Find the straight-line distance between "
        f"the points ${P}$ and ${Q}$ of the box.",
        f"A rectangular box is unfolded as drawn; {known}. What is the length of the straight segment from ${P}$ to "
        f"${Q}$ when the box is put together again?",
    )
    facts = [(f"dist({A},{B})", str(a)), (f"dist({B},{C})", str(b)), (f"dist({A},{D})", str(c))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"folded({P},{Q})", answer=sympy.sqrt(squared))


def _cone_from_sector(rng: np.random.Generator) -> Draft:
    """A sector rolled up to a cone; the code says which of the two sectors is used."""
    A, B = letters(rng, 2)
    radius, theta = randint(rng, 3, 18), int(rng.choice([60, 72, 90, 108, 120, 144, 150]))
    drawn = draw_decoy(rng, 50, 155, theta)
    minor = bool(rng.integers(2))
    s = Sketch(rng)
    o = s.free("O", 0, 0)
    r = s.real("r", 3)
    u = s.let("u", lit(float(rng.uniform(0, 360))))
    v = s.let("v", u + lit(drawn))
    a = s.let(A, o + r * con.HEADING(u))
    b = s.let(B, o + r * con.HEADING(v))
    s.fill(o, Arc(center=o, radius=r, start=u, end=v) if minor else Arc(center=o, radius=r, start=v, end=u + 360))
    s.circle(o, r, dashed=True)
    s.draw(a, o, b)
    s.state(f"{A} and {B} lie on a circle with centre O. The radii O{A} and O{B} divide the disc into sectors.")
    s.state(f"The {'smaller' if minor else 'larger'} sector is shaded.")
    s.names(A + B + "O", a, b, o)
    known = f"$O{A} = {radius}$ and $\\angle {A}O{B} = {theta}^\\circ$"
    base = R(radius * (theta if minor else 360 - theta), 360)
    height = sympy.sqrt(radius**2 - base**2)
    in_drawing = f"(shaded()/(pi*dist(O,{A})))"
    facts = [(f"dist(O,{A})", str(radius)), (f"angle({A},O,{B})", str(theta))]
    if rng.integers(2):
        statement = choose(
            rng,
            f"The shaded sector, with {known}, is cut out and rolled up until its two straight edges meet. How high "
            "is the cone?",
            f"In the disc about $O$ we have {known}. Its grey part becomes the side of a cone. Find the height of "
            "this cone.",
            f"A cone without base is made by joining the edges $O{A}$ and $O{B}$ of the shaded piece of paper. If "
            f"{known}, what is the height of the cone?",
        )
        return Draft(
            sketch=s, statement=statement, givens=facts, asked=f"sqrt(dist(O,{A})**2-{in_drawing}**2)", answer=height
        )
    statement = choose(
        rng,
        f"The shaded sector, with {known}, is cut out and rolled up until its two straight edges meet. What volume "
        "does the cone have?",
        f"In the disc about $O$ we have {known}. Its grey part becomes the side of a cone. Find the volume of this "
        "cone.",
        f"A paper cup in the form of a cone is made by joining the edges $O{A}$ and $O{B}$ of the shaded piece of "
        f"paper. If {known}, how much does the cup hold?",
    )
    asked = f"pi*{in_drawing}**2*sqrt(dist(O,{A})**2-{in_drawing}**2)/3"
    return Draft(sketch=s, statement=statement, givens=facts, asked=asked, answer=sympy.pi * base**2 * height / 3)


def _swept_segment(rng: np.random.Generator) -> Draft:
    """A segment turns about a point; the code says whether it points at that point or stands across."""
    A, B = letters(rng, 2)
    gap, reach = randint(rng, 2, 12), randint(rng, 2, 12)
    theta = int(rng.choice([30, 40, 45, 60, 72, 80, 90, 100, 120, 135, 150]))
    radial = bool(rng.integers(2))
    s = Sketch(rng)
    o = s.free("O", 0, 0)
    a = s.free(A, rng.uniform(1.8, 2.6), 0)
    k = fine(draw_decoy(rng, 0.5, 1.3, reach / gap))
    b = s.let(B, a + k * (a - o) if radial else a + k * con.TURN(a - o, 90))
    turn = s.let("t", lit(draw_decoy(rng, 35, 120, theta)))
    c = s.let("c", o + con.TURN(a - o, turn))
    d = s.let("d", o + con.TURN(b - o, turn))
    s.draw(a, b, width=1.8)
    s.draw(c, d, width=1.8)
    s.draw(o, a, dashed=True)
    s.draw(o, c, dashed=True)
    s.dots(o)
    if not radial:
        s.right(o, a, b)
    if radial:
        s.state(f"O, {A} and {B} lie on a line, in this order.")
    else:
        s.state(f"O{A}{B} is a triangle. The angle O{A}{B} is marked as a right angle.")
    s.state(f"The segment {A}{B} is drawn a second time, turned about O.")
    s.names(A + B + "O", a, b, o)
    known = f"$O{A} = {gap}$ and ${A}{B} = {reach}$"
    statement = choose(
        rng,
        f"Segment ${A}{B}$ is turned about $O$ by ${theta}^\\circ$ into the second position shown. With {known}, "
        "what area does it sweep over?",
        f"In the figure {known}. The segment ${A}{B}$ rotates around $O$ through ${theta}^\\circ$. Find the area of "
        "the region that it passes.",
        f"A wiper ${A}{B}$ swings about the point $O$ through an angle of ${theta}^\\circ$; {known}. How large is "
        "the area that it wipes?",
    )
    squared = (gap + reach) ** 2 - gap**2 if radial else reach**2
    facts = [(f"dist(O,{A})", str(gap)), (f"dist({A},{B})", str(reach)), (f"angle({A},O,c)", str(theta))]
    asked = f"pi*angle({A},O,c)/360*(dist(O,{B})**2-dist(O,{A})**2)"
    return Draft(sketch=s, statement=statement, givens=facts, asked=asked, answer=sympy.pi * R(theta * squared, 360))


def _two_reflections(rng: np.random.Generator) -> Draft:
    """A point is reflected in one line, then in another."""
    A, B, C, D, P = letters(rng, 5)
    angle, far = int(rng.choice([15, 30, 45, 60, 75])), randint(rng, 3, 24)
    s = Sketch(rng)
    o = s.free("O", 0, 0)
    t = float(rng.uniform(0, 360))
    drawn = draw_decoy(rng, 25, 70, angle)
    u, v = s.let("u", con.HEADING(lit(t))), s.let("v", con.HEADING(lit(t + drawn)))
    a, b = s.let(A, o - s.size(1.2) * u), s.let(B, o + s.size(4.2) * u)
    c, d = s.let(C, o - s.size(1.2) * v), s.let(D, o + s.size(4.2) * v)
    p = s.let(P, o + s.size(rng.uniform(2.6, 3.4)) * con.HEADING(lit(t - rng.uniform(12, 35))))
    s.draw(a, b)
    s.draw(c, d)
    s.draw(o, p, dashed=True)
    s.dots(p, o)
    s.state(f"The segments {A}{B} and {C}{D} cross at O. {P} is a point on neither of them.")
    s.names(A + B + C + D + P + "O", a, b, c, d, p, o)
    known = f"$O{P} = {far}$ and $\\angle {B}O{D} = {angle}^\\circ$"
    image = choose(rng, "'", "''")
    statement = choose(
        rng,
        f"Lines ${A}{B}$ and ${C}{D}$ cross at $O$, with {known}. Point ${P}$ is reflected in ${A}{B}$, and its "
        f"image is reflected in ${C}{D}$. How far is the final point from ${P}$?",
        f"Mirror ${P}$ in the line ${A}{B}$, then mirror the result in the line ${C}{D}$ to reach ${P}{image}$. If "
        f"{known}, find ${P}{P}{image}$.",
        f"Two mirror lines meet at $O$ and {known}. After a reflection in ${A}{B}$ that is followed by one in "
        f"${C}{D}$, where is ${P}$? Give the distance between its first and its last position.",
    )
    facts = [(f"dist(O,{P})", str(far)), (f"angle({B},O,{D})", str(angle))]
    asked = f"dist({P},mirrored(mirrored({P},{A},{B}),{C},{D}))"
    sine = {15: (sympy.sqrt(6) - sympy.sqrt(2)) / 4, 75: (sympy.sqrt(6) + sympy.sqrt(2)) / 4}.get(
        angle, sympy.sin(sympy.pi * angle / 180)
    )
    return Draft(sketch=s, statement=statement, givens=facts, asked=asked, answer=2 * far * sine)


TEMPLATES = (
    Template(name="fold_corner_to_corner", level="abstract", draft=_fold_corner),
    Template(name="fold_to_side", level="abstract", draft=_fold_to_side),
    Template(name="net_of_a_box", level="abstract", draft=_net_of_a_box),
    Template(name="cone_from_sector", level="abstract", draft=_cone_from_sector),
    Template(name="swept_segment", level="abstract", draft=_swept_segment),
    Template(name="two_reflections", level="abstract", draft=_two_reflections),
)
