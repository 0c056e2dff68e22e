"""Finds answers that a reader could get without solving the problem (GeoGramBench, sections 4.1 and 4.3).

The ways, from plain to hidden: the answer is a number of the statement; the code contains it as a number; measuring the
drawing with a ruler gives it, directly or to the scale of a length, area or volume that the statement gives; a
distance, angle or area between named points happens to equal it. The last way also occurs by chance, so it is judged
twice: for each item with a narrow tolerance, and for a dataset by comparing its rate with that of shuffled answers.

Against leaks, the paper rescales coordinates; that changes no angle or ratio, and keeps lengths to scale (in 39 of 110
published rows with an identified question, measuring gives the answer within 2%).
"""

import ast
import json
import re
from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.geogram.certificate import measure as measure_drawing
from planimeter.filters.certify.geogram.latex import numbers_in
from planimeter.filters.certify.geogram.measures import parsed
from planimeter.filters.verdict import Verdict
from planimeter.items import Area, Caption, Drawing, GeogramItem

Values = npt.NDArray[np.float64]

CHECK: Final = "leakage"

#: Lines that place text or set up the page contain no geometry.
_SETTING: Final = re.compile(
    r"^\s*(?:label|size|unitsize|defaultpen|pen|currentprojection|import|from|ax\.(?:annotate|text|set|axis)|fig"
    r"|plt\.(?:show|subplots|axis)|def arc|t = np).*$",
    re.MULTILINE,
)
_STYLE: Final = re.compile(r"(?:linewidth|gray|fontsize|linspace|rightanglemark)\([^()]*\)|\w+=\"?[\d.]+\"?")
_LITERAL: Final = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")

#: Words for numbers in a statement. An ordinal ("the third circle") gives none.
_WORDS: Final = {
    "zero": 0, "half": 1 / 2, "halves": 1 / 2, "halved": 1 / 2, "quarter": 1 / 4, "quarters": 1 / 4, "one": 1,
    "once": 1, "single": 1, "two": 2, "twice": 2, "double": 2, "doubled": 2, "three": 3, "thrice": 3, "triple": 3,
    "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip

_PROGRAM: Final = re.compile(r"\b(?:code|program|loop|procedure)\b")

#: Drawings have two decimals and answers are often whole, so that a gap can equal the limit up to the last bits, in
#: which processors differ; such a gap is too small on each of them.
_CLEARLY: Final = 1 + 1e-9

#: Powers of a length, for the functions of ``givens``.
_DIMENSIONS: Final = {
    "dist": 1, "perimeter": 1, "line_distance": 1, "plane_distance": 1, "rolled": 1, "folded": 1, "surface_path": 1,
    "shaded_rim": 1, "area": 2, "shaded": 2, "tethered": 2, "rod_area": 2, "hull_surface": 2, "block_surface": 2,
    "hull": 3, "revolved": 3, "block_volume": 3, "angle": 0, "sweep": 0,
}  # fmt: skip


def literals(code: str) -> Values:
    """Return the numbers in ``code`` that place or count something, without those of labels, pens and page settings."""
    bare = _STYLE.sub("", _SETTING.sub("", code))
    return np.array([float(n) for n in _LITERAL.findall(bare)])


def dimension(measure: str) -> float:
    """Return the dimension of ``measure`` as a power of length: 1 for lengths, 2 for areas, 0 for angles and ratios.

    A variable of the program counts as a length.
    """
    return _dimension(parsed(re.sub(r"^endless\(\w+, (.*)\)$", r"\1", measure)))


def _dimension(node: ast.expr) -> float:
    match node:
        case ast.Name(id=name):
            return 0.0 if name in ("pi", "n") else 1.0
        case ast.Call(func=ast.Name(id="sqrt"), args=[inner]):
            return _dimension(inner) / 2
        case ast.Call(func=ast.Name(id=name)):
            return _DIMENSIONS.get(name, 0)
        case ast.BinOp(op=ast.Mult()):
            return _dimension(node.left) + _dimension(node.right)
        case ast.BinOp(op=ast.Div()):
            return _dimension(node.left) - _dimension(node.right)
        case ast.BinOp(op=ast.Pow(), right=ast.Constant(value=int(power))):
            return power * _dimension(node.left)
        case ast.BinOp():
            return max(_dimension(node.left), _dimension(node.right))
    return 0.0


def stated(problem: str) -> Values:
    """Return the numbers that ``problem`` states, in LaTeX or in words, and the digits inside fractions and roots."""
    words = re.findall("[a-z]+", problem.lower())
    figures = map(float, _LITERAL.findall(problem))
    return np.array([*numbers_in(problem), *figures, *(_WORDS[word] for word in words if word in _WORDS)], float)


def check_copied_from_statement(problem: str, answer: float) -> Verdict:
    """Reject an answer that the statement contains; ``measured`` is the number of its occurrences."""
    hits = int((np.abs(stated(problem) - answer) <= 1e-9 * max(1.0, abs(answer))).sum())
    return Verdict.of(CHECK, hits == 0, hits, 0, "the answer is a number of the statement")


def check_words(statement: str, words: str, answer: float) -> Verdict:
    """Reject a problem whose ``statement`` or description (``words``) has the answer, or that mentions a program."""
    if _PROGRAM.search(statement):
        return Verdict.of(CHECK, False, 1, 0, "the statement speaks of a program")
    return check_copied_from_statement(f"{statement} {words}", answer)


def check_literal_in_code(code: str, answer: float) -> Verdict:
    """Reject an answer that the code contains; ``measured`` is the number of its occurrences."""
    values = literals(code)
    hits = int((np.abs(values - answer) < 0.006 * np.maximum(1e-9, np.minimum(1.0, abs(answer)))).sum())
    return Verdict.of(CHECK, hits == 0, hits, 0, "the answer is a literal of the code")


def check_ruler(
    answer: float, asked: str, drawn: float, facts: Sequence[tuple[float, float, str]], least: float
) -> Verdict:
    """Reject an answer that a ruler gives: the asked quantity as drawn, or to a scale that the statement gives.

    ``asked`` is the asked quantity, such as ``dist(A, B)``, and ``drawn`` its value in the drawing; ``facts`` are
    (value in the drawing, stated value, expression). ``measured`` is the smallest relative difference from
    ``answer``; it must be more than ``least``.
    """
    readings = [drawn]
    power = dimension(asked)
    for in_drawing, stated, measure in facts:
        size = dimension(measure)
        if size > 0 and power > 0 and in_drawing > 0 and stated > 0:
            readings.append(drawn * (stated / in_drawing) ** (power / size))
    gap = float(np.min(np.abs(np.array(readings) - answer))) / max(abs(answer), 1e-9)
    return Verdict.of(CHECK, gap > least * _CLEARLY, gap, least, "the drawing measures the answer")


def trivial_measures(drawing: Drawing) -> Values:
    """Return, sorted, the distances, angles and areas between labelled points, and the areas of filled regions."""
    points = np.array([m.point for m in drawing.marks if isinstance(m, Caption)])
    distances, angles, areas = sizes_of(points) if len(points) else ([], [], [])
    regions = (area_of(np.array(m.points)) for m in drawing.marks if isinstance(m, Area))
    return np.sort(np.array([*distances, *angles, *areas, *regions], float))


def sizes_of(points: Values) -> tuple[list[float], list[float], list[float]]:
    """Return the distances, the angles in degrees and the areas of triangles between ``points``, float64 (n, 2)."""
    x, y = points.T
    pairs, triples = (np.array(list(combinations(range(len(x)), n)), int).reshape(-1, n).T for n in (2, 3))
    distances = np.hypot(*(points[pairs[0]] - points[pairs[1]]).T)
    areas, angles = np.zeros(triples.shape[1]), np.empty((triples.shape[1], 3))
    for i in range(3):
        at, after, before = triples[i], triples[i - 2], triples[i - 1]
        areas += x[at] * y[after] - y[at] * x[after]
        ux, uy, vx, vy = x[before] - x[at], y[before] - y[at], x[after] - x[at], y[after] - y[at]
        angles[:, i] = np.degrees(np.arctan2(np.abs(ux * vy - uy * vx), ux * vx + uy * vy))
    return distances.tolist(), angles.ravel().tolist(), (np.abs(areas) / 2).tolist()


def area_of(points: Values) -> float:
    """Return the area of the polygon with the corners ``points``, float64 (n, 2)."""
    x, y = points[:, 0], points[:, 1]
    return abs(float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())) / 2


def check_trivial(values: Values, answer: float, least: float) -> Verdict:
    """Reject an answer within ``least`` of one of ``values``; ``measured`` is the smallest relative difference."""
    gap = nearest(values, answer)
    return Verdict.of(CHECK, gap > least * _CLEARLY, gap, least, "a trivial computation gives the answer")


def nearest(values: Values, answer: float) -> float:
    """Return the relative difference of ``answer`` and the nearest of ``values``: at most 1; 1 without values."""
    return min(1.0, float(np.abs(values - answer).min()) / max(abs(answer), 1e-9)) if len(values) else 1.0


def rate(values: Sequence[Values], answers: Sequence[float], tolerance: float) -> tuple[int, float]:
    """Return (number of items with an answer within ``tolerance`` of one of their ``values``, number by chance).

    The number by chance is exact: the mean over all ways to give an item the answer of another one. ``tolerance`` is
    relative. The items of one call should have answers of one kind (degrees; lengths and areas of one level).

    Raises:
        ValueError: if the numbers of answers and items differ, or are below two.
    """
    if len(values) != len(answers) or len(answers) < 2:
        raise ValueError(f"need 2 or more items, each with an answer, got {len(values)} and {len(answers)} answers")
    hits, expected = 0, 0.0
    for i, candidates in enumerate(values):
        is_hit = [nearest(candidates, a) < tolerance for a in answers]
        hits += is_hit[i]
        expected += (sum(is_hit) - is_hit[i]) / (len(answers) - 1)
    return hits, expected


def judge(item: GeogramItem, coincidence_least: float, measured_least: float) -> Verdict:
    """Return the first rejection of ``item``, or the last verdict if there is none; all have the check "leakage".

    The least relative differences are ``coincidence_least`` for ``check_trivial``, ``measured_least`` for
    ``check_ruler``.

    Raises:
        ValueError: if its answer is not a number or it has no drawing, as in imported problems.
    """
    if item.answer_value is None or item.drawing is None:
        raise ValueError(f"need a generated item whose answer is a number, got an item with origin {item.origin!r}")
    answer, facts = item.answer_value, json.loads(item.givens)
    verdicts = [
        check_copied_from_statement(item.problem, answer),
        check_literal_in_code(item.code, answer),
        check_trivial(trivial_measures(item.drawing), answer, coincidence_least),
    ]
    if facts.get("drawn", True):
        drawn = measure_drawing(item.code, item.language, item.givens)
        verdicts.append(check_ruler(answer, facts["asked"], drawn.asked, drawn.facts, measured_least))
    return next((verdict for verdict in verdicts if not verdict.kept), verdicts[-1])
