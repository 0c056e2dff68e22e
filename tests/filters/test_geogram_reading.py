"""Imported programs are read and never run: points, lines, fills and texts, or the statement without a meaning."""

import math
import time

import pytest

from planimeter.filters.certify.geogram.certificate import certify
from planimeter.filters.geogram.reading import sketch_of
from planimeter.items import Area, Caption, Stroke

LINES = [
    ("draw((0,0)--(4,0)--(0,3)--cycle);", [(0, 0), (4, 0), (0, 3), (0, 0)]),
    ("pair A = (1,2), B; B = 2*A + (0,1); draw(A--B);", [(1, 2), (2, 5)]),
    ("draw(shift(1,0)*rotate(90)*((0,0)--(2,0)));", [(1, 0), (1, 2)]),
    ("draw(reflect((0,0),(1,1))*((2,0)--(3,1)));", [(0, 2), (1, 3)]),
    ("pair[] P; P[0] = (0,0); P[2] = (1,5); draw(P[0]--P[2]);", [(0, 0), (1, 5)]),
    ("real f(real x) { return x^2 - 1; } draw((0,f(0))--(2,f(2)));", [(0, -1), (2, 3)]),
    ("pair A=(0,0); for (int i=0; i<3; ++i) A += (1,i); draw((0,0)--A);", [(0, 0), (3, 3)]),
    ("draw((0,0)--intersectionpoint(circle((0,0),2), (0,0)--(0,4)));", [(0, 0), (0, 2)]),
    ("draw(origin--dir(90)); ", [(0, 0), (0, 1)]),
    ("draw((1,1)--(1,2)+3, dashed+linewidth(1));", [(1, 1), (4, 2)]),
    ("path p = (0,0)--(1,0); draw(p--(1,1), Arrow);", [(0, 0), (1, 0), (1, 1)]),
    ("int i; for (i = 1; i <= 2; i = i+1) {} draw((0,0)--(i,0));", [(0, 0), (3, 0)]),
]


@pytest.mark.parametrize(("code", "wanted"), LINES)
def test_lines_lie_where_asymptote_draws_them(code: str, wanted: list[tuple[float, float]]) -> None:
    sketch = sketch_of(code, "asymptote")
    (line,) = [mark.points for mark in sketch.drawing.marks if isinstance(mark, Stroke)]
    assert not sketch.unread and len(line) == len(wanted)
    assert all(math.dist(p, q) < 1e-3 for p, q in zip(line, wanted, strict=True))


def test_both_languages_give_fills_texts_and_names() -> None:
    code = 'pair A = (1,2); filldraw((0,0)--(2,0)--(1,2)--cycle, gray(0.7), dashed); label("$A$", A, N); label("35");'
    plot = "A = (1, 2)\nplt.fill([0, 2, 1], [0, 0, 2])\nplt.text(1, 2, '$A$')\nplt.title('35')"
    for program, language in ((code, "asymptote"), (plot, "matplotlib")):
        sketch = sketch_of(program, language)  # type: ignore[arg-type]
        assert not sketch.unread and sketch.texts == ("35",) and sketch.names == {"A": (1.0, 2.0)}
        assert [mark.points[2] for mark in sketch.drawing.marks if isinstance(mark, Area)] == [(1.0, 2.0)]
        assert [mark.point for mark in sketch.drawing.marks if isinstance(mark, Caption)] == [(1.0, 2.0)]


def test_a_statement_without_a_meaning_is_named() -> None:
    sketch = sketch_of("pair A = (1,2); draw(nosuch(A)); pair B = (3,4);", "asymptote")
    assert sketch.unread == "unknown function: nosuch" and sketch.names == {"A": (1, 2), "B": (3, 4)}
    assert sketch_of("draw((0,0)..(1,1)..(2,0));", "asymptote").unread


HUGE = [
    ("path p = (0,0)--(1,1); for (int i = 0; i < 99; ++i) { p = p^^p; }", "asymptote"),
    ("path p = (0,0)--(1,1); for (int i = 0; i < 99; ++i) { p = p--p; }", "asymptote"),
    ("draw(polygon(2000000000));", "asymptote"),
    ("draw(arc((0,0), 1, 0, 1e15));", "asymptote"),
    ("int n = 3; for (int i = 0; i < 9999; ++i) { n = n*n; }", "asymptote"),
    ('string s = "xxxxxxxx"; for (int i = 0; i < 99; ++i) { s = s + s; }', "asymptote"),
    ("pair[] P; P[999999999] = (0,0);", "asymptote"),
    ("real f(real x) { return f(x); } real y = f(1);", "asymptote"),
    ("draw(" + "(" * 500 + "0", "asymptote"),
    ("x = " + "9" * 9000, "matplotlib"),
    ("x = 1\0", "matplotlib"),
    ("x = " + "+".join("1" * 5000), "matplotlib"),
    ("x = np.linspace(0, 1, 2000000000)", "matplotlib"),
    ("x = [1, 2, 3, 4]\nfor i in range(99):\n    x = x + x", "matplotlib"),
]


@pytest.mark.parametrize(("code", "language"), HUGE, ids=[code[:30] for code, _ in HUGE])
def test_endless_programs_are_neither_read_nor_certified(code: str, language: str) -> None:
    began = time.process_time()
    assert sketch_of(code, language).unread  # type: ignore[arg-type]
    reading = certify("", code, language, '{"given": [], "asked": "dist(A,B)"}', "1")
    assert (reading.answer, reading.reason) == (None, "the program is not readable")
    assert time.process_time() - began < 60
