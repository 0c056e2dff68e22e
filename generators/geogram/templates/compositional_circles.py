"""Templates of compositional problems with circles and lines."""

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import Arc, fine, lit
from planimeter.generators.geogram.template import Figure, template, tex

R = sympy.Rational


@template("compositional", "ABCDP")
def power_of_a_point(fig: Figure) -> Figure:
    """Ask for the length of a chord CD of a circle, given PA, PB and PC: line CD meets the line of a chord AB at P.

    Only the drawing code, not the problem's text, shows if P is inside or outside the circle.
    """
    inside = fig.coin()
    pa, pc = fig.randint(2, 9), fig.randint(2, 9)
    pb = pa + fig.randint(1, 14)
    pd = R(pa * pb, pc)
    fig.require(pa != pc and pc < pd <= 40, "four different segments")
    fig.pose()
    o, r = fig.free("O", 0, 0), fig.real("r", 3)
    t = fig.uniform(0, 360)
    # Inside, A and C are near P, B and D far from it, on opposite sides.
    around = ((0, 0), (170, 20), (55, 12), (235, 20)) if inside else ((25, 5), (115, 12), (-25, 5), (-115, 12))
    places = [at + fig.uniform(-spread, spread) if spread else at for at, spread in around]
    A, B, C, D = (fig.let(n, o + r * con.HEADING(lit((t + at) % 360))) for n, at in zip("ABCD", places, strict=True))
    P = fig.let("P", con.MEET(A, B, C, D))
    fig.circle(o, r)
    fig.draw(A if inside else P, B)
    fig.draw(C if inside else P, D)
    fig.state("A, B, C and D lie on a circle.")
    if inside:
        fig.state("The segments AB and CD meet at P.")
    else:
        fig.state("The lines AB and CD meet at P, with A between P and B, and C between P and D.")
    fig.label("ABCDP")
    known = fig.given(PA=pa, PB=pb, PC=pc)
    return fig.ask("dist(C,D)", pd + pc if inside else pd - pc).worded(f"""
        Lines $AB$ and $CD$ meet at $P$. If {known}, what is the length of chord $CD$?
        The points $A$, $B$, $C$, $D$ are on a circle, and the lines $AB$, $CD$ pass through $P$. With {known}, find
          $CD$.
        In the figure {known}. How long is $CD$?
    """)


@template("compositional", "ABPQ")
def common_tangent(fig: Figure) -> Figure:
    """Ask for the length of a common tangent segment of two circles, given the radii and the distance of the centres.

    Only the drawing code, not the problem's text, shows if it is an outer or an inner tangent.
    """
    small, extra = fig.randint(1, 6), fig.randint(1, 6)
    big = small + extra
    apart = small + big + fig.randint(1, 10)
    outer = fig.coin()
    fig.pose()
    A, B = fig.free("A", 0, 0), fig.free("B", 5.2, fig.uniform(-0.6, 0.6))
    r1 = fig.real("r", fig.uniform(2.0, 2.5))
    r2 = fig.real("s", fig.uniform(1.0, 1.6))
    k = fig.let("k", (r1 - r2 if outer else r1 + r2) / con.length(B - A))
    u = con.UNIT(B - A)
    n = fig.let("n", k * u + con.root(1 - k * k) * con.TURN(u, 90))
    fig.declare(P=A + r1 * n, Q=B + r2 * n if outer else B - r2 * n)
    fig.circle(A, r1)
    fig.circle(B, r2)
    fig.strokes("PQ", dashed="AP BQ", dots="AB")
    fig.state("The circles with centres A and B touch the line PQ at P and Q.")
    fig.state(f"They lie on {'the same side' if outer else 'opposite sides'} of it.")
    known = f"radii {fig.given(AP=big, BQ=small)}"
    fig.given(AB=apart)
    return fig.ask("dist(P,Q)", sympy.sqrt(apart**2 - (big - small if outer else big + small) ** 2)).worded(f"""
        Two circles with centres $A$ and $B$ and {known} are given, and $AB = {apart}$. Segment $PQ$ touches both
          circles. How long is it?
        Line $PQ$ is tangent to a circle about $A$ at $P$ and to a circle about $B$ at $Q$. If $AB = {apart}$ and the
          circles have {known}, find $PQ$.
        The centres $A$ and $B$ of two circles are ${apart}$ apart. The circles have {known}. What is the length of the
          common tangent segment $PQ$ that is drawn?
    """)


@template("compositional", "ABPQ")
def common_chord(fig: Figure) -> Figure:
    """Ask for the length of the common chord of two circles, given the radii and the distance of the centres."""
    # A triangle with a whole altitude: two right triangles on the common leg.
    triples = (
        (3, 4, 5), (5, 12, 13), (8, 6, 10), (6, 8, 10), (8, 15, 17), (9, 12, 15), (16, 12, 20), (15, 8, 17),
        (12, 5, 13), (4, 3, 5),
    )  # fmt: skip
    x, half, big = fig.choice(*triples)
    y = fig.randint(2, 14)
    other = sympy.sqrt(half**2 + y * y)
    fig.pose()
    A, B = fig.declare(A=(0, 0), B=(fig.uniform(3.4, 4.2), fig.uniform(-0.3, 0.3)))
    P = fig.free("P", fig.uniform(1.4, 2.4), fig.uniform(1.5, 2.4))
    fig.let("Q", con.MIRROR(P, A, B))
    fig.circle(A, con.length(P - A))
    fig.circle(B, con.length(P - B))
    fig.strokes("PQ", dashed="AB", dots="AB")
    fig.state("The circles with centres A and B cross at P and Q.")
    fig.given(AP=big, BP=other, AB=x + y)
    return fig.ask("dist(P,Q)", 2 * half).worded(f"""
        Circles with centres $A$ and $B$ cross at $P$ and $Q$. Their radii are ${big}$ and ${tex(other)}$, in this
          order, and $AB = {x + y}$. Find the length of $PQ$.
        A circle of radius ${big}$ about $A$ and a circle of radius ${tex(other)}$ about $B$ have the common chord $PQ$.
          If the centres are ${x + y}$ apart, how long is this chord?
        What is the length of the common chord $PQ$ of two circles, one with centre $A$ and radius ${big}$, the other
          with centre $B$ and radius ${tex(other)}$, where $AB = {x + y}$?
    """)


@template("compositional", "ABC")
def third_circle(fig: Figure) -> Figure:
    """Ask for the radius or area of the smallest of three circles that touch a line and each other, given the two other
    radii.
    """
    m, n = fig.randint(1, 7), fig.randint(1, 7)
    factor = fig.randint(1, 4)
    fig.require(m != n, "two different circles")
    big, small = factor * max(m, n) ** 2, factor * min(m, n) ** 2
    fig.pose()
    r1, r2 = fig.uniform(2.2, 2.6), fig.uniform(0.9, 1.9)
    fig.require(abs(r2 / r1 - small / big) >= 0.1 * small / big, "a decoy of a different shape")
    between = r1 * r2 / (np.sqrt(r1) + np.sqrt(r2)) ** 2
    p, q = fig.free("u", 0, 0), fig.free("v", 10, 0)
    e = fig.let("e", con.UNIT(q - p))
    f = fig.let("f", con.TURN(e, -90 if fig.flip else 90))
    ra, rb, rc = (fig.let(name, fine(value * fig.scale)) for name, value in (("r", r1), ("s", r2), ("t", between)))
    A, B = fig.declare(A=p + ra * f, B=p + fine(2 * np.sqrt(r1 * r2) * fig.scale) * e + rb * f)
    C = fig.let("C", p + fine(2 * np.sqrt(r1 * between) * fig.scale) * e + rc * f)
    fig.draw(p - fig.size(1.6 * r1) * e, p + fig.size(2 * np.sqrt(r1 * r2) + 1.6 * r2) * e)
    for center, radius in ((A, ra), (B, rb), (C, rc)):
        fig.circle(center, radius)
    fig.dots(A, B, C)
    fig.state(
        "Circles with centres A, B and C stand on the same side of a line and touch it. They also touch each other."
    )
    fig.state("The circle with centre C touches the line between the others.")
    smallest = R(big * small, 1) / (sympy.sqrt(big) + sympy.sqrt(small)) ** 2
    area = fig.coin()
    what = "area of the circle" if area else "radius of the circle"
    fig.fact("r", big)
    fig.fact("s", small)
    fig.fact("dist(A,B)/(r+s)-1", 0)
    fig.fact("dist(A,C)/(r+t)-1", 0)
    fig.fact("dist(B,C)/(s+t)-1", 0)
    return fig.ask("pi*t**2" if area else "t", sympy.pi * smallest**2 if area else smallest).worded(f"""
        Three circles stand on a line and touch each other. Those about $A$ and $B$ have radii ${big}$ and ${small}$.
          What is the {what} with centre $C$?
        Circles of radius ${big}$ (centre $A$) and ${small}$ (centre $B$) touch each other and a line. In the gap lies a
          third circle that touches both of them and the line. Find the {what} about $C$.
        Each of the three circles is tangent to the two others and to the straight line. If the circles with centres
          $A$, $B$ have radii ${big}$, ${small}$, find the {what} with centre $C$.
    """)


@template("compositional", "ABCP")
def tangent_points(fig: Figure) -> Figure:
    """Ask for the inscribed angle over the chord between the contact points of two tangents of a circle, given the
    angle between the tangents.

    Only the drawing code, not the problem's text, shows on which arc the vertex of the inscribed angle is.
    """
    at_p = 2 * fig.randint(16, 60)
    drawn = fig.decoy(40, 100, at_p)
    major = fig.coin()
    fig.pose()
    o, r = fig.free("O", 0, 0), fig.real("r", 2.4)
    t, h = fig.uniform(0, 360), (180 - drawn) / 2
    half, middle = fig.declare(h=lit(h), t=lit(t))
    fig.declare(A=o + r * con.HEADING(middle - half), B=o + r * con.HEADING(middle + half))
    fig.let("P", o + r / con.cosine(half) * con.HEADING(middle))
    at_c = t + (180 if major else 0) + fig.uniform(-0.3, 0.3) * h
    fig.let("C", o + r * con.HEADING(lit(at_c % 360)))
    fig.circle(o, r)
    fig.strokes("APB ACB", dots="O")
    fig.state(f"A, B and C lie on a circle with centre O, with C on the {'longer' if major else 'shorter'} arc AB.")
    fig.state("The tangents at A and B meet at P.")
    stated = fig.given(APB=at_p)
    return fig.ask("angle(A,C,B)", R(180 - at_p, 2) if major else 180 - R(180 - at_p, 2)).worded(f"""
        $PA$ and $PB$ touch the circle with centre $O$ at $A$ and $B$, and {stated}. How many degrees is $\\angle ACB$?
        Two tangents from $P$ meet at an angle of ${at_p}^\\circ$ and touch the circle at $A$ and $B$. Find $\\angle
          ACB$ in degrees.
        From $P$ the tangents $PA$ and $PB$ are drawn to a circle, with {stated}. What is the measure of $\\angle ACB$,
          in degrees?
    """)


@template("compositional", "ABCD")
def concentric_ring(fig: Figure) -> Figure:
    """Ask for the area between two concentric circles, given the lengths of the chords that they cut from one line."""
    half, inner = fig.randint(4, 14), fig.randint(1, 8)
    fig.require(inner < half, "a chord that is longer than its part inside")
    fig.pose()
    o = fig.free("O", 0, 0)
    big, small = fig.real("q", 3), fig.real("r", fig.uniform(1.6, 2.2))
    m, t = fig.declare(h=fig.size(fig.uniform(0.7, 1.3)), t=lit(fig.uniform(0, 360)))
    foot = fig.let("f", o + m * con.HEADING(t))
    reach, inner_reach = (con.root(radius * radius - m * m) * con.HEADING(t + 90) for radius in (big, small))
    fig.declare(A=foot + reach, B=foot - reach, C=foot + inner_reach, D=foot - inner_reach)
    fig.circle(o, big, shade=0.82)
    fig.circle(o, small, shade=1.0)
    fig.strokes("AB", dots="O")
    fig.state("The line AB meets the larger of two circles with centre O at A and B.")
    fig.state("It meets the smaller one at C and D, with C nearer to A. The ring between the circles is shaded.")
    known = fig.given(AB=2 * half, CD=2 * inner)
    return fig.ask("pi*(q*q-r*r)", sympy.pi * (half**2 - inner**2)).worded(f"""
        Line $AB$ cuts two concentric circles, so that {known}. What is the area of the shaded ring?
        A chord of the larger of two circles about $O$ crosses the smaller one at $C$ and $D$. If {known}, find the area
          between the circles.
        Find the area of the grey ring, given that {known}.
    """)


@template("compositional", "ABC")
def half_discs(fig: Figure) -> Figure:
    """Ask for the shaded area in a figure of a right triangle with half discs on its legs, given hypotenuse and a leg.

    Only the drawing code, not the problem's text, shows which of the regions are shaded.
    """
    p, q = fig.randint(2, 16), fig.randint(2, 16)
    fig.require(p != q, "two different legs")
    case = fig.randint(0, 2)
    fig.pose()
    C, t = fig.declare(C=(0, 0), t=lit(fig.uniform(0, 360)))
    A = fig.let("A", C + fig.size(3) * con.HEADING(t))
    B = fig.let("B", C + fig.size(3 * fig.decoy(0.6, 1.6, q / p)) * con.HEADING(t + 90))
    leg_a, leg_b = con.length(A - C) / 2, con.length(B - C) / 2
    on_a = Arc(center=con.mid(A, C), radius=leg_a, start=t + 180, end=t + 360)
    on_b = Arc(center=con.mid(B, C), radius=leg_b, start=t + 90, end=t + 270)
    if case in (0, 2):
        fig.fill(on_a)
    if case in (1, 2):
        fig.fill(on_b)
    if case == 2:
        fig.fill(A, B, C)
    fig.draw(on_a)
    fig.draw(on_b)
    fig.strokes("ABCA", rights="ACB")
    fig.state("ABC is a triangle. The angle ACB is marked as a right angle.")
    fig.state("Half discs stand outside the triangle on the sides AC and BC.")
    discs = "half disc on AC is", "half disc on BC is", "triangle and the half discs are"
    fig.state(f"The {discs[case]} shaded.")
    hypotenuse = sympy.sqrt(p * p + q * q)
    known = f"hypotenuse $AB = {tex(hypotenuse)}$ and leg $AC = {p}$"
    answer = (sympy.pi * R(p * p, 8), sympy.pi * R(q * q, 8), R(p * q, 2) + sympy.pi * R(p * p + q * q, 8))[case]
    fig.given(AB=hypotenuse, AC=p)
    return fig.ask("shaded()", answer).worded(f"""
        Semicircles are drawn outwards on the legs of right triangle $ABC$ with {known}. What is the area of the shaded
          region?
        A right triangle has {known}; on both legs stand half discs. Find the total shaded area.
        In the figure, the right triangle $ABC$ has {known}, and the arcs are semicircles. How large is the area that is
          filled?
    """)
