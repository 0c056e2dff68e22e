"""Templates of compositional problems with quadrilaterals and parallel lines."""

import numpy as np
import sympy
from scipy.optimize import brentq

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import fine, lit
from planimeter.generators.geogram.template import Figure, template

R = sympy.Rational


@template("compositional", "ABCDP")
def trapezoid_diagonals(fig: Figure) -> Figure:
    """Ask for the shaded area in a trapezoid that is cut into four triangles by its diagonals, given the areas of the
    two triangles at the parallel sides.

    Only the drawing code, not the problem's text, shows if one or both of the other triangles are shaded.
    """
    n, scale = fig.randint(1, 8), fig.randint(1, 3)
    m = n + fig.randint(1, 6)
    case = fig.randint(0, 2)
    fig.pose()
    A, B, D = fig.declare(A=(0, 0), B=(5.4, 0), D=(fig.uniform(0.5, 1.7), fig.uniform(2.8, 3.6)))
    C = fig.let("C", D + fine(fig.decoy(0.4, 0.7, n / m)) * (B - A))
    P = fig.let("P", con.MEET(A, C, B, D))
    for shade in (((B, C, P),), ((D, A, P),), ((B, C, P), (D, A, P)))[case]:
        fig.fill(*shade)
    fig.strokes("ABCDA AC BD")
    fig.state("ABCD is a trapezoid whose sides AB and DC are parallel. The segments AC and BD meet at P.")
    fig.state(f"The {('triangle BCP is', 'triangle DAP is', 'triangles BCP and DAP are')[case]} shaded.")
    big, small = scale * m * m, scale * n * n
    known = f"triangles $ABP$ and $CDP$ have areas ${big}$ and ${small}$"
    fig.fact("area(A,B,P)", big)
    fig.fact("area(C,D,P)", small)
    return fig.ask("shaded()", scale * m * n * (2 if case == 2 else 1)).worded(f"""
        In trapezoid $ABCD$ with $AB \\parallel CD$, {known}. What is the area of the shaded region?
        Sides $AB$ and $CD$ are parallel, and the {known}. Find the shaded area.
        The diagonals of a trapezoid with parallel sides $AB$, $CD$ cross at $P$, such that {known}. How large is the
          grey area?
    """)


@template("compositional", "ABCDPH")
def crossed_ladders(fig: Figure) -> Figure:
    """Ask for the height of the crossing of two ladders between upright walls, or its distance from a wall."""
    left, right, width = fig.randint(3, 20), fig.randint(3, 20), fig.randint(4, 30)
    fig.require(left != right, "two different walls")
    fig.pose(upright=True)
    A, B = fig.free("A", 0, 0), fig.free("B", 5, 0)
    tall = fig.uniform(0.6, 1.0)
    short = fig.decoy(0.35, 0.9, tall * right / left)
    up = con.TURN(B - A, 90)
    C, D = fig.declare(C=A + fine(tall) * up, D=B + fine(short) * up)
    P = fig.let("P", con.MEET(A, D, B, C))
    fig.let("H", con.FOOT(P, A, B))
    fig.draw(A, B)
    fig.draw(A, C, width=1.6)
    fig.draw(B, D, width=1.6)
    fig.strokes("AD BC", dashed="PH", rights="CAB ABD")
    fig.state("AC and BD are perpendicular to AB and lie on the same side of it.")
    fig.state("The segments AD and BC meet at P. H is the foot of the perpendicular from P to AB. PH is dashed.")
    along = fig.coin()
    walls = fig.given(AC=left, BD=right)
    if along:
        fig.given(AB=width)
        return fig.ask("dist(A,H)", R(left * width, left + right)).worded(f"""
            Two upright posts {walls} stand ${width}$ apart on level ground. Wires join the top of each to the foot of
              the other and cross at $P$. How far is the point $H$ below the crossing from $A$?
            Segments $AC$ and $BD$ are perpendicular to $AB = {width}$, with {walls}. Lines $AD$ and $BC$ cross at $P$,
              and $H$ is the foot of the perpendicular from $P$. Find $AH$.
            Walls {walls} rise from the ends of the ground $AB = {width}$. Two ladders cross at $P$, right above $H$.
              What is the distance $AH$?
        """)
    return fig.ask("dist(P,H)", R(left * right, left + right)).worded(f"""
        Two upright posts {walls} stand on level ground. Wires join the top of each to the foot of the other and cross
          at $P$. How high above the ground is the crossing?
        Segments $AC$ and $BD$ are perpendicular to $AB$, with {walls}. Lines $AD$ and $BC$ cross at $P$. Find the
          distance of $P$ from $AB$.
        Between walls {walls} lean two crossed ladders, each from the foot of one wall to the top of the other. What is
          the length of the dashed segment $PH$?
    """)


@template("compositional", "ABCDXY")
def zigzag(fig: Figure) -> Figure:
    """Ask for an angle of a broken line between two parallel rays, given its other angles."""
    at_a, at_d = fig.randint(18, 62), fig.randint(18, 62)
    at_b = at_a + fig.randint(15, 70)
    at_c = at_b - at_a + at_d
    fig.require(at_c <= 150 and at_d != at_a, "a zigzag that does not fold back")
    fig.pose()
    drawn_a, drawn_d = fig.decoy(25, 60, at_a), fig.decoy(25, 60, at_d)
    lean = fig.decoy(20, 60, at_b - at_a)
    t, A = fig.declare(t=lit(fig.uniform(0, 360)), A=(0, 0))
    B = fig.let("B", A + fig.size(2.3) * con.HEADING(t + lit(drawn_a)))
    C = fig.let("C", B + fig.size(2.4) * con.HEADING(t + 180 - lit(lean)))
    D = fig.let("D", C + fig.size(2.3) * con.HEADING(t + lit(drawn_d)))
    fig.declare(X=A + fig.size(4.2) * con.HEADING(t), Y=D - fig.size(4.2) * con.HEADING(t))
    fig.strokes("ABCD AX DY")
    fig.state("ABCD is a broken line. The rays AX and DY are parallel and point in opposite directions.")
    fig.state("B and C lie between the lines AX and DY. X and C lie on opposite sides of the line AB.")
    fig.state("B and Y lie on opposite sides of the line CD.")
    known = fig.given(XAB=at_a), fig.given(ABC=at_b), fig.given(CDY=at_d)
    return fig.ask("angle(B,C,D)", at_c).worded(f"""
        Rays $AX$ and $DY$ are parallel. Given {known[0]}, {known[1]} and {known[2]}, find $\\angle BCD$ in degrees.
        If $AX \\parallel DY$, {known[2]}, {known[1]} and {known[0]}, how many degrees is the angle at $C$?
        A path $ABCD$ leads from one of two parallel lines to the other, with {known[1]}, {known[0]} and {known[2]}.
          What is the degree measure of $\\angle BCD$?
    """)


@template("compositional", "ABCD")
def cyclic_quadrilateral(fig: Figure) -> Figure:
    """Ask for an angle of a quadrilateral inscribed in a circle, given two angles between sides and diagonals.

    Inscribed angles on one arc are equal.
    """
    bac, dbc = fig.randint(22, 70), fig.randint(22, 70)
    fig.pose()
    o, r = fig.free("O", 0, 0), fig.real("r", 3)
    t = fig.uniform(0, 360)
    ab, bc, cd = fig.uniform(65, 95), 2 * fig.decoy(35, 55, bac), 2 * fig.decoy(30, 55, dbc)
    places = zip("ABCD", (0, ab, ab + bc, ab + bc + cd), strict=True)
    A, B, C, D = (fig.let(name, o + r * con.HEADING(lit((t + at) % 360))) for name, at in places)
    fig.circle(o, r)
    fig.draw(A, B, C, D, closed=True)
    fig.draw(A, C)
    fig.draw(B, D)
    fig.state("A, B, C and D lie on a circle, in this order.")
    fig.label("ABCD")
    first, second = fig.given(BAC=bac), fig.given(DBC=dbc)
    return fig.ask("angle(B,C,D)", 180 - bac - dbc).worded(f"""
        Quadrilateral $ABCD$ is inscribed in a circle. If {first} and {second}, how many degrees is $\\angle BCD$?
        Points $A$, $B$, $C$, $D$ are on a circle and {second}, {first}. Find $\\angle BCD$ in degrees.
        In the circle shown, {first} while {second}. What is the measure, in degrees, of $\\angle BCD$?
    """)


@template("compositional", "ABHKP")
def mirror_path(fig: Figure) -> Figure:
    """Ask for the length of the path of a ray from one point to another by way of a mirror line, or for the position at
    which the ray is reflected.
    """
    down, up, run = fig.randint(2, 15), fig.randint(2, 15), fig.randint(4, 30)
    fig.require(down != up, "two different distances")
    fig.pose()
    H, K = fig.free("H", 0, 0), fig.free("K", 5.5, 0)
    normal = con.TURN(K - H, 90)
    first = fig.uniform(0.25, 0.65)
    second = fig.decoy(0.25, 0.65, first * up / down)
    A, B = fig.declare(A=H + fine(first) * normal, B=K + fine(second) * normal)
    fig.let("P", con.MEET(A, con.MIRROR(B, H, K), H, K))
    fig.draw(H, K, width=1.6)
    fig.strokes("APB", dashed="AH BK", rights="AHK HKB")
    fig.state("HA and KB are perpendicular to HK and lie on the same side of it.")
    fig.state("P lies on segment HK. The angles APH and BPK are equal.")
    known = fig.given(AH=down, BK=up, HK=run)
    if fig.coin():
        return fig.ask("dist(A,P)+dist(P,B)", sympy.sqrt(run**2 + (down + up) ** 2)).worded(f"""
            A ray of light from $A$ is reflected at $P$ by the mirror $HK$ and reaches $B$. If {known}, how long is its
              way?
            The lines $PA$ and $PB$ make equal angles with $HK$. Find $AP + PB$, where {known}.
            Point $P$ of line $HK$ is chosen so that $AP + PB$ is as small as possible. With {known}, what is this
              smallest value?
        """)
    return fig.ask("dist(H,P)", R(run * down, down + up)).worded(f"""
        A ray of light from $A$ is reflected at $P$ by the mirror $HK$ and reaches $B$. If {known}, how far is $P$ from
          $H$?
        The lines $PA$ and $PB$ make equal angles with $HK$. Given {known}, find $HP$.
        Point $P$ of line $HK$ makes the path from $A$ over $P$ to $B$ as short as possible. With {known}, what is $HP$?
    """)


@template("compositional", "ABCD")
def tangential_quadrilateral(fig: Figure) -> Figure:
    """Ask for the fourth side or the perimeter of a quadrilateral around a circle, given three sides.

    Both pairs of opposite sides have the same sum.
    """
    parts = [fig.randint(5, 11) for _ in range(4)]
    fig.require(len(set(parts)) >= 3, "sides that differ")
    fig.pose()
    o, r = fig.free("O", 0, 0), fig.real("r", 2)
    # Decoy tangent lengths not far from the true ones, and the circle around which they close.
    decoys = np.array(parts) * fig.rng.uniform(0.75, 1.3, 4)
    inradius = float(brentq(lambda x: np.arctan(decoys / x).sum() - np.pi, 0.1, 100.0))
    halves = np.degrees(np.arctan(decoys / inradius))[:3]
    t = fig.let("t", lit(fig.uniform(0, 360)))
    h = [fig.let(name, lit(v)) for name, v in zip("hijk", halves, strict=False)]
    h.append(fig.let("k", 180 - h[0] - h[1] - h[2]))
    at, corners = t, []
    for name, half in zip("ABCD", h, strict=True):
        corners.append(fig.let(name, o + r / con.cosine(half) * con.HEADING(at + half)))
        at = at + 2 * half
    fig.circle(o, r)
    fig.draw(*corners, closed=True)
    fig.dots(o)
    fig.state("ABCD is a quadrilateral. The circle with centre O touches all its sides.")
    a, b, c, d = parts
    known = fig.given(AB=a + b, BC=b + c, CD=c + d)
    whole_perimeter = fig.coin()
    what = "the perimeter of $ABCD$" if whole_perimeter else "$DA$"
    fig.ask("perimeter(A,B,C,D)" if whole_perimeter else "dist(D,A)", 2 * (a + b + c + d) if whole_perimeter else d + a)
    return fig.worded(f"""
        All four sides of quadrilateral $ABCD$ touch the circle. If {known}, find {what}.
        A circle about $O$ is inscribed in a quadrilateral with {known}. What is {what}?
        In the figure {known}, and the circle is tangent to every side. Determine {what}.
    """)
