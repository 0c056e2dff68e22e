"""Faults that were planted in ``generators`` and that no other test found."""

from fractions import Fraction
from typing import cast

import numpy as np
import pytest
import shapely

from planimeter.generators.curves.arcs import draw_arcs
from planimeter.generators.curves.clearance import keeps
from planimeter.generators.curves.config import CurvesConfig, LayoutError
from planimeter.generators.curves.outlines import Bend
from planimeter.generators.curves.terrain import GRID, Relief, draw_terrain
from planimeter.generators.curves.trees import _table
from planimeter.generators.curves_maps.candidates import PlanarMapConfig, _paper
from planimeter.generators.geogram.printers.corpora import _Corpora
from planimeter.generators.geogram.scene import var
from planimeter.generators.geogram.sketch import _sides
from planimeter.generators.geogram.templates.abstract_processes import _carved_triangle
from planimeter.generators.traversal.cells import Bins, Cell
from planimeter.generators.traversal.confounders import SpurLimits
from planimeter.generators.traversal.families import rail_weave
from planimeter.generators.traversal.family import is_loose
from planimeter.generators.traversal.kernels import CLEARANCE, SLOTS, TURN_COSINE, joint_penalty, pair_penalty
from planimeter.generators.traversal.shaping import _stretch
from planimeter.items import Stroke


def test_no_bend_at_all_is_allowed_and_leaves_a_drawing_as_it_is() -> None:
    curve = np.array([[0.0, 0.0], [4.0, 0.5], [3.0, 5.0]])
    (bent,) = Bend(5.0, 0.0, np.random.default_rng(1))([curve])
    np.testing.assert_allclose(bent, curve)


def test_the_table_of_counts_of_trees_is_as_long_as_it_was_asked_to_be() -> None:
    assert _table(8) == (0, 1, 1, 2, 4, 9, 20, 48)


class Middle:
    """Stands for a random generator: draws the middle of each range, and 0 of what lies between 0 and 1."""

    def uniform(self, low: float, high: float, size: object) -> np.ndarray:
        return np.full(cast(tuple[int, ...], size), (low + high) / 2)

    def random(self, size: int) -> np.ndarray:
        return np.zeros(size)


def test_a_coast_sinks_as_the_cube_of_the_way_from_the_flat_inland() -> None:
    rng = cast(np.random.Generator, Middle())
    row = draw_terrain(Relief(hills=2, hollow_share=0.0, roughness=0.0), rng)[GRID // 2]
    hill = np.exp(-((((np.arange(GRID) + 0.5) / GRID * 2 - 1) / 0.29) ** 2))
    inland = 0.35 * 0.86
    off = (np.arange(GRID) + 0.5) / GRID * 2 - 1
    near, far = (int(np.argmin(np.abs(off - place * 0.86))) for place in (0.55, 0.75))
    drop = [hill[k] / hill.max() - row[k] for k in (near, far)]
    way = [(np.hypot(off[k], off[GRID // 2]) - inland) for k in (near, far)]
    assert np.log(drop[1] / drop[0]) / np.log(way[1] / way[0]) == pytest.approx(3, abs=0.1)


def test_copies_in_the_corners_of_a_carved_triangle_do_not_overlap() -> None:
    drafts = [_carved_triangle(np.random.default_rng(seed)) for seed in range(40)]
    shares = {Fraction(dict(draft.givens)["t"]) for draft in drafts}
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


def test_confounders_of_the_paper_are_allowed_and_a_few_that_are_many_are_not() -> None:
    assert SpurLimits().low < SpurLimits().high
    with pytest.raises(ValueError, match="need 0 < low"):
        SpurLimits(low=(2, 5), high=(5, 7))


def test_a_weave_is_not_proposed_where_nothing_is_to_cross() -> None:
    bins = Bins()
    cells = [Cell(n_points=13, tortuosity_bin=3, crossing_bin=number) for number in range(2)]
    assert [is_loose(cell, bins) for cell in cells] == [True, True]
    assert [rail_weave.FAMILY.suits(cell, bins) for cell in cells] == [False, True]


def test_a_segment_that_ends_before_the_other_does_not_cross_it() -> None:
    target = np.zeros(SLOTS)
    target[CLEARANCE] = 8.0
    before = np.array([[0.0, 0.0], [10.0, 0.0], [5.0, 6.0], [5.0, 2.0]])
    assert not pair_penalty(before, 0, 2, target)[1]
    through = np.array([[0.0, 0.0], [10.0, 0.0], [5.0, 6.0], [5.0, -2.0]])
    assert pair_penalty(through, 0, 2, target)[1:] == (True, 5.0, 0.0)


def test_a_turn_is_measured_by_its_angle_whatever_the_direction_of_the_path() -> None:
    target = np.zeros(SLOTS)
    target[TURN_COSINE] = 0.9
    turn = np.array([[0.0, 0.0], [4.0, 0.0], [6.0, 2.0]])
    quarter = turn[:, ::-1] * [-1.0, 1.0]
    wrong = (0.9 - np.sqrt(0.5)) / 1.9
    assert [joint_penalty(path, 1, target) for path in (turn, quarter)] == pytest.approx([wrong, wrong])


def test_arcs_keep_the_margin_on_all_four_sides() -> None:
    config = CurvesConfig(gap_px=20.0, arcs=(6, 6))
    rng = np.random.default_rng(5)
    curve = np.array([[500.0, 500.0], [540.0, 500.0], [520.0, 540.0]])
    arcs = np.vstack([arc for _ in range(20) for arc in draw_arcs([curve], config, rng)])
    assert arcs.min() > config.margin_px
    assert arcs.max() < config.canvas_px - config.margin_px


def test_curves_keep_a_gap_only_where_none_comes_nearer() -> None:
    square = np.array([[0.0, 0.0], [40.0, 0.0], [40.0, 40.0], [0.0, 40.0]])
    assert keeps([square, square + np.array([60.0, 0.0])], 10.0)
    assert not keeps([square, square + np.array([45.0, 0.0])], 10.0)


def test_a_path_that_is_long_whatever_its_width_is_narrowed_to_a_thirtieth_and_no_further() -> None:
    back_and_forth, width = np.array([0.0, 9.0, 1.0, 10.0]), np.array([0.0, 1.0, 0.0, 1.0])
    assert _stretch(back_and_forth, width, 1.0) == pytest.approx(1 / 30, rel=1e-3)
    assert _stretch(back_and_forth, width, 1000.0) == pytest.approx(30, rel=1e-3)


def test_a_face_is_hardly_open_where_its_rooms_are_and_the_way_between_them_is_not() -> None:
    config = PlanarMapConfig()
    stroke = 4.0
    neck = stroke + config.opening_px / 2
    rooms = shapely.union(shapely.box(0, 0, 60, 60), shapely.box(90, 0, 150, 60))
    face = shapely.union(rooms, shapely.box(50, 30 - neck / 2, 100, 30 + neck / 2))
    with pytest.raises(LayoutError, match="hardly open"):
        _paper(face, stroke, config)
    assert _paper(shapely.box(0, 0, 60, 60), stroke, config) == pytest.approx(56.0**2)
