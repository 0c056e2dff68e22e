"""Templates of primitive problems about lengths, at one segment, one triangle, one rhombus or one circle."""

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import fine, lit
from planimeter.generators.geogram.template import Figure, template


@template("primitive", "ABC")
def right_triangle(fig: Figure) -> Figure:
    """Ask for the third side of a right triangle, given two sides.

    Only the mark of the right angle in the drawing code, not the text, shows if the third side is hypotenuse or leg.
    """
    short = fig.randint(3, 16)
    long = short + fig.randint(1, 12)
    hypotenuse = fig.coin()
    fig.pose()
    A, B = fig.free("A", 0, 0), fig.free("B", fig.uniform(2.5, 4), fig.uniform(-0.8, 0.8))
    true = long / short if hypotenuse else np.sqrt(long**2 - short**2) / short
    k = fine(fig.decoy(0.55, 1.8, true))
    corner, arm = (A, B) if hypotenuse else (B, A)
    C = fig.let("C", corner + k * con.TURN(arm - corner, 90))
    fig.draw(A, B, C, closed=True)
    fig.right(arm, corner, C)
    angle = "BAC" if hypotenuse else "ABC"
    fig.state(f"ABC is a triangle. The angle {angle} is marked as a right angle.")
    fig.given(AB=short, AC=long)
    return fig.ask("dist(B,C)", sympy.sqrt(long**2 + short**2 if hypotenuse else long**2 - short**2)).worded(f"""
        Triangle $ABC$ has $AB = {short}$ and $AC = {long}$. What is the length of $BC$?
        In the right triangle shown, $AC = {long}$ and $AB = {short}$. Find $BC$.
        Two sides of the marked right triangle are known: $AB$ is ${short}$ units long and $AC$ is ${long}$ units long.
          How many units long is $BC$?
        Given $AB = {short}$, $AC = {long}$ and the right angle marked in the drawing, compute $BC$.
    """)


@template("primitive", "ABCM")
def points_on_line(fig: Figure) -> Figure:
    """Ask for the distance from one of three points on a line to the midpoint of the two others, given two distances.

    Only the drawing code, not the problem's text, shows the order of the points.
    """
    ab, bc = fig.randint(14, 46), fig.randint(5, 12)
    beyond = fig.coin()
    fig.pose()
    A, B = fig.free("A", 0, 0), fig.free("B", 5, fig.uniform(-1, 1))
    share = fig.decoy(0.2, 0.42, bc / ab)
    C = fig.let("C", B + fine(share if beyond else -share) * (B - A))
    M = fig.let("M", con.mid(A, C))
    fig.draw(A, C if beyond else B)
    fig.dots(A, B, C, M)
    order = "A, B and C" if beyond else "A, C and B"
    fig.state(f"{order} lie on a line, in this order. M is the midpoint of AC.")
    fig.given(AB=ab, BC=bc)
    return fig.ask("dist(M,B)", sympy.Rational(ab - bc if beyond else ab + bc, 2)).worded(f"""
        $M$ is the midpoint of $AC$. If $AB = {ab}$ and $BC = {bc}$, how long is $MB$?
        On a line are the points shown, with $BC = {bc}$ and $AB = {ab}$; $M$ halves segment $AC$. Find the length of
          $MB$.
        Let $M$ be the midpoint of the segment $AC$ in the figure. The distance from $A$ to $B$ is ${ab}$, and from $B$
          to $C$ it is ${bc}$. What is the distance from $M$ to $B$?
    """)


@template("primitive", "ABM")
def chord_distance(fig: Figure) -> Figure:
    """Ask for the radius or diameter of a circle, given a chord and its distance from the centre."""
    half, gap = fig.randint(3, 15), fig.randint(2, 14)
    diameter = fig.coin()
    fig.pose()
    o, r = fig.free("O", 0, 0), fig.real("r", fig.uniform(2.6, 3.6))
    t = fig.uniform(0, 360)
    opening = fig.decoy(80, 150, 2 * np.degrees(np.arctan2(half, gap)))
    A, B = fig.declare(A=o + r * con.HEADING(lit(t)), B=o + r * con.HEADING(lit(t + opening)))
    fig.let("M", con.mid(A, B))
    fig.circle(o, r)
    fig.strokes("AB OM", rights="OMB", dots="O")
    fig.state("A and B lie on a circle with centre O. M is the foot of the perpendicular from O to AB.")
    what = fig.choice("diameter", "length of a diameter") if diameter else "radius"
    fig.given(AB=2 * half, OM=gap)
    fig.ask(f"{2 if diameter else 1}*dist(O,A)", sympy.sqrt(half**2 + gap**2) * (2 if diameter else 1))
    return fig.worded(f"""
        Chord $AB$ of a circle with centre $O$ is ${2 * half}$ long, and its distance $OM$ from the centre is ${gap}$.
          What is the {what} of the circle?
        If $OM = {gap}$ and $AB = {2 * half}$ in the circle about $O$, find its {what}.
        A chord $AB$ of length ${2 * half}$ lies ${gap}$ units from the centre $O$ of the circle. Compute the {what} of
          this circle.
    """)


_TRIPLES = (
    (3, 4, 5), (4, 3, 5), (5, 12, 13), (8, 6, 10), (6, 8, 10), (8, 15, 17), (9, 12, 15), (12, 9, 15), (7, 24, 25),
    (12, 16, 20), (15, 8, 17), (20, 21, 29),
)  # fmt: skip


@template("primitive", "ABCDF")
def second_altitude(fig: Figure) -> Figure:
    """Ask for an altitude of a triangle, given another altitude and the sides to which the two are perpendicular."""
    dc, ad, ac = fig.choice(*_TRIPLES)
    bd = fig.randint(2, 12)
    fig.require(bd * (bd + dc) < ad**2 + bd**2 + dc**2 + dc * bd and ad**2 > bd * dc, "an acute triangle")
    fig.pose()
    B, C = fig.declare(B=(0, 0), C=(fig.uniform(4.5, 5.5), 0))
    A = fig.free("A", fig.uniform(1.6, 3.0), fig.uniform(3.2, 4.6))
    fig.declare(D=con.FOOT(A, B, C), F=con.FOOT(B, C, A))
    fig.strokes("ABCA AD BF", rights="ADC BFC")
    fig.state("ABC is a triangle. D is the foot of the perpendicular from A to BC.")
    fig.state("F is the foot of the perpendicular from B to CA.")
    fig.given(BC=bd + dc, AC=ac, AD=ad)
    return fig.ask("dist(B,F)", sympy.Rational((bd + dc) * ad, ac)).worded(f"""
        In triangle $ABC$, $BC = {bd + dc}$ and $AC = {ac}$. The altitude $AD$ is ${ad}$ long. How long is the altitude
          $BF$?
        Two altitudes of a triangle are drawn. If $AD = {ad}$, $AC = {ac}$ and $BC = {bd + dc}$, find $BF$.
        The side $AC = {ac}$ and the side $BC = {bd + dc}$ of a triangle are known, and so is the height $AD = {ad}$.
          What is the length of $BF$?
    """)


@template("primitive", "ABCDM")
def rhombus(fig: Figure) -> Figure:
    """Ask for the perimeter of a rhombus, or the distance of its centre from a side, given its diagonals."""
    p, q = fig.randint(2, 14), fig.randint(2, 14)
    fig.require(p != q, "a rhombus that is not a square")
    fig.pose()
    M, A = fig.free("M", 0, 0), fig.free("A", fig.uniform(2.2, 3.2), fig.uniform(-0.5, 0.5))
    k = fine(fig.decoy(0.5, 1.7, q / p))
    B, _C = fig.declare(B=M + k * con.TURN(A - M, 90), C=2 * M - A)
    fig.let("D", 2 * M - B)
    fig.strokes("ABCDA AC BD", rights="AMB")
    fig.state("ABCD is a rhombus whose diagonals meet at M.")
    diagonals = fig.given(AC=2 * p, BD=2 * q)
    if fig.coin():
        return fig.ask("perimeter(A,B,C,D)", 4 * sympy.sqrt(p * p + q * q)).worded(f"""
            The diagonals of rhombus $ABCD$ are {diagonals}. What is its perimeter?
            Find the perimeter of a rhombus $ABCD$ with {diagonals}.
            Quadrilateral $ABCD$ is a rhombus in which {diagonals}. How long is its whole boundary?
        """)
    return fig.ask("line_distance(M,A,B)", p * q / sympy.sqrt(p * p + q * q)).worded(f"""
        The diagonals of rhombus $ABCD$, {diagonals}, meet at $M$. How far is $M$ from side $AB$?
        Rhombus $ABCD$ with centre $M$ has {diagonals}. Find the distance of $M$ from the line $AB$.
        What is the radius of the circle about $M$ that touches all sides of rhombus $ABCD$, if {diagonals}?
    """)


@template("primitive", "ABCM")
def right_triangle_median(fig: Figure) -> Figure:
    """Ask for the length of a median of a right triangle, given the legs.

    Only the drawing code, not the problem's text, shows to which side the median is drawn.
    """
    p, q = fig.randint(3, 18), fig.randint(3, 18)
    where = fig.randint(0, 2)
    fig.pose()
    C, A = fig.free("C", 0, 0), fig.free("A", fig.uniform(2.5, 3.5), fig.uniform(-0.4, 0.4))
    B = fig.let("B", C + fine(fig.decoy(0.6, 1.7, q / p)) * con.TURN(A - C, 90))
    start, end, across = ((A, B, C), (B, C, A), (C, A, B))[where]
    side, corner = (("AB", "C"), ("BC", "A"), ("CA", "B"))[where]
    M = fig.let("M", con.mid(start, end))
    fig.draw(A, B, C, closed=True)
    fig.draw(across, M)
    fig.right(A, C, B)
    fig.tick(start, M)
    fig.tick(M, end)
    fig.state("ABC is a triangle. The angle ACB is marked as a right angle.")
    fig.state(f"M is the midpoint of {side}, and the median {corner}M is drawn.")
    fig.given(AC=p, BC=q)
    fig.ask(f"dist({corner},M)", sympy.sqrt((p * p + q * q, 4 * p * p + q * q, p * p + 4 * q * q)[where]) / 2)
    return fig.worded(f"""
        A right triangle has legs $AC = {p}$ and $BC = {q}$. What is the length of the median drawn in it?
        In triangle $ABC$ the angle at $C$ is right, $BC = {q}$ and $AC = {p}$. One median is shown; it ends at $M$.
          Find its length.
        How long is the median that ends at $M$, if the legs of right triangle $ABC$ are $CA = {p}$ and $CB = {q}$?
    """)
