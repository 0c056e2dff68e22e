"""Templates of abstract problems about solids, drawn in oblique projection, in section or in plan view."""

from typing import Final

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram import scene as sc
from planimeter.generators.geogram.template import NUMBERS, Figure, template

R = sympy.Rational

#: The corners of a box: front bottom left, front bottom right, back ..., then the top.
_BOX: Final = "ABCDFGHJ"


def _view(fig: Figure, *sizes: tuple[float, float]) -> tuple[sc.Helper, list[sc.Expr]]:
    """Choose a random oblique projection and the three random sizes of a solid, from the ranges ``sizes``.

    Returns the projection, and the variables x, y and z of the drawing code, whose values are the sizes.
    """
    show = fig.helpers["show"] = con.oblique(fig.uniform(0.35, 0.55), fig.uniform(0.28, 0.42))
    return show, [fig.real(name, fig.uniform(*size)) for name, size in zip("xyz", sizes, strict=True)]


def _corners(fig: Figure, names: str, *places: tuple[sc.Expr | int, sc.Expr | int, sc.Expr | int]) -> list[sc.Expr]:
    return [fig.let(name, sc.triple(*at)) for name, at in zip(names, places, strict=True)]


def _box(fig: Figure) -> tuple[sc.Helper, list[sc.Expr]]:
    show, (x, y, z) = _view(fig, (2.6, 4.2), (2.2, 4.2), (2.0, 3.6))
    bottom = (0, 0, 0), (x, 0, 0), (x, y, 0), (0, y, 0)
    return show, _corners(fig, _BOX, *bottom, (0, 0, z), (x, 0, z), (x, y, z), (0, y, z))


def _draw_box(fig: Figure, show: sc.Helper, corners: list[sc.Expr]) -> None:
    a, b, c, d, e, f, g, h = (show(p) for p in corners)
    fig.draw(a, b, f, e, closed=True)
    fig.draw(b, c, g, f)
    fig.draw(e, h, g)
    for end in (a, c, h):
        fig.draw(d, end, dashed=True)
    fig.state("The box has the bottom ABCD and the top FGHJ. Its upright edges are AF, BG, CH and DJ.")
    fig.label(_BOX, a, b, c, d, e, f, g, h)


def _edges(fig: Figure) -> tuple[int, int, int]:
    a, b, c = (fig.randint(2, 14) for _ in range(3))
    fig.require(len({a, b, c}) == 3, "three different edges")
    return a, b, c


@template("abstract", _BOX)
def ant_on_a_box(fig: Figure) -> Figure:
    """Ask for the length of the shortest path on the surface of a box from a corner to a point of the farthest edge.

    Only the drawing code, not the problem's text, shows if the point is the end or the middle of this edge.
    """
    a, b, c = _edges(fig)
    half = fig.coin()
    fig.pose(upright=True)
    show, corners = _box(fig)
    _draw_box(fig, show, corners)
    goal = fig.let("p", con.mid(corners[2], corners[6]) if half else corners[6])
    fig.state(f"Dots mark A and {'the midpoint of CH' if half else 'H'}.")
    fig.dots(show(corners[0]), show(goal))
    target = fig.choice("the second dot", "the other marked point", "the other dot")
    v = R(c, 2) if half else R(c)
    squared = min((a + b) ** 2 + v**2, (a + v) ** 2 + b**2, (b + v) ** 2 + a**2)
    known = fig.given(AB=a, BC=b, AF=c)
    return fig.ask("surface_path(A,p,B,D,F,A)", sympy.sqrt(squared)).worded(f"""
        A box has edges {known}. An ant walks on its surface from $A$ to {target}. How long is the shortest way?
        On the surface of a rectangular box with {known}, what is the length of the shortest path from $A$ to {target}?
        Find the least distance that a beetle has to crawl over the faces of the box from $A$ to reach {target}, if
          {known}.
    """)


@template("abstract", _BOX)
def section_of_a_box(fig: Figure) -> Figure:
    """Ask for the area of a plane section of a box.

    Only the drawing code, not the problem's text, shows through which points the plane passes.
    """
    a, b, c = _edges(fig)
    case = fig.randint(0, 4)
    fig.pose(upright=True)
    show, box = _box(fig)
    A, B, C, D, F, G, H, J = box
    section, corners, answer = (
        ("quadrilateral ABHJ", (A, B, H, J), a * sympy.sqrt(b * b + c * c)),
        ("quadrilateral ADHG", (A, D, H, G), b * sympy.sqrt(a * a + c * c)),
        ("quadrilateral ACHF", (A, C, H, F), c * sympy.sqrt(a * a + b * b)),
        ("triangle BDF", (B, D, F), sympy.sqrt(a * a * b * b + b * b * c * c + c * c * a * a) / 2),
        ("", (con.mid(B, G), con.mid(C, H), J, F), b * sympy.sqrt(a * a + R(c * c, 4))),
    )[case]
    points = [fig.let(name, corner) for name, corner in zip("pqrs", corners, strict=False)]
    fig.fill(*(show(p) for p in points), shade=0.8)
    _draw_box(fig, show, box)
    around = f"is the {section}" if section else "joins the midpoint of BG, the midpoint of CH, J and F"
    fig.state(f"The shaded section {around}.")
    fig.draw(*(show(p) for p in points), closed=True, width=1.4)
    known = fig.given(AB=a, BC=b, AF=c)
    return fig.ask(f"area({','.join('pqrs'[: len(points)])})", answer).worded(f"""
        A plane cuts the box, whose edges are {known}, in the shaded polygon. What is the area of this section?
        The drawing shows a rectangular box with {known} and one of its plane sections. Find the true area of the
          section.
        How large is the grey plane section of a box with {known}?
    """)


@template("abstract", "ABCDP")
def pyramid(fig: Figure) -> Figure:
    """Ask for the volume of a pyramid on a rectangle, given its base and one edge to the apex.

    Only the drawing code, not the problem's text, shows above which point of the base the apex is.
    """
    a, b, height = _edges(fig)
    case = fig.randint(0, 2)
    fig.pose(upright=True)
    show, (x, y, z) = _view(fig, (2.8, 4.2), (2.4, 4.0), (2.6, 4.0))
    A, B, C, D = _corners(fig, "ABCD", (0, 0, 0), (x, 0, 0), (x, y, 0), (0, y, 0))
    foot = fig.let("f", (A, con.mid(A, C), con.mid(A, B))[case])
    P = fig.let("P", foot + sc.triple(0, 0, z))
    a0, b0, c0, d0, top, under = (show(p) for p in (A, B, C, D, P, foot))
    fig.draw(a0, b0, c0)
    fig.draw(a0, d0, c0, dashed=True)
    for corner in (a0, b0, c0, d0):
        fig.draw(corner, top, dashed=corner is d0)
    fig.draw(top, under, dashed=True, width=0.7)
    fig.state("The rectangle ABCD is the base of a pyramid with apex P.")
    foot_at = ("A", "the centre of ABCD", "the midpoint of AB")[case]
    fig.state(f"The altitude from P, a thin dashed line, ends at {foot_at}.")
    fig.label("ABCDP", a0, b0, c0, d0, top)
    # The edge from the apex to C: over A the foot is a whole diagonal away, over the centre half of one.
    away_squared = (R(a * a + b * b), R(a * a + b * b, 4), R(a * a, 4) + b * b)[case]
    edge = sympy.sqrt(away_squared + height**2)
    known = fig.given(AB=a, BC=b, PC=edge)
    return fig.ask("hull(A,B,C,D,P)", R(a * b * height, 3)).worded(f"""
        The base of a pyramid is the rectangle $ABCD$, and its altitude from $P$ is drawn. If {known}, what is its
          volume?
        Find the volume of the pyramid $ABCDP$ with rectangular base, in which {known}. The foot of its altitude is
          where the figure shows it.
        Rectangle $ABCD$ and the apex $P$ form a pyramid with {known}. How large is its volume, if the thin dashed line
          is perpendicular to the base?
    """)


@template("abstract", "ABC")
def corner_tetrahedron(fig: Figure) -> Figure:
    """Ask for the distance from a corner of a tetrahedron to the opposite face, or the area of this face, given the
    three edges at the corner, which are perpendicular to each other.
    """
    a, b, c = _edges(fig)
    fig.pose(upright=True)
    show, (x, y, z) = _view(fig, (3.0, 4.4), (2.6, 4.2), (2.4, 3.8))
    corner, p, q, r = (show(v) for v in _corners(fig, "oABC", (0, 0, 0), (x, 0, 0), (0, y, 0), (0, 0, z)))
    fig.fill(p, q, r, shade=0.88)
    fig.draw(p, q, r, closed=True)
    for end in (p, q, r):
        fig.draw(corner, end, dashed=True)
    fig.state("OABC is a tetrahedron. Its edges OA, OB and OC are perpendicular to each other. The face ABC is shaded.")
    fig.label("ABCO", p, q, r, corner)
    known = f"$OA = {a}$, $OB = {b}$ and $OC = {c}$"
    fig.fact("dist(o,A)", a)
    fig.fact("dist(o,B)", b)
    fig.fact("dist(o,C)", c)
    face = sympy.sqrt(a * a * b * b + b * b * c * c + c * c * a * a)
    if fig.coin():
        return fig.ask("plane_distance(o,A,B,C)", a * b * c / face).worded(f"""
            The edges $OA$, $OB$, $OC$ of a tetrahedron are perpendicular to each other, and {known}. How far is $O$
              from the plane $ABC$?
            A corner is sawn off a cube along the plane $ABC$; {known}. What is the altitude from $O$ of the piece that
              falls off?
            Find the distance from $O$ to the shaded face, if {known} and the three edges at $O$ are pairwise
              perpendicular.
        """)
    return fig.ask("area(A,B,C)", face / 2).worded(f"""
        The edges $OA$, $OB$, $OC$ of a tetrahedron are perpendicular to each other, and {known}. What is the area of
          the shaded face?
        A corner is sawn off a cube along the plane $ABC$; {known}. How large is the cut?
        Three edges at $O$ are pairwise perpendicular, with {known}. Find the area of triangle $ABC$ in space.
    """)


@template("abstract", "ABCD")
def solid_of_revolution(fig: Figure) -> Figure:
    """Ask for the volume of the solid that a right trapezoid sweeps out when it rotates about one of its sides.

    Only the drawing code, not the problem's text, shows about which side.
    """
    top, height = fig.randint(1, 8), fig.randint(2, 10)
    bottom = top + fig.randint(1, 8)
    case = fig.randint(0, 2)
    fig.pose()
    A, B = fig.free("A", 0, 0), fig.free("B", 4, 0)
    D = fig.let("D", A + sc.fine(fig.decoy(0.45, 0.95, height / bottom)) * con.TURN(B - A, 90))
    C = fig.let("C", D + sc.fine(fig.decoy(0.35, 0.75, top / bottom)) * (B - A))
    u, v = ((A, B), (A, D), (D, D + B - A))[case]
    p, q = fig.let("p", u - fig.size(0.9) * con.UNIT(v - u)), fig.let("q", v + fig.size(0.9) * con.UNIT(v - u))
    fig.fill(A, B, C, D, shade=0.88)
    fig.draw(A, B, C, D, closed=True)
    fig.draw(p, q, dashed=True, width=1.4)
    fig.strokes(rights="BAD ADC")
    fig.state("ABCD is a trapezoid with right angles at A and D. It is shaded.")
    fig.state(f"The dashed line is the line {('AB', 'AD', 'DC')[case]}.")
    known = fig.given(AB=bottom, DC=top, AD=height)
    volume = (
        R(height**2 * (3 * top + bottom - top), 3),
        R(height * (bottom**2 + bottom * top + top**2), 3),
        R(height**2 * (3 * bottom - (bottom - top)), 3),
    )[case]
    return fig.ask("revolved(p,q,A,B,C,D)", sympy.pi * volume).worded(f"""
        The right trapezoid $ABCD$ with {known} turns about the dashed line. What is the volume of the solid that
          arises?
        The shaded right trapezoid has {known}. Find the volume that it sweeps out in a full turn about the dashed axis.
        A solid of revolution is made by rotating the trapezoid $ABCD$, where {known}, about the line that is dashed.
          How large is its volume?
    """)


@template("abstract", "ABCM")
def sphere_in_cone(fig: Figure) -> Figure:
    """Ask for the surface area, volume or radius of the sphere in a cone, drawn as a section through the axis."""
    r, h, slant = fig.choice(
        (3, 4, 5), (5, 12, 13), (6, 8, 10), (8, 15, 17), (9, 12, 15), (12, 16, 20), (10, 24, 26), (7, 24, 25),
        (4, 3, 5), (12, 5, 13), (8, 6, 10), (15, 8, 17), (12, 9, 15), (15, 20, 25), (20, 21, 29),
    )  # fmt: skip
    fig.pose(upright=True)
    A, B = fig.free("A", 0, 0), fig.free("B", 4, 0)
    M = fig.let("M", con.mid(A, B))
    C = fig.let("C", M + sc.fine(fig.decoy(0.6, 1.3, h / (2 * r))) * con.TURN(B - A, 90))
    i = fig.let("i", con.INCENTER(A, B, C))
    fig.draw(A, B, C, closed=True)
    fig.circle(i, con.length(i - M), shade=0.9)
    fig.strokes(dashed="CM", rights="CMB")
    fig.state("ABC is a triangle. M is the midpoint of AB. The angle CMB is marked as a right angle.")
    fig.state("The inscribed circle of triangle ABC is shaded.")
    case = fig.randint(0, 2)
    known = fig.given(AB=2 * r, CM=h) if fig.coin() else fig.given(AB=2 * r, CA=slant)
    radius = R(r * h, r + slant)
    what, asked, answer = (
        ("surface area", "4*pi*dist(i,M)**2", 4 * sympy.pi * radius**2),
        ("volume", "4*pi*dist(i,M)**3/3", 4 * sympy.pi * radius**3 / 3),
        ("radius", "dist(i,M)", radius),
    )[case]
    return fig.ask(asked, answer).worded(f"""
        A sphere lies in a cone and touches its base and its side all around. The figure is a section through the axis,
          with {known}. What is the {what} of the sphere?
        The drawing shows a cone with an inscribed sphere, cut through the apex $C$ and the centre of the base. If
          {known}, find the {what} of the sphere.
        Triangle $ABC$, in which {known}, and its incircle turn about $CM$, so that a cone and a sphere arise. Compute
          the {what} of the sphere.
    """)


@template("abstract", "")
def stacked_bricks(fig: Figure) -> Figure:
    """Ask for the surface area or volume of stacks of equal bricks, drawn in plan view.

    Only the drawing code, not the problem's text, shows the number of bricks in each stack.
    """
    a, b, c = fig.randint(1, 6), fig.randint(1, 6), fig.randint(1, 6)
    fig.require(len({a, b, c}) >= 2, "bricks that are not cubes")
    rows, columns = fig.randint(2, 4), fig.randint(2, 4)
    heights = [[fig.randint(1, 5) for _ in range(columns)] for _ in range(rows)]
    fig.pose(upright=True)
    o = fig.free("o", 0, 0)
    x, y = fig.real("x", fig.uniform(1.0, 1.5)), fig.real("y", fig.uniform(1.0, 1.5))
    fig.add(sc.Table(name="h", rows=tuple(tuple(row) for row in heights)))
    i, j = sc.var("i", "int"), sc.var("j", "int")
    corner = o + sc.pair(j * x, -(i * y))
    cell = sc.Path(
        pieces=(corner, corner + sc.pair(x, 0), corner + sc.pair(x, -y), corner + sc.pair(0, -y)), closed=True
    )
    count = sc.Label(text="", at=corner + sc.pair(x / 2, -y / 2), number=sc.Expr("cell", "int", (i, j), "h"))
    inner = sc.Loop(variable="j", start=sc.wrap(0), stop=sc.wrap(columns), body=(sc.Draw(path=cell), count))
    fig.add(sc.Loop(variable="i", start=sc.wrap(0), stop=sc.wrap(rows), body=(inner,)))
    grid = np.pad(np.array(heights), 1)
    total = int(np.sum(heights))
    surface = (
        2 * rows * columns * a * b
        + int(np.abs(np.diff(grid, axis=0)).sum()) * a * c
        + int(np.abs(np.diff(grid, axis=1)).sum()) * b * c
    )
    plan = "; ".join(", ".join(map(str, row)) for row in heights)
    fig.state(
        f"The plan has {NUMBERS[rows]} rows of fields. From back to front, each from left to right, they hold {plan}."
    )
    brick = f"${a}$ from left to right, ${b}$ from front to back and ${c}$ in height"
    if fig.randint(0, 2):
        return fig.ask(f"block_surface(h,{a},{b},{c})", surface, drawn=False).worded(f"""
            Equal bricks are stacked without gaps; the plan shows, seen from above, how many lie on each other at each
              place. A brick measures {brick}. What is the surface area of the whole body, its underside included?
            A wall is piled up from bricks that measure {brick}. The number in each field of the plan is the number of
              bricks above it. Find the total surface of the pile, including the bottom.
            The plan tells how many bricks stand on each field. If every brick measures {brick}, how large is the
              surface of the solid that they form (underside included)?
        """)
    return fig.ask(f"block_volume(h,{a},{b},{c})", total * a * b * c, drawn=False).worded(f"""
        Bricks that measure {brick} are piled up on a plan. The number in each field says how many of them lie on it.
          What is the volume of the pile?
        The plan tells how many equal bricks stand on each field, where a brick measures {brick}. Find the total volume.
        How much space do the bricks fill that are stacked as in the plan, if each measures {brick} and a number counts
          the bricks on its field?
    """)
