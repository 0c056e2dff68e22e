"""Faults that were planted in ``filters`` and that no other test found."""

from dataclasses import replace

import numpy as np
import pytest

from planimeter.filters.certify.geogram.certificate import Program, _values_of
from planimeter.filters.certify.marvl_qa import shrunk
from planimeter.filters.certify.traversal.line_following import follow
from planimeter.filters.geogram.asked import asked_in
from planimeter.filters.verdict import Verdict, first_broken
from planimeter.rendering.strokes import stroke


def test_what_an_earlier_question_word_is_about_is_not_taken_for_what_is_asked() -> None:
    asked = asked_in("Find the circle of the same area, and compute the length of its longest chord.")
    assert (asked.measure, asked.kind) == ("", "length")


def test_of_several_verdicts_the_first_rejection_is_the_one_of_all() -> None:
    good = Verdict(check="size", kept=True, measured=3.0, limit=1.0)
    bad = Verdict(check="gap", kept=False, measured=1.0, limit=2.0, reason="too near")
    assert first_broken([good, bad, good], "rules") == replace(bad, check="rules")
    assert first_broken([good, good], "rules").kept


def test_a_number_that_stands_for_endlessly_many_is_not_measured_as_it_is_drawn() -> None:
    code = "int n = 3; pair O = (0,0); pair P = (0,0); for (int i = 0; i < n; ++i) { P = P + (2,0); } draw(O--P);"
    program = Program(code, "asymptote")
    literals = np.array(program.literals, float)[:, None]
    assert _values_of(["dist(O, P)"], program, literals, {}).tolist() == [[6.0]]
    assert _values_of(["dist(O, P)"], program, literals, {"n": 7}).tolist() == [[14.0]]


def test_a_line_that_bends_on_and_on_is_followed_to_its_end() -> None:
    turn = np.linspace(0.0, 2.2, 200)
    arc = np.stack([60 + 40 * np.sin(turn), 70 + 40 * np.cos(turn)], axis=1)
    ink = np.zeros((180, 180), np.uint8)
    stroke(ink, arc, 3.4, 255, closed=False)
    ends = [(float(x), float(y), 7.0) for x, y in (arc[0], arc[-1])]
    np.testing.assert_array_equal(follow((ink / 255).astype(np.float32), ends), [[0.0, 1.0], [1.0, 0.0]])


@pytest.mark.parametrize(("colour", "read"), [((250, 240, 255), "contours"), ((10, 20, 255), "colours")])
def test_a_key_of_bright_colours_is_not_taken_for_one_of_lines_on_paper(colour, read, monkeypatch) -> None:
    monkeypatch.setattr(shrunk, "read_contours", lambda *_: "contours")
    monkeypatch.setattr(shrunk, "_read_colours", lambda *_: "colours")
    assert str(shrunk._read(np.full((*shrunk.PANEL, 3), colour, np.uint8))) == read
