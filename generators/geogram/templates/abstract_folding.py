"""Templates of abstract problems about the result of folding, rolling up, rotating or reflecting a figure."""

import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import Expr, fine, lit, wrap
from planimeter.generators.geogram.template import Figure, template

R = sympy.Rational


@template("abstract", "ABCDPQ")
def fold_corner_to_corner(fig: Figure) -> Figure:
    """Ask for the length of the crease, or the area of the double layer, when a rectangle of given sides is folded so
    that two opposite corners meet.
    """
    short = fig.randint(3, 12)
    long = short + fig.randint(1, 12)
    fig.pose()
    A, B, C, D = fig.rectangle(5, fig.decoy(0.45, 0.85, short / long, 0.1))
    m = fig.let("m", con.mid(A, C))
    n = fig.let("n", m + con.TURN(C - A, 90))
    P, Q = fig.let("P", con.MEET(m, n, A, B)), fig.let("Q", con.MEET(m, n, C, D))
    turned = fig.let("d", con.MIRROR(D, P, Q))
    fig.fill(P, C, turned, Q, shade=0.85)
    fig.strokes("ABCDA", dashed="PQ")
    fig.draw(P, C, turned, Q)
    fig.state("ABCD is a rectangle. P lies on side AB, and Q lies on side CD.")
    fig.state("Folding along the dashed line PQ takes A to C.")
    known = fig.given(AB=long, AD=short)
    if fig.coin():
        return fig.ask("dist(P,Q)", short * sympy.sqrt(R(long**2 + short**2, long**2))).worded(f"""
            A rectangular sheet $ABCD$ with {known} is folded along $PQ$ so that $A$ falls on $C$. How long is the
              crease?
            Folding rectangle $ABCD$ at the dashed line brings corner $A$ onto corner $C$. If {known}, find $PQ$.
            Paper of the form $ABCD$, {known}, is creased so that two opposite corners, $A$ and $C$, lie on each other.
              What is the length of the crease $PQ$?
        """)
    return fig.ask("area(C,P,Q)", R(short * (long**2 + short**2), 4 * long)).worded(f"""
        A rectangular sheet $ABCD$ with {known} is folded along $PQ$ so that $A$ falls on $C$. What is the area of the
          part that is now double?
        Folding rectangle $ABCD$ at $PQ$ brings $A$ onto $C$. Given {known}, find the area of triangle $CPQ$, where two
          layers lie on each other.
        Corner $A$ of a sheet with {known} is laid on the opposite corner $C$, with a crease $PQ$. How large is the
          region of two layers of paper?
    """)


@template("abstract", "ABCDPQ")
def fold_to_side(fig: Figure) -> Figure:
    """Ask for the length of the crease, or of the part of a side that it cuts off, when a corner of a rectangle is
    folded onto the opposite side, with the crease through the next corner.
    """
    x, y, z = fig.choice(
        (3, 4, 5), (4, 3, 5), (12, 5, 13), (8, 6, 10), (6, 8, 10), (15, 8, 17), (12, 9, 15), (16, 12, 20),
        (24, 7, 25), (20, 15, 25), (24, 10, 26), (21, 20, 29), (8, 15, 17),
    )  # fmt: skip
    fig.require(z - x < y, "a crease that ends on the side")
    fig.pose()
    A, B, C, D = fig.rectangle(4.6, fig.decoy(0.55, 0.93, y / z, 0.08))
    P = fig.let("P", D + con.root(con.dot(B - A, B - A) - con.dot(D - A, D - A)) * con.UNIT(C - D))
    Q = fig.let("Q", con.MEET(A, A + con.UNIT(B - A) + con.UNIT(P - A), B, C))
    fig.fill(A, P, Q, shade=0.85)
    fig.strokes("ABCDA", dashed="AQ")
    fig.draw(A, P, Q)
    fig.state("ABCD is a rectangle. P lies on side CD, and Q lies on side BC.")
    fig.state("Folding along the dashed line AQ takes B to P.")
    known = fig.given(AB=z, AD=y)
    foot = R(y * y + (z - x) ** 2, 2 * y)
    crease = fig.coin()
    what, asked, answer = (
        ("the crease $AQ$", "dist(A,Q)", sympy.sqrt(z * z + foot**2)) if crease else ("$BQ$", "dist(B,Q)", foot)
    )
    return fig.ask(asked, answer).worded(f"""
        Sheet $ABCD$ is a rectangle with {known}. It is folded along $AQ$, and $B$ comes to lie at $P$ on side $DC$. How
          long is {what}?
        A rectangle with {known} is creased along a line through $A$, such that corner $B$ lands on the opposite long
          side, at $P$. Find the length of {what}.
        Triangle $ABQ$ of rectangle $ABCD$ is folded over $AQ$ to $APQ$, with $P$ on $CD$. If {known}, determine the
          length of {what}.
    """)


@template("abstract", "ABCDPQ")
def net_of_a_box(fig: Figure) -> Figure:
    """Ask for the distance in space between two corners of a box whose net is drawn, after folding."""
    a, b, c = fig.randint(2, 12), fig.randint(2, 12), fig.randint(2, 12)
    fig.require(len({a, b, c}) >= 3, "three different edges")
    fig.pose()
    A, t = fig.declare(A=(0, 0), t=lit(fig.uniform(0, 360)))
    e, f = fig.let("e", con.HEADING(t)), fig.let("f", con.HEADING(t + 90))
    x, y, z = (fig.real(name, fig.uniform(1.0, 2.2)) for name in "xyz")
    zero = wrap(0)

    def at(u: Expr, v: Expr) -> Expr:
        across = A if u is zero else A + u * e
        if v.op == "neg":
            return across - v.args[0] * f
        return across if v is zero else across + v * f

    right, back, left = x + y, 2 * x + y, 2 * x + 2 * y
    for low, high in ((zero, x), (x, right), (right, back), (back, left)):
        fig.fill(at(low, zero), at(high, zero), at(high, z), at(low, z), shade=0.92)
    fig.fill(at(zero, z), at(x, z), at(x, z + y), at(zero, z + y), shade=0.92)
    fig.fill(at(zero, zero), at(x, zero), at(x, -y), at(zero, -y), shade=0.92)
    fig.draw(at(zero, zero), at(left, zero), at(left, z), at(zero, z), closed=True)
    fig.draw(at(zero, -y), at(x, -y), at(x, z + y), at(zero, z + y), closed=True)
    fig.draw(at(right, zero), at(right, z))
    fig.draw(at(back, zero), at(back, z))
    # Corners of the net and where they are on the box: front (x, 0, z), then around it; top and bottom join the front.
    corners = [
        (at(right, z), (a, b, c)),
        (at(back, z), (0, b, c)),
        (at(left, z), (0, 0, c)),
        (at(back, zero), (0, b, 0)),
        (at(left, zero), (0, 0, 0)),
        (at(x, z + y), (a, b, c)),
        (at(zero, z + y), (0, b, c)),
        (at(x, -y), (a, b, 0)),
        (at(zero, -y), (0, b, 0)),
    ]
    i, j = sorted(int(v) for v in fig.rng.choice(len(corners), 2, replace=False))
    (first, u), (second, v) = corners[i], corners[j]
    squared = sum((m - n) ** 2 for m, n in zip(u, v, strict=True))
    fig.require(sum(m != n for m, n in zip(u, v, strict=True)) >= 2, "two corners that are not on one edge")
    P, Q = fig.let("P", first), fig.let("Q", second)
    for name, corner in (("B", at(x, zero)), ("C", at(right, zero)), ("D", at(zero, z))):
        fig.let(name, corner)
    fig.dots(P, Q)
    known = fig.given(AB=a, BC=b, AD=c)
    return fig.ask("folded(P,Q)", sympy.sqrt(squared)).worded(f"""
        The figure is the net of a closed box, with {known}. How far apart are the corners $P$ and $Q$ once the box is
          folded, measured straight through space?
        Cardboard of the form shown, with {known}, is folded up to a box. Find the straight-line distance between the
          points $P$ and $Q$ of the box.
        A rectangular box is unfolded as drawn; {known}. What is the length of the straight segment from $P$ to $Q$ when
          the box is put together again?
    """)


@template("abstract", "AB")
def cone_from_sector(fig: Figure) -> Figure:
    """Ask for the height or volume of the cone into which a sector of a disc is rolled up.

    Only the drawing code, not the problem's text, shows which of the two sectors is used.
    """
    radius, theta = fig.randint(3, 18), fig.choice(60, 72, 90, 108, 120, 144, 150)
    drawn = fig.decoy(50, 155, theta)
    minor = fig.coin()
    fig.pose()
    fig.sector(drawn, minor=minor, dashed=True)
    known = fig.given(OA=radius, AOB=theta)
    base = R(radius * (theta if minor else 360 - theta), 360)
    height = sympy.sqrt(radius**2 - base**2)
    in_drawing = "(shaded()/(pi*dist(O,A)))"
    if fig.coin():
        return fig.ask(f"sqrt(dist(O,A)**2-{in_drawing}**2)", height).worded(f"""
            The shaded sector, with {known}, is cut out and rolled up until its two straight edges meet. How high is the
              cone?
            In the disc about $O$ we have {known}. Its grey part becomes the side of a cone. Find the height of this
              cone.
            A cone without base is made by joining the edges $OA$ and $OB$ of the shaded piece of paper. If {known},
              what is the height of the cone?
        """)
    fig.ask(f"pi*{in_drawing}**2*sqrt(dist(O,A)**2-{in_drawing}**2)/3", sympy.pi * base**2 * height / 3)
    return fig.worded(f"""
        The shaded sector, with {known}, is cut out and rolled up until its two straight edges meet. What volume does
          the cone have?
        In the disc about $O$ we have {known}. Its grey part becomes the side of a cone. Find the volume of this cone.
        A paper cup in the form of a cone is made by joining the edges $OA$ and $OB$ of the shaded piece of paper. If
          {known}, how much does the cup hold?
    """)


@template("abstract", "AB")
def swept_segment(fig: Figure) -> Figure:
    """Ask for the area that a segment sweeps over when it rotates about a point O by a given angle.

    Only the drawing code, not the problem's text, shows if the segment AB is on a line with O or perpendicular to OA.
    """
    gap, reach = fig.randint(2, 12), fig.randint(2, 12)
    theta = fig.choice(30, 40, 45, 60, 72, 80, 90, 100, 120, 135, 150)
    radial = fig.coin()
    fig.pose()
    o, A = fig.declare(O=(0, 0), A=(fig.uniform(1.8, 2.6), 0))
    k = fine(fig.decoy(0.5, 1.3, reach / gap))
    B = fig.let("B", A + k * (A - o) if radial else A + k * con.TURN(A - o, 90))
    turn = fig.let("t", lit(fig.decoy(35, 120, theta)))
    c, d = fig.declare(c=o + con.TURN(A - o, turn), d=o + con.TURN(B - o, turn))
    fig.draw(A, B, width=1.8)
    fig.draw(c, d, width=1.8)
    fig.strokes(dashed="OA Oc", dots="O")
    if radial:
        fig.state("O, A and B lie on a line, in this order.")
    else:
        fig.right(o, A, B)
        fig.state("OAB is a triangle. The angle OAB is marked as a right angle.")
    fig.state("The segment AB is drawn a second time, turned about O.")
    known = fig.given(OA=gap, AB=reach)
    fig.fact("angle(A,O,c)", theta)
    squared = (gap + reach) ** 2 - gap**2 if radial else reach**2
    return fig.ask("pi*angle(A,O,c)/360*(dist(O,B)**2-dist(O,A)**2)", sympy.pi * R(theta * squared, 360)).worded(f"""
        Segment $AB$ is turned about $O$ by ${theta}^\\circ$ into the second position shown. With {known}, what area
          does it sweep over?
        In the figure {known}. The segment $AB$ rotates around $O$ through ${theta}^\\circ$. Find the area of the region
          that it passes.
        A wiper $AB$ swings about the point $O$ through an angle of ${theta}^\\circ$; {known}. How large is the area
          that it wipes?
    """)


@template("abstract", "ABCDP")
def two_reflections(fig: Figure) -> Figure:
    """Ask for the distance between a point and its image after reflection in one line, and then in another."""
    angle, far = fig.choice(15, 30, 45, 60, 75), fig.randint(3, 24)
    fig.pose()
    o = fig.free("O", 0, 0)
    t = fig.uniform(0, 360)
    drawn = fig.decoy(25, 70, angle)
    u, v = fig.let("u", con.HEADING(lit(t))), fig.let("v", con.HEADING(lit(t + drawn)))
    _A, _B = fig.let("A", o - fig.size(1.2) * u), fig.let("B", o + fig.size(4.2) * u)
    _C, _D = fig.let("C", o - fig.size(1.2) * v), fig.let("D", o + fig.size(4.2) * v)
    fig.let("P", o + fig.size(fig.uniform(2.6, 3.4)) * con.HEADING(lit(t - fig.uniform(12, 35))))
    fig.strokes("AB CD", dashed="OP", dots="PO")
    fig.state("The segments AB and CD cross at O. P is a point on neither of them.")
    known = fig.given(OP=far, BOD=angle)
    image = fig.choice("'", "''")
    sine = {15: (sympy.sqrt(6) - sympy.sqrt(2)) / 4, 75: (sympy.sqrt(6) + sympy.sqrt(2)) / 4}.get(
        angle, sympy.sin(sympy.pi * angle / 180)
    )
    return fig.ask("dist(P,mirrored(mirrored(P,A,B),C,D))", 2 * far * sine).worded(f"""
        Lines $AB$ and $CD$ cross at $O$, with {known}. Point $P$ is reflected in $AB$, and its image is reflected in
          $CD$. How far is the final point from $P$?
        Mirror $P$ in the line $AB$, then mirror the result in the line $CD$ to reach $P{image}$. If {known}, find
          $PP{image}$.
        Two mirror lines meet at $O$ and {known}. After a reflection in $AB$ that is followed by one in $CD$, where is
          $P$? Give the distance between its first and its last position.
    """)
