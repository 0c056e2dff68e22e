"""Abstract problems about motion: rolling, sliding, winding, tethers."""

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import Draw, Path, fine, lit, var, wrap
from planimeter.generators.geogram.sketch import Sketch
from planimeter.generators.geogram.template import NUMBERS, Draft, Template, choose, draw_decoy, letters, randint

R = sympy.Rational


def _rolling_rectangle(rng: np.random.Generator) -> Draft:
    """A rectangle rolls along a line through a full turn; the code says which of its points is followed."""
    A, B, C, D, P = letters(rng, 5)
    a, b = randint(rng, 2, 16), randint(rng, 2, 16)
    if a == b:
        raise ValueError("need a rectangle that is no square")
    case = int(rng.integers(4))
    s = Sketch(rng, upright=True)
    p = s.free(A, 0, 0)
    q = s.free(B, rng.uniform(2.2, 3.0), 0)
    r = fine(draw_decoy(rng, 0.5, 1.2, b / a))
    u = s.let(D, p + r * con.TURN(q - p, 90))
    v = s.let(C, q + u - p)
    point = s.let(P, (v, con.mid(p, v), con.mid(p, q), con.mid(q, v))[case])
    s.draw(p - s.size(1) * con.UNIT(q - p), q + s.size(4) * con.UNIT(q - p), width=1.6)
    s.draw(p, q, v, u, closed=True)
    s.dots(point)
    s.state(f"{A}{B}{C}{D} is a rectangle that stands with its side {A}{B} on a horizontal line.")
    s.state(
        (
            f"{P} is the corner {C}.",
            f"{P} is the centre of {A}{B}{C}{D}.",
            f"{P} is the midpoint of {A}{B}.",
            f"{P} is the midpoint of {B}{C}.",
        )[case]
    )
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
    statement = choose(
        rng,
        f"The rectangle in the figure, with {known}, rolls along the line without slipping, over one corner after "
        f"the other, until it stands on ${A}{B}$ again. How long is the path of the point ${P}$?",
        "A crate is tipped over its edges along the floor until the side that was at the bottom is there again for "
        f"the first time. In the side view {known}. Find the length of the track of ${P}$.",
        f"Tip the rectangle with {known} over to the right four times. What distance does the dot ${P}$ cover on "
        "its way?",
    )
    facts = [(f"dist({A},{B})", str(a)), (f"dist({A},{D})", str(b))]
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"rolled({P},{A},{B},{C},{D})", answer=path)


def _circle_round_polygon(rng: np.random.Generator) -> Draft:
    """A disc rolls around a regular polygon, whose number of sides a loop holds."""
    A, B = letters(rng, 2)
    sides, edge, radius = randint(rng, 3, 10), randint(rng, 2, 15), randint(rng, 1, 9)
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
    s.state(f"The figure is a regular polygon with {NUMBERS[sides]} sides, of which {A}{B} is one.")
    s.names(A + B, a, b)
    facts = [(f"dist({A},{B})", str(edge))]
    if rng.integers(2):
        statement = choose(
            rng,
            f"A disc of radius ${radius}$ rolls once around the outside of the polygon, which has sides of length "
            f"${A}{B} = {edge}$, always touching it. How long is the path of its centre?",
            f"The regular polygon in the figure has ${A}{B} = {edge}$. Find the length of the closed curve of all "
            f"points outside it whose distance from it is ${radius}$.",
            f"A rope is laid around the drawn polygon at a constant distance of ${radius}$. If ${A}{B} = {edge}$, "
            "how long is the rope?",
        )
        return Draft(
            sketch=s,
            statement=statement,
            givens=facts,
            asked=f"n*dist({A},{B})+2*pi*{radius}",
            answer=sides * edge + 2 * sympy.pi * radius,
            drawn=False,
        )
    statement = choose(
        rng,
        f"The regular polygon in the figure has ${A}{B} = {edge}$. What is the area of the set of points outside it "
        f"that are at most ${radius}$ away from it?",
        f"A path of width ${radius}$ runs around a flower bed, which has the form of the drawn regular polygon with "
        f"${A}{B} = {edge}$; every point of the path is at most ${radius}$ from the bed. Find the area of the path.",
        f"Points that lie outside the polygon, but no farther than ${radius}$ from it, form a ring. How large is "
        f"its area, if ${A}{B} = {edge}$?",
    )
    asked = f"n*dist({A},{B})*{radius}+pi*{radius}**2"
    return Draft(
        sketch=s,
        statement=statement,
        givens=facts,
        asked=asked,
        answer=sides * edge * radius + sympy.pi * radius**2,
        drawn=False,
    )


def _tether(rng: np.random.Generator) -> Draft:
    """An animal tied to the wall of a barn; the code says where."""
    A, B, C, D, P = letters(rng, 5)
    a, b = 2 * randint(rng, 2, 8), 2 * randint(rng, 2, 8)
    case = int(rng.integers(3))
    reach = (a + b, a // 2 + b, b // 2 + a)[case]
    rope = randint(rng, min(a, b) // 2 + 1, reach)
    if a == b:
        raise ValueError("need a barn that is no square")
    s = Sketch(rng)
    p = s.free(A, 0, 0)
    q = s.free(B, rng.uniform(3.2, 4.2), 0)
    u = s.let(D, p + fine(draw_decoy(rng, 0.5, 1.2, b / a)) * con.TURN(q - p, 90))
    v = s.let(C, q + u - p)
    stake = s.let(P, (q, con.mid(p, q), con.mid(q, v))[case])
    s.fill(p, q, v, u, shade=0.8)
    s.draw(p, q, v, u, closed=True)
    outward = con.UNIT(q - v) if case < 2 else con.UNIT(q - p)
    s.draw(stake, stake + s.size(1.6) * (outward + con.UNIT(q - p) if case == 0 else outward), dashed=True)
    s.dots(stake)
    s.state(f"{A}{B}{C}{D} is a rectangle.")
    s.state((f"{P} is the corner {B}.", f"{P} is the midpoint of {A}{B}.", f"{P} is the midpoint of {B}{C}.")[case])
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
    animal = choose(rng, "goat", "dog", "cow", "pony", "donkey")
    statement = choose(
        rng,
        f"A {animal} is tied to a rectangular barn at ${P}$, outside, with a rope of length ${rope}$. The barn has "
        f"sides {known}. What area can the {animal} reach?",
        f"The shaded rectangle is a barn with {known}. At ${P}$ a {animal} is fastened to its outer wall by a rope "
        f"${rope}$ units long. How large is the area where it can graze?",
        f"With {known} and a rope of length ${rope}$ from ${P}$ to its collar, over what area of ground outside the "
        f"building can a {animal} move?",
    )
    facts = [(f"dist({A},{B if case else P})", str(a)), (f"dist({A},{D})", str(b))]
    second = B if case else P
    return Draft(
        sketch=s,
        statement=statement,
        givens=facts,
        asked=f"tethered({rope},{P},{A},{second},{C},{D})",
        answer=(corner, on_a, on_b)[case],
        drawn=False,
    )


def _sliding_rod(rng: np.random.Generator) -> Draft:
    """A rod slides down a wall: the area under the track of one of its points."""
    A, B, P = letters(rng, 3)
    p, q = randint(rng, 1, 12), randint(rng, 1, 12)
    if p == q:
        raise ValueError("need a point that is not the middle")
    s = Sketch(rng, upright=True)
    o = s.free("O", 0, 0)
    a = s.free(A, rng.uniform(2.4, 3.6), 0)
    b = s.let(B, o + fine(rng.uniform(0.7, 1.5)) * con.TURN(a - o, 90))
    point = s.let(P, a + fine(draw_decoy(rng, 0.25, 0.75, p / (p + q))) * (b - a))
    s.draw(o, o + fine(1.5) * (a - o), width=1.6)
    s.draw(o, o + fine(1.3) * (b - o), width=1.6)
    s.draw(a, b)
    s.dots(point)
    s.right(a, o, b)
    s.state(f"O{A}{B} is a triangle. The angle {A}O{B} is marked as a right angle. {P} lies on segment {A}{B}.")
    s.state(f"The ray O{A} is the floor, and the ray O{B} is the wall.")
    s.names(A + B + P + "O", a, b, point, o)
    known = f"${A}{P} = {p}$ and ${P}{B} = {q}$"
    statement = choose(
        rng,
        f"A rod ${A}{B}$ leans against a wall. It slides, its ends always on the wall and the floor, from upright "
        f"to flat, and {known}. What area do wall, floor and the track of ${P}$ enclose?",
        f"The ends ${A}$ and ${B}$ of a rod move on two perpendicular rays from $O$; {known}. Find the area between "
        f"the rays and the curve along which ${P}$ moves when the rod takes all positions from one ray to the other.",
        f"As ladder ${A}{B}$ slips down completely, the point ${P}$ on it, where {known}, describes a curve from "
        "the wall to the floor. How large is the area under this curve?",
    )
    facts = [(f"dist({A},{P})", str(p)), (f"dist({P},{B})", str(q))]
    return Draft(
        sketch=s, statement=statement, givens=facts, asked=f"rod_area({A},{B},{P})", answer=sympy.pi * R(p * q, 4)
    )


def _thread_on_cylinder(rng: np.random.Generator) -> Draft:
    """A thread around a cylinder, seen on the unrolled side; a loop holds the number of turns."""
    A, B, C, D = letters(rng, 4)
    around, height, turns = randint(rng, 2, 12), randint(rng, 4, 40), randint(rng, 2, 7)
    s = Sketch(rng)
    a = s.free(A, 0, 0)
    b = s.free(B, rng.uniform(2.4, 3.4), 0)
    d = s.let(D, a + fine(draw_decoy(rng, 1.0, 2.0, height / around)) * con.TURN(b - a, 90))
    c = s.let(C, b + d - a)
    n = s.let("n", wrap(turns))
    s.draw(a, b, c, d, closed=True)
    i = var("i", "int")
    rung = Draw(path=Path(pieces=(a + i * (d - a) / n, b + (i + 1) * (d - a) / n)), width=1.4)
    s.loop("i", wrap(0), n, [rung])
    s.state(f"{A}{B}{C}{D} is a rectangle. Its sides {A}{D} and {B}{C} are divided into {NUMBERS[turns]} equal parts.")
    s.state(
        f"Parallel segments start at {A} and at the points that divide {A}{D}, "
        f"and each ends on {B}{C}, one part higher."
    )
    s.names(A + B + C + D, a, b, c, d)
    known = f"${A}{B} = {around}$ and ${A}{D} = {height}$"
    statement = choose(
        rng,
        f"The side of a cylinder is unrolled to the rectangle ${A}{B}{C}{D}$, cut open along ${A}{D}$, with "
        f"{known}. The slanted lines are a thread that winds evenly around the cylinder. How long is the thread?",
        f"A ribbon is wound around a pillar with circumference ${A}{B} = {around}$ and height ${A}{D} = {height}$, "
        "from bottom to top. In the drawing the surface of the pillar is laid flat. Find the length of the ribbon.",
        f"Joining the sides ${A}{D}$ and ${B}{C}$ of the rectangle makes a tube, on which the oblique segments form "
        f"one continuous helix. If {known}, what is the length of this helix?",
    )
    facts = [(f"dist({A},{B})", str(around)), (f"dist({A},{D})", str(height))]
    asked = f"n*dist({A},{B}+({D}-{A})/n)"
    return Draft(
        sketch=s, statement=statement, givens=facts, asked=asked, answer=sympy.sqrt(height**2 + (turns * around) ** 2)
    )


TEMPLATES = (
    Template(name="rolling_rectangle", level="abstract", draft=_rolling_rectangle),
    Template(name="around_a_polygon", level="abstract", draft=_circle_round_polygon),
    Template(name="tether", level="abstract", draft=_tether),
    Template(name="sliding_rod", level="abstract", draft=_sliding_rod),
    Template(name="thread_on_cylinder", level="abstract", draft=_thread_on_cylinder),
)
