"""Templates of abstract problems about motion: rolling, sliding, winding, and an animal on a rope."""

import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import Draw, Path, fine, var, wrap
from planimeter.generators.geogram.template import NUMBERS, Figure, template

R = sympy.Rational


@template("abstract", "ABCDP")
def rolling_rectangle(fig: Figure) -> Figure:
    """Ask for the length of the path of a point of a rectangle that rolls along a line for a full turn.

    Only the drawing code, not the problem's text, shows which point it is.
    """
    a, b = fig.randint(2, 16), fig.randint(2, 16)
    fig.require(a != b, "a rectangle that is not a square")
    case = fig.randint(0, 3)
    fig.pose(upright=True)
    A, B, C, _D = fig.rectangle(fig.uniform(2.2, 3.0), fig.decoy(0.5, 1.2, b / a))
    fig.let("P", (C, con.mid(A, C), con.mid(A, B), con.mid(B, C))[case])
    fig.draw(A - fig.size(1) * con.UNIT(B - A), B + fig.size(4) * con.UNIT(B - A), width=1.6)
    fig.strokes("ABCDA", dots="P")
    fig.state("ABCD is a rectangle that stands with its side AB on a horizontal line.")
    fig.state(
        ("P is the corner C.", "P is the centre of ABCD.", "P is the midpoint of AB.", "P is the midpoint of BC.")[case]
    )
    fig.label("ABDCP" if case else "ABDP")
    diagonal = sympy.sqrt(a * a + b * b)
    path = (
        sympy.pi / 2 * (a + b + diagonal),
        sympy.pi * diagonal,
        sympy.pi / 2 * (a + sympy.sqrt(a * a + 4 * b * b)),
        sympy.pi / 2 * (b + sympy.sqrt(b * b + 4 * a * a)),
    )[case]
    known = fig.given(AB=a, AD=b)
    return fig.ask("rolled(P,A,B,C,D)", path).worded(f"""
        The rectangle in the figure, with {known}, rolls along the line without slipping, over one corner after the
          other, until it stands on $AB$ again. How long is the path of the point $P$?
        A crate is tipped over its edges along the floor until the side that was at the bottom is there again for the
          first time. In the side view {known}. Find the length of the track of $P$.
        Tip the rectangle with {known} over to the right four times. What distance does the dot $P$ cover on its way?
    """)


@template("abstract", "AB")
def around_a_polygon(fig: Figure) -> Figure:
    """Ask for the length of a curve at a given distance from a regular polygon, or the area between curve and polygon.

    Only the drawing code, not the problem's text, shows the number of sides: the number of iterations of a loop.
    """
    sides, edge, radius = fig.randint(3, 10), fig.randint(2, 15), fig.randint(1, 9)
    fig.pose()
    fig.regular_polygon(sides, "o", 2.6)
    fig.given(AB=edge)
    if fig.coin():
        return fig.ask(f"n*dist(A,B)+2*pi*{radius}", sides * edge + 2 * sympy.pi * radius, drawn=False).worded(f"""
            A disc of radius ${radius}$ rolls once around the outside of the polygon, which has sides of length $AB =
              {edge}$, always touching it. How long is the path of its centre?
            The regular polygon in the figure has $AB = {edge}$. Find the length of the closed curve of all points
              outside it whose distance from it is ${radius}$.
            A rope is laid around the drawn polygon at a constant distance of ${radius}$. If $AB = {edge}$, how long is
              the rope?
        """)
    fig.ask(f"n*dist(A,B)*{radius}+pi*{radius}**2", sides * edge * radius + sympy.pi * radius**2, drawn=False)
    return fig.worded(f"""
        The regular polygon in the figure has $AB = {edge}$. What is the area of the set of points outside it that are
          at most ${radius}$ away from it?
        A path of width ${radius}$ runs around a flower bed, which has the form of the drawn regular polygon with $AB =
          {edge}$; every point of the path is at most ${radius}$ from the bed. Find the area of the path.
        Points that lie outside the polygon, but no farther than ${radius}$ from it, form a ring. How large is its area,
          if $AB = {edge}$?
    """)


@template("abstract", "ABCDP")
def tether(fig: Figure) -> Figure:
    """Ask for the area that an animal can reach on a rope that is fastened to the wall of a rectangular barn.

    Only the drawing code, not the problem's text, shows where on the wall the rope is fastened.
    """
    a, b = 2 * fig.randint(2, 8), 2 * fig.randint(2, 8)
    case = fig.randint(0, 2)
    reach = (a + b, a // 2 + b, b // 2 + a)[case]
    rope = fig.randint(min(a, b) // 2 + 1, reach)
    fig.require(a != b, "a barn that is not a square")
    fig.pose()
    A, B, C, D = fig.rectangle(fig.uniform(3.2, 4.2), fig.decoy(0.5, 1.2, b / a))
    P = fig.let("P", (B, con.mid(A, B), con.mid(B, C))[case])
    fig.fill(A, B, C, D, shade=0.8)
    fig.draw(A, B, C, D, closed=True)
    outward = con.UNIT(B - C) if case < 2 else con.UNIT(B - A)
    fig.draw(P, P + fig.size(1.6) * (outward + con.UNIT(B - A) if case == 0 else outward), dashed=True)
    fig.dots(P)
    fig.state("ABCD is a rectangle.")
    fig.state(("P is the corner B.", "P is the midpoint of AB.", "P is the midpoint of BC.")[case])
    fig.label("ACDPB" if case else "ACDP")

    def quarter(x: int | sympy.Rational) -> sympy.Expr:
        return sympy.pi * max(R(x), R(0)) ** 2 / 4

    corner, on_a, on_b = (
        3 * quarter(rope) + quarter(rope - a) + quarter(rope - b),
        2 * quarter(rope) + 2 * quarter(rope - R(a, 2)) + 2 * quarter(rope - R(a, 2) - b),
        2 * quarter(rope) + 2 * quarter(rope - R(b, 2)) + 2 * quarter(rope - R(b, 2) - a),
    )
    second = "B" if case else "P"
    known = fig.given(**{f"A{second}": a, "AD": b})
    animal = fig.choice("goat", "dog", "cow", "pony", "donkey")
    return fig.ask(f"tethered({rope},P,A,{second},C,D)", (corner, on_a, on_b)[case], drawn=False).worded(f"""
        A {animal} is tied to a rectangular barn at $P$, outside, with a rope of length ${rope}$. The barn has sides
          {known}. What area can the {animal} reach?
        The shaded rectangle is a barn with {known}. At $P$ a {animal} is fastened to its outer wall by a rope ${rope}$
          units long. How large is the area where it can graze?
        With {known} and a rope of length ${rope}$ from $P$ to its collar, over what area of ground outside the building
          can a {animal} move?
    """)


@template("abstract", "ABP")
def sliding_rod(fig: Figure) -> Figure:
    """Ask for the area under the path of a point of a rod that slides down a wall."""
    p, q = fig.randint(1, 12), fig.randint(1, 12)
    fig.require(p != q, "a point that is not the midpoint")
    fig.pose(upright=True)
    o, A = fig.declare(O=(0, 0), A=(fig.uniform(2.4, 3.6), 0))
    B = fig.let("B", o + fine(fig.uniform(0.7, 1.5)) * con.TURN(A - o, 90))
    fig.let("P", A + fine(fig.decoy(0.25, 0.75, p / (p + q))) * (B - A))
    fig.draw(o, o + fine(1.5) * (A - o), width=1.6)
    fig.draw(o, o + fine(1.3) * (B - o), width=1.6)
    fig.strokes("AB", dots="P")
    fig.right(A, o, B)
    fig.state("OAB is a triangle. The angle AOB is marked as a right angle. P lies on segment AB.")
    fig.state("The ray OA is the floor, and the ray OB is the wall.")
    known = fig.given(AP=p, PB=q)
    return fig.ask("rod_area(A,B,P)", sympy.pi * R(p * q, 4)).worded(f"""
        A rod $AB$ leans against a wall. It slides, its ends always on the wall and the floor, from upright to flat, and
          {known}. What area do wall, floor and the track of $P$ enclose?
        The ends $A$ and $B$ of a rod move on two perpendicular rays from $O$; {known}. Find the area between the rays
          and the curve along which $P$ moves when the rod takes all positions from one ray to the other.
        As ladder $AB$ slips down completely, the point $P$ on it, where {known}, describes a curve from the wall to the
          floor. How large is the area under this curve?
    """)


@template("abstract", "ABCD")
def thread_on_cylinder(fig: Figure) -> Figure:
    """Ask for the length of a thread that winds around a cylinder, drawn on the unrolled side of the cylinder.

    Only the drawing code, not the problem's text, shows the number of turns: the number of iterations of a loop.
    """
    around, height, turns = fig.randint(2, 12), fig.randint(4, 40), fig.randint(2, 7)
    fig.pose()
    A, B, C, D = fig.rectangle(fig.uniform(2.4, 3.4), fig.decoy(1.0, 2.0, height / around))
    n = fig.let("n", wrap(turns))
    fig.draw(A, B, C, D, closed=True)
    i = var("i", "int")
    rung = Draw(path=Path(pieces=(A + i * (D - A) / n, B + (i + 1) * (D - A) / n)), width=1.4)
    fig.loop("i", wrap(0), n, [rung])
    fig.state(f"ABCD is a rectangle. Its sides AD and BC are divided into {NUMBERS[turns]} equal parts.")
    fig.state("Parallel segments start at A and at the points that divide AD, and each ends on BC, one part higher.")
    known = fig.given(AB=around, AD=height)
    return fig.ask("n*dist(A,B+(D-A)/n)", sympy.sqrt(height**2 + (turns * around) ** 2)).worded(f"""
        The side of a cylinder is unrolled to the rectangle $ABCD$, cut open along $AD$, with {known}. The slanted lines
          are a thread that winds evenly around the cylinder. How long is the thread?
        A ribbon is wound around a pillar with circumference $AB = {around}$ and height $AD = {height}$, from bottom to
          top. In the drawing the surface of the pillar is laid flat. Find the length of the ribbon.
        Joining the sides $AD$ and $BC$ of the rectangle makes a tube, on which the oblique segments form one continuous
          helix. If {known}, what is the length of this helix?
    """)
