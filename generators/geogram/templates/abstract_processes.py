"""Abstract problems about processes: loops, recursion, limits."""

from fractions import Fraction

import numpy as np
import sympy

from planimeter.generators.geogram import constructions as con
from planimeter.generators.geogram.scene import Draw, Fill, IfZero, Let, Path, Procedure, Run, var, wrap
from planimeter.generators.geogram.sketch import Sketch
from planimeter.generators.geogram.template import NUMBERS, Draft, Template, choose, draw_decoy, letters, randint

R = sympy.Rational


def _spiral(rng: np.random.Generator) -> Draft:
    """A chain of shrinking segments; turn, number of segments and direction are in the code."""
    A, B = letters(rng, 2)
    m, n = ((1, 2), (2, 3), (1, 3), (3, 4), (3, 5), (2, 5), (1, 4), (4, 5))[int(rng.integers(8))]
    first = n ** int(rng.integers(1, 3)) * randint(rng, 1, 8)
    degrees = int(rng.choice([60, 90, 120]))
    endless = bool(rng.integers(2))
    count = randint(rng, 9, 12) if endless else randint(rng, 3, 5)
    s = Sketch(rng)
    q = s.ratio("q", draw_decoy(rng, 0.6, 0.88, m / n, 0.1))
    steps = s.let("n", wrap(count))
    a = s.free(A, 0, 0)
    b = s.free(B, 4, 0)
    p = s.let("p", b)
    v = s.let("v", b - a)
    s.draw(a, b)
    turn = degrees if rng.integers(2) else -degrees
    body = (
        Let(name="v", expr=q * con.TURN(v, turn), again=True),
        Draw(path=Path(pieces=(p, p + v))),
        Let(name="p", expr=p + v, again=True),
    )
    s.loop("i", wrap(1), steps, body)
    s.state(f"The path starts with the segment {A}{B} and has {NUMBERS[count]} segments in all.")
    s.state(
        f"Each further segment is turned by ${degrees}^\\circ$ from the direction of the one "
        "before, always to the same side."
    )
    s.names(A + B, a, b)
    ratio = f"$\\frac{{{m}}}{{{n}}}$"
    facts = [(f"dist({A},{B})", str(first)), ("q", f"{m}/{n}")]
    if endless:
        squared = R(first**2) / (1 + R(m, n) ** 2 - 2 * R(m, n) * {60: R(1, 2), 90: R(0), 120: R(-1, 2)}[degrees])
        statement = choose(
            rng,
            f"A chain of segments begins with ${A}{B} = {first}$. Each further segment is {ratio} times as long as "
            f"the one before it and turned as in the code. If the chain went on without end, how far from ${A}$ "
            "would the point be that it approaches?",
            f"From ${A}$ a bug walks ${first}$ units to ${B}$, turns as the program does, walks {ratio} of the last "
            f"distance, turns again, and so on for ever. Find the distance from ${A}$ to the point that it comes "
            "closer and closer to.",
            f"Suppose the loop never stopped and the true factor from one segment to the next were {ratio}, with "
            f"${A}{B} = {first}$. What is the distance between ${A}$ and the limit point of the path?",
        )
        return Draft(
            sketch=s, statement=statement, givens=facts, asked=f"endless(n, dist({A},p))", answer=sympy.sqrt(squared)
        )
    statement = choose(
        rng,
        f"A chain of segments begins with ${A}{B} = {first}$. Each further segment is {ratio} times as long as the "
        f"one before it and turned as in the code. How far from ${A}$ is the other end of the chain that is drawn?",
        f"From ${A}$ a bug walks ${first}$ units to ${B}$, turns as the program does, walks {ratio} of the last "
        f"distance, and so on, until the program ends. Find the straight distance between ${A}$ and its last point.",
        f"Let ${A}{B} = {first}$ and let every segment of the path be {ratio} of the one before. What is the "
        f"distance from ${A}$ to the end of the path?",
    )
    return Draft(
        sketch=s,
        statement=statement,
        givens=facts,
        asked=f"dist({A},p)",
        answer=sympy.sqrt(_chain(first, Fraction(m, n), degrees, count)),
    )


def _chain(first: int, q: Fraction, degrees: int, count: int) -> sympy.Rational:
    """Return the squared distance from start to end, exact: places as x + y w with w a turn by 60 or 90 degrees."""
    x, y, u, v = Fraction(0), Fraction(0), Fraction(first), Fraction(0)
    for _ in range(count):
        x, y = x + u, y + v
        for _ in range(degrees // (90 if degrees == 90 else 60)):
            u, v = (-v, u) if degrees == 90 else (-v, u + v)
        u, v = u * q, v * q
    squared = x * x + y * y + (0 if degrees == 90 else x * y)
    return R(squared.numerator, squared.denominator)


def _nested_squares(rng: np.random.Generator) -> Draft:
    """Squares in squares, painted alternately; the code says how many, or they go on without end."""
    A, B, P = letters(rng, 3)
    m, n = ((1, 2), (1, 3), (2, 3), (3, 4), (3, 5), (2, 5), (1, 4), (2, 1), (3, 1), (3, 2), (5, 3))[
        int(rng.integers(11))
    ]
    side = (m + n) * randint(rng, 1, 6)
    rho = R(m * m + n * n, (m + n) ** 2)
    endless = bool(rng.integers(2))
    count = randint(rng, 3, 4) if endless else randint(rng, 1, 2)
    s = Sketch(rng)
    k = s.ratio("k", draw_decoy(rng, 0.18, 0.42, m / (m + n)) if m < n else draw_decoy(rng, 0.58, 0.82, m / (m + n)))
    steps = s.let("n", wrap(count))
    first = s.free(A, 0, 0)
    second = s.free(B, 5, 0)
    point = s.let(P, first + k * (second - first))
    a = s.let("a", first)
    v = s.let("v", second - first)
    square = (a, a + v, a + v + con.TURN(v, 90), a + con.TURN(v, 90))
    shrink = (
        Let(name="a", expr=a + k * v, again=True),
        Let(name="v", expr=(1 - k) * v + k * con.TURN(v, 90), again=True),
    )
    body = (
        Fill(path=Path(pieces=square, closed=True), shade=0.75),
        Draw(path=Path(pieces=square, closed=True)),
        *shrink,
        Fill(path=Path(pieces=square, closed=True), shade=1.0),
        Draw(path=Path(pieces=square, closed=True)),
        *shrink,
    )
    s.loop("i", wrap(0), steps, body)
    s.state(
        f"{A}{B} is a side of the outermost square, and {P} is the corner of the second square that lies on {A}{B}."
    )
    squares = "square" if count == 1 else "squares"
    s.state(
        f"Inside each other lie {NUMBERS[count]} grey and {NUMBERS[count]} white {squares}, in turn, "
        "the outermost grey."
    )
    s.names(A + B + P, first, second, point)
    ring = side**2 * (1 - rho)
    answer = ring / (1 - rho**2) if endless else sum((ring * rho ** (2 * i) for i in range(count)), R(0))
    rule = (
        f"the corners of each square divide the sides of the square around it in the same ratio, "
        f"${A}{P} : {P}{B} = {m} : {n}$ for the first"
    )
    size = f"${A}{B} = {side}$"
    if endless:
        statement = choose(
            rng,
            f"Squares are drawn inside each other; {rule}, and {size}. Regions are painted alternately grey and "
            "white, beginning with grey at the outside. If this went on without end, what would the total grey "
            "area be?",
            f"In the pattern, {rule}. Suppose that the loop ran for ever and {size}. Find the area of all grey "
            "regions together.",
            f"With {size} and a process that never ends, how large is the whole grey area of the figure? Note that "
            f"{rule}.",
        )
    else:
        statement = choose(
            rng,
            f"Squares are drawn inside each other; {rule}, and {size}. What is the total area of the grey regions?",
            f"In the pattern, {rule}. If {size}, how large is the area that stays grey when the program has ended?",
            f"Find the grey area of the figure, in which {rule} and {size}.",
        )
    facts = [(f"dist({A},{B})", str(side)), (f"{n}*k/(1-k)-{m}", "0")]
    return Draft(
        sketch=s,
        statement=statement,
        givens=facts,
        asked="endless(n, shaded())" if endless else "shaded()",
        answer=answer,
    )


def _carved_triangle(rng: np.random.Generator) -> Draft:
    """A recursive procedure replaces a triangle by copies in its corners; the code says how deep and where."""
    A, B, C = letters(rng, 3)
    m, n = ((1, 2), (1, 3), (2, 5), (3, 7), (3, 8), (1, 4), (4, 9))[int(rng.integers(7))]
    depth, corners = randint(rng, 1, 3), randint(rng, 2, 3)
    total = n ** (2 if depth == 1 else randint(rng, 2, 3)) * randint(rng, 1, 5)
    s = Sketch(rng)
    t = s.ratio("t", draw_decoy(rng, 0.28, 0.46, m / n, 0.1))
    p, q, r, k = var("p", "pair"), var("q", "pair"), var("r", "pair"), var("k", "int")
    calls = (
        Run(name="carve", args=(p, p + t * (q - p), p + t * (r - p), k - 1)),
        Run(name="carve", args=(q + t * (p - q), q, q + t * (r - q), k - 1)),
        Run(name="carve", args=(r + t * (p - r), r + t * (q - r), r, k - 1)),
    )[:corners]
    triangle = Path(pieces=(p, q, r), closed=True)
    base = (Fill(path=triangle, shade=0.7),)
    s.add(
        Procedure(
            name="carve",
            params=(("p", "pair"), ("q", "pair"), ("r", "pair"), ("k", "int")),
            body=(IfZero(test=k, then=base, otherwise=calls),),
        )
    )
    a = s.free(A, 0, 0)
    b = s.free(B, 5, 0)
    c = s.free(C, rng.uniform(1.2, 3.6), rng.uniform(3.4, 4.6))
    s.add(Run(name="carve", args=(a, b, c, wrap(depth))))
    s.draw(a, b, c, closed=True)
    s.names(A + B + C, a, b, c)
    ratio = f"$\\frac{{{m}}}{{{n}}}$"
    statement = choose(
        rng,
        f"The procedure keeps of every triangle only small copies in some of its corners, with sides {ratio} as "
        f"long, and treats these in the same way. Triangle ${A}{B}{C}$ has area ${total}$. What is the area of the "
        "grey part?",
        f"Let the area of triangle ${A}{B}{C}$ be ${total}$ and let each copy that the program makes have {ratio} "
        "of the side lengths of the triangle in whose corner it lies. How large is the total area that is filled "
        "at the end?",
        f"A pattern arises from triangle ${A}{B}{C}$ of area ${total}$ by replacing triangles by copies in corners, "
        f"again and again as in the code. If a copy is {ratio} times as wide as its original, find the filled area.",
    )
    facts = [(f"area({A},{B},{C})", str(total)), ("t", f"{m}/{n}")]
    return Draft(
        sketch=s, statement=statement, givens=facts, asked="shaded()", answer=total * (corners * R(m, n) ** 2) ** depth
    )


TEMPLATES = (
    Template(name="segment_spiral", level="abstract", draft=_spiral),
    Template(name="nested_squares", level="abstract", draft=_nested_squares),
    Template(name="carved_triangle", level="abstract", draft=_carved_triangle),
)
