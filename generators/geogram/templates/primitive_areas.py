"""Primitive problems about areas and outlines: one quadrilateral, sector, stadium or regular polygon."""

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import Arc, Draw, Path, fine, lit, var, wrap
from planimeter.generators.geogram.sketch import Sketch
from planimeter.generators.geogram.template import NUMBERS, Draft, Template, choose, draw_decoy, letters, randint


def _sector(rng: np.random.Generator) -> Draft:
    """Area or outline of a sector; the code says which of the two sectors is shaded."""
    A, B = letters(rng, 2)
    radius = randint(rng, 2, 18)
    theta = int(rng.choice([30, 36, 40, 45, 50, 60, 72, 75, 80, 90, 100, 120, 135, 140, 144, 150]))
    drawn = draw_decoy(rng, 40, 155, theta)
    minor = bool(rng.integers(2))
    s = Sketch(rng)
    o = s.free("O", 0, 0)
    r = s.real("r", 3)
    u = s.let("u", lit(float(rng.uniform(0, 360))))
    v = s.let("v", u + lit(drawn))
    a = s.let(A, o + r * con.HEADING(u))
    b = s.let(B, o + r * con.HEADING(v))
    arc = Arc(center=o, radius=r, start=u, end=v) if minor else Arc(center=o, radius=r, start=v, end=u + 360)
    s.fill(o, arc)
    s.circle(o, r)
    s.draw(a, o, b)
    s.state(f"{A} and {B} lie on a circle with centre O. The radii O{A} and O{B} divide the disc into sectors.")
    s.state(f"The {'smaller' if minor else 'larger'} sector is shaded.")
    s.names(A + B + "O", a, b, o)
    facts = [(f"dist(O,{A})", str(radius)), (f"angle({A},O,{B})", str(theta))]
    share = sympy.Rational(theta if minor else 360 - theta, 360)
    known = f"the radius $O{A}$ is ${radius}$ and $\\angle {A}O{B} = {theta}^\\circ$"
    if rng.integers(2):
        statement = choose(
            rng,
            f"In a circle with centre $O$, {known}. What is the area of the shaded sector?",
            f"Find the area of the grey sector, if {known}.",
            f"A circle about $O$ is cut by two radii. Given that {known}, compute the area of the region that is "
            "filled.",
        )
        return Draft(sketch=s, statement=statement, givens=facts, asked="shaded()", answer=sympy.pi * radius**2 * share)
    statement = choose(
        rng,
        f"In a circle with centre $O$, {known}. What is the perimeter of the shaded sector?",
        f"How long is the whole border of the grey sector, two radii and an arc, if {known}?",
        f"Two radii cut a disc about $O$ in two. If {known}, find the perimeter of the filled part.",
    )
    return Draft(
        sketch=s,
        statement=statement,
        givens=facts,
        asked="shaded_rim()",
        answer=2 * radius + 2 * sympy.pi * radius * share,
    )


def _rectangle_diagonal(rng: np.random.Generator) -> Draft:
    """Area or perimeter of a rectangle from a side and a diagonal."""
    A, B, C, D = letters(rng, 4)
    side = randint(rng, 3, 15)
    diagonal = side + randint(rng, 1, 12)
    other = sympy.sqrt(diagonal**2 - side**2)
    s = Sketch(rng)
    a = s.free(A, 0, 0)
    b = s.free(B, rng.uniform(3, 4), 0)
    d = s.let(D, a + fine(draw_decoy(rng, 0.45, 1.5, float(other) / side)) * con.TURN(b - a, 90))
    c = s.let(C, b + d - a)
    s.draw(a, b, c, d, closed=True)
    s.draw(a, c)
    s.right(d, a, b)
    s.state(f"{A}{B}{C}{D} is a rectangle.")
    s.names(A + B + C + D, a, b, c, d)
    area = bool(rng.integers(2))
    what = "area" if area else "perimeter"
    statement = choose(
        rng,
        f"Rectangle ${A}{B}{C}{D}$ has side ${A}{B} = {side}$ and diagonal ${A}{C} = {diagonal}$. What is its {what}?",
        f"Find the {what} of rectangle ${A}{B}{C}{D}$, given that ${A}{C} = {diagonal}$ and ${A}{B} = {side}$.",
        f"A diagonal of the rectangle in the figure is ${A}{C} = {diagonal}$; one of its sides is ${A}{B} = "
        f"{side}$. Determine the {what}.",
    )
    facts = [(f"dist({A},{B})", str(side)), (f"dist({A},{C})", str(diagonal))]
    answer = side * other if area else 2 * (side + other)
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"{what}({A},{B},{C},{D})", answer=answer)


def _trapezoid_area(rng: np.random.Generator) -> Draft:
    """A trapezoid from its parallel sides and height, or the height from the area."""
    A, B, C, D, H = letters(rng, 5)
    top, height = randint(rng, 3, 12), randint(rng, 3, 14)
    bottom = top + randint(rng, 2, 14)
    s = Sketch(rng)
    a = s.free(A, 0, 0)
    b = s.free(B, rng.uniform(5, 6), 0)
    d = s.free(D, rng.uniform(0.6, 1.8), rng.uniform(2.0, 3.2))
    c = s.let(C, d + fine(draw_decoy(rng, 0.4, 0.65, top / bottom)) * (b - a))
    h = s.let(H, con.FOOT(d, a, b))
    s.draw(a, b, c, d, closed=True)
    s.draw(d, h, dashed=True)
    s.right(d, h, b)
    s.state(f"{A}{B}{C}{D} is a trapezoid whose sides {A}{B} and {D}{C} are parallel.")
    s.state(f"{H} is the foot of the perpendicular from {D} to {A}{B}.")
    s.names(A + B + C + D + H, a, b, c, d, h)
    sides = f"${A}{B} = {bottom}$ and ${D}{C} = {top}$"
    facts = [(f"dist({A},{B})", str(bottom)), (f"dist({C},{D})", str(top))]
    area = sympy.Rational((top + bottom) * height, 2)
    if rng.integers(2):
        statement = choose(
            rng,
            f"The parallel sides of trapezoid ${A}{B}{C}{D}$ are {sides}, and its height ${D}{H}$ is ${height}$. "
            "What is its area?",
            f"Find the area of the trapezoid shown, with parallel sides {sides}, if ${D}{H} = {height}$.",
            f"In a trapezoid, {sides} are the bases and the dashed segment ${D}{H}$ has length ${height}$. How "
            "large is the area?",
        )
        return Draft(
            sketch=s,
            statement=statement,
            givens=[*facts, (f"dist({D},{H})", str(height))],
            asked=f"area({A},{B},{C},{D})",
            answer=area,
        )
    stated = sympy.latex(area)
    statement = choose(
        rng,
        f"A trapezoid of area ${stated}$ has parallel sides {sides}. Find the length of the dashed segment ${D}{H}$.",
        f"The bases of trapezoid ${A}{B}{C}{D}$ are {sides}, and its area is ${stated}$. How long is its height "
        f"${D}{H}$?",
        f"If trapezoid ${A}{B}{C}{D}$ with {sides}, which are parallel, has area ${stated}$, what is ${D}{H}$?",
    )
    return Draft(
        sketch=s,
        statement=statement,
        givens=[*facts, (f"area({A},{B},{C},{D})", str(area))],
        asked=f"dist({D},{H})",
        answer=height,
    )


def _stadium(rng: np.random.Generator) -> Draft:
    """A rectangle with a half disc at either end."""
    A, B, C, D = letters(rng, 4)
    p, q = randint(rng, 4, 30), 2 * randint(rng, 1, 12)
    s = Sketch(rng)
    t = s.let("t", lit(float(rng.uniform(0, 360))))
    a = s.free(A, 0, 0)
    b = s.let(B, a + s.size(3) * con.HEADING(t))
    d = s.let(D, a + fine(draw_decoy(rng, 0.45, 1.3, q / p)) * con.TURN(b - a, 90))
    c = s.let(C, b + d - a)
    half = con.length(c - b) / 2
    right = Arc(center=con.mid(b, c), radius=half, start=t - 90, end=t + 90)
    left = Arc(center=con.mid(a, d), radius=half, start=t + 90, end=t + 270)
    s.fill(a, right, left, shade=0.9)
    s.draw(a, b)
    s.draw(c, d)
    s.draw(right)
    s.draw(left)
    s.draw(b, c, dashed=True)
    s.draw(a, d, dashed=True)
    s.state(f"{A}{B}{C}{D} is a rectangle. Half discs stand outside the rectangle on the sides {B}{C} and {D}{A}.")
    s.state("The rectangle and the half discs are shaded.")
    s.names(A + B + C + D, a, b, c, d)
    facts = [(f"dist({A},{B})", str(p)), (f"dist({B},{C})", str(q))]
    known = f"${A}{B} = {p}$ and ${B}{C} = {q}$"
    if rng.integers(2):
        statement = choose(
            rng,
            f"A running track surrounds a rectangle ${A}{B}{C}{D}$ with half discs on two of its sides, where "
            f"{known}. How long is one lap along its outline?",
            f"The shaded region is a rectangle with a semicircular cap at two ends. If {known}, find its perimeter.",
            f"With {known}, what is the length of the outer boundary of the figure, made of rectangle "
            f"${A}{B}{C}{D}$ and two half discs?",
        )
        return Draft(sketch=s, statement=statement, givens=facts, asked="shaded_rim()", answer=2 * p + sympy.pi * q)
    statement = choose(
        rng,
        f"A garden has the form of a rectangle ${A}{B}{C}{D}$ with a half disc on each of two opposite sides. If "
        f"{known}, what is its area?",
        f"Find the area of the shaded region, which consists of rectangle ${A}{B}{C}{D}$ and two semicircular caps, "
        f"given {known}.",
        f"Two half discs are joined to rectangle ${A}{B}{C}{D}$, as the code shows. Compute the area of the whole, "
        f"where {known}.",
    )
    return Draft(sketch=s, statement=statement, givens=facts, asked="shaded()", answer=p * q + sympy.pi * q**2 / 4)


def _parallelogram(rng: np.random.Generator) -> Draft:
    """Area of a parallelogram from two sides and an angle with a plain sine; the code says which angle that is."""
    A, B, C, D = letters(rng, 4)
    p, q = randint(rng, 4, 18), randint(rng, 3, 16)
    angle = int(rng.choice([30, 45, 60, 120, 135, 150]))
    s = Sketch(rng)
    a = s.free(A, 0, 0)
    b = s.free(B, rng.uniform(3.6, 4.8), 0)
    slant = np.radians(draw_decoy(rng, 40, 85, 180 - angle if angle > 90 else angle, 0.12))
    lean = 1 if angle < 90 else -1
    size = rng.uniform(2.2, 3.2)
    d = s.free(D, lean * size * np.cos(slant), size * np.sin(slant))
    c = s.let(C, b + d - a)
    s.draw(a, b, c, d, closed=True)
    s.state(f"{A}{B}{C}{D} is a parallelogram.")
    s.names(A + B + C + D, a, b, c, d)
    statement = choose(
        rng,
        f"Parallelogram ${A}{B}{C}{D}$ has ${A}{B} = {p}$, ${A}{D} = {q}$ and $\\angle {D}{A}{B} = {angle}^\\circ$. "
        "What is its area?",
        f"Two sides of a parallelogram are ${A}{B} = {p}$ and ${A}{D} = {q}$, and the angle between them is "
        f"${angle}^\\circ$. Find its area.",
        f"Compute the area of parallelogram ${A}{B}{C}{D}$, if its angle at ${A}$ is ${angle}^\\circ$ and its sides "
        f"are ${A}{D} = {q}$, ${A}{B} = {p}$.",
    )
    facts = [(f"dist({A},{B})", str(p)), (f"dist({A},{D})", str(q)), (f"angle({D},{A},{B})", str(angle))]
    answer = p * q * sympy.sin(sympy.pi * angle / 180)
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"area({A},{B},{C},{D})", answer=answer)


def _polygon_prism(rng: np.random.Generator) -> Draft:
    """A regular polygon drawn by a loop, whose number of sides only the code gives, as the base of a prism."""
    A, B = letters(rng, 2)
    sides, edge, height = randint(rng, 5, 12), randint(rng, 2, 12), randint(rng, 3, 20)
    s = Sketch(rng)
    o = s.free("O", 0, 0)
    r = s.real("r", 3)
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
            f"The polygon in the figure, with side ${A}{B} = {edge}$, is the base of a right prism of height "
            f"${height}$. What is the total area of the side faces of the prism?",
            f"A right prism ${height}$ units tall stands on the regular polygon shown. Its base has side ${A}{B} = "
            f"{edge}$. Find the lateral area of the prism.",
            f"If ${A}{B} = {edge}$, how large is the lateral surface of an upright prism of height ${height}$ with "
            "the drawn polygon as its base?",
        )
        return Draft(
            sketch=s,
            statement=statement,
            givens=facts,
            asked=f"n*dist({A},{B})*{height}",
            answer=sides * edge * height,
            drawn=False,
        )
    statement = choose(
        rng,
        f"A right prism of height ${height}$ has the polygon in the figure, with side ${A}{B} = {edge}$, as its "
        "base. What is the sum of the lengths of all edges of the prism?",
        f"Wire is bent into all the edges of a right prism whose base is the regular polygon shown, with ${A}{B} = "
        f"{edge}$, and whose height is ${height}$. How long is the wire?",
        f"Find the total edge length of an upright prism ${height}$ units tall that stands on the drawn polygon, in "
        f"which ${A}{B} = {edge}$.",
    )
    asked = f"n*(2*dist({A},{B})+{height})"
    return Draft(
        sketch=s, statement=statement, givens=facts, asked=asked, answer=sides * (2 * edge + height), drawn=False
    )


TEMPLATES = (
    Template(name="sector", level="primitive", draft=_sector),
    Template(name="rectangle_diagonal", level="primitive", draft=_rectangle_diagonal),
    Template(name="trapezoid_area", level="primitive", draft=_trapezoid_area),
    Template(name="stadium", level="primitive", draft=_stadium),
    Template(name="parallelogram", level="primitive", draft=_parallelogram),
    Template(name="polygon_prism", level="primitive", draft=_polygon_prism),
)
