"""Templates of primitive problems about areas and perimeters of one quadrilateral, sector, stadium or polygon."""

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import Arc, fine, lit
from planimeter.generators.geogram.template import Figure, template


@template("primitive", "AB")
def sector(fig: Figure) -> Figure:
    """Ask for the area or perimeter of a sector of a circle, given the radius and an angle.

    Only the drawing code, not the problem's text, shows which of the two sectors is shaded.
    """
    radius = fig.randint(2, 18)
    theta = fig.choice(30, 36, 40, 45, 50, 60, 72, 75, 80, 90, 100, 120, 135, 140, 144, 150)
    drawn = fig.decoy(40, 155, theta)
    minor = fig.coin()
    fig.pose()
    fig.sector(drawn, minor=minor)
    fig.given(OA=radius, AOB=theta)
    share = sympy.Rational(theta if minor else 360 - theta, 360)
    known = f"the radius $OA$ is ${radius}$ and $\\angle AOB = {theta}^\\circ$"
    if fig.coin():
        return fig.ask("shaded()", sympy.pi * radius**2 * share).worded(f"""
            In a circle with centre $O$, {known}. What is the area of the shaded sector?
            Find the area of the grey sector, if {known}.
            A circle about $O$ is cut by two radii. Given that {known}, compute the area of the region that is filled.
        """)
    return fig.ask("shaded_rim()", 2 * radius + 2 * sympy.pi * radius * share).worded(f"""
        In a circle with centre $O$, {known}. What is the perimeter of the shaded sector?
        How long is the whole border of the grey sector, two radii and an arc, if {known}?
        Two radii cut a disc about $O$ in two. If {known}, find the perimeter of the filled part.
    """)


@template("primitive", "ABCD")
def rectangle_diagonal(fig: Figure) -> Figure:
    """Ask for the area or perimeter of a rectangle, given a side and a diagonal."""
    side = fig.randint(3, 15)
    diagonal = side + fig.randint(1, 12)
    other = sympy.sqrt(diagonal**2 - side**2)
    fig.pose()
    _A, _B, _C, _D = fig.rectangle(fig.uniform(3, 4), fig.decoy(0.45, 1.5, float(other) / side))
    fig.strokes("ABCDA AC", rights="DAB")
    fig.state("ABCD is a rectangle.")
    area = fig.coin()
    what = "area" if area else "perimeter"
    fig.given(AB=side, AC=diagonal)
    return fig.ask(f"{what}(A,B,C,D)", side * other if area else 2 * (side + other)).worded(f"""
        Rectangle $ABCD$ has side $AB = {side}$ and diagonal $AC = {diagonal}$. What is its {what}?
        Find the {what} of rectangle $ABCD$, given that $AC = {diagonal}$ and $AB = {side}$.
        A diagonal of the rectangle in the figure is $AC = {diagonal}$; one of its sides is $AB = {side}$. Determine the
          {what}.
    """)


@template("primitive", "ABCDH")
def trapezoid_area(fig: Figure) -> Figure:
    """Ask for the area of a trapezoid, given its parallel sides and height, or for the height, given the area."""
    top, height = fig.randint(3, 12), fig.randint(3, 14)
    bottom = top + fig.randint(2, 14)
    fig.pose()
    A, B, D = fig.declare(A=(0, 0), B=(fig.uniform(5, 6), 0), D=(fig.uniform(0.6, 1.8), fig.uniform(2.0, 3.2)))
    fig.declare(C=D + fine(fig.decoy(0.4, 0.65, top / bottom)) * (B - A), H=con.FOOT(D, A, B))
    fig.strokes("ABCDA", dashed="DH", rights="DHB")
    fig.state("ABCD is a trapezoid whose sides AB and DC are parallel.")
    fig.state("H is the foot of the perpendicular from D to AB.")
    sides = f"$AB = {bottom}$ and $DC = {top}$"
    fig.given(AB=bottom, CD=top)
    area = sympy.Rational((top + bottom) * height, 2)
    if fig.coin():
        fig.given(DH=height)
        return fig.ask("area(A,B,C,D)", area).worded(f"""
            The parallel sides of trapezoid $ABCD$ are {sides}, and its height $DH$ is ${height}$. What is its area?
            Find the area of the trapezoid shown, with parallel sides {sides}, if $DH = {height}$.
            In a trapezoid, {sides} are the bases and the dashed segment $DH$ has length ${height}$. How large is the
              area?
        """)
    stated = sympy.latex(area)
    fig.fact("area(A,B,C,D)", area)
    return fig.ask("dist(D,H)", height).worded(f"""
        A trapezoid of area ${stated}$ has parallel sides {sides}. Find the length of the dashed segment $DH$.
        The bases of trapezoid $ABCD$ are {sides}, and its area is ${stated}$. How long is its height $DH$?
        If trapezoid $ABCD$ with {sides}, which are parallel, has area ${stated}$, what is $DH$?
    """)


@template("primitive", "ABCD")
def stadium(fig: Figure) -> Figure:
    """Ask for the area or perimeter of a stadium, a rectangle with a half disc on each of two opposite sides."""
    p, q = fig.randint(4, 30), 2 * fig.randint(1, 12)
    fig.pose()
    t, A = fig.declare(t=lit(fig.uniform(0, 360)), A=(0, 0))
    B = fig.let("B", A + fig.size(3) * con.HEADING(t))
    D = fig.let("D", A + fine(fig.decoy(0.45, 1.3, q / p)) * con.TURN(B - A, 90))
    C = fig.let("C", B + D - A)
    half = con.length(C - B) / 2
    right = Arc(center=con.mid(B, C), radius=half, start=t - 90, end=t + 90)
    left = Arc(center=con.mid(A, D), radius=half, start=t + 90, end=t + 270)
    fig.fill(A, right, left, shade=0.9)
    fig.strokes("AB CD")
    fig.draw(right)
    fig.draw(left)
    fig.strokes(dashed="BC AD")
    fig.state("ABCD is a rectangle. Half discs stand outside the rectangle on the sides BC and DA.")
    fig.state("The rectangle and the half discs are shaded.")
    known = fig.given(AB=p, BC=q)
    if fig.coin():
        return fig.ask("shaded_rim()", 2 * p + sympy.pi * q).worded(f"""
            A running track surrounds a rectangle $ABCD$ with half discs on two of its sides, where {known}. How long is
              one lap along its outline?
            The shaded region is a rectangle with a semicircular cap at two ends. If {known}, find its perimeter.
            With {known}, what is the length of the outer boundary of the figure, made of rectangle $ABCD$ and two half
              discs?
        """)
    return fig.ask("shaded()", p * q + sympy.pi * q**2 / 4).worded(f"""
        A garden has the form of a rectangle $ABCD$ with a half disc on each of two opposite sides. If {known}, what is
          its area?
        Find the area of the shaded region, which consists of rectangle $ABCD$ and two semicircular caps, given {known}.
        Two half discs are joined to rectangle $ABCD$, as the code shows. Compute the area of the whole, where {known}.
    """)


@template("primitive", "ABCD")
def parallelogram(fig: Figure) -> Figure:
    """Ask for the area of a parallelogram, given two sides and an angle whose sine has a simple exact form."""
    p, q = fig.randint(4, 18), fig.randint(3, 16)
    angle = fig.choice(30, 45, 60, 120, 135, 150)
    fig.pose()
    A, B = fig.free("A", 0, 0), fig.free("B", fig.uniform(3.6, 4.8), 0)
    slant = np.radians(fig.decoy(40, 85, 180 - angle if angle > 90 else angle, 0.12))
    lean = 1 if angle < 90 else -1
    size = fig.uniform(2.2, 3.2)
    D = fig.free("D", lean * size * np.cos(slant), size * np.sin(slant))
    C = fig.let("C", B + D - A)
    fig.draw(A, B, C, D, closed=True)
    fig.state("ABCD is a parallelogram.")
    fig.given(AB=p, AD=q, DAB=angle)
    return fig.ask("area(A,B,C,D)", p * q * sympy.sin(sympy.pi * angle / 180)).worded(f"""
        Parallelogram $ABCD$ has $AB = {p}$, $AD = {q}$ and $\\angle DAB = {angle}^\\circ$. What is its area?
        Two sides of a parallelogram are $AB = {p}$ and $AD = {q}$, and the angle between them is ${angle}^\\circ$. Find
          its area.
        Compute the area of parallelogram $ABCD$, if its angle at $A$ is ${angle}^\\circ$ and its sides are $AD = {q}$,
          $AB = {p}$.
    """)


@template("primitive", "AB")
def polygon_prism(fig: Figure) -> Figure:
    """Ask for the lateral area or the total length of edges of a right prism on a regular polygon, which a loop draws.

    Only the drawing code, not the problem's text, shows the number of sides.
    """
    sides, edge, height = fig.randint(5, 12), fig.randint(2, 12), fig.randint(3, 20)
    fig.pose()
    fig.regular_polygon(sides, "O", 3)
    fig.label("AB")
    fig.given(AB=edge)
    if fig.coin():
        return fig.ask(f"n*dist(A,B)*{height}", sides * edge * height, drawn=False).worded(f"""
            The polygon in the figure, with side $AB = {edge}$, is the base of a right prism of height ${height}$. What
              is the total area of the side faces of the prism?
            A right prism ${height}$ units tall stands on the regular polygon shown. Its base has side $AB = {edge}$.
              Find the lateral area of the prism.
            If $AB = {edge}$, how large is the lateral surface of an upright prism of height ${height}$ with the drawn
              polygon as its base?
        """)
    return fig.ask(f"n*(2*dist(A,B)+{height})", sides * (2 * edge + height), drawn=False).worded(f"""
        A right prism of height ${height}$ has the polygon in the figure, with side $AB = {edge}$, as its base. What is
          the sum of the lengths of all edges of the prism?
        Wire is bent into all the edges of a right prism whose base is the regular polygon shown, with $AB = {edge}$,
          and whose height is ${height}$. How long is the wire?
        Find the total edge length of an upright prism ${height}$ units tall that stands on the drawn polygon, in which
          $AB = {edge}$.
    """)
