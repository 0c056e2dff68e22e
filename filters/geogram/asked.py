r"""Reads the given sizes and the asked quantity from an imported statement, as expressions such as ``dist(A, B)``.

Generated problems come with such expressions (``givens``). In imported ones only plain phrases are read ("AB = 5", "the
area of triangle ABC", "the ratio of AB to CD", "\tan B"). Other phrases give no expression rather than a wrong one, but
the words of the question still show the kind of quantity.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.latex import latex_value

#: Kinds of questions without named points; empty for any other question, such as a count.
Kind = Literal["angle", "area", "length", "ratio", ""]

#: Characters that are read, at the end, which contains the question: patterns in patterns are slow on a book.
_READ: Final = 4_000

_POINT: Final = r"[A-Z](?:'|_\d)?"
_CORNERS: Final = rf"(?:{_POINT}){{3,8}}"
_SHAPE: Final = (
    r"(?:shaded |right |isosceles |equilateral |regular )*(?:triangle|quadrilateral|rectangle|square|trapezoid|"
    r"parallelogram|rhombus|kite|pentagon|hexagon|heptagon|octagon|polygon|region|figure)"
)
_NUMBER: Final = (
    r"(?:\d+(?:\.\d+)?)?(?:\\frac\{[^{}]*(?:\{[^{}]*\}[^{}]*)?\}\{[^{}]*\}|\\sqrt\{\d+\}|(?<=\d)|(?<=\d\.)\d+)"
    r"(?:\\sqrt\{\d+\})?(?:\\pi)?"
)
#: Text that may not follow a number with a value of its own: the rest of a number, a sum, a product or a power.
_ALONE: Final = r"(?![\d.]*\d)(?!\s*(?:[-+*/^({:]|\\|[A-Z]{2}\b|[a-z]\b|times\b))"

#: LaTeX with one meaning, in one form; the order matters.
_SPELLINGS: Final = (
    (r"\$|\\[,!;:\[\] ]|~|\\left\b|\\right\b|\\q?quad|\{\s*\}", " "),
    (r"\\(?:text|mbox|mathrm|textrm|textit|textbf)\s*\{([^{}]*)\}", r" \1 "),
    (r"\\(?:widehat|overarc)\s*\{?([A-Z']+)\}?", r" arc \1 "),
    (rf"\\(?:overline|overleftrightarrow|line)\s*\{{?\s*({_POINT})\s*({_POINT})\s*\}}?", r" \1\2 "),
    (r"\\[dt]frac", r"\\frac"),
    (r"\\(frac|sqrt)\s*(\d)", r"\\\1{\2}"),
    (r"(\\frac\{[^{}]*\})\s*(\d)", r"\1{\2}"),
    (r"\^\s*\{?\s*\\circ\s*\}?|\\degree|°", " degrees "),
    (r"\\angle\s*\{?\s*([A-Z'_0-9]+)\s*\}?", r" angle \1 "),
    (r"\\(?:big)?triangle(?:up)?|\\Delta", " triangle "),
    (r"\\(sin|cos|tan)\b", r" \1 "),
    (r"\\cdot|\\times", "*"),
    (r"\\div\b", "/"),
    (rf"\[({_CORNERS})\]", r" area of \1 "),
    (r"\bm\s+(?=angle)", " "),
    (r"\^\s*\{(\d)\}", r"^\1"),
    (r"(?<=\d)\s+(?=\\(?:frac|sqrt|pi)\b)|(?<=\})\s+(?=[{\\])", ""),
    (r"\s+", " "),
)  # fmt: skip

_QUESTION: Final = re.compile(
    r"\b(?:what(?:'s| is| are)?|find|compute|determine|calculate|express|then|how (?:long|many|much|far|wide))\b",
    re.IGNORECASE,
)
#: "The length of EC divided by the length of BE is ?"
_ENDING: Final = re.compile(r"^(.*?) (?:is|equals|equal to|=)[ :?]*$")

#: Words inside a question that do not change the measure.
_FILLER: Final = re.compile(
    r"the|an?|of|in|does|is|are|then|value|lengths?|measures?|number|degrees?|units?|inches|centimeters|feet|meters|"
    r"segment|side|diagonal|hypotenuse|chord|crease|leg|obtuse|acute|ratio|contained",
    re.IGNORECASE,
)
_TOKEN: Final = re.compile(
    rf" *(?:(?P<size>area|perimeter) (?:of )?(?:the )?(?:{_SHAPE} )?(?P<corners>{_CORNERS})(?![A-Za-z'])"
    rf"|(?P<trig>sin|cos|tan) ?(?:angle )?(?P<at>(?:{_POINT}){{3}}|{_POINT})(?![A-Za-z'])"
    rf"|angle (?P<angle>(?:{_POINT}){{3}}|{_POINT})(?![A-Za-z'])"
    rf"|(?P<a>{_POINT})(?P<b>{_POINT})(?![A-Za-z'])"
    r"|(?P<over>divided by|over(?= the| [A-Z])|to(?= the| [A-Z])|:)|(?P<power>\^)"
    r"|(?P<sign>[-+*/)]|\((?= ?(?:[A-Z(\d]|area))|\d+(?:\.\d+)?)"
    r"|(?P<skip>square (?:units|inches|feet|(?:centi)?meters)\b|, in [a-z ]+,)|(?P<word>[A-Za-z]+))"
)
_UNITS: Final = "(?:units|inches|centimeters|feet|meters)"
_KINDS: Final[tuple[tuple[Kind, str], ...]] = (
    ("", rf"\bvolume\b|\bhow many (?!(?:square |more )?(?:degrees\b|{_UNITS}))|\bsum of|[a-z] ?\+ ?[a-z]"),
    ("ratio", r"\bratio\b|\bfraction(?:al part)? of|\bpercent|\b(?:sin|cos|tan)\b"),
    ("angle", r"\bangles?\b|\bdegrees?\b|\barc\b"),
    ("area", rf"\barea\b|\bsquare {_UNITS}"),
    ("length", r"\b(?:length|long\b|distance|perimeter|circumference|radius|diameter|height|wide|width|side|far\b)"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """The given sizes and the asked quantity of a statement.

    ``measure`` is the asked quantity, such as ``dist(A, B)``; if it could not be read, ``measure`` is empty and
    ``kind`` is the type of the quantity, if words show it. ``given`` are pairs such as ("dist(A, B)", 5.0).
    """

    measure: str
    kind: Kind
    given: tuple[tuple[str, float], ...]


def asked_in(problem: str, points: tuple[str, ...] = ()) -> Asked:
    """Return the given sizes and the asked quantity of ``problem``, a statement without its code.

    ``points`` are the names of the points in the drawing. If there are three, they count as a triangle, which the
    statement need not mention.
    """
    text = problem[-_READ:]
    for pattern, instead in _SPELLINGS:
        text = re.sub(pattern, instead, text)
    polygons = tuple(_names(match[1]) for match in re.finditer(rf"\b{_SHAPE}s? ({_CORNERS})\b", text))
    polygons = polygons or ((sorted(points),) if len(points) == 3 else ())
    given = tuple(dict.fromkeys(_facts(text, polygons)))
    clauses = _clauses(text)
    measure = next(filter(None, (_measure(clause, polygons) for clause in clauses)), "")
    words = "".join(clauses[:1]).lower()
    kind: Kind = next((kind for kind, pattern in _KINDS if re.search(pattern, words)), "")
    return Asked(measure=measure, kind="" if measure else kind, given=given)


def name_of(point: str) -> str:
    """Return the name of a point, such as A' or F_1, as an identifier in measures."""
    return point.replace("'", "_prime")


def _names(corners: str) -> list[str]:
    return [name_of(point) for point in re.findall(_POINT, corners)]


def _facts(text: str, polygons: tuple[list[str], ...]) -> Iterator[tuple[str, float]]:
    """Yield a pair such as ("dist(A, B)", 5.0) for each size in ``text``; ``polygons``: corners, to resolve angles."""
    measured = rf"(?<![A-Za-z\\])(?<!arc )(angle )?((?:{_POINT}){{1,3}})(?![A-Za-z'])"
    is_ = r" ?(?:=|is|has(?: a)? length(?: of)?|measures|equals) ?"
    for match in re.finditer(rf"((?:{measured} ?= ?)*{measured}){is_}({_NUMBER}){_ALONE}", text):
        for part in re.finditer(measured, match[1]):
            names = _names(part[2])
            measure = _angle(names, polygons) if part[1] else f"dist({', '.join(names)})" if len(names) == 2 else ""
            yield from _fact(measure, match[6])
    for what in ("area", "perimeter"):
        measure_first = rf"{what} (?:of )?(?:the )?(?:{_SHAPE} )?({_CORNERS}) (?:is|equals|=) ({_NUMBER}){_ALONE}"
        shape_first = rf"({_CORNERS}) (?:has|have|with)(?: an?)? {what}(?: of| =)? ({_NUMBER}){_ALONE}"
        for match in (*re.finditer(measure_first, text), *re.finditer(shape_first, text)):
            yield from _fact(f"{what}({', '.join(_names(match[1]))})", match[2])
    sides = rf"(?:square|rhombus|equilateral triangle|regular \w+) ({_CORNERS})\b[^.?,]{{0,20}}? sides?(?: lengths?)?"
    for match in re.finditer(rf"{sides}(?: is| of| are)*(?: length)? ({_NUMBER}){_ALONE}", text):
        yield from _fact(f"dist({', '.join(_names(match[1])[:2])})", match[2])


def _fact(measure: str, latex: str) -> Iterator[tuple[str, float]]:
    try:
        value = latex_value(latex)
    except (UnreadableError, ArithmeticError, IndexError, ValueError):
        return
    if measure and value > 0:
        yield measure, value


def _angle(names: list[str], polygons: tuple[list[str], ...]) -> str:
    """Return an expression such as ``angle(A, B, C)`` for an angle named by three points or by its vertex.

    It is empty if the names do not determine the angle: the vertex alone may be a corner of several polygons.
    """
    if len(names) == 1:
        beside = {frozenset(pair) for corners in polygons for pair in _neighbours(corners, names[0])}
        names = [name for pair in beside for name in (min(pair), names[0], max(pair))]
    return f"angle({', '.join(names)})" if len(names) == len(set(names)) == 3 else ""


def _neighbours(corners: list[str], at: str) -> Iterator[tuple[str, str]]:
    for (before, here), (_, after) in pairwise(pairwise([corners[-1], *corners, corners[0]])):
        if here == at:
            yield before, after


def _clauses(text: str) -> list[str]:
    """Return the clauses that may ask the question, in reverse order, from the last sentence with such clauses."""
    for sentence in reversed(re.split(r"(?<=[.?!]) (?=[A-Z(])", text)):
        clauses = [sentence[word.start() :] for word in _QUESTION.finditer(sentence)][::-1]
        ending = _ENDING.search(sentence)
        if ending:
            clauses.append(ending[1].rpartition(",")[2])
        if clauses and not sentence.lstrip("(").startswith("Express"):
            return clauses
    return []


def _measure(clause: str, polygons: tuple[list[str], ...]) -> str:
    """Return the expression of the quantity that ``clause`` asks for first, or an empty string."""
    clause = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"(\1)/(\2)", clause)
    word = _QUESTION.match(clause)
    measure, at = "", word.end() if word else 0
    while token := _TOKEN.match(clause, at):
        part = _part(token, polygons)
        if part is None:
            break
        measure, at = measure + part, token.end()
    measure = re.sub(r"(?<=\))(?=\(|[a-z])", "*", measure)
    try:
        tree = ast.parse(measure if len(measure) < _READ // 10 else "", mode="eval")
    except SyntaxError:
        return ""
    return measure if any(isinstance(node, ast.Call) for node in ast.walk(tree)) else ""


def _part(token: re.Match[str], polygons: tuple[list[str], ...]) -> str | None:
    """Return the text that ``token`` adds to an expression, "" for a filler word, None if it is no part of one."""
    if token["size"]:
        return f"{token['size']}({', '.join(_names(token['corners']))})"
    if token["trig"] or token["angle"]:
        angle = _angle(_names(token["at"] or token["angle"]), polygons)
        return f"{token['trig']}({angle})" if angle and token["trig"] else angle or None
    if token["a"]:
        return f"dist({name_of(token['a'])}, {name_of(token['b'])})"
    if token["word"]:
        return "" if _FILLER.fullmatch(token["word"]) else None
    return "/" if token["over"] else "**" if token["power"] else token["sign"] or ""
