"""Abstract problems about solids, drawn in oblique projection of their corners, or given by a plane section."""

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import (
    Draw,
    Expr,
    Helper,
    Label,
    Loop,
    Path,
    Table,
    fine,
    pair,
    triple,
    var,
    wrap,
)
from planimeter.generators.geogram.sketch import Sketch
from planimeter.generators.geogram.template import NUMBERS, Draft, Template, choose, draw_decoy, letters, randint

R = sympy.Rational

Places = tuple[tuple[Expr | int, Expr | int, Expr | int], ...]


def _view(s: Sketch, rng: np.random.Generator) -> Helper:
    show = con.oblique(rng.uniform(0.35, 0.55), rng.uniform(0.28, 0.42))
    s.helpers["show"] = show
    return show


def _box(s: Sketch, rng: np.random.Generator, names: tuple[str, ...]) -> tuple[Helper, list[Expr]]:
    """Declare a box: corners in the order front bottom left, front bottom right, back ..., then the top."""
    show = _view(s, rng)
    x, y, z = s.real("x", rng.uniform(2.6, 4.2)), s.real("y", rng.uniform(2.2, 4.2)), s.real("z", rng.uniform(2.0, 3.6))
    places: Places = ((0, 0, 0), (x, 0, 0), (x, y, 0), (0, y, 0), (0, 0, z), (x, 0, z), (x, y, z), (0, y, z))
    return show, [s.let(n, triple(*at)) for n, at in zip(names, places, strict=True)]


def _draw_box(s: Sketch, names: tuple[str, ...], show: Helper, corners: list[Expr]) -> None:
    a, b, c, d, e, f, g, h = (show(p) for p in corners)
    s.draw(a, b, f, e, closed=True)
    s.draw(b, c, g, f)
    s.draw(e, h, g)
    for end in (a, c, h):
        s.draw(d, end, dashed=True)
    s.state(f"The box has the bottom {''.join(names[:4])} and the top {''.join(names[4:])}.")
    s.state("Its upright edges are {}{}, {}{}, {}{} and {}{}.".format(*(names[i] for i in (0, 4, 1, 5, 2, 6, 3, 7))))
    s.names("".join(names), a, b, c, d, e, f, g, h)


def _edges(rng: np.random.Generator) -> tuple[int, int, int]:
    a, b, c = (randint(rng, 2, 14) for _ in range(3))
    if len({a, b, c}) < 3:
        raise ValueError("need three different edges")
    return a, b, c


def _ant_on_a_box(rng: np.random.Generator) -> Draft:
    """The shortest way on the surface of a box; the code says to which point of the far edge."""
    names = letters(rng, 8)
    A, B, C, D, F = names[:5]
    a, b, c = _edges(rng)
    half = bool(rng.integers(2))
    s = Sketch(rng, upright=True)
    show, corners = _box(s, rng, names)
    _draw_box(s, names, show, corners)
    goal = s.let("p", (corners[2] + corners[6]) / 2) if half else s.let("p", corners[6])
    s.state(f"Dots mark {A} and {'the midpoint of ' + C + names[6] if half else names[6]}.")
    s.dots(show(corners[0]), show(goal))
    target = choose(rng, "the second dot", "the other marked point", "the other dot")
    v = R(c, 2) if half else R(c)
    squared = min((a + b) ** 2 + v**2, (a + v) ** 2 + b**2, (b + v) ** 2 + a**2)
    known = f"${A}{B} = {a}$, ${B}{C} = {b}$ and ${A}{F} = {c}$"
    statement = choose(
        rng,
        f"A box has edges {known}. An ant walks on its surface from ${A}$ to {target}. How long is the shortest way?",
        f"On the surface of a rectangular box with {known}, what is the length of the shortest path from ${A}$ to "
        f"{target}?",
        f"Find the least distance that a beetle has to crawl over the faces of the box from ${A}$ to reach "
        f"{target}, if {known}.",
    )
    facts = [(f"dist({A},{B})", str(a)), (f"dist({B},{C})", str(b)), (f"dist({A},{F})", str(c))]
    asked = f"surface_path({A},p,{B},{D},{F},{A})"
    return Draft(sketch=s, statement=statement, givens=facts, asked=asked, answer=sympy.sqrt(squared))


def _section_of_a_box(rng: np.random.Generator) -> Draft:
    """A plane section of a box, which the code alone describes."""
    names = letters(rng, 8)
    A, B, C, _, F = names[:5]
    a, b, c = _edges(rng)
    case = int(rng.integers(5))
    s = Sketch(rng, upright=True)
    show, box = _box(s, rng, names)
    p0, p1, p2, p3, p4, p5, p6, p7 = box
    cuts = (
        ((p0, p1, p6, p7), a * sympy.sqrt(b * b + c * c)),
        ((p0, p3, p6, p5), b * sympy.sqrt(a * a + c * c)),
        ((p0, p2, p6, p4), c * sympy.sqrt(a * a + b * b)),
        ((p1, p3, p4), sympy.sqrt(a * a * b * b + b * b * c * c + c * c * a * a) / 2),
        ((con.mid(p1, p5), con.mid(p2, p6), p7, p4), b * sympy.sqrt(a * a + R(c * c, 4))),
    )
    corners, answer = cuts[case]
    points = [s.let(name, corner) for name, corner in zip("pqrs", corners, strict=False)]
    s.fill(*(show(p) for p in points), shade=0.8)
    _draw_box(s, names, show, box)
    section = "".join(names[i] for i in ((0, 1, 6, 7), (0, 3, 6, 5), (0, 2, 6, 4), (1, 3, 4), ())[case])
    s.state(
        f"The shaded section is the {'triangle' if case == 3 else 'quadrilateral'} {section}."
        if section
        else f"The shaded section joins the midpoint of {names[1]}{names[5]}, the midpoint of {names[2]}{names[6]}, "
        f"{names[7]} and {names[4]}."
    )
    s.draw(*(show(p) for p in points), closed=True, width=1.4)
    known = f"${A}{B} = {a}$, ${B}{C} = {b}$ and ${A}{F} = {c}$"
    statement = choose(
        rng,
        f"A plane cuts the box, whose edges are {known}, in the shaded polygon. What is the area of this section?",
        f"The drawing shows a rectangular box with {known} and one of its plane sections. Find the true area of the "
        "section.",
        f"How large is the grey plane section of a box with {known}?",
    )
    facts = [(f"dist({A},{B})", str(a)), (f"dist({B},{C})", str(b)), (f"dist({A},{F})", str(c))]
    return Draft(
        sketch=s, statement=statement, givens=facts, asked=f"area({','.join('pqrs'[: len(points)])})", answer=answer
    )


def _pyramid(rng: np.random.Generator) -> Draft:
    """A pyramid on a rectangle; the code says over which point of the base its apex stands."""
    A, B, C, D, P = letters(rng, 5)
    a, b, height = _edges(rng)
    case = int(rng.integers(3))
    s = Sketch(rng, upright=True)
    show = _view(s, rng)
    x, y, z = s.real("x", rng.uniform(2.8, 4.2)), s.real("y", rng.uniform(2.4, 4.0)), s.real("z", rng.uniform(2.6, 4.0))
    places: Places = ((0, 0, 0), (x, 0, 0), (x, y, 0), (0, y, 0))
    corners = [s.let(n, triple(*at)) for n, at in zip((A, B, C, D), places, strict=True)]
    foot = s.let("f", (corners[0], con.mid(corners[0], corners[2]), con.mid(corners[0], corners[1]))[case])
    apex = s.let(P, foot + triple(0, 0, z))
    p0, p1, p2, p3, top, under = (show(p) for p in (*corners, apex, foot))
    s.draw(p0, p1, p2)
    s.draw(p0, p3, p2, dashed=True)
    for corner, dashed in ((p0, False), (p1, False), (p2, False), (p3, True)):
        s.draw(corner, top, dashed=dashed)
    s.draw(top, under, dashed=True, width=0.7)
    s.state(f"The rectangle {A}{B}{C}{D} is the base of a pyramid with apex {P}.")
    foot_at = (A, f"the centre of {A}{B}{C}{D}", f"the midpoint of {A}{B}")[case]
    s.state(f"The altitude from {P}, a thin dashed line, ends at {foot_at}.")
    s.names(A + B + C + D + P, p0, p1, p2, p3, top)
    # The edge from the apex to C: over A the foot is a whole diagonal away, over the centre half of one.
    away_squared = (R(a * a + b * b), R(a * a + b * b, 4), R(a * a, 4) + b * b)[case]
    edge = sympy.sqrt(away_squared + height**2)
    known = f"${A}{B} = {a}$, ${B}{C} = {b}$ and ${P}{C} = {sympy.latex(edge)}$"
    facts = [(f"dist({A},{B})", str(a)), (f"dist({B},{C})", str(b)), (f"dist({P},{C})", str(edge))]
    statement = choose(
        rng,
        f"The base of a pyramid is the rectangle ${A}{B}{C}{D}$, and its altitude from ${P}$ is drawn. If {known}, "
        "what is its volume?",
        f"Find the volume of the pyramid ${A}{B}{C}{D}{P}$ with rectangular base, in which {known}. The foot of its "
        "altitude is where the figure shows it.",
        f"Rectangle ${A}{B}{C}{D}$ and the apex ${P}$ form a pyramid with {known}. How large is its volume, if the "
        "thin dashed line is perpendicular to the base?",
    )
    return Draft(
        sketch=s, statement=statement, givens=facts, asked=f"hull({A},{B},{C},{D},{P})", answer=R(a * b * height, 3)
    )


def _corner_tetrahedron(rng: np.random.Generator) -> Draft:
    """A tetrahedron with three right angles at one corner: the distance from that corner to the opposite face."""
    A, B, C = letters(rng, 3)
    a, b, c = _edges(rng)
    s = Sketch(rng, upright=True)
    show = _view(s, rng)
    x, y, z = s.real("x", rng.uniform(3.0, 4.4)), s.real("y", rng.uniform(2.6, 4.2)), s.real("z", rng.uniform(2.4, 3.8))
    o = s.let("o", triple(0, 0, 0))
    places: Places = ((x, 0, 0), (0, y, 0), (0, 0, z))
    corners = [s.let(n, triple(*at)) for n, at in zip((A, B, C), places, strict=True)]
    p, q, r, corner = (show(v) for v in (*corners, o))
    s.fill(p, q, r, shade=0.88)
    s.draw(p, q, r, closed=True)
    for end in (p, q, r):
        s.draw(corner, end, dashed=True)
    s.state(f"O{A}{B}{C} is a tetrahedron. Its edges O{A}, O{B} and O{C} are perpendicular to each other.")
    s.state(f"The face {A}{B}{C} is shaded.")
    s.names(A + B + C + "O", p, q, r, corner)
    known = f"$O{A} = {a}$, $O{B} = {b}$ and $O{C} = {c}$"
    facts = [(f"dist(o,{A})", str(a)), (f"dist(o,{B})", str(b)), (f"dist(o,{C})", str(c))]
    face = sympy.sqrt(a * a * b * b + b * b * c * c + c * c * a * a)
    if rng.integers(2):
        statement = choose(
            rng,
            f"The edges $O{A}$, $O{B}$, $O{C}$ of a tetrahedron are perpendicular to each other, and {known}. How "
            f"far is $O$ from the plane ${A}{B}{C}$?",
            f"A corner is sawn off a cube along the plane ${A}{B}{C}$; {known}. What is the altitude from $O$ of "
            "the piece that falls off?",
            f"Find the distance from $O$ to the shaded face, if {known} and the three edges at $O$ are pairwise "
            "perpendicular.",
        )
        return Draft(
            sketch=s, statement=statement, givens=facts, asked=f"plane_distance(o,{A},{B},{C})", answer=a * b * c / face
        )
    statement = choose(
        rng,
        f"The edges $O{A}$, $O{B}$, $O{C}$ of a tetrahedron are perpendicular to each other, and {known}. What is "
        "the area of the shaded face?",
        f"A corner is sawn off a cube along the plane ${A}{B}{C}$; {known}. How large is the cut?",
        f"Three edges at $O$ are pairwise perpendicular, with {known}. Find the area of triangle ${A}{B}{C}$ in space.",
    )
    return Draft(sketch=s, statement=statement, givens=facts, asked=f"area({A},{B},{C})", answer=face / 2)


def _revolution(rng: np.random.Generator) -> Draft:
    """A right trapezoid turns about one of its sides; the code says about which."""
    A, B, C, D = letters(rng, 4)
    top, height = randint(rng, 1, 8), randint(rng, 2, 10)
    bottom = top + randint(rng, 1, 8)
    case = int(rng.integers(3))
    s = Sketch(rng)
    a = s.free(A, 0, 0)
    b = s.free(B, 4, 0)
    d = s.let(D, a + fine(draw_decoy(rng, 0.45, 0.95, height / bottom)) * con.TURN(b - a, 90))
    c = s.let(C, d + fine(draw_decoy(rng, 0.35, 0.75, top / bottom)) * (b - a))
    u, v = ((a, b), (a, d), (d, d + b - a))[case]
    p, q = s.let("p", u - s.size(0.9) * con.UNIT(v - u)), s.let("q", v + s.size(0.9) * con.UNIT(v - u))
    s.fill(a, b, c, d, shade=0.88)
    s.draw(a, b, c, d, closed=True)
    s.draw(p, q, dashed=True, width=1.4)
    s.right(b, a, d)
    s.right(a, d, c)
    s.state(f"{A}{B}{C}{D} is a trapezoid with right angles at {A} and {D}. It is shaded.")
    s.state(f"The dashed line is the line {(A + B, A + D, D + C)[case]}.")
    s.names(A + B + C + D, a, b, c, d)
    known = f"${A}{B} = {bottom}$, ${D}{C} = {top}$ and ${A}{D} = {height}$"
    volume = (
        R(height**2 * (3 * top + bottom - top), 3),
        R(height * (bottom**2 + bottom * top + top**2), 3),
        R(height**2 * (3 * bottom - (bottom - top)), 3),
    )[case]
    statement = choose(
        rng,
        f"The right trapezoid ${A}{B}{C}{D}$ with {known} turns about the dashed line. What is the volume of the "
        "solid that arises?",
        f"The shaded right trapezoid has {known}. Find the volume that it sweeps out in a full turn about the "
        "dashed axis.",
        f"A solid of revolution is made by rotating the trapezoid ${A}{B}{C}{D}$, where {known}, about the line "
        "that is dashed. How large is its volume?",
    )
    facts = [(f"dist({A},{B})", str(bottom)), (f"dist({D},{C})", str(top)), (f"dist({A},{D})", str(height))]
    return Draft(
        sketch=s, statement=statement, givens=facts, asked=f"revolved(p,q,{A},{B},{C},{D})", answer=sympy.pi * volume
    )


def _sphere_in_cone(rng: np.random.Generator) -> Draft:
    """The largest sphere in a cone, seen in an axial section."""
    A, B, C, M = letters(rng, 4)
    r, h, slant = (
        (3, 4, 5),
        (5, 12, 13),
        (6, 8, 10),
        (8, 15, 17),
        (9, 12, 15),
        (12, 16, 20),
        (10, 24, 26),
        (7, 24, 25),
        (4, 3, 5),
        (12, 5, 13),
        (8, 6, 10),
        (15, 8, 17),
        (12, 9, 15),
        (15, 20, 25),
        (20, 21, 29),
    )[int(rng.integers(15))]
    s = Sketch(rng, upright=True)
    a = s.free(A, 0, 0)
    b = s.free(B, 4, 0)
    m = s.let(M, con.mid(a, b))
    c = s.let(C, m + fine(draw_decoy(rng, 0.6, 1.3, h / (2 * r))) * con.TURN(b - a, 90))
    i = s.let("i", con.INCENTER(a, b, c))
    s.draw(a, b, c, closed=True)
    s.circle(i, con.length(i - m), shade=0.9)
    s.draw(c, m, dashed=True)
    s.right(c, m, b)
    s.state(f"{A}{B}{C} is a triangle. {M} is the midpoint of {A}{B}. The angle {C}{M}{B} is marked as a right angle.")
    s.state(f"The inscribed circle of triangle {A}{B}{C} is shaded.")
    s.names(A + B + C + M, a, b, c, m)
    case = int(rng.integers(3))
    first = (
        (f"${C}{M} = {h}$", (f"dist({C},{M})", str(h)))
        if rng.integers(2)
        else (f"${C}{A} = {slant}$", (f"dist({C},{A})", str(slant)))
    )
    known = f"${A}{B} = {2 * r}$ and {first[0]}"
    radius = R(r * h, r + slant)
    what, asked, answer = (
        ("surface area", f"4*pi*dist(i,{M})**2", 4 * sympy.pi * radius**2),
        ("volume", f"4*pi*dist(i,{M})**3/3", 4 * sympy.pi * radius**3 / 3),
        ("radius", f"dist(i,{M})", radius),
    )[case]
    statement = choose(
        rng,
        "A sphere lies in a cone and touches its base and its side all around. The figure is a section through the "
        f"axis, with {known}. What is the {what} of the sphere?",
        f"The drawing shows a cone with an inscribed sphere, cut through the apex ${C}$ and the centre of the base. "
        f"If {known}, find the {what} of the sphere.",
        f"Triangle ${A}{B}{C}$, in which {known}, and its incircle turn about ${C}{M}$, so that a cone and a sphere "
        f"arise. Compute the {what} of the sphere.",
    )
    facts = [(f"dist({A},{B})", str(2 * r)), first[1]]
    return Draft(sketch=s, statement=statement, givens=facts, asked=asked, answer=answer)


def _stacked_blocks(rng: np.random.Generator) -> Draft:
    """Stacks of equal bricks seen from above: the code holds how many lie on each place."""
    a, b, c = randint(rng, 1, 6), randint(rng, 1, 6), randint(rng, 1, 6)
    if len({a, b, c}) < 2:
        raise ValueError("need bricks that are no cubes")
    rows, columns = randint(rng, 2, 4), randint(rng, 2, 4)
    heights = [[randint(rng, 1, 5) for _ in range(columns)] for _ in range(rows)]
    s = Sketch(rng, upright=True)
    o = s.free("o", 0, 0)
    x, y = s.real("x", rng.uniform(1.0, 1.5)), s.real("y", rng.uniform(1.0, 1.5))
    s.add(Table(name="h", rows=tuple(tuple(row) for row in heights)))
    i, j = var("i", "int"), var("j", "int")
    corner = o + pair(j * x, -(i * y))
    cell = Path(pieces=(corner, corner + pair(x, 0), corner + pair(x, -y), corner + pair(0, -y)), closed=True)
    count = Label(text="", at=corner + pair(x / 2, -y / 2), number=Expr("cell", "int", (i, j), "h"))
    inner = Loop(variable="j", start=wrap(0), stop=wrap(columns), body=(Draw(path=cell), count))
    s.add(Loop(variable="i", start=wrap(0), stop=wrap(rows), body=(inner,)))
    grid = np.pad(np.array(heights), 1)
    total = int(np.sum(heights))
    surface = (
        2 * rows * columns * a * b
        + int(np.abs(np.diff(grid, axis=0)).sum()) * a * c
        + int(np.abs(np.diff(grid, axis=1)).sum()) * b * c
    )
    plan = "; ".join(", ".join(map(str, row)) for row in heights)
    s.state(
        f"The plan has {NUMBERS[rows]} rows of fields. From back to front, each from left to right, they hold {plan}."
    )
    brick = f"${a}$ from left to right, ${b}$ from front to back and ${c}$ in height"
    if rng.integers(3):
        statement = choose(
            rng,
            "Equal bricks are stacked without gaps; the plan shows, seen from above, how many lie on each other at "
            f"each place. A brick measures {brick}. What is the surface area of the whole body, its underside "
            "included?",
            f"A wall is piled up from bricks that measure {brick}. The number in each field of the plan is the "
            "number of bricks above it. Find the total surface of the pile, including the bottom.",
            f"The plan tells how many bricks stand on each field. If every brick measures {brick}, how large is the "
            "surface of the solid that they form (underside included)?",
        )
        return Draft(
            sketch=s, statement=statement, givens=(), asked=f"block_surface(h,{a},{b},{c})", answer=surface, drawn=False
        )
    statement = choose(
        rng,
        f"Bricks that measure {brick} are piled up on a plan. The number in each field says how many of them lie on "
        "it. What is the volume of the pile?",
        f"The plan tells how many equal bricks stand on each field, where a brick measures {brick}. Find the total "
        "volume.",
        f"How much space do the bricks fill that are stacked as in the plan, if each measures {brick} and a number "
        "counts the bricks on its field?",
    )
    return Draft(
        sketch=s,
        statement=statement,
        givens=(),
        asked=f"block_volume(h,{a},{b},{c})",
        answer=total * a * b * c,
        drawn=False,
    )


TEMPLATES = (
    Template(name="ant_on_a_box", level="abstract", draft=_ant_on_a_box),
    Template(name="section_of_a_box", level="abstract", draft=_section_of_a_box),
    Template(name="pyramid", level="abstract", draft=_pyramid),
    Template(name="corner_tetrahedron", level="abstract", draft=_corner_tetrahedron),
    Template(name="solid_of_revolution", level="abstract", draft=_revolution),
    Template(name="sphere_in_cone", level="abstract", draft=_sphere_in_cone),
    Template(name="stacked_bricks", level="abstract", draft=_stacked_blocks),
)
