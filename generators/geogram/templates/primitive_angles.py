"""Primitive problems about angles: one line, one triangle or one circle."""

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import lit
from planimeter.generators.geogram.sketch import Sketch
from planimeter.generators.geogram.template import Draft, Template, choose, draw_decoy, letters, randint


def _exterior_angle(rng: np.random.Generator) -> Draft:
    """An exterior angle is the sum of the two remote interior ones."""
    A, B, C, D = letters(rng, 4)
    at_a, at_b = randint(rng, 31, 88), randint(rng, 28, 74)
    backwards = bool(rng.integers(2))
    s = Sketch(rng)
    b = s.free(B, 0, 0)
    c = s.free(C, rng.uniform(4, 6), 0)
    a = s.free(A, rng.uniform(0.6, 3.4), rng.uniform(2.2, 4.5))
    d = s.let(D, c + lit(rng.uniform(0.4, 0.7)) * (c - b))
    s.draw(a, b, d)
    s.draw(a, c)
    s.state(f"{A}{B}{C} is a triangle. {D} lies on the extension of {B}{C} beyond {C}.")
    s.names(A + B + C + D, a, b, c, d)
    known = (f"\\angle {A}{B}{C} = {at_b}^\\circ", f"\\angle {A}{C}{D} = {at_a + at_b}^\\circ")
    if backwards:
        statement = choose(
            rng,
            f"Side ${B}{C}$ of triangle ${A}{B}{C}$ is produced to ${D}$. If ${known[0]}$ and ${known[1]}$, how "
            f"many degrees are in $\\angle {B}{A}{C}$?",
            f"Given that ${known[1]}$ and ${known[0]}$ in the figure, where ${D}$ is a point of ray ${B}{C}$, find "
            f"$\\angle {B}{A}{C}$ in degrees.",
            f"Triangle ${A}{B}{C}$ has ${known[0]}$. The line through ${B}$ and ${C}$ runs on to ${D}$, and "
            f"${known[1]}$. What is the measure, in degrees, of the angle at ${A}$?",
        )
        facts = [(f"angle({A},{B},{C})", str(at_b)), (f"angle({A},{C},{D})", str(at_a + at_b))]
        return Draft(sketch=s, statement=statement, givens=facts, asked=f"angle({B},{A},{C})", answer=at_a)
    statement = choose(
        rng,
        f"In triangle ${A}{B}{C}$ the angles at ${A}$ and ${B}$ measure ${at_a}^\\circ$ and ${at_b}^\\circ$. How "
        f"large, in degrees, is $\\angle {A}{C}{D}$?",
        f"Side ${B}{C}$ of a triangle is produced beyond ${C}$ as shown. If $\\angle {B}{A}{C} = {at_a}^\\circ$ and "
        f"${known[0]}$, find the number of degrees in $\\angle {A}{C}{D}$.",
        f"What is the degree measure of the exterior angle ${A}{C}{D}$, given ${known[0]}$ and $\\angle {B}{A}{C} = "
        f"{at_a}^\\circ$?",
    )
    facts = [(f"angle({B},{A},{C})", str(at_a)), (f"angle({A},{B},{C})", str(at_b))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"angle({A},{C},{D})", answer=at_a + at_b)


def _angles_on_line(rng: np.random.Generator) -> Draft:
    """Angles on one side of a line add up to a straight angle; a second ray may bisect what the first leaves."""
    A, B, C, D = letters(rng, 4)
    first, last = randint(rng, 24, 82), randint(rng, 21, 78)
    bisected = bool(rng.integers(2))
    s = Sketch(rng)
    o = s.free("O", 0, 0)
    lean = float(rng.uniform(0, 360))
    line = s.let("t", lit(lean))
    b = s.let(B, o + s.size(rng.uniform(3, 4)) * con.HEADING(line))
    a = s.let(A, o - s.size(rng.uniform(3, 4)) * con.HEADING(line))
    drawn_last = draw_decoy(rng, 25, 75, last)
    drawn_first = draw_decoy(rng, 30, 150 - drawn_last, first)
    c = s.let(C, o + s.size(3.2) * con.HEADING(line + 180 - lit(drawn_first)))
    if bisected:
        d = s.let(
            D, o + s.size(3.4) * (con.UNIT(b - o) + con.UNIT(c - o)) / con.length(con.UNIT(b - o) + con.UNIT(c - o))
        )
    else:
        d = s.let(D, o + s.size(3.4) * con.HEADING(line + lit(drawn_last)))
    s.draw(a, b)
    s.draw(o, c)
    s.draw(o, d)
    s.state(
        f"O lies between {A} and {B} on a line. "
        f"On one side of this line, the rays O{A}, O{C}, O{D} and O{B} follow one another in this order."
    )
    if bisected:
        s.state(f"The ray O{D} bisects the angle {C}O{B}.")
    s.names(A + B + C + D + "O", a, b, c, d, o)
    stated = f"\\angle {A}O{C} = {first}^\\circ"
    if bisected:
        statement = choose(
            rng,
            f"Ray $O{D}$ halves the angle between $O{C}$ and $O{B}$, and ${stated}$. How many degrees does $\\angle "
            f"{A}O{D}$ measure?",
            f"Point $O$ lies on segment ${A}{B}$ and $\\angle {C}O{D} = \\angle {D}O{B}$. If ${stated}$, find "
            f"$\\angle {A}O{D}$ in degrees.",
            f"In the figure ${stated}$, and $O{D}$ is the bisector of $\\angle {C}O{B}$. Determine the degree "
            f"measure of $\\angle {A}O{D}$.",
        )
        asked, answer, facts = f"angle({A},O,{D})", first + sympy.Rational(180 - first, 2), []
    else:
        statement = (
            choose(
                rng,
                f"Rays $O{C}$ and $O{D}$ leave the line ${A}{B}$ at $O$. If ${stated}$ and $\\angle {D}O{B} = "
                f"{last}^\\circ$, what is $\\angle {C}O{D}$ in degrees?",
                f"Two rays from a point $O$ of line ${A}{B}$ make $\\angle {B}O{D} = {last}^\\circ$ and ${stated}$, "
                "as drawn. How many degrees lie between the two rays?",
                f"Find the degree measure of $\\angle {C}O{D}$, given that $\\angle {B}O{D} = {last}^\\circ$ and "
                f"${stated}$ and that ${A}$, $O$, ${B}$ are on one line.",
            )
            .replace(f"that {A}", f"that ${A}$")
            .replace(f", {B} are", f", ${B}$ are")
        )
        asked, answer, facts = f"angle({C},O,{D})", 180 - first - last, [(f"angle({D},O,{B})", str(last))]
    return Draft(
        sketch=s, statement=statement, givens=[(f"angle({A},O,{C})", str(first)), *facts], asked=asked, answer=answer
    )


def _inscribed_angle(rng: np.random.Generator) -> Draft:
    """The inscribed angle is half the central one, or its supplement: the code says on which arc its vertex lies."""
    A, B, C = letters(rng, 3)
    theta = 2 * randint(rng, 24, 82)
    drawn = draw_decoy(rng, 55, 160, theta)
    major = bool(rng.integers(2))
    s = Sketch(rng)
    o = s.free("O", 0, 0)
    r = s.real("r", rng.uniform(2.6, 3.4))
    t = float(rng.uniform(0, 360))
    a = s.let(A, o + r * con.HEADING(lit(t)))
    b = s.let(B, o + r * con.HEADING(lit(t + drawn)))
    where = drawn / 2 + (180 if major else 0) + rng.uniform(-0.2, 0.2) * drawn
    c = s.let(C, o + r * con.HEADING(lit((t + where) % 360)))
    s.circle(o, r)
    s.draw(a, o, b)
    s.draw(a, c, b)
    s.dots(o)
    s.state(
        f"{A}, {B} and {C} lie on a circle with centre O, "
        f"with {C} on the {'longer' if major else 'shorter'} arc {A}{B}."
    )
    s.names(A + B + C + "O", a, b, c, o)
    stated = f"\\angle {A}O{B} = {theta}^\\circ"
    statement = choose(
        rng,
        f"Points ${A}$, ${B}$ and ${C}$ are on a circle with centre $O$, and ${stated}$. What is $\\angle "
        f"{A}{C}{B}$ in degrees?",
        f"The angle ${A}O{B}$ at the centre of the circle is ${theta}^\\circ$ (the one below $180^\\circ$). How "
        f"many degrees does $\\angle {A}{C}{B}$ measure?",
        f"In the circle shown, with centre $O$, we know that ${stated}$. Find the degree measure of the angle "
        f"${A}{C}{B}$.",
        f"Chords ${C}{A}$ and ${C}{B}$ of a circle about $O$ are drawn. Given ${stated}$, compute $\\angle "
        f"{A}{C}{B}$ in degrees.",
    )
    answer = theta // 2 if major else 180 - theta // 2
    return Draft(
        sketch=s,
        statement=statement,
        givens=[(f"angle({A},O,{B})", str(theta))],
        asked=f"angle({A},{C},{B})",
        answer=answer,
    )


def _equal_marks(rng: np.random.Generator) -> Draft:
    """An isosceles triangle whose equal sides only the marks of the code show."""
    A, B, C = letters(rng, 3)
    at_a = randint(rng, 26, 84)
    apex_at_a = bool(rng.integers(2))
    s = Sketch(rng)
    a = s.free(A, 0, 0)
    b = s.free(B, rng.uniform(3.5, 5), rng.uniform(-1, 1))
    true_apex = at_a if apex_at_a else 180 - 2 * at_a
    drawn = lit(draw_decoy(rng, 28, 110, true_apex))
    apex, other = (a, b) if apex_at_a else (b, a)
    c = s.let(C, apex + con.TURN(other - apex, drawn))
    s.draw(a, b, c, closed=True)
    s.tick(apex, other)
    s.tick(apex, c)
    sides = f"{A}{B} and {A}{C}" if apex_at_a else f"{B}{A} and {B}{C}"
    s.state(f"{A}{B}{C} is a triangle. The sides {sides} are marked as equal.")
    s.names(A + B + C, a, b, c)
    statement = choose(
        rng,
        f"Sides with the same mark are equal. The angle at ${A}$ of triangle ${A}{B}{C}$ is ${at_a}^\\circ$. How "
        f"many degrees is the angle at ${B}$?",
        f"In triangle ${A}{B}{C}$, two sides are marked as equal and $\\angle {B}{A}{C} = {at_a}^\\circ$. Find "
        f"$\\angle {A}{B}{C}$ in degrees.",
        f"The tick marks in the drawing stand for equal lengths. If $\\angle {B}{A}{C}$ measures ${at_a}^\\circ$, "
        f"what is the degree measure of $\\angle {A}{B}{C}$?",
        f"Determine the number of degrees in $\\angle {A}{B}{C}$ of the isosceles triangle shown, whose equal sides "
        f"carry marks, if $\\angle {C}{A}{B} = {at_a}^\\circ$.",
    )
    answer = sympy.Rational(180 - at_a, 2) if apex_at_a else 180 - 2 * at_a
    return Draft(
        sketch=s,
        statement=statement,
        givens=[(f"angle({B},{A},{C})", str(at_a))],
        asked=f"angle({A},{B},{C})",
        answer=answer,
    )


TEMPLATES = (
    Template(name="exterior_angle", level="primitive", draft=_exterior_angle),
    Template(name="angles_on_line", level="primitive", draft=_angles_on_line),
    Template(name="inscribed_angle", level="primitive", draft=_inscribed_angle),
    Template(name="equal_marks", level="primitive", draft=_equal_marks),
)
