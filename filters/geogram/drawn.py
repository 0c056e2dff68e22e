"""Finds ways to get the answer of an imported problem without solving it, by the rules in ``leakage``.

The asked quantity is parsed from the words of the problem (``asked``). If they name its points, it is measured in the
drawing as with a ruler; otherwise all drawn sizes of its kind are compared with the answer. In the corpus MATH a ruler
gives the answer to 96 of 159 problems (3 are expected by chance), and a drawn size equals the answer in 40 of 180 (3).
Not reported are two kinds of hits that are mostly chance: numbers in the statement (9 hits, 7 of them by chance), and
sizes equal to an answer that is a small whole number.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.machine import Trace
from planimeter.filters.certify.geogram.measures import evaluate
from planimeter.filters.geogram import leakage
from planimeter.filters.geogram.answers import number_of, standard
from planimeter.filters.geogram.asked import Asked, asked_in, name_of
from planimeter.filters.geogram.reading import Sketch
from planimeter.items import Area, Caption, Dot, Stroke

Point = tuple[float, float]
Points = Mapping[str, Point]

_NAME: Final = re.compile(r"[A-Z](?:'|_?\d)?")
_TYPE: Final = re.compile(r"[${}\s]|\\[a-zA-Z]+")

#: Largest distance of a letter from its point, over the extent of the drawing: from the point of that name in the
#: program, and from the end of a line if the program names none.
_BESIDE: Final = (0.15, 0.08)
#: This many points have 220 triangles; more of them hit any answer.
_MOST_POINTS: Final = 12
_MOST_REGIONS: Final = 40
#: Relative tolerance for equality with a given length: coordinates are rounded.
_EQUAL: Final = 1e-3


@dataclass(frozen=True, kw_only=True, slots=True)
class Leak:
    """A way to read the answer off the program or drawing: ``reason`` is a short key, ``detail`` has the numbers."""

    reason: str
    detail: str


def points_of(sketch: Sketch) -> dict[str, Point]:
    """Return the positions of points by name: named in the program, or by a label of one letter next to them."""
    marks = sketch.drawing.marks
    lines = [mark.points for mark in marks if isinstance(mark, Stroke | Area)]
    ends = np.array([*(p for line in lines for p in line), *(mark.point for mark in marks if isinstance(mark, Dot))])
    extent = float(np.ptp(ends, axis=0).max()) if len(ends) else 0.0
    points = {name: point for name, point in sketch.names.items() if _NAME.fullmatch(name)}
    letters: dict[str, list[Point]] = {}
    for mark in marks:
        if isinstance(mark, Caption) and _NAME.fullmatch(text := _TYPE.sub("", mark.text)):
            letters.setdefault(name_of(text), []).append(mark.point)
    for name, (point, *others) in letters.items():
        if others or (name in points and math.dist(points[name], point) < _BESIDE[0] * extent):
            continue
        gaps = np.hypot(*(ends - point).T) if len(ends) else np.array([np.inf])
        nearest = int(gaps.argmin())
        x, y = ends[nearest] if gaps[nearest] < _BESIDE[1] * extent else point
        points[name] = float(x), float(y)
    return points


def leaks(problem: str, code: str, answer: float, sketch: Sketch, tolerance: float, ruler: float) -> list[Leak]:
    """Return the ways to read ``answer`` off the program or drawing.

    Drawn lengths that equal those in the statement also count as a leak. A drawn size counts as the answer within
    ``tolerance``, a measurement by ruler within ``ruler``; both are relative.
    """
    points = points_of(sketch)
    asked = asked_in(problem, tuple(points))
    size = abs(answer)
    small = size < 5 and size == int(size)
    facts = [(drawn, stated, measure) for measure, stated in asked.given if (drawn := _measured(measure, points))]
    detected = []
    if not small and not (verdict := leakage.check_literal_in_code(code, size)).kept:
        detected.append(Leak(reason=verdict.reason, detail=f"{answer:g} stands in the program"))
    drawn = _measured(asked.measure, points)
    if drawn is not None:
        verdict = leakage.check_ruler(size, asked.measure, drawn, facts, ruler)
        scaled = "" if abs(drawn - size) <= ruler * size else ", which is the answer to the scale of what is given"
        if not verdict.kept:
            detected.append(Leak(reason=verdict.reason, detail=f"{asked.measure} = {drawn:.4g} in the drawing{scaled}"))
    elif (
        not small and not (verdict := leakage.check_trivial(_sizes(asked, points, facts, sketch), size, tolerance)).kept
    ):
        detected.append(Leak(reason=verdict.reason, detail=f"a drawn {asked.kind} is {answer:.4g}"))
    detected += _written(size, small, problem, sketch, _place_of(asked.measure, points))
    equal = [m for drawn, stated, m in facts if leakage.dimension(m) and abs(drawn - stated) <= _EQUAL * stated]
    if equal:
        detected.append(Leak(reason="the coordinates equal the givens", detail=f"drawn as given: {', '.join(equal)}"))
    return detected


def _place_of(measure: str, points: Points) -> Point | None:
    """Return the point near which a label for ``measure`` would be: the vertex of an angle, the middle of a segment."""
    named = re.fullmatch(r"(angle|dist)\(([^()]*)\)", measure)
    corners = [points.get(name) for name in named[2].split(", ")] if named else []
    places = [corner for corner in corners if corner is not None]
    if not named or len(places) < len(corners):
        return None
    (ax, ay), (bx, by) = places[0], places[1]
    return places[1] if named[1] == "angle" else ((ax + bx) / 2, (ay + by) / 2)


def _written(size: float, small: bool, problem: str, sketch: Sketch, asked: Point | None) -> list[Leak]:
    """Return the titles, legends and labels that give the answer, as leaks; ``size`` is the answer's absolute value.

    For a ``small`` whole number, titles and legends do not count. If ``problem`` states the number, only a label
    near ``asked``, the place of the asked quantity, counts.
    """
    detected = []
    titles = [text for text in sketch.texts if not small and _among(size, _stated(text))]
    if titles:
        detected.append(Leak(reason="a title of the drawing gives the answer", detail=titles[0]))
    labels = [mark for mark in sketch.drawing.marks if isinstance(mark, Caption)]
    equal = [mark for mark in labels if (value := number_of(standard(mark.text))) is not None and _among(size, [value])]
    if _among(size, _stated(problem)):
        ends = [point for mark in sketch.drawing.marks for point in getattr(mark, "points", ())]
        reach = _BESIDE[0] * float(np.ptp(ends, axis=0).max()) if ends else 0.0
        equal = [mark for mark in equal if asked is not None and math.dist(mark.point, asked) <= reach]
    if equal:
        detected.append(Leak(reason="a label of the drawing is the answer", detail=equal[0].text))
    return detected


def _stated(text: str) -> Iterable[float]:
    """Return the numbers in ``text``; only the plain decimal ones if it cannot be parsed as LaTeX."""
    try:
        return leakage.stated(text)
    except (UnreadableError, ArithmeticError, IndexError, ValueError):
        return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]


def _among(size: float, values: Iterable[float]) -> bool:
    return any(abs(value - size) <= 1e-9 * max(1.0, size) for value in values)


def _measured(measure: str, points: Points) -> float | None:
    """Return the value of ``measure`` in the drawing, or None if a point is missing or there is no finite value."""
    if not measure:
        return None
    trace = Trace({name: np.array(point, float)[:, None] for name, point in points.items()})
    try:
        value = float(evaluate(measure, trace, 1)[0])
    except (UnreadableError, TypeError, ValueError):
        return None
    return value if np.isfinite(value) else None


def _sizes(asked: Asked, points: Points, facts: list[tuple[float, float, str]], sketch: Sketch) -> leakage.Values:
    """Return the drawn sizes of the type ``asked.kind``, such as angles: as drawn, and scaled by each given length."""
    marks = sketch.drawing.marks
    filled = [leakage.area_of(np.array(mark.points)) for mark in marks if isinstance(mark, Area)]
    strokes = [np.array(mark.points) for mark in marks if isinstance(mark, Stroke)]
    closed = [stroke for stroke in strokes if (stroke[0] == stroke[-1]).all()]
    regions = [sum(filled), *filled, *map(leakage.area_of, closed)][:_MOST_REGIONS]
    places = np.unique(np.array(list(points.values())).reshape(-1, 2).round(9), axis=0)[:_MOST_POINTS]
    distances, angles, areas = leakage.sizes_of(places)
    power, sizes = 0, list[float]()
    match asked.kind:
        case "angle":
            sizes = angles
        case "area":
            power, sizes = 2, [*regions, *areas]
        case "length":
            power, sizes = 1, [*distances, *(float(np.hypot(*np.diff(s, axis=0).T).sum()) for s in strokes)]
        case "ratio":
            sizes = [part / whole for part in regions for whole in regions if 0 < part < whole]
    values = np.array([value for value in sizes if value > 0])
    scales = [stated / drawn for drawn, stated, measure in facts if power and leakage.dimension(measure) == 1]
    return np.concatenate([values, *(values * scale**power for scale in scales)])
