"""Templates of primitive problems about angles, at one line, one triangle or one circle."""

import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import lit
from planimeter.generators.geogram.template import Figure, template


@template("primitive", "ABCD")
def exterior_angle(fig: Figure) -> Figure:
    """Ask for an exterior angle of a triangle, given the two remote interior angles, or for one of these.

    The exterior angle is the sum of the two.
    """
    at_a, at_b = fig.randint(31, 88), fig.randint(28, 74)
    backwards = fig.coin()
    fig.pose()
    B, C, _A = fig.declare(B=(0, 0), C=(fig.uniform(4, 6), 0), A=(fig.uniform(0.6, 3.4), fig.uniform(2.2, 4.5)))
    fig.let("D", C + lit(fig.uniform(0.4, 0.7)) * (C - B))
    fig.strokes("ABD AC")
    fig.state("ABC is a triangle. D lies on the extension of BC beyond C.")
    if backwards:
        known = fig.given(ABC=at_b), fig.given(ACD=at_a + at_b)
        return fig.ask("angle(B,A,C)", at_a).worded(f"""
            Side $BC$ of triangle $ABC$ is produced to $D$. If {known[0]} and {known[1]}, how many degrees are in
              $\\angle BAC$?
            Given that {known[1]} and {known[0]} in the figure, where $D$ is a point of ray $BC$, find $\\angle BAC$ in
              degrees.
            Triangle $ABC$ has {known[0]}. The line through $B$ and $C$ runs on to $D$, and {known[1]}. What is the
              measure, in degrees, of the angle at $A$?
        """)
    known = fig.given(BAC=at_a), fig.given(ABC=at_b)
    return fig.ask("angle(A,C,D)", at_a + at_b).worded(f"""
        In triangle $ABC$ the angles at $A$ and $B$ measure ${at_a}^\\circ$ and ${at_b}^\\circ$. How large, in degrees,
          is $\\angle ACD$?
        Side $BC$ of a triangle is produced beyond $C$ as shown. If {known[0]} and {known[1]}, find the number of
          degrees in $\\angle ACD$.
        What is the degree measure of the exterior angle $ACD$, given {known[1]} and {known[0]}?
    """)


@template("primitive", "ABCD")
def angles_on_line(fig: Figure) -> Figure:
    """Ask for an angle between rays from a point of a line, given one or two of the angles on one side of the line.

    The three angles on that side add up to 180 degrees; if one is given, the two others are equal.
    """
    first, last = fig.randint(24, 82), fig.randint(21, 78)
    bisected = fig.coin()
    fig.pose()
    o, line = fig.declare(O=(0, 0), t=lit(fig.uniform(0, 360)))
    B = fig.let("B", o + fig.size(fig.uniform(3, 4)) * con.HEADING(line))
    fig.let("A", o - fig.size(fig.uniform(3, 4)) * con.HEADING(line))
    drawn_last = fig.decoy(25, 75, last)
    drawn_first = fig.decoy(30, 150 - drawn_last, first)
    C = fig.let("C", o + fig.size(3.2) * con.HEADING(line + 180 - lit(drawn_first)))
    if bisected:
        along = con.UNIT(B - o) + con.UNIT(C - o)
        D = fig.let("D", o + fig.size(3.4) * along / con.length(along))
    else:
        D = fig.let("D", o + fig.size(3.4) * con.HEADING(line + lit(drawn_last)))
    fig.strokes("AB OC")
    fig.draw(o, D)
    fig.state(
        "O lies between A and B on a line. On one side of this line, the rays OA, OC, OD and OB follow one another in "
        "this order."
    )
    stated = fig.given(AOC=first)
    if bisected:
        fig.state("The ray OD bisects the angle COB.")
        return fig.ask("angle(A,O,D)", first + sympy.Rational(180 - first, 2)).worded(f"""
            Ray $OD$ halves the angle between $OC$ and $OB$, and {stated}. How many degrees does $\\angle AOD$ measure?
            Point $O$ lies on segment $AB$ and $\\angle COD = \\angle DOB$. If {stated}, find $\\angle AOD$ in degrees.
            In the figure {stated}, and $OD$ is the bisector of $\\angle COB$. Determine the degree measure of $\\angle
              AOD$.
        """)
    fig.given(DOB=last)
    return fig.ask("angle(C,O,D)", 180 - first - last).worded(f"""
        Rays $OC$ and $OD$ leave the line $AB$ at $O$. If {stated} and $\\angle DOB = {last}^\\circ$, what is $\\angle
          COD$ in degrees?
        Two rays from a point $O$ of line $AB$ make $\\angle BOD = {last}^\\circ$ and {stated}, as drawn. How many
          degrees lie between the two rays?
        Find the degree measure of $\\angle COD$, given that $\\angle BOD = {last}^\\circ$ and {stated} and that $A$,
          $O$, $B$ are on one line.
    """)


@template("primitive", "ABC")
def inscribed_angle(fig: Figure) -> Figure:
    """Ask for an inscribed angle, given the central angle over the same chord.

    It is half the central angle, or 180 degrees less this half.
    Only the drawing code, not the problem's text, shows on which arc its vertex is.
    """
    theta = 2 * fig.randint(24, 82)
    drawn = fig.decoy(55, 160, theta)
    major = fig.coin()
    fig.pose()
    o, r = fig.free("O", 0, 0), fig.real("r", fig.uniform(2.6, 3.4))
    t = fig.uniform(0, 360)
    fig.declare(A=o + r * con.HEADING(lit(t)), B=o + r * con.HEADING(lit(t + drawn)))
    where = drawn / 2 + (180 if major else 0) + fig.uniform(-0.2, 0.2) * drawn
    fig.let("C", o + r * con.HEADING(lit((t + where) % 360)))
    fig.circle(o, r)
    fig.strokes("AOB ACB", dots="O")
    fig.state(f"A, B and C lie on a circle with centre O, with C on the {'longer' if major else 'shorter'} arc AB.")
    stated = fig.given(AOB=theta)
    return fig.ask("angle(A,C,B)", theta // 2 if major else 180 - theta // 2).worded(f"""
        Points $A$, $B$ and $C$ are on a circle with centre $O$, and {stated}. What is $\\angle ACB$ in degrees?
        The angle $AOB$ at the centre of the circle is ${theta}^\\circ$ (the one below $180^\\circ$). How many degrees
          does $\\angle ACB$ measure?
        In the circle shown, with centre $O$, we know that {stated}. Find the degree measure of the angle $ACB$.
        Chords $CA$ and $CB$ of a circle about $O$ are drawn. Given {stated}, compute $\\angle ACB$ in degrees.
    """)


@template("primitive", "ABC")
def equal_marks(fig: Figure) -> Figure:
    """Ask for an angle of an isosceles triangle, given another.

    Only tick marks in the drawing code, not the problem's text, show which sides are equal.
    """
    at_a = fig.randint(26, 84)
    apex_at_a = fig.coin()
    fig.pose()
    A, B = fig.free("A", 0, 0), fig.free("B", fig.uniform(3.5, 5), fig.uniform(-1, 1))
    true_apex = at_a if apex_at_a else 180 - 2 * at_a
    drawn = lit(fig.decoy(28, 110, true_apex))
    apex, other = (A, B) if apex_at_a else (B, A)
    C = fig.let("C", apex + con.TURN(other - apex, drawn))
    fig.draw(A, B, C, closed=True)
    fig.tick(apex, other)
    fig.tick(apex, C)
    sides = "AB and AC" if apex_at_a else "BA and BC"
    fig.state(f"ABC is a triangle. The sides {sides} are marked as equal.")
    answer = sympy.Rational(180 - at_a, 2) if apex_at_a else 180 - 2 * at_a
    fig.given(BAC=at_a)
    return fig.ask("angle(A,B,C)", answer).worded(f"""
        Sides with the same mark are equal. The angle at $A$ of triangle $ABC$ is ${at_a}^\\circ$. How many degrees is
          the angle at $B$?
        In triangle $ABC$, two sides are marked as equal and $\\angle BAC = {at_a}^\\circ$. Find $\\angle ABC$ in
          degrees.
        The tick marks in the drawing stand for equal lengths. If $\\angle BAC$ measures ${at_a}^\\circ$, what is the
          degree measure of $\\angle ABC$?
        Determine the number of degrees in $\\angle ABC$ of the isosceles triangle shown, whose equal sides carry marks,
          if $\\angle CAB = {at_a}^\\circ$.
    """)
