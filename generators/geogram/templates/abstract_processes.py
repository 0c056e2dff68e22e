"""Templates of abstract problems whose figures are drawn by loops or recursion, some of which continue endlessly."""

from fractions import Fraction

import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import Draw, Fill, IfZero, Let, Params, Path, Procedure, Run, var, wrap
from planimeter.generators.geogram.template import NUMBERS, Figure, template

R = sympy.Rational


@template("abstract", "AB")
def segment_spiral(fig: Figure) -> Figure:
    """Ask for the distance from the start to the end of a chain of shrinking segments, or to its limit point.

    Only the drawing code, not the problem's text, shows the number of segments, and angle and direction of each turn.
    """
    m, n = fig.choice((1, 2), (2, 3), (1, 3), (3, 4), (3, 5), (2, 5), (1, 4), (4, 5))
    first = n ** fig.randint(1, 2) * fig.randint(1, 8)
    degrees = fig.choice(60, 90, 120)
    endless = fig.coin()
    count = fig.randint(9, 12) if endless else fig.randint(3, 5)
    fig.pose()
    q = fig.ratio("q", fig.decoy(0.6, 0.88, m / n, 0.1))
    steps, A, B = fig.declare(n=wrap(count), A=(0, 0), B=(4, 0))
    p, v = fig.let("p", B), fig.let("v", B - A)
    fig.draw(A, B)
    turn = degrees if fig.coin() else -degrees
    body = (
        Let(name="v", expr=q * con.TURN(v, turn), again=True),
        Draw(path=Path(pieces=(p, p + v))),
        Let(name="p", expr=p + v, again=True),
    )
    fig.loop("i", wrap(1), steps, body)
    fig.state(f"The path starts with the segment AB and has {NUMBERS[count]} segments in all.")
    fig.state(
        f"Each further segment is turned by ${degrees}^\\circ$ from the direction of the one before, always to the "
        "same side."
    )
    ratio = f"$\\frac{{{m}}}{{{n}}}$"
    fig.given(AB=first)
    fig.fact("q", f"{m}/{n}")
    if endless:
        squared = R(first**2) / (1 + R(m, n) ** 2 - 2 * R(m, n) * {60: R(1, 2), 90: R(0), 120: R(-1, 2)}[degrees])
        return fig.ask("endless(n, dist(A,p))", sympy.sqrt(squared)).worded(f"""
            A chain of segments begins with $AB = {first}$. Each further segment is {ratio} times as long as the one
              before it and turned as in the code. If the chain went on without end, how far from $A$ would the point be
              that it approaches?
            From $A$ a bug walks ${first}$ units to $B$, turns as the program does, walks {ratio} of the last distance,
              turns again, and so on for ever. Find the distance from $A$ to the point that it comes closer and closer
              to.
            Suppose the loop never stopped and the true factor from one segment to the next were {ratio}, with $AB =
              {first}$. What is the distance between $A$ and the limit point of the path?
        """)
    return fig.ask("dist(A,p)", sympy.sqrt(_chain(first, Fraction(m, n), degrees, count))).worded(f"""
        A chain of segments begins with $AB = {first}$. Each further segment is {ratio} times as long as the one before
          it and turned as in the code. How far from $A$ is the other end of the chain that is drawn?
        From $A$ a bug walks ${first}$ units to $B$, turns as the program does, walks {ratio} of the last distance, and
          so on, until the program ends. Find the straight distance between $A$ and its last point.
        Let $AB = {first}$ and let every segment of the path be {ratio} of the one before. What is the distance from $A$
          to the end of the path?
    """)


def _chain(first: int, q: Fraction, degrees: int, count: int) -> sympy.Rational:
    """Return the exact squared distance from the start to the end of a chain of ``count`` segments.

    The first has the length ``first``; each further one is ``q`` times as long as the one before, and turned by
    ``degrees``. Points are computed as x + y w, where w is a rotation by 90 degrees if ``degrees`` is 90, otherwise by
    60 degrees.
    """
    x, y, u, v = Fraction(0), Fraction(0), Fraction(first), Fraction(0)
    for _ in range(count):
        x, y = x + u, y + v
        for _ in range(degrees // (90 if degrees == 90 else 60)):
            u, v = (-v, u) if degrees == 90 else (-v, u + v)
        u, v = u * q, v * q
    squared = x * x + y * y + (0 if degrees == 90 else x * y)
    return R(squared.numerator, squared.denominator)


@template("abstract", "ABP")
def nested_squares(fig: Figure) -> Figure:
    """Ask for the total grey area of squares inside each other that are alternately grey and white.

    Only the drawing code, not the problem's text, shows the number of squares, unless the text says it is infinite.
    """
    m, n = fig.choice((1, 2), (1, 3), (2, 3), (3, 4), (3, 5), (2, 5), (1, 4), (2, 1), (3, 1), (3, 2), (5, 3))
    side = (m + n) * fig.randint(1, 6)
    rho = R(m * m + n * n, (m + n) ** 2)
    endless = fig.coin()
    count = fig.randint(3, 4) if endless else fig.randint(1, 2)
    fig.pose()
    k = fig.ratio("k", fig.decoy(0.18, 0.42, m / (m + n)) if m < n else fig.decoy(0.58, 0.82, m / (m + n)))
    steps, A, B = fig.declare(n=wrap(count), A=(0, 0), B=(5, 0))
    _, a, v = fig.declare(P=A + k * (B - A), a=A, v=B - A)
    square = a, a + v, a + v + con.TURN(v, 90), a + con.TURN(v, 90)
    shrink = (
        Let(name="a", expr=a + k * v, again=True),
        Let(name="v", expr=(1 - k) * v + k * con.TURN(v, 90), again=True),
    )
    outline = Path(pieces=square, closed=True)
    grey, white = ((Fill(path=outline, shade=shade), Draw(path=outline), *shrink) for shade in (0.75, 1.0))
    fig.loop("i", wrap(0), steps, (*grey, *white))
    fig.state("AB is a side of the outermost square, and P is the corner of the second square that lies on AB.")
    many, squares = NUMBERS[count], "square" if count == 1 else "squares"
    fig.state(f"Inside each other lie {many} grey and {many} white {squares}, in turn, the outermost grey.")
    ring = side**2 * (1 - rho)
    rule = (
        "the corners of each square divide the sides of the square around it in the same ratio, "
        f"$AP : PB = {m} : {n}$ for the first"
    )
    size = fig.given(AB=side)
    fig.fact(f"{n}*k/(1-k)-{m}", 0)
    if endless:
        return fig.ask("endless(n, shaded())", ring / (1 - rho**2)).worded(f"""
            Squares are drawn inside each other; {rule}, and {size}. Regions are painted alternately grey and white,
              beginning with grey at the outside. If this went on without end, what would the total grey area be?
            In the pattern, {rule}. Suppose that the loop ran for ever and {size}. Find the area of all grey regions
              together.
            With {size} and a process that never ends, how large is the whole grey area of the figure? Note that {rule}.
        """)
    return fig.ask("shaded()", sum((ring * rho ** (2 * i) for i in range(count)), R(0))).worded(f"""
        Squares are drawn inside each other; {rule}, and {size}. What is the total area of the grey regions?
        In the pattern, {rule}. If {size}, how large is the area that stays grey when the program has ended?
        Find the grey area of the figure, in which {rule} and {size}.
    """)


@template("abstract", "ABC")
def carved_triangle(fig: Figure) -> Figure:
    """Ask for the area that is left when a recursive procedure replaces a triangle by smaller copies in its corners.

    Only the drawing code, not the problem's text, shows the depth of the recursion and the number of corners.
    """
    m, n = fig.choice((1, 2), (1, 3), (2, 5), (3, 7), (3, 8), (1, 4), (4, 9))
    depth, corners = fig.randint(1, 3), fig.randint(2, 3)
    total = n ** (2 if depth == 1 else fig.randint(2, 3)) * fig.randint(1, 5)
    fig.pose()
    t = fig.ratio("t", fig.decoy(0.28, 0.46, m / n, 0.1))
    p, q, r, k = (*(var(name, "pair") for name in "pqr"), var("k", "int"))
    calls = (
        Run(name="carve", args=(p, p + t * (q - p), p + t * (r - p), k - 1)),
        Run(name="carve", args=(q + t * (p - q), q, q + t * (r - q), k - 1)),
        Run(name="carve", args=(r + t * (p - r), r + t * (q - r), r, k - 1)),
    )[:corners]
    triangle = Path(pieces=(p, q, r), closed=True)
    base = (Fill(path=triangle, shade=0.7),)
    params: Params = (("p", "pair"), ("q", "pair"), ("r", "pair"), ("k", "int"))
    fig.add(Procedure(name="carve", params=params, body=(IfZero(test=k, then=base, otherwise=calls),)))
    A, B, C = fig.declare(A=(0, 0), B=(5, 0), C=(fig.uniform(1.2, 3.6), fig.uniform(3.4, 4.6)))
    fig.add(Run(name="carve", args=(A, B, C, wrap(depth))))
    fig.draw(A, B, C, closed=True)
    ratio = f"$\\frac{{{m}}}{{{n}}}$"
    fig.fact("area(A,B,C)", total)
    fig.fact("t", f"{m}/{n}")
    return fig.ask("shaded()", total * (corners * R(m, n) ** 2) ** depth).worded(f"""
        The procedure keeps of every triangle only small copies in some of its corners, with sides {ratio} as long, and
          treats these in the same way. Triangle $ABC$ has area ${total}$. What is the area of the grey part?
        Let the area of triangle $ABC$ be ${total}$ and let each copy that the program makes have {ratio} of the side
          lengths of the triangle in whose corner it lies. How large is the total area that is filled at the end?
        A pattern arises from triangle $ABC$ of area ${total}$ by replacing triangles by copies in corners, again and
          again as in the code. If a copy is {ratio} times as wide as its original, find the filled area.
    """)
