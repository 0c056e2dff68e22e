"""Primitive problems about lengths: one segment, one triangle or one circle."""

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import fine, lit
from planimeter.generators.geogram.sketch import Sketch
from planimeter.generators.geogram.template import Draft, Template, choose, code_of, draw_decoy, letters, randint


def _right_triangle(rng: np.random.Generator) -> Draft:
    """The third side of a right triangle; the mark in the code says whether it is the hypotenuse or a leg."""
    A, B, C = letters(rng, 3)
    short = randint(rng, 3, 16)
    long = short + randint(rng, 1, 12)
    hypotenuse = bool(rng.integers(2))
    s = Sketch(rng)
    a = s.free(A, 0, 0)
    b = s.free(B, rng.uniform(2.5, 4), rng.uniform(-0.8, 0.8))
    true = long / short if hypotenuse else np.sqrt(long**2 - short**2) / short
    k = fine(draw_decoy(rng, 0.55, 1.8, true))
    corner, arm = (a, b) if hypotenuse else (b, a)
    c = s.let(C, corner + k * con.TURN(arm - corner, 90))
    s.draw(a, b, c, closed=True)
    s.right(arm, corner, c)
    angle = f"{B}{A}{C}" if hypotenuse else f"{A}{B}{C}"
    s.state(f"{A}{B}{C} is a triangle. The angle {angle} is marked as a right angle.")
    s.names(A + B + C, a, b, c)
    statement = choose(
        rng,
        f"Triangle ${A}{B}{C}$ has ${A}{B} = {short}$ and ${A}{C} = {long}$. What is the length of ${B}{C}$?",
        f"In the right triangle shown, ${A}{C} = {long}$ and ${A}{B} = {short}$. Find ${B}{C}$.",
        f"Two sides of the marked right triangle are known: ${A}{B}$ is ${short}$ units long and ${A}{C}$ is "
        f"${long}$ units long. How many units long is ${B}{C}$?",
        f"Given ${A}{B} = {short}$, ${A}{C} = {long}$ and the right angle marked in the drawing, compute ${B}{C}$.",
    )
    answer = sympy.sqrt(long**2 + short**2 if hypotenuse else long**2 - short**2)
    facts = [(f"dist({A},{B})", str(short)), (f"dist({A},{C})", str(long))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"dist({B},{C})", answer=answer)


def _points_on_line(rng: np.random.Generator) -> Draft:
    """Three points on a line, whose order is in the code only."""
    A, B, C, M = letters(rng, 4)
    ab, bc = randint(rng, 14, 46), randint(rng, 5, 12)
    beyond = bool(rng.integers(2))
    s = Sketch(rng)
    a = s.free(A, 0, 0)
    b = s.free(B, 5, rng.uniform(-1, 1))
    share = draw_decoy(rng, 0.2, 0.42, bc / ab)
    c = s.let(C, b + fine(share if beyond else -share) * (b - a))
    m = s.let(M, con.mid(a, c))
    s.draw(a, c if beyond else b)
    s.dots(a, b, c, m)
    order = f"{A}, {B} and {C}" if beyond else f"{A}, {C} and {B}"
    s.state(f"{order} lie on a line, in this order. {M} is the midpoint of {A}{C}.")
    s.names(A + B + C + M, a, b, c, m)
    statement = choose(
        rng,
        f"${M}$ is the midpoint of ${A}{C}$. If ${A}{B} = {ab}$ and ${B}{C} = {bc}$, how long is ${M}{B}$?",
        f"On a line are the points shown, with ${B}{C} = {bc}$ and ${A}{B} = {ab}$; ${M}$ halves segment ${A}{C}$. "
        f"Find the length of ${M}{B}$.",
        f"Let ${M}$ be the midpoint of the segment ${A}{C}$ in the figure. The distance from ${A}$ to ${B}$ is "
        f"${ab}$, and from ${B}$ to ${C}$ it is ${bc}$. What is the distance from ${M}$ to ${B}$?",
    )
    answer = sympy.Rational(ab - bc if beyond else ab + bc, 2)
    facts = [(f"dist({A},{B})", str(ab)), (f"dist({B},{C})", str(bc))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"dist({M},{B})", answer=answer)


def _chord_distance(rng: np.random.Generator) -> Draft:
    """Radius or diameter from a chord and its distance from the centre."""
    A, B, M = letters(rng, 3)
    half, gap = randint(rng, 3, 15), randint(rng, 2, 14)
    diameter = bool(rng.integers(2))
    s = Sketch(rng)
    o = s.free("O", 0, 0)
    r = s.real("r", rng.uniform(2.6, 3.6))
    t = float(rng.uniform(0, 360))
    opening = draw_decoy(rng, 80, 150, 2 * np.degrees(np.arctan2(half, gap)))
    a = s.let(A, o + r * con.HEADING(lit(t)))
    b = s.let(B, o + r * con.HEADING(lit(t + opening)))
    m = s.let(M, con.mid(a, b))
    s.circle(o, r)
    s.draw(a, b)
    s.draw(o, m)
    s.right(o, m, b)
    s.dots(o)
    s.state(f"{A} and {B} lie on a circle with centre O. {M} is the foot of the perpendicular from O to {A}{B}.")
    s.names(A + B + M + "O", a, b, m, o)
    what = choose(rng, "diameter", "length of a diameter") if diameter else "radius"
    statement = choose(
        rng,
        f"Chord ${A}{B}$ of a circle with centre $O$ is ${2 * half}$ long, and its distance $O{M}$ from the centre "
        f"is ${gap}$. What is the {what} of the circle?",
        f"If $O{M} = {gap}$ and ${A}{B} = {2 * half}$ in the circle about $O$, find its {what}.",
        f"A chord ${A}{B}$ of length ${2 * half}$ lies ${gap}$ units from the centre $O$ of the circle. Compute the "
        f"{what} of this circle.",
    )
    answer = sympy.sqrt(half**2 + gap**2) * (2 if diameter else 1)
    facts = [(f"dist({A},{B})", str(2 * half)), (f"dist(O,{M})", str(gap))]
    asked = f"{2 if diameter else 1}*dist(O,{A})"
    return Draft(sketch=s, statement=statement, givens=facts, asked=asked, answer=answer)


_TRIPLES = (
    (3, 4, 5),
    (4, 3, 5),
    (5, 12, 13),
    (8, 6, 10),
    (6, 8, 10),
    (8, 15, 17),
    (9, 12, 15),
    (12, 9, 15),
    (7, 24, 25),
    (12, 16, 20),
    (15, 8, 17),
    (20, 21, 29),
)


def _second_altitude(rng: np.random.Generator) -> Draft:
    """Two altitudes of a triangle give its area twice."""
    A, B, C, D, F = letters(rng, 5)
    dc, ad, ac = _TRIPLES[int(rng.integers(len(_TRIPLES)))]
    bd = randint(rng, 2, 12)
    if bd * (bd + dc) >= ad**2 + bd**2 + dc**2 + dc * bd or ad**2 <= bd * dc:
        raise ValueError("need an acute triangle")
    s = Sketch(rng)
    b = s.free(B, 0, 0)
    c = s.free(C, rng.uniform(4.5, 5.5), 0)
    a = s.free(A, rng.uniform(1.6, 3.0), rng.uniform(3.2, 4.6))
    d = s.let(D, con.FOOT(a, b, c))
    f = s.let(F, con.FOOT(b, c, a))
    s.draw(a, b, c, closed=True)
    s.draw(a, d)
    s.draw(b, f)
    s.right(a, d, c)
    s.right(b, f, c)
    s.state(f"{A}{B}{C} is a triangle. {D} is the foot of the perpendicular from {A} to {B}{C}.")
    s.state(f"{F} is the foot of the perpendicular from {B} to {C}{A}.")
    s.names(A + B + C + D + F, a, b, c, d, f)
    statement = choose(
        rng,
        f"In triangle ${A}{B}{C}$, ${B}{C} = {bd + dc}$ and ${A}{C} = {ac}$. The altitude ${A}{D}$ is ${ad}$ long. "
        f"How long is the altitude ${B}{F}$?",
        f"Two altitudes of a triangle are drawn. If ${A}{D} = {ad}$, ${A}{C} = {ac}$ and ${B}{C} = {bd + dc}$, find "
        f"${B}{F}$.",
        f"The side ${A}{C} = {ac}$ and the side ${B}{C} = {bd + dc}$ of a triangle are known, and so is the height "
        f"${A}{D} = {ad}$. What is the length of ${B}{F}$?",
    )
    facts = [(f"dist({B},{C})", str(bd + dc)), (f"dist({A},{C})", str(ac)), (f"dist({A},{D})", str(ad))]
    answer = sympy.Rational((bd + dc) * ad, ac)
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"dist({B},{F})", answer=answer)


def _rhombus(rng: np.random.Generator) -> Draft:
    """A rhombus from its diagonals: its perimeter, or the distance of its centre from a side."""
    A, B, C, D, M = letters(rng, 5)
    p, q = randint(rng, 2, 14), randint(rng, 2, 14)
    if p == q:
        raise ValueError("a rhombus with equal diagonals is a square")
    s = Sketch(rng)
    m = s.free(M, 0, 0)
    a = s.free(A, rng.uniform(2.2, 3.2), rng.uniform(-0.5, 0.5))
    k = fine(draw_decoy(rng, 0.5, 1.7, q / p))
    b = s.let(B, m + k * con.TURN(a - m, 90))
    c = s.let(C, 2 * m - a)
    d = s.let(D, 2 * m - b)
    s.draw(a, b, c, d, closed=True)
    s.draw(a, c)
    s.draw(b, d)
    s.right(a, m, b)
    s.state(f"{A}{B}{C}{D} is a rhombus whose diagonals meet at {M}.")
    s.names(A + B + C + D + M, a, b, c, d, m)
    diagonals = f"${A}{C} = {2 * p}$ and ${B}{D} = {2 * q}$"
    facts = [(f"dist({A},{C})", str(2 * p)), (f"dist({B},{D})", str(2 * q))]
    if rng.integers(2):
        statement = choose(
            rng,
            f"The diagonals of rhombus ${A}{B}{C}{D}$ are {diagonals}. What is its perimeter?",
            f"Find the perimeter of a rhombus ${A}{B}{C}{D}$ with {diagonals}.",
            f"Quadrilateral ${A}{B}{C}{D}$ is a rhombus in which {diagonals}. How long is its whole boundary?",
        )
        return Draft(
            sketch=s,
            statement=statement,
            givens=facts,
            asked=f"perimeter({A},{B},{C},{D})",
            answer=4 * sympy.sqrt(p * p + q * q),
        )
    statement = choose(
        rng,
        f"The diagonals of rhombus ${A}{B}{C}{D}$, {diagonals}, meet at ${M}$. How far is ${M}$ from side ${A}{B}$?",
        f"Rhombus ${A}{B}{C}{D}$ with centre ${M}$ has {diagonals}. Find the distance of ${M}$ from the line ${A}{B}$.",
        f"What is the radius of the circle about ${M}$ that touches all sides of rhombus ${A}{B}{C}{D}$, if "
        f"{diagonals}?",
    )
    answer = p * q / sympy.sqrt(p * p + q * q)
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"line_distance({M},{A},{B})", answer=answer)


def _median_to_hypotenuse(rng: np.random.Generator) -> Draft:
    """A right triangle with the midpoint of a side that the code names: the segment to the opposite corner."""
    A, B, C, M = letters(rng, 4)
    p, q = randint(rng, 3, 18), randint(rng, 3, 18)
    where = int(rng.integers(3))
    s = Sketch(rng)
    c = s.free(C, 0, 0)
    a = s.free(A, rng.uniform(2.5, 3.5), rng.uniform(-0.4, 0.4))
    b = s.let(B, c + fine(draw_decoy(rng, 0.6, 1.7, q / p)) * con.TURN(a - c, 90))
    ends, across = (((a, b), c), ((b, c), a), ((c, a), b))[where]
    corner = (C, A, B)[where]
    m = s.let(M, con.mid(*ends))
    s.draw(a, b, c, closed=True)
    s.draw(across, m)
    s.right(a, c, b)
    s.tick(ends[0], m)
    s.tick(m, ends[1])
    side = (f"{A}{B}", f"{B}{C}", f"{C}{A}")[where]
    s.state(f"{A}{B}{C} is a triangle. The angle {A}{C}{B} is marked as a right angle.")
    s.state(f"{M} is the midpoint of {side}, and the median {corner}{M} is drawn.")
    s.names(A + B + C + M, a, b, c, m)
    statement = choose(
        rng,
        f"A right triangle has legs ${A}{C} = {p}$ and ${B}{C} = {q}$. What is the length of the median drawn in it?",
        f"In triangle ${A}{B}{C}$ the angle at ${C}$ is right, ${B}{C} = {q}$ and ${A}{C} = {p}$. One median is "
        f"shown; it ends at ${M}$. Find its length.",
        f"How long is the median that ends at ${M}$, if the legs of right triangle ${A}{B}{C}$ are ${C}{A} = {p}$ "
        f"and ${C}{B} = {q}$?",
    )
    answer = (sympy.sqrt(p * p + q * q) / 2, sympy.sqrt(4 * p * p + q * q) / 2, sympy.sqrt(p * p + 4 * q * q) / 2)[
        where
    ]
    facts = [(f"dist({A},{C})", str(p)), (f"dist({B},{C})", code_of(q))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"dist({corner},{M})", answer=answer)


TEMPLATES = (
    Template(name="right_triangle", level="primitive", draft=_right_triangle),
    Template(name="points_on_line", level="primitive", draft=_points_on_line),
    Template(name="chord_distance", level="primitive", draft=_chord_distance),
    Template(name="second_altitude", level="primitive", draft=_second_altitude),
    Template(name="rhombus", level="primitive", draft=_rhombus),
    Template(name="right_triangle_median", level="primitive", draft=_median_to_hypotenuse),
)
