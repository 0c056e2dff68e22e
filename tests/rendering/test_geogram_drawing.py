"""The reader of Asymptote draws what the program says, or says that it does not; it guesses nothing and always ends."""

import math

import pytest

from planimeter.filters.certify.geogram.asymptote import UnreadableError
from planimeter.items import Area, Caption, Dot, Drawing, Stroke
from planimeter.rendering.asymptote.drawing import draw
from planimeter.rendering.asymptote.paths import Path, arc, at, meetings, polygon, smooth
from planimeter.rendering.geogram import picture


def strokes(code: str) -> list[list[tuple[float, float]]]:
    return [list(mark.points) for mark in draw(code).marks if isinstance(mark, Stroke)]


def same(found: list[tuple[float, float]], wanted: list[tuple[float, float]]) -> bool:
    return len(found) == len(wanted) and all(math.dist(p, q) < 1e-6 for p, q in zip(found, wanted, strict=True))


def test_programs_draw_what_they_say(subtests: pytest.Subtests) -> None:
    for code, wanted in (
        ("draw((0,0)--(4,0)--(0,3)--cycle);", [(0, 0), (4, 0), (0, 3), (0, 0)]),
        ("pair A = (1,2), B; B = 2*A + (0,1); draw(A--B);", [(1, 2), (2, 5)]),
        ("draw(shift(1,0)*rotate(90)*((0,0)--(2,0)));", [(1, 0), (1, 2)]),
        ("draw(reflect((0,0),(1,1))*((2,0)--(3,1)));", [(0, 2), (1, 3)]),
        ("pair[] P = {(0,0),(1,0)}; P.push((1,5)); draw(P[0]--P[P.length-1]);", [(0, 0), (1, 5)]),
        ("real f(real x) { return x^2 - 1; } draw((0,f(0))--(2,f(2)));", [(0, -1), (2, 3)]),
        ("pair A=(0,0); for (int i=0; i<3; ++i) A += (1,i); draw((0,0)--A);", [(0, 0), (3, 3)]),
        ("draw((0,0)--extension((0,1),(1,1),(3,0),(3,5)));", [(0, 0), (3, 1)]),
        ("draw((0,0)--intersectionpoint((0,0)--(4,4), (0,2)--(4,2)));", [(0, 0), (2, 2)]),
        ("draw(origin--dir(90)); ", [(0, 0), (0, 1)]),
        ("draw((0,0)--(sqrt(2)*sqrt(2), 1/2))", [(0, 0), (2, 0.5)]),
        ("draw((0,0)--midpoint((2,0)--(4,6)));", [(0, 0), (3, 3)]),
        ("if (1 < 2 && 3 != 4) draw((0,0)--(1,0)); else draw((0,0)--(0,1));", [(0, 0), (1, 0)]),
        ("draw((0,0)--(2,0)*dir(45)*sqrt(2));", [(0, 0), (2, 2)]),
        ("pair A = (2,4); /* (1 */ draw((0,0)--3A/2(1,0).x); // half", [(0, 0), (3, 6)]),
        ("real x = 3; draw((0,0)--(2x^2, 0.5 x));", [(0, 0), (18, 1.5)]),
    ):
        with subtests.test(code):
            (drawn,) = strokes(code)
            assert same(drawn, wanted)


def test_fills_dots_labels_and_pens() -> None:
    drawing = draw(
        'size(5cm); filldraw((0,0)--(2,0)--(1,2)--cycle, gray(0.7), dashed+linewidth(1)); dot("$P$", (1,1), NE); '
        'label("$x$", (0,0)--(2,0), S); fill(circle((1,1), 0.5), white);'
    )
    assert [m.shade for m in drawing.marks if isinstance(m, Area)] == [0.7, 1.0]
    assert [m.dashed for m in drawing.marks if isinstance(m, Stroke)] == [True]
    assert [m.point for m in drawing.marks if isinstance(m, Dot)] == [(1, 1)]
    labels = {m.text: m for m in drawing.marks if isinstance(m, Caption)}
    assert labels["$x$"].point == (1, 0) and labels["$x$"].direction == (0, -1)
    assert labels["$P$"].direction[0] == pytest.approx(math.sqrt(0.5))
    (head,) = [m for m in draw("draw((0,0)--(10,0), EndArrow(6));").marks if isinstance(m, Area)]
    assert head.points[0] == (10, 0) and all(x < 10 for x, _ in head.points[1:])
    assert len([m for m in draw("draw((0,0)--(10,0), Arrows);").marks if isinstance(m, Area)]) == 2


def test_arcs_run_the_way_that_their_angles_do_smooth_joins_round_off_and_paths_meet_where_they_cross() -> None:
    (quarter,), (whole,) = strokes("draw(arc((0,0), 2, 0, 90));"), strokes("draw(circle((1,1), 3));")
    assert same([quarter[0], quarter[-1]], [(2, 0), (0, 2)]) and whole[0] == whole[-1]
    assert all(abs(math.hypot(*p) - 2) < 1e-3 for p in quarter)
    # Points of a circle, joined by ``..``: Hobby's splines miss the circle by less than 0.1%.
    for path in (smooth([1, 1j, -1, -1j], True, [None] * 4), smooth([1, 1j, -1], False, [1j, None, -1j])):
        assert all(abs(abs(at(segment, t / 8)) - 1) < 1e-3 for segment in path for t in range(9))
    assert smooth([0, 3], False, [None, None])[0] == (0, 1, 2, 3)
    places = meetings(arc(0, 5, 0, 360), Path(3 - 9j, polygon((3 - 9j, 3 + 9j), closed=False).segments))
    assert sorted(round(z.imag, 2) for z in places) == pytest.approx([-4, 4], abs=0.02)


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import three; draw((0,0)--(1,1));", "three dimensions"),
        ("draw((0,0,0)--(1,1,1));", "three dimensions"),
        ("draw(rightanglemark((0,0),(1,0),(1,1)));", "function rightanglemark"),
        ("clip((0,0)--(1,0)--(0,1)--cycle);", "function clip"),
        ("draw((0,0)--(1,1), white);", "white line"),
        ("pair A = (1,1);", "nothing drawn"),
        ("draw((0,0)--Z);", "name Z"),
        ("fill((0,0)--(1,0)--(0,1)--cycle ^^ (2,2)--(3,2)--(3,3)--cycle);", "holes"),
        ("draw((0,0)--(1/0,1));", "do not fit"),
        ("while (true) {}", "too long"),
        ("for (;;) draw((0,0)--(1,1));", "too long"),
        ("void f() { f(); } f();", "without end"),
        ('string s = "xxxxxxxx"; while (true) s = s + s;', "between values"),
        ("real x = 9.0; while (true) x = x^x;", "do not fit|not finite"),
        ("pair[] P; P[999999999] = (0,0);", "out of range"),
        ("draw(" + "(" * 500 + "0", "nesting"),
        ("draw((0,0)--(1,1)", "the end"),
        ("draw((0,0)--`(1,1));", "sign"),
        ("draw((0,0)..(0,0)..(1,1));", "twice"),
        ('label("A");', "without a place"),
    ],
    ids=lambda value: value[:30],
)
def test_what_is_not_drawn_is_refused_with_the_reason(code: str, why: str) -> None:
    with pytest.raises(UnreadableError, match=why):
        draw(code)


def test_labels_in_latex_are_set_and_bad_ones_refused() -> None:
    lines = Stroke(points=((0, 0), (1, 1)))
    bare = picture(Drawing(marks=(lines,)))
    for text in ("$A$", "$\\frac{1}{2}$", "$60^\\circ$", "half", "$5\\sqrt{3}$ m"):
        drawn = picture(Drawing(marks=(lines, Caption(text=text, point=(0.5, 0.5), direction=(1, 0)))))
        assert (drawn.indices != bare.indices).any()
    with pytest.raises(ValueError, match="nosuch"):
        picture(Drawing(marks=(lines, Caption(text="$\\nosuch{1}$", point=(0.5, 0.5), direction=(1, 0)))))
