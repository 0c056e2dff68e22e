"""Faults that were planted in ``generators`` and that no other test found."""

from fractions import Fraction

import numpy as np

from planimeter.generators.geogram.printers.corpora import _Corpora
from planimeter.generators.geogram.scene import var
from planimeter.generators.geogram.template import _sides
from planimeter.generators.geogram.templates.abstract_processes import carved_triangle
from planimeter.items import Stroke


def test_copies_in_the_corners_of_a_carved_triangle_do_not_overlap() -> None:
    drafts = [carved_triangle.draft(np.random.default_rng(seed)) for seed in range(40)]
    shares = {Fraction(dict(draft.facts)["t"]) for draft in drafts}
    assert len(shares) == 7
    assert max(shares) == Fraction(1, 2)


def test_segments_of_which_only_one_reaches_the_other_line_do_not_cross() -> None:
    writer = object.__new__(_Corpora)
    writer.places = {"A": 0j, "B": 4 + 0j, "C": 1 - 1j, "D": 1 + 1j, "E": 1 + 3j}
    a, b, c, d, e = (var(name, "pair") for name in "ABCDE")
    assert writer.cross((a, b, c, d))
    assert not writer.cross((a, b, d, e))
    assert not writer.cross((d, e, a, b))


def test_a_label_lies_on_the_side_away_from_the_middle_of_the_figure() -> None:
    corners = [0j, 10 + 0j, 10 + 10j, 10j]
    square = Stroke(points=tuple((z.real, z.imag) for z in [*corners, 0j]))
    assert _sides([square], [*corners, 10 + 5j, 5 + 10j]) == ["SW", "SE", "NE", "NW", "E", "N"]
