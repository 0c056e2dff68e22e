"""Templates of compositional problems in a triangle: cevians, its circles, inscribed figures."""

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import fine
from planimeter.generators.geogram.template import Figure, template

R = sympy.Rational


@template("compositional", "ABCDFP")
def two_cevians(fig: Figure) -> Figure:
    """Ask for the area of one of the four pieces into which two cevians cut a triangle, given the ratios in which they
    divide two sides.

    Only the drawing code, not the problem's text, shows which piece is shaded.
    """
    m, n, p, q = (fig.randint(1, 7) for _ in range(4))
    fig.require(m != n and p != q and (m, n) != (p, q), "two different divisions")
    total = fig.randint(6, 60) * 2
    fig.pose()
    A, B, C = fig.acute_triangle()
    D = fig.let("D", B + fine(fig.decoy(0.3, 0.7, m / (m + n))) * (C - B))
    F = fig.let("F", C + fine(fig.decoy(0.3, 0.7, p / (p + q))) * (A - C))
    P = fig.let("P", con.MEET(A, D, B, F))
    piece = fig.randint(0, 3)
    fig.fill(*((A, B, P), (B, D, P), (A, P, F), (P, D, C, F))[piece])
    fig.strokes("ABCA AD BF")
    fig.state("D lies on side BC, and F lies on side CA.")
    region = ("triangle ABP", "triangle BDP", "triangle APF", "quadrilateral PDCF")[piece]
    fig.state(f"The segments AD and BF meet at P. The {region} is shaded.")
    # Barycentric coordinates of P: BD:DC = m:n puts weights n, m on B, C; CF:FA = p:q puts q, p on C, A.
    w = 1 / (1 + R(n, m) + R(p, q))
    abd, abf = R(m, m + n), R(q, p + q)
    known = f"$BD : DC = {m} : {n}$ and $CF : FA = {p} : {q}$"
    fig.fact("area(A,B,C)", total)
    fig.fact(f"{n}*dist(B,D)/dist(D,C)-{m}", 0)
    fig.fact(f"{q}*dist(C,F)/dist(F,A)-{p}", 0)
    return fig.ask("shaded()", (w, abd - w, abf - w, 1 - abd - abf + w)[piece] * total).worded(f"""
        Triangle $ABC$ has area ${total}$. Its sides are divided so that {known}. What is the area of the shaded region?
        In the figure, {known}. If the area of triangle $ABC$ is ${total}$, find the area that is shaded.
        Segments $AD$ and $BF$ cut a triangle of area ${total}$ into four parts, where {known}. How large is the grey
          part?
    """)


def _sides(fig: Figure) -> tuple[int, int, int]:
    """Return three different integers, the sides of a random triangle that is not too flat."""
    while True:
        a, b, c = (fig.randint(5, 21) for _ in range(3))
        if len({a, b, c}) == 3 and 2 * max(a, b, c) < 0.93 * (a + b + c):
            return a, b, c


@template("compositional", "ABCDFG")
def incircle_contact(fig: Figure) -> Figure:
    """Ask for the distance from a corner of a triangle to a contact point of its incircle, given the three sides."""
    bc, ca, ab = _sides(fig)
    fig.pose()
    A, B, C = fig.acute_triangle()
    i = fig.let("i", con.INCENTER(A, B, C))
    D, F, G = fig.let("D", con.FOOT(i, B, C)), fig.let("F", con.FOOT(i, C, A)), fig.let("G", con.FOOT(i, A, B))
    fig.draw(A, B, C, closed=True)
    fig.circle(i, con.length(D - i))
    fig.dots(D, F, G)
    fig.state("Its inscribed circle touches side BC at D, side CA at F and side AB at G.")
    known = fig.given(AB=ab, BC=bc, CA=ca)
    corner, contact, answer = fig.choice(
        ("A", "G", R(ab + ca - bc, 2)), ("B", "D", R(ab + bc - ca, 2)), ("C", "F", R(bc + ca - ab, 2))
    )
    return fig.ask(f"dist({corner},{contact})", answer).worded(f"""
        The circle touches all three sides of triangle $ABC$, in which {known}. Find the length of ${corner}{contact}$.
        Points $D$, $F$, $G$ are where the inscribed circle touches the sides of the triangle. If {known}, how long is
          ${corner}{contact}$?
        A triangle with {known} has an inscribed circle. What is the distance from ${corner}$ to the point of contact
          ${contact}$?
    """)


#: Sides of triangles whose areas are whole numbers.
_HERON = (
    (13, 14, 15), (5, 5, 6), (10, 13, 13), (9, 10, 17), (7, 15, 20), (10, 17, 21), (13, 20, 21), (11, 13, 20),
    (12, 17, 25), (8, 15, 17), (17, 25, 26), (17, 17, 16), (13, 37, 40), (15, 26, 37), (25, 29, 36), (15, 37, 44),
    (7, 24, 25), (20, 21, 29),
)  # fmt: skip


@template("compositional", "ABC")
def triangle_circle(fig: Figure) -> Figure:
    """Ask for the radius or area of the incircle or circumcircle of a triangle, given the three sides.

    Only the drawing code, not the problem's text, shows which of the two circles is drawn.
    """
    if fig.coin():
        bc, ca, ab = (int(side) for side in fig.rng.permutation(fig.choice(*_HERON)))
    else:
        bc, ca, ab = _sides(fig)
    half = R(bc + ca + ab, 2)
    area = sympy.sqrt(half * (half - bc) * (half - ca) * (half - ab))
    inner = fig.coin()
    fig.pose()
    A, B, C = fig.acute_triangle()
    if inner:
        o = fig.let("O", con.INCENTER(A, B, C))
        rim = fig.let("t", con.FOOT(o, B, C))
    else:
        m, n = con.mid(A, B), con.mid(B, C)
        o = fig.let("O", con.MEET(m, m + con.TURN(B - A, 90), n, n + con.TURN(C - B, 90)))
        rim = fig.let("t", B)
    fig.draw(A, B, C, closed=True)
    fig.circle(o, con.length(rim - o))
    fig.dots(o)
    fig.state(f"Its {'inscribed' if inner else 'circumscribed'} circle is drawn, with centre O.")
    known = fig.given(AB=ab, BC=bc, CA=ca)
    radius = area / half if inner else R(bc * ca * ab, 4) / area
    if fig.coin():
        return fig.ask("dist(O,t)", radius).worded(f"""
            Triangle $ABC$ has sides {known}. What is the radius of the circle with centre $O$?
            If {known}, find the radius of the circle that is drawn.
            A circle about $O$ is drawn with a triangle whose sides are {known}. Determine its radius.
        """)
    return fig.ask("pi*dist(O,t)**2", sympy.pi * radius**2).worded(f"""
        Triangle $ABC$ has sides {known}. What is the area of the disc with centre $O$?
        How large is the area inside the circle shown, if {known}?
        In the figure, {known}. Find the area enclosed by the circle about $O$.
    """)


@template("compositional", "ABCD")
def angle_bisector(fig: Figure) -> Figure:
    """Ask for the length of an angle bisector of a triangle, or of a part of the side that it divides, given the three
    sides.

    The bisector divides the side in the ratio of the two other sides.
    """
    bc, ca, ab = _sides(fig)
    fig.pose()
    A, B, C = fig.acute_triangle()
    fig.let("D", con.MEET(A, A + con.UNIT(B - A) + con.UNIT(C - A), B, C))
    fig.strokes("ABCA AD")
    fig.state("D lies on side BC. The segment AD bisects the angle BAC.")
    known = fig.given(AB=ab, AC=ca, BC=bc)
    part = R(bc * ab, ab + ca)
    if fig.coin():
        return fig.ask("dist(B,D)", part).worded(f"""
            In triangle $ABC$, {known}. Segment $AD$ bisects the angle at $A$. Find $BD$.
            The bisector of $\\angle BAC$ meets $BC$ at $D$. If {known}, how long is $BD$?
            Where does the bisector from $A$ cut the opposite side? With {known}, give the length of $BD$.
        """)
    return fig.ask("dist(A,D)", sympy.sqrt(ab * ca - part * (bc - part))).worded(f"""
        In triangle $ABC$, {known}. Segment $AD$ bisects the angle at $A$. How long is this bisector?
        Point $D$ on side $BC$ is such that $\\angle BAD = \\angle DAC$. Given {known}, find $AD$.
        Find the length of the angle bisector $AD$ of a triangle with {known}.
    """)


@template("compositional", "ABCM")
def median_length(fig: Figure) -> Figure:
    """Ask for the length of a median of a triangle, given the three sides."""
    bc, ca, ab = _sides(fig)
    fig.pose()
    _A, B, C = fig.acute_triangle()
    fig.let("M", con.mid(B, C))
    fig.strokes("ABCA AM", ticks="BM MC")
    fig.state("M is the midpoint of BC, and the median AM is drawn.")
    known = fig.given(AB=ab, AC=ca, BC=bc)
    return fig.ask("dist(A,M)", sympy.sqrt(R(2 * ab**2 + 2 * ca**2 - bc**2, 4))).worded(f"""
        Triangle $ABC$ has {known}. Find the length of $AM$.
        How long is the segment from $A$ to $M$, if {known}? Equal marks mean equal lengths.
        The sides of a triangle are {known}. What is the length of the median shown?
    """)


@template("compositional", "ABCD")
def altitude_on_hypotenuse(fig: Figure) -> Figure:
    """Ask for the altitude to the hypotenuse, a leg or the area of a right triangle, given the two parts into which the
    altitude divides the hypotenuse.
    """
    p, q = fig.randint(2, 16), fig.randint(2, 16)
    fig.require(p != q, "two different pieces")
    fig.pose()
    C, A = fig.free("C", 0, 0), fig.free("A", fig.uniform(2.6, 3.6), fig.uniform(-0.4, 0.4))
    B = fig.let("B", C + fine(fig.decoy(0.6, 1.6, (q / p) ** 0.5)) * con.TURN(A - C, 90))
    fig.let("D", con.FOOT(C, A, B))
    fig.strokes("ABCA CD", rights="ACB CDB")
    fig.state("ABC is a triangle. The angle ACB is marked as a right angle.")
    fig.state("D is the foot of the perpendicular from C to AB.")
    known = fig.given(AD=p, DB=q)
    segment, asked, answer = fig.choice(
        ("the length of $CD$", "dist(C,D)", sympy.sqrt(p * q)),
        ("the length of $AC$", "dist(A,C)", sympy.sqrt(p * (p + q))),
        ("the area of triangle $ABC$", "area(A,B,C)", (p + q) * sympy.sqrt(p * q) / 2),
    )
    return fig.ask(asked, answer).worded(f"""
        The foot of the altitude to the hypotenuse of a right triangle divides it into {known}. What is {segment}?
        In the figure {known}, and right angles are marked. Find {segment}.
        Triangle $ABC$ is right-angled at $C$, and $D$ is the foot of the perpendicular from $C$, with {known}. Compute
          {segment}.
    """)


@template("compositional", "ABCDF")
def parallel_cut(fig: Figure) -> Figure:
    """Ask for the area of one of the two parts into which a line parallel to a side cuts a triangle, given the area of
    the other part.

    Only the drawing code, not the problem's text, shows which part is shaded.
    """
    p, q = fig.randint(2, 9), fig.randint(1, 9)
    scale = fig.randint(1, 6)
    cut_area = scale * p * p
    top = fig.coin()
    fig.pose()
    A, B, C = fig.acute_triangle()
    k = fig.ratio("k", fig.decoy(0.35, 0.72, p / (p + q)))
    D, F = fig.declare(D=A + k * (B - A), F=A + k * (C - A))
    fig.fill(*((D, B, C, F) if top else (A, D, F)))
    fig.strokes("ABCA DF")
    fig.state("D lies on side AB, and F lies on side CA. DF and BC are parallel.")
    fig.state(f"The {'quadrilateral DBCF' if top else 'triangle ADF'} is shaded.")
    known = fig.given(AD=p, DB=q)
    rest = scale * (p + q) ** 2 - cut_area
    stated, measure, answer = (cut_area, "area(A,D,F)", rest) if top else (rest, "area(D,B,C,F)", cut_area)
    unshaded = "triangle $ADF$" if top else "quadrilateral $DBCF$"
    fig.fact(measure, stated)
    return fig.ask("shaded()", answer).worded(f"""
        Segment $DF$ is parallel to $BC$, with {known}. The area of {unshaded} is ${stated}$. What is the area of the
          shaded part?
        If {known}, $DF \\parallel BC$, and {unshaded} has area ${stated}$, find the shaded area.
        A line parallel to side $BC$ divides triangle $ABC$ so that {known}. Given that {unshaded} has an area of
          ${stated}$, how large is the grey region?
    """)


@template("compositional", "ABCDFGH")
def square_in_triangle(fig: Figure) -> Figure:
    """Ask for the side or area of a square in a triangle, with one side on the base, given base and altitude."""
    base, height = fig.randint(4, 24), fig.randint(3, 24)
    fig.pose()
    drawn_base, drawn_height = fig.uniform(5.0, 5.8), fig.uniform(3.4, 5.0)
    fig.require(abs(drawn_height / drawn_base - height / base) >= 0.12 * height / base, "a decoy of a different shape")
    B, C, A = fig.declare(B=(0, 0), C=(drawn_base, 0), A=(drawn_base * fig.uniform(0.3, 0.6), drawn_height))
    k = fig.ratio("k", drawn_height / (drawn_base + drawn_height))
    G, F = fig.declare(G=A + k * (B - A), F=A + k * (C - A))
    fig.declare(D=con.FOOT(G, B, C), H=con.FOOT(F, B, C))
    fig.strokes("ABCA DHFGD")
    fig.state("ABC is a triangle. DHFG is a square with D and H on side BC, F on side CA and G on side AB.")
    square = "$DHFG$"
    known = f"$BC = {base}$, and the altitude from $A$ is ${height}$"
    area = fig.coin()
    what = "area" if area else "side"
    side = R(base * height, base + height)
    fig.given(BC=base)
    fig.fact("line_distance(A,B,C)", height)
    fig.fact("dist(D,H)/dist(D,G)-1", 0)
    return fig.ask("area(D,H,F,G)" if area else "dist(D,H)", side**2 if area else side).worded(f"""
        Square {square} is inscribed in triangle $ABC$ as shown. If {known}, what is the {what} of the square?
        In triangle $ABC$, {known}. Find the {what} of the inscribed square {square}.
        A square {square} has one side on $BC$ and its other corners on the other sides of a triangle, where {known}.
          Compute the {what} of that square.
    """)


@template("compositional", "ABCDFG")
def perpendicular_medians(fig: Figure) -> Figure:
    """Ask for the third side of a triangle with two perpendicular medians, given the two sides at which they end."""
    p, q = fig.randint(4, 20), fig.randint(4, 20)
    fig.require(p != q and max(p, q) <= 1.9 * min(p, q), "sides that allow perpendicular medians")
    fig.pose()
    G, D = fig.free("G", 0, 0), fig.free("D", 0, -1.5)
    true = np.sqrt((4 * q * q - p * p) / (4 * p * p - q * q))
    F, _A = fig.declare(F=G + fine(-fig.decoy(0.6, 1.6, 1 / true)) * con.TURN(D - G, 90), A=G - 2 * (D - G))
    B = fig.let("B", G - 2 * (F - G))
    fig.let("C", 2 * D - B)
    fig.strokes("ABCA AD BF", rights="AGB", ticks="BD DC")
    fig.state("ABC is a triangle. D is the midpoint of BC, and F is the midpoint of CA.")
    fig.state("The segments AD and BF meet at G. The angle AGB is marked as a right angle.")
    known = fig.given(BC=p, AC=q)
    return fig.ask("dist(A,B)", sympy.sqrt(R(p * p + q * q, 5))).worded(f"""
        The medians $AD$ and $BF$ of triangle $ABC$ are perpendicular. If {known}, how long is $AB$?
        In triangle $ABC$, {known}, and the medians from $A$ and $B$ cross at a right angle in $G$. Find $AB$.
        Two medians of a triangle meet at a right angle, as marked. With {known}, what is the length of side $AB$?
    """)
