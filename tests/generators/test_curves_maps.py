"""Crossing curves: their maps and rules, the plan, the rows, and what the verifier catches."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely
from curves_drawings import planar_maps

from planimeter.evals.curves_maps import grader
from planimeter.evals.graphs import same_graph
from planimeter.filters.certify.curves_maps import read_planar_map
from planimeter.filters.curves_maps import arrangement, judge, numbered
from planimeter.flows.shards import Shard
from planimeter.generators.curves.config import LayoutError
from planimeter.generators.curves_maps import PlanarMapConfig, _paper
from planimeter.items.planar_map import PlanarMapItem, PlanarMapLimits
from planimeter.rendering.curves import render_map
from planimeter.rendering.png import encode
from planimeter.suites.curves_maps.checks import checker
from planimeter.suites.editions import judge_of
from planimeter.suites.loading import load
from planimeter.suites.pipeline import suite_of

RECIPE = load("curves-maps")
suite = suite_of(RECIPE)
VALUES = RECIPE.model_dump(mode="json")
SHARD = Shard(suite="curves_maps", config="planar_map", cell=("  3 to 4 curves", "test", 3, 4), first=0, count=2)
Row = dict[str, Any]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return [{**item["planar_map"][0], "split": "test"} for item in suite.make(RECIPE, SHARD).items]


def faults(row: Row, values: dict[str, Any] = VALUES) -> str:
    return " / ".join(checker(values).row("planar_map", row))


def circle(x: float, y: float, radius: float) -> np.ndarray[Any, Any]:
    turn = np.arange(240) / 240 * 2 * np.pi + 0.01
    return np.round(np.stack([x + radius * np.cos(turn), y + radius * np.sin(turn)], axis=1), 2)


# --- the map of stored curves


def test_circles_draw_the_map_of_the_prompt() -> None:
    drawn = arrangement([circle(400, 500, 200), circle(600, 500, 220)])
    assert (len(drawn.crossings), drawn.parts, drawn.euler_faces, len(drawn.faces)) == (2, 1, 3, 3)
    pairs = numbered(drawn, [face.area for face in drawn.faces])
    example = grader.parse("planar_map", grader.PROMPT).value
    assert example is not None and same_graph(4, frozenset(pairs), example.adjacent)
    drawn = arrangement([circle(200, 200, 90), circle(300, 200, 95), circle(700, 700, 90), circle(800, 700, 95)])
    assert (drawn.parts, drawn.euler_faces, len(drawn.faces), drawn.isolated) == (2, 6, 6, 0)
    assert arrangement([circle(500, 500, 300), circle(500, 500, 80)]).isolated == 2
    square = np.array([[100.0, 100.0], [300, 100], [300, 300], [100, 300]])
    for curves, message in (
        ([square, square + np.array([200.0, 50.0])], "share a stretch"),
        ([square[[0, 2, 1, 3]]], "crosses itself"),
    ):
        with pytest.raises(ValueError, match=message):
            arrangement(curves)


def test_faces_opposite_at_four_crossings_are_not_adjacent() -> None:
    """Neither in the stored map, nor to the reader of the picture, for whom a little of them meets at each crossing."""
    flat = circle(0, 0, 1.0e6) * [420e-6, 260e-6]
    ellipses = (flat + np.array([512.0, 512.0]), flat[:, ::-1] + np.array([512.0, 512.0]))
    drawn = arrangement(ellipses)
    pairs = numbered(drawn, [float(shapely.area(shapely.buffer(face, -3.0))) for face in drawn.faces])
    assert (len(drawn.crossings), len(drawn.faces), drawn.euler_faces) == (4, 5, 5)
    # Four tips, each between the exterior and the middle, which is the largest.
    assert pairs == ((0, 2), (0, 3), (0, 4), (0, 5), (1, 2), (1, 3), (1, 4), (1, 5))
    item = PlanarMapItem(curves=ellipses, areas=(), adjacent=pairs, canvas_px=1024, stroke_px=6.0, seed=0)
    assert read_planar_map(encode(render_map(item))).answer == grader.answer(5, pairs)


def test_every_rule_can_reject() -> None:
    """And the generator, which finds faces and pairs in another way, agrees with the rules."""
    items = planar_maps(PlanarMapConfig(curves=(4, 6), stroke_px=(4.2, 6.0), arc_px=72.0), 6, seed=5)
    rules = PlanarMapLimits(margin_px=24.0, stroke_px=(4.2, 6.0), arc_px=72.0)
    assert all(verdict.kept for item in items for verdict in judge(item, rules)[1])
    item = items[0]
    copied, apart = (*item.curves, item.curves[0]), (item.curves[0], item.curves[0] * 0.2 + 24.0)
    for broken, limits, checks in (
        (item, {"margin_px": 400.0}, {"border"}),
        (item, {"stroke_px": (7.0, 8.0)}, {"stroke"}),
        (item, {"crossing_degrees": 89.9}, {"crossing"}),
        (item, {"arc_px": 900.0}, {"arc"}),
        (item, {"face_px2": 90_000.0}, {"face"}),
        (replace(item, adjacent=item.adjacent[1:]), {}, {"map"}),
        (replace(item, curves=copied), {}, {"simple"}),
    ):
        assert {v.check for v in judge(broken, replace(rules, **limits))[1] if not v.kept} == checks
    assert {"arc", "map"} <= {v.check for v in judge(replace(item, curves=apart), rules)[1] if not v.kept}


def test_a_face_with_a_narrow_way_is_hardly_open() -> None:
    config, stroke = PlanarMapConfig(), 4.0
    neck = stroke + config.opening_px / 2
    parts = (shapely.box(0, 0, 60, 60), shapely.box(90, 0, 150, 60), shapely.box(50, 30 - neck / 2, 100, 30 + neck / 2))
    with pytest.raises(LayoutError, match="hardly open"):
        _paper(shapely.union_all(parts), stroke, config)
    assert _paper(shapely.box(0, 0, 60, 60), stroke, config) == pytest.approx(56.0**2)


# --- the plan and the rows


def test_training_maps_are_like_no_published_one(rows: list[Row]) -> None:
    table = RECIPE.planar_map.model_copy(update={"splits": {"train": 300}})
    training = RECIPE.model_copy(update={"planar_map": table})
    shard = replace(SHARD, cell=("  3 to 4 curves", "train", 3, 4), split="train")
    assert suite.contamination_filter(shard) is judge_of("curves_maps") and suite.contamination_filter(SHARD) is None
    items = suite.make(training, shard).items
    assert len(items) == 2
    for row in (item["planar_map"][0] for item in items):
        assert faults({**row, "split": "train"}, training.model_dump(mode="json")) == ""
    assert "is like a published test item" in faults({**rows[0], "split": "train"})


def test_moved_curves_and_missing_rows_are_noticed(rows: list[Row]) -> None:
    first = rows[0]
    curve, *others = first["curves"]
    for changed, expected in (
        ([[x - 5000.0, y] for x, y in curve], "border: curve near the border.*arc: curve crosses no other"),
        ([*curve[:80], *reversed(curve[80:])], "simple: no curves with clear crossings"),
        ([[x + 1.0, y] for x, y in curve], "map: curves draw another map"),
    ):
        reported = faults({**first, "curves": [changed, *others]})
        assert all(part in reported for part in expected.split(".*"))
    # A drawing that breaks another rule is compared with its columns all the same.
    stricter = {**VALUES, "planar_map": {**VALUES["planar_map"], "area_ratio": 9.0}}
    reported = faults({**first, "num_faces": 99}, stricter)
    assert "face: faces of like area" in reported and "num_faces must be" in reported
    look = checker(VALUES)
    assert list(look.row("planar_map", first)) == []
    missing = [line for config, line in look.whole() if config == "planar_map"]
    assert "the recipe promises 300 rows, found 1" in missing
    assert "the recipe promises 100 rows of split test, num_curves 5 to 5, found 0" in missing
