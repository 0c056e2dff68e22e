"""Turns a figure described in words into a construction, equations, and conditions on its arrangement.

This module defines the meaning of each sentence. The points that it introduces are free or constructed from earlier
ones; the relations that it states between known points are equations (``relations``) or inequalities (``conditions``).
There is no drawing to infer anything from: order and side are known only if a sentence states them. Objects that the
words do not name have fixed names, which ``givens`` use: ``c`` is the image of a rotated point, ``n`` a number of sides
or steps, ``i`` an incentre, ``t`` a point of a circle; ``p`` to ``s`` are marked points or corners of a cross-section;
``q`` and ``r``, or ``r``, ``s`` and ``t``, are radii.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from planimeter.filters.certify.geogram.asymptote import UnreadableError

_PRELUDE: Final = """
def foot(P, A, B):
    return A + np.dot(P - A, B - A) / np.dot(B - A, B - A) * (B - A)
def across(A, B):
    return rotate(90) * (B - A)
def incentre(A, B, C):
    return extension(A, A + unit(B - A) + unit(C - A), B, B + unit(A - B) + unit(C - B))
"""

_CARDINALS: Final = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS: Final = _CARDINALS.split()

#: The placeholders of a sentence: as many letters of points as the figure gives, a number in words, one in figures, a
#: plan.
_HOLES: Final = {
    **{str(n): r"\$" + "([A-Z])" * n + r"\$" for n in range(1, 5)},
    "n": f"({'|'.join(_NUMBERS)})",
    "d": r"\$(\d+)\^\\circ\$",
    "t": r"([\d,; ]+)",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """The construction and the conditions that a description in words gives.

    ``program`` is Python for ``machine``; in the search for solutions, each of its decimal literals starts between 0
    and twice its value. ``relations`` are measures that must be 0, ``conditions`` measures that must be positive, and
    ``aliases`` maps calls without arguments in the asked quantity to the measures that they mean.
    """

    program: str
    relations: tuple[str, ...]
    conditions: tuple[str, ...]
    aliases: dict[str, str] = field(default_factory=dict)


# Parts of sentences; a figure n is the content of the n-th placeholder.


def _between(a: int, p: int, b: int) -> str:
    return f"-facing({{{a}}},{{{p}}},{{{b}}}) > 0"


def _same_side(a: int, b: int, p: int, q: int) -> str:
    return f"turning({{{a}}},{{{b}}},{{{p}}}) * turning({{{a}}},{{{b}}},{{{q}}}) > 0"


def _opposite(a: int, b: int, p: int, q: int) -> str:
    return "-" + _same_side(a, b, p, q)


def _equal(a: int, b: int, p: int, q: int) -> str:
    return f"dist({{{a}}},{{{b}}}) / dist({{{p}}},{{{q}}}) ~ 1"


def _off(p: int, a: int, b: int) -> str:
    """Return a template for the signed distance of point ``p`` from the line through points ``a`` and ``b``.

    The distance is positive on the left. ``p``, ``a`` and ``b`` number the placeholders of the sentence from 0.
    """
    return f"dist({{{a}}},{{{p}}}) * turning({{{a}}},{{{b}}},{{{p}}})"


def _right(a: int, b: int, c: int) -> str:
    return f"angle({{{a}}},{{{b}}},{{{c}}}) / 90 ~ 1"


def _on(p: int, a: int, b: int) -> tuple[str, str]:
    return f"{{{p}}} = {{{a}}} + 0.5 * ({{{b}}} - {{{a}}})", _between(a, p, b)


def _circle(*points: int, centre: str = "") -> tuple[str, ...]:
    hub = (centre, f"hub = {centre}") if centre else ("hub = np.array([5.0, 5.0])",)
    return (*hub, "rho = 5.0", *(f"{{{p}}} = hub + rho * dir(180.0)" for p in points))


def _box(*names: int) -> tuple[str, ...]:
    corners = [(i, j, k) for k in "0z" for i, j in ("00", "x0", "xy", "0y")]
    places = (f"{{{n}}} = np.array([{x}, {y}, {z}])" for n, (x, y, z) in zip(names, corners, strict=False))
    return ("x = 5.0", "y = 5.0", "z = 5.0", *places)


def _sector(angle: str) -> tuple[str, str]:
    return (
        f"shaded() := pi * dist({{2}},{{0}})**2 * {angle} / 360",
        f"shaded_rim() := dist({{2}},{{0}}) * (2 + pi * {angle} / 180)",
    )


def _area(*points: int) -> str:
    return f"area({', '.join(f'{{{p}}}' for p in points)})"


_TRIANGLE: Final = "{0} {1} {2}"
_RECTANGLE: Final = ("{0} {1}", "{3} = {0} + 0.5 * across({0}, {1})", "{2} = {1} + {3} - {0}")
_CONVEX: Final = (_opposite(0, 2, 1, 3), _opposite(1, 3, 0, 2))
_SECTORS: Final = r"#1 and #1 lie on a circle with centre #1. The radii #2 and #2 divide the disc into sectors. "

#: Sentences and their meaning: "{0} {1}" are free points, "x = ..." is a construction, "... > 0" a condition, "... ~
#: value" a relation, "name := ..." an alias. Of two that match, the longer one counts.
_MEANINGS: Final[dict[str, tuple[str, ...]]] = {
    # Points and lines
    "#1 is the midpoint of #2": ("{0} = ({1} + {2}) / 2",),
    "#1 is the midpoint of #2, and #1 is the midpoint of #2": ("{0} = ({1} + {2}) / 2", "{3} = ({4} + {5}) / 2"),
    "#1 is the midpoint of #2, and the median #2 is drawn": ("{0} = ({1} + {2}) / 2",),
    "#1 is the corner #1": ("{0} = {1}",),
    "#1 is the centre of #4": ("{0} = ({1} + {2} + {3} + {4}) / 4",),
    "#1 is the foot of the perpendicular from #1 to #2": ("{0} = foot({1}, {2}, {3})",),
    "#2 is dashed": (),
    "#1 lies on (?:side|segment) #2": _on(0, 1, 2),
    "#1 lies on side #2, and #1 lies on side #2": (*_on(0, 1, 2), *_on(3, 4, 5)),
    "#1 lies on the extension of #2 beyond #1": ("{0} = {2} + 0.5 * ({2} - {1})", _between(1, 3, 0)),
    "#1, #1 and #1 lie on a line, in this order": ("{0} {1}", "{2} = {1} + 0.5 * ({1} - {0})", _between(0, 1, 2)),
    "#1 lies between #1 and #1 on a line": ("{1} {2}", *_on(0, 1, 2)),
    "On one side of this line, the rays #2, #2, #2 and #2 follow one another in this order": (
        *("{3} {5}", _same_side(0, 3, 5, 7), _same_side(0, 5, 7, 7), _opposite(0, 5, 3, 7), _opposite(0, 3, 1, 5)),
        _same_side(1, 7, 3, 5),
    ),
    "The segments #2 and #2 meet at #1": (
        *("{4} = extension({0}, {1}, {2}, {3})", _between(0, 4, 1), _between(2, 4, 3)),
    ),
    "The segments #2 and #2 cross at #1. #1 is a point on neither of them": (
        *("{0} {1} {2} {5}", *_on(4, 0, 1), "{3} = {4} + 0.5 * ({4} - {2})", _between(2, 4, 3)),
    ),
    "The lines #2 and #2 meet at #1, with #1 between #1 and #1, and #1 between #1 and #1": (
        *("{4} = extension({0}, {1}, {2}, {3})", _between(6, 5, 7), _between(9, 8, 10)),
    ),
    "#2 and #2 are perpendicular to #2 and lie on the same side of it": (
        *("{4} {5}", "{1} = {0} + 0.5 * across({4}, {5})", "{3} = {2} + 0.5 * across({4}, {5})"),
        _same_side(4, 5, 1, 3),
    ),
    "#2 and #2 are parallel": (f"({_off(3, 0, 1)} - {_off(2, 0, 1)}) / dist({{2}},{{3}}) ~ 0",),
    "The (?:ray|segment) #2 bisects the angle #3": ("(angle({2},{0},{1}) - angle({1},{0},{4})) / 90 ~ 0",),
    "The angle #3 is marked as a right angle": (_right(0, 1, 2),),
    "The angles #3 and #3 are equal": ("(angle({0},{1},{2}) - angle({3},{4},{5})) / 90 ~ 0",),
    "The rays #2 and #2 are parallel and point in opposite directions": (
        *("{1}", "{3} = {2} + 0.5 * ({0} - {1})", _same_side(0, 1, 2, 2)),
        "turning({0},{1},{2}) * turning({2},{3},{0}) > 0",
    ),
    "#1 and #1 lie between the lines #2 and #2": (
        *(_same_side(2, 3, 0, 4), _same_side(2, 3, 1, 4), _same_side(4, 5, 0, 2), _same_side(4, 5, 1, 2)),
    ),
    "#1 and #1 lie on opposite sides of the line #2": (_opposite(2, 3, 0, 1),),
    "Folding along the dashed line #2 takes #1 to #1": (_equal(0, 2, 0, 3), _equal(1, 2, 1, 3)),
    "The segment #2 is drawn a second time, turned about #1": ("c = {2} + rotate(90.0) * ({0} - {2})",),
    # Triangles
    "#3 is a triangle": (_TRIANGLE,),
    "The sides #2 and #2 are marked as equal": (_equal(0, 1, 2, 3),),
    "#3 is a triangle. Its inscribed circle touches side #2 at #1, side #2 at #1 and side #2 at #1": (
        *(_TRIANGLE, "i = incentre({0}, {1}, {2})"),
        *("{5} = foot(i, {3}, {4})", "{8} = foot(i, {6}, {7})", "{11} = foot(i, {9}, {10})"),
    ),
    "#3 is a triangle. Its inscribed circle is drawn, with centre #1": (
        *(_TRIANGLE, "{3} = incentre({0}, {1}, {2})", "t = foot({3}, {0}, {1})"),
    ),
    "#3 is a triangle. Its circumscribed circle is drawn, with centre #1": (
        *(_TRIANGLE, "{3}", _equal(3, 0, 3, 1), _equal(3, 1, 3, 2), "t = {0}"),
    ),
    "The inscribed circle of triangle #3 is shaded": ("i = incentre({0}, {1}, {2})",),
    "#4 is a square with #1 and #1 on side #2, #1 on side #2 and #1 on side #2": (
        *(*_on(2, 9, 10), *_on(3, 12, 13), "{0} = foot({3}, {6}, {7})", "{1} = foot({2}, {6}, {7})"),
        *(_equal(0, 3, 1, 2), _equal(0, 1, 0, 3), _between(6, 0, 7), _between(6, 1, 7)),
    ),
    # Quadrilaterals and other polygons
    "#4 is a rectangle": _RECTANGLE,
    "#4 is a rectangle that stands with its side #2 on a horizontal line": _RECTANGLE,
    "#4 is a parallelogram": ("{0} {1} {3}", "{2} = {1} + {3} - {0}"),
    "#4 is a rhombus whose diagonals meet at #1": (
        *("{4} {0}", "{1} = {4} + 0.5 * across({4}, {0})", "{2} = 2 * {4} - {0}", "{3} = 2 * {4} - {1}"),
    ),
    "#4 is a trapezoid whose sides #2 and #2 are parallel": (
        *("{4} {5} {6}", "{7} = {6} + 0.5 * ({5} - {4})", *_CONVEX),
    ),
    "#4 is a trapezoid with right angles at #1 and #1. It is shaded": (
        *("{0} {1} {3}", "{2} = {3} + 0.5 * ({1} - {0})", _right(1, 0, 3), *_CONVEX),
    ),
    "The dashed line is the line #2": ("p = {0}", "q = {1}"),
    "#4 is a broken line": ("{0} {1} {2} {3}",),
    "The figure is a regular polygon with #n sides, of which #2 is one": ("n = {0}", "{1} {2}"),
    # Circles
    "#1 and #1 lie on a circle with centre #1": _circle(0, 1, centre="{2}"),
    f"{_SECTORS}The smaller sector is shaded": (*_circle(0, 1, centre="{2}"), *_sector("angle({0},{2},{1})")),
    f"{_SECTORS}The larger sector is shaded": (*_circle(0, 1, centre="{2}"), *_sector("(360 - angle({0},{2},{1}))")),
    "#1, #1 and #1 lie on a circle with centre #1, with #1 on the longer arc #2": (
        *(*_circle(0, 1, 2, centre="{3}"), _same_side(5, 6, 4, 3)),
    ),
    "#1, #1 and #1 lie on a circle with centre #1, with #1 on the shorter arc #2": (
        *(*_circle(0, 1, 2, centre="{3}"), _opposite(5, 6, 4, 3)),
    ),
    "#1, #1, #1 and #1 lie on a circle": _circle(0, 1, 2, 3),
    "#1, #1, #1 and #1 lie on a circle, in this order": (*_circle(0, 1, 2, 3), *_CONVEX),
    "The tangents at #1 and #1 meet at #1": (
        "{2} = extension({0}, {0} + across(hub, {0}), {1}, {1} + across(hub, {1}))",
    ),
    "#4 is a quadrilateral. The circle with centre #1 touches all its sides": (
        "{0} {1} {2} {3} {4}",
        *(f"{_off(4, a, b)} / ({_off(4, 3, 0)}) ~ 1" for a, b in ((0, 1), (1, 2), (2, 3))),
        *_CONVEX,
    ),
    "The circles with centres #1 and #1 touch the line #2 at #1 and #1. They lie on the same side of it": (
        *("{2} {3}", "{0} = {4} + 0.5 * across({2}, {3})", "{1} = {5} + 0.5 * across({2}, {3})"),
        _same_side(2, 3, 0, 1),
    ),
    "The circles with centres #1 and #1 touch the line #2 at #1 and #1. They lie on opposite sides of it": (
        *("{2} {3}", "{0} = {4} + 0.5 * across({2}, {3})", "{1} = {5} - 0.5 * across({2}, {3})"),
        _opposite(2, 3, 0, 1),
    ),
    "The circles with centres #1 and #1 cross at #1 and #1": ("{0} {1} {2}", "{3} = reflect({0}, {1}) * {2}"),
    "Circles with centres #1, #1 and #1 stand on the same side of a line and touch it. They also touch each other": (
        *("r = 5.0", "s = 5.0", "t = 5.0", "r > 0", "s > 0", "t > 0"),
        *(f"{foot} = np.array([5.0, 0])" for foot in "uvw"),
        *(
            f"{{{k}}} = {foot} + np.array([0, {radius}])"
            for k, foot, radius in ((0, "u", "r"), (1, "v", "s"), (2, "w", "t"))
        ),
        *(f"dist({{{a}}},{{{b}}}) / ({p}) ~ 1" for a, b, p in ((0, 1, "r + s"), (0, 2, "r + t"), (1, 2, "s + t"))),
    ),
    "The circle with centre #1 touches the line between the others": ("-facing(u,w,v) > 0",),
    "The line #2 meets the larger of two circles with centre #1 at #1 and #1. It meets the smaller one at #1 and #1, "
    "with #1 nearer to #1. The ring between the circles is shaded": (
        *("{2}", "mid = np.array([5.0, 5.0])", "far = 0.9", "near = 0.4", "near > 0", "far - near > 0"),
        *("{0} = mid + far * across({2}, mid)", "{1} = mid - far * across({2}, mid)", "q = abs({0} - {2})"),
        *("{5} = mid + near * across({2}, mid)", "{6} = mid - near * across({2}, mid)", "r = abs({5} - {2})"),
        _between(8, 7, 6),
    ),
    # Shaded regions
    "The (?:triangle|face) #3 is shaded": (f"shaded() := {_area(0, 1, 2)}",),
    "The quadrilateral #4 is shaded": (f"shaded() := {_area(0, 1, 2, 3)}",),
    "The triangles #3 and #3 are shaded": (f"shaded() := {_area(0, 1, 2)} + {_area(3, 4, 5)}",),
    "Half discs stand outside the rectangle on the sides #2 and #2. The rectangle and the half discs are shaded": (
        "shaded() := dist({0},{1}) * dist({1},{2}) + pi * dist({0},{1})**2 / 4",
        "shaded_rim() := 2 * dist({1},{2}) + pi * dist({0},{1})",
    ),
    "Half discs stand outside the triangle on the sides #2 and #2. The half disc on #2 is shaded": (
        "shaded() := pi * dist({4},{5})**2 / 8",
    ),
    "Half discs stand outside the triangle on the sides #2 and #2. The triangle and the half discs are shaded": (
        "shaded() := pi * (dist({0},{1})**2 + dist({2},{3})**2) / 8 + area({0},{1},{2})",
    ),
    # Solids
    "The box has the bottom #4 and the top #4. Its upright edges are #2, #2, #2 and #2": _box(
        0, 1, 2, 3, *range(9, 16, 2)
    ),
    "Dots mark #1 and #1": ("p = {1}",),
    "Dots mark #1 and the midpoint of #2": ("p = ({1} + {2}) / 2",),
    "The shaded section is the triangle #3": ("p = {0}", "q = {1}", "r = {2}"),
    "The shaded section is the quadrilateral #4": ("p = {0}", "q = {1}", "r = {2}", "s = {3}"),
    "The shaded section joins the midpoint of #2, the midpoint of #2, #1 and #1": (
        *("p = ({0} + {1}) / 2", "q = ({2} + {3}) / 2", "r = {4}", "s = {5}"),
    ),
    **{
        "The rectangle #4 is the base of a pyramid with apex #1. "
        f"The altitude from #1, a thin dashed line, ends at {end}": (
            *(*_box(0, 1, 2, 3), f"{{4}} = {foot} + np.array([0, 0, z])"),
        )
        for end, foot in (
            ("#1", "{6}"),
            ("the centre of #4", "({6} + {8}) / 2"),
            ("the midpoint of #2", "({6} + {7}) / 2"),
        )
    },
    "#4 is a tetrahedron. Its edges #2, #2 and #2 are perpendicular to each other": (
        *("x = 5.0", "y = 5.0", "z = 5.0", "{0} = np.array([0, 0, 0])", "o = {0}", "{5} = np.array([x, 0, 0])"),
        *("{7} = np.array([0, y, 0])", "{9} = np.array([0, 0, z])"),
    ),
    # Processes and plans
    "The ray #2 is the floor, and the ray #2 is the wall": (),
    "Its sides #2 and #2 are divided into #n equal parts. Parallel segments start at #1 and at the points that "
    "divide #2, and each ends on #2, one part higher": ("n = {4}",),
    "The path starts with the segment #2 and has #n segments in all. Each further segment is turned by #d from the "
    "direction of the one before, always to the same side": (
        *("{0} {1}", "q = 0.5", "n = {2}", "p = {1}", "v = {1} - {0}"),
        "for i in range(1, n):\n    v = q * (rotate({3}) * v)\n    p = p + v",
    ),
    "#2 is a side of the outermost square, and #1 is the corner of the second square that lies on #2. "
    "Inside each other lie #n grey and #n white squares?, in turn, the outermost grey": (
        *("{0} {1}", "k = 0.5", "n = {5}", "{2} = {0} + k * ({1} - {0})", "a = {0}", "v = {1} - {0}"),
        "for j in range(0, n):\n"
        + "".join(
            f"    ax.fill(*zip(a, a + v, a + v + rotate(90) * v, a + rotate(90) * v), color={grey})\n"
            "    a = a + k * v\n    v = v - k * v + k * (rotate(90) * v)\n"
            for grey in ('"0.5"', '"white"')
        ),
    ),
    "The plan has #n rows of fields. From back to front, each from left to right, they hold #t": ("h = [[{1}]]",),
}


def _pattern(sentence: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"#(\w)", lambda hole: _HOLES[hole[1]], sentence.replace(". ", r"\. ")) + r"\.(?: |$)")


_PATTERNS: Final = sorted(((_pattern(text), text) for text in _MEANINGS), key=lambda one: -len(one[1]))


def read(words: str) -> Figure:
    """Return the figure that ``words`` describe.

    Raises:
        UnreadableError: at the first sentence that has no known form, or at a point that is undefined or defined twice.
    """
    lines, relations, conditions, aliases = [_PRELUDE], [], [], {}
    known: set[str] = set()
    for step in _steps(words):
        left, sign, right = re.fullmatch(r"(.+?)(?: (:=|=|~|>) (.+))?", step, re.DOTALL).groups()  # type: ignore[union-attr]
        if step.startswith("for ") or sign == "=":
            lines.append(step)
        elif sign is None:
            lines += [f"{point} = np.array([5.0, 5.0])" for point in left.split()]
        elif sign == "~":
            relations.append(f"{left} - {right}")
        elif sign == ">":
            conditions.append(left)
        else:
            aliases[left] = f"({right})"
        defined = set(left.split()) if sign in (None, "=") and not step.startswith("for ") else set()
        used = set(re.findall(r"\b[A-Z]\b|\bhub\b", step)) - defined
        if used - known or {point for point in defined if point.isupper()} & known:
            raise UnreadableError(f"a point is undefined or defined twice in {step!r}")
        known |= defined
    return Figure("\n".join(lines), tuple(relations), tuple(conditions), aliases)


def _steps(words: str) -> Iterator[str]:
    at = 0
    while at < len(words):
        parsed = next(((match, text) for pattern, text in _PATTERNS if (match := pattern.match(words, at))), None)
        if parsed is None:
            raise UnreadableError(f"no known sentence begins with {words[at:][:80]!r}")
        holes = [str(_NUMBERS.index(h)) if h in _NUMBERS else h.replace("; ", "], [") for h in parsed[0].groups()]
        yield from (step.format(*holes) for step in _MEANINGS[parsed[1]])
        at = parsed[0].end()
