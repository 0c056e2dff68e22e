"""Solves a GeoGramBench problem from its statement and code alone, without the template that generated it.

The code constructs a drawing that is not to scale. Its decimal literals are lengths and angles, so they are unknowns;
its constructions (feet, midpoints, tangents, points on lines and circles, numbers of steps) are exact. The facts of the
statement (the column ``givens``) are equations in these unknowns. The Levenberg-Marquardt method solves them from
several jittered starting points at once. Then the asked quantity is measured in the solved drawings; its value is the
answer only if

* the statement contains every number of a fact (else ``givens`` would contain more than the reader knows);
* some starting points lead to a solution of all facts in which the points are separate and arranged as in the drawing,
  because a reader takes their order from the figure (``arranged``);
* all these solutions have the same value of the asked quantity, although they differ in whatever the facts leave open,
  such as position and rotation.

A figure described in words (``filters.certify.geogram.words``) has no drawing to start from or to compare with. Its
starting points are far apart, to find every figure that fits the words; all of these must give the same answer.
"""

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.filters.certify.geogram.latex import latex_value, numbers_in
from planimeter.filters.certify.geogram.measures import NOT_ON_TAPE, SLOW, evaluate, number, parsed, recorded
from planimeter.filters.certify.geogram.program import Program
from planimeter.filters.certify.geogram.words import read
from planimeter.items import WORDS, Reading


@np.errstate(all="ignore")
def arranged(points: npt.NDArray[np.float64], joined: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return a mask (solutions,) of the solutions whose points are separate and arranged as in the drawing.

    Every three points must have the same orientation as in the drawing or, if they are on a line there, the same middle
    point. Orientations count only if lines join two pairs of the three, or no line ends at one of them. ``points`` are
    float64 (points, 2, 1 + solutions), the drawing first; ``joined`` (points, points) is True for pairs with a line.
    """
    x, y = points[:, 0], points[:, 1]
    extent = np.abs(points - points[:1]).max(axis=(0, 1), initial=0.0)
    i, j = np.triu_indices(len(points), 1)
    squared = (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2
    kept = np.all(squared[:, 1:] > (1e-3 * extent[1:]) ** 2, axis=0)
    i, j, k = _triples(len(points))
    turns = (x[j] - x[i]) * (y[k] - y[i]) - (y[j] - y[i]) * (x[k] - x[i])
    flat = np.asarray(np.abs(turns[:, 0]) < 1e-6 * extent[0] ** 2)
    # A reader sees the arrangement of a triple if two lines join it, or if one of its points has no line.
    isolated = np.logical_not(joined.any(axis=1))
    lines = joined[i, j].astype(int) + joined[i, k] + joined[j, k]
    visible = (lines >= 2) | isolated[i] | isolated[j] | isolated[k]
    # A mirrored solution does not count: where the code gives the direction of an arc, it draws another figure.
    signs = [turns[visible & ~flat]]
    i, j, k = i[flat], j[flat], k[flat]
    for a, b, c in ((i, j, k), (j, k, i), (k, i, j)):
        # Negative where B is between A and C.
        signs.append((x[a] - x[b]) * (x[c] - x[b]) + (y[a] - y[b]) * (y[c] - y[b]))
    sign = np.sign(np.concatenate(signs))
    return np.asarray(kept & np.all(sign[:, 1:] == sign[:, :1], axis=0))


@lru_cache(maxsize=64)
def _triples(count: int) -> npt.NDArray[np.intp]:
    """Return all triples of ``count`` indices as an array (3, triples)."""
    return np.array(list(combinations(range(count), 3)), np.intp).reshape(-1, 3).T


Array = npt.NDArray[np.float64]

#: The value of the answer, or None and the reason for its absence.
Recovered = tuple[float | None, str]

NAME: Final = "geogram.construction"

#: Starts of the least squares, the drawing itself and jittered copies.
STARTS: Final = 8
#: Starts for a figure in words, and the least distance (a sine or a share) of its arrangement from a borderline case.
FAR_STARTS: Final = 48
CLEARLY: Final = 1e-6
MOST_SLOW: Final = 12
#: The least number of agreeing solutions: two could agree by accident.
LEAST_SOLUTIONS: Final = 3
ITERATIONS: Final = 60
#: A solution satisfies every fact to this relative error.
SOLVED: Final = 1e-9
#: Answers agree to this relative error; arcs of regions are polygons of 1/12 degree, so it cannot be smaller.
AGREE: Final = 2e-6

#: The number of steps of a loop "without end".
ENDLESS: Final = 120


@dataclass(frozen=True, kw_only=True, slots=True)
class Measurement:
    """The asked quantity and the given facts of a problem, as measured in its drawing, which need not be to scale.

    Each of ``facts`` is (value in the drawing, value in the statement, expression such as ``dist(A, B)``).
    """

    asked: float
    facts: tuple[tuple[float, float, str], ...]


def measure(code: str, language: str, givens: str) -> Measurement:
    """Return the values that the measures in ``givens`` (JSON) have in the drawing as ``code`` draws it.

    The drawing need not be to scale, so they may differ from the values in the statement.

    Raises ``UnreadableError`` if the program or a measure contains an unsupported element.
    """
    program = _program(code, language)
    facts, asked, overrides = _facts(givens)
    values = _values_of([asked, *(m for m, _ in facts)], program, program.start[:, None], overrides)[:, 0].tolist()
    return Measurement(asked=values[0], facts=tuple((d, v, m) for d, (m, v) in zip(values[1:], facts, strict=True)))


def certify(problem: str, code: str, language: str, givens: str, answer_latex: str) -> Reading:
    """Recover the answer from statement and code; return ``answer_latex`` if it is equal, else the recovered value.

    The answer is None, with a ``reason``, if no value can be recovered. ``margin`` is the relative difference
    between the recovered value and that of ``answer_latex``.
    """
    try:
        value, reason = recover(problem, code, language, givens)
    except UnreadableError:
        return Reading(certifier=NAME, answer=None, reason="the program is not readable")
    if value is None:
        return Reading(certifier=NAME, answer=None, reason=reason)
    expected = latex_value(answer_latex)
    error = abs(value - expected) / max(abs(expected), 1e-9)
    return Reading(certifier=NAME, answer=answer_latex if error <= AGREE else f"{value:.9g}", margin=error)


def recover(problem: str, code: str, language: str, givens: str) -> Recovered:
    """Return (value of the answer, ""), or (None, reason) if the statement and the code do not determine a value.

    Raises:
        UnreadableError: if the program or a measure contains an unsupported element.
    """
    facts, asked, overrides = _facts(givens)
    if not _stated(problem, facts, asked, json.loads(givens).get("drawn", True)):
        return None, "a fact is not in the statement"
    if language == WORDS:
        return _from_words(code, facts, asked, overrides)
    program = _program(code, language)
    solutions = _solve(program, facts, _starts(program.start))
    if not solutions.shape[1]:
        return None, "no drawing satisfies the facts"
    kept = _same_order(program, solutions)
    if not kept.any():
        return None, "the solution is arranged in another way than the drawing"
    # A few show whether they agree, and some measures take milliseconds each.
    return _agreed(_values_of([asked], program, solutions[:, kept][:, :LEAST_SOLUTIONS], overrides)[0])


def _from_words(words: str, facts: list[tuple[str, float]], asked: str, overrides: dict[str, int]) -> Recovered:
    """Return (value, "") or (None, reason), like ``recover``, for a figure described by ``words`` without code."""
    figure = read(words)
    program = Program(figure.program, "matplotlib")
    facts = facts + [(relation, 0.0) for relation in figure.relations]
    spread = np.random.default_rng(len(program.start)).random((len(program.start), FAR_STARTS))
    solutions = _solve(program, facts, program.start[:, None] * 2 * spread)
    if not solutions.shape[1]:
        return None, "no figure satisfies the words and the facts"
    kept = np.all(_values_of(figure.conditions, program, solutions, {}) > CLEARLY, axis=0)
    named = [v[:, 0] for n, v in program.recording.values.items() if n.isupper()]
    if named:
        points = program.tape.values(np.concatenate(named).tolist(), solutions).reshape(
            len(named), -1, solutions.shape[1]
        )
        extent = np.abs(points - points[:1]).max(axis=(0, 1))
        i, j = np.triu_indices(len(named), 1)
        separations = np.abs(points[i] - points[j]).max(axis=1)
        # A corner may have a second name, for the same point in all solutions.
        kept &= ((separations > 1e-3 * extent) | (separations == 0).all(axis=1, keepdims=True)).all(axis=0)
    if not kept.any():
        return None, "no figure is arranged as the words say"
    # Measures that take milliseconds are limited to a dozen solutions.
    slow = any(f"{name}(" in asked for name in SLOW)
    solutions = solutions[:, kept][:, : MOST_SLOW if slow else FAR_STARTS]
    asked = re.sub(r"\w+\(\)", lambda name: figure.aliases.get(name[0], name[0]), asked)
    return _agreed(_values_of([asked], program, solutions, overrides)[0])


def _agreed(values: Array) -> Recovered:
    """Return (common value of all solutions, ""), or (None, reason) if ``values`` differ, are too few or not finite."""
    if not np.isfinite(values).all():
        return None, "what is asked has no value"
    ordered = np.sort(values)
    middle = float(ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2
    if np.abs(values - middle).max() > AGREE * abs(middle):
        return None, "the facts do not determine what is asked"
    if len(values) < LEAST_SOLUTIONS:
        return None, "too few starts reach a drawing that satisfies the facts"
    return middle, ""


@lru_cache(maxsize=4)
def _program(code: str, language: str) -> Program:
    """Return the compiled program of ``code``; it is cached because ``measure`` needs it again after ``certify``."""
    return Program(code, language)


def _values_of(measures: Sequence[str], program: Program, drawings: Array, overrides: dict[str, int]) -> Array:
    """Return the values of ``measures`` in each of ``drawings``: float64 (measures, m).

    Each column of ``drawings`` (n, m) is the n decimal literals of one drawing; ``overrides`` maps whole-number
    variables to other values.
    """
    if not overrides and not any(map(NOT_ON_TAPE.search, measures)):
        return program.tape.values([recorded(measure, program.recording) for measure in measures], drawings)
    trace = program.trace(drawings, overrides)
    return np.array([evaluate(measure, trace, trace.columns) for measure in measures])


def _facts(givens: str) -> tuple[list[tuple[str, float]], str, dict[str, int]]:
    """Return from the JSON ``givens`` the facts as (measure, value), the asked measure, and overrides of variables.

    If the limit of an endless process is asked, the program's number of steps is overridden by ``ENDLESS``.
    """
    read = json.loads(givens)
    asked = str(read["asked"])
    endless = re.fullmatch(r"endless\((\w+), (.*)\)", asked)
    overrides = {endless[1]: ENDLESS} if endless else {}
    return [(str(m), number(str(v))) for m, v in read["given"]], endless[2] if endless else asked, overrides


def _stated(problem: str, facts: Sequence[tuple[str, float]], asked: str, drawn: bool) -> bool:
    """Return True if the statement ``problem`` contains every number that a reader needs.

    These are the values of the ``facts`` and, for a fact with the value 0 (a relation such as a ratio of 3 to 2), the
    numbers in its measure. If the drawing lacks the asked quantity (``drawn`` is False), they include the numbers
    in the expression ``asked``, such as a height, but not 2, which occurs in formulas.
    """
    wanted = [value for _, value in facts if value != 0]
    wanted += [n for measure, value in facts if value == 0 for n in _constants(measure) if n != 1]
    wanted += [] if drawn else [n for n in _constants(asked) if n != 2]
    present = np.array(numbers_in(problem) or [np.nan])
    return all(bool((np.abs(present - n) < 1e-9 * max(1.0, abs(n))).any()) for n in wanted)


def _constants(measure: str) -> list[float]:
    nodes = ast.walk(parsed(measure))
    return [float(n.value) for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, int | float)]


# Least squares


def _solve(program: Program, facts: Sequence[tuple[str, float]], starts: Array) -> Array:
    """Return the solutions (n, at most m) of the equations ``facts`` found by least squares from ``starts`` (n, m)."""
    residuals = [(recorded(text, program.recording) - value) / (abs(value) if value else 1.0) for text, value in facts]
    return program.tape.solved(residuals, starts, ITERATIONS, SOLVED)


def _starts(start: Array) -> Array:
    """Return the starting points of least squares, (n, STARTS): the drawing, and copies jittered by a few percent.

    ``start`` has the n literals of the drawing.
    """
    k = np.arange(STARTS)[None, :]
    i = np.arange(1, len(start) + 1)[:, None]
    # Multiples of the golden ratio are spread evenly and need no random stream.
    jitter = 2 * np.modf(0.6180339887498949 * i * k + 0.7548776662466927 * k * (i + k))[0] - 1
    jitter[:, 0] = 0.0
    return start[:, None] * (1 + 0.04 * jitter) + 0.05 * jitter


def _same_order(program: Program, solutions: Array) -> npt.NDArray[np.bool_]:
    """Return a mask of the ``solutions`` (n, m) whose labelled points are ``arranged`` as in the drawing."""
    values = program.recording.values
    names = [n for n in sorted(set(program.labels)) if np.ndim(values.get(n, 0)) == 2 and len(values[n]) == 2]
    columns = np.concatenate([program.start[:, None], solutions], axis=1)
    points = program.tape.values([term for n in names for term in values[n][:, 0]], columns)
    place = {name: i for i, name in enumerate(names)}
    joined = np.zeros((len(names), len(names)), bool)
    for a, b in program.edges:
        if a in place and b in place:
            joined[place[a], place[b]] = joined[place[b], place[a]] = True
    return arranged(points.reshape(len(names), 2, columns.shape[1]), joined)
