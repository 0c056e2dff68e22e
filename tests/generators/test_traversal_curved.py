"""Paths that bend: the spline, every rule on the drawn line, pairs, certificate, what bending changes."""

import re
from dataclasses import replace

import cv2
import numpy as np
import pytest

from planimeter.evals import question
from planimeter.filters.certify.traversal.certificate import certify
from planimeter.filters.traversal.audit import AuditRules, audit
from planimeter.filters.traversal.rules import bent_line, curvature_of, judge_bent, measure
from planimeter.flows.shards import Shard
from planimeter.generators.seeding import without_variant
from planimeter.generators.traversal.cells import Bins
from planimeter.generators.traversal.limits import LATTICE, PIECES, STEPS, Limits
from planimeter.generators.traversal.path_record import crossings_of, tortuosity_of
from planimeter.generators.traversal.smooth import mean_curvature, spline
from planimeter.suites.loading import load
from planimeter.suites.pipeline import suite_of
from planimeter.suites.traversal.checks import checker
from planimeter.suites.traversal.probes import SOLVERS

RECIPE, TRAIN = load("traversal-curved"), load("traversal-train")
LIMITS, BINS = Limits(), Bins()
suite = suite_of(RECIPE)
HALF = {**RECIPE.model_dump(mode="json"), "scale": 0.5}
PAIRED = Shard(suite="traversal", config="curved", cell=(11, 2, 3, "paired"), first=0, count=2)
TRAINED = Shard(suite="traversal", config="curved", cell=(9, 1, 1, "0.7", 3), first=0, count=1, split="train")
Bent = list[tuple[dict, np.ndarray, np.ndarray]]


@pytest.fixture(scope="module")
def items() -> list[list[dict]]:
    """The drawings of two paths, each straight and bent ever more."""
    return [item["curved"] for item in suite.make(RECIPE, PAIRED).items]


@pytest.fixture
def bent(items: list[list[dict]]) -> Bent:
    """The bent drawings of one path: row, points and line."""
    points = np.array(items[0][0]["points"])
    return [(row, points, spline(points, row["smoothness"])) for row in items[0][1:]]


# --- the plan and the rows


def test_drawings_of_a_path_differ_only_in_how_they_bend(items: list[list[dict]]) -> None:
    judged, reader = checker(HALF), SOLVERS["certifier"]["curved"]("curved", {}, 8)
    for rows in items:
        first = rows[0]
        assert [row["smoothness"] for row in rows] == [0.0, *RECIPE.curved.smoothness]
        for column in ("points", "markers", "prompt", "system_prompt", "answer", "pair_id", "n_points"):
            assert all(row[column] == first[column] for row in rows)
        assert {(row["pair_id"], question(row)) for row in rows} == {(first["id"], first["id"])}
        assert len({row["image"]["bytes"] for row in rows}) == len({row["id"] for row in rows}) == 4
        curvatures = [row["curvature"] for row in rows]
        assert curvatures[0] == 0 and curvatures == sorted(set(curvatures))
        assert {without_variant(row["seed"]) for row in rows} == {first["seed"]}
        assert "polyline" not in first["prompt"]
        for row in rows:
            assert list(judged.row("curved", row)) == []
            reading = certify(row["image"]["bytes"], row["markers"][0], row["n_points"], curved=True)
            assert reading.answer in (row["answer"], None), "following never reads another order than is drawn"
            assert reader.read(row) == row["answer"]
    assert list(judged.whole()) == []
    audited = audit({"curved": enumerate(row for rows in items for row in rows)}, AuditRules())["curved"]
    assert not audited.damaged and audited.broken.total() == 0 and "neighbour clearance" in audited.broken


def test_a_training_row_has_a_level_and_one_drawing() -> None:
    (item,) = suite.make(TRAIN, TRAINED).items
    (row,) = item["curved"]
    assert (row["smoothness"], row["level"]) == (0.7, 3)
    assert row["pair_id"] != row["id"]
    assert list(checker(TRAIN.model_dump(mode="json")).row("curved", row)) == []
    assert {shard.cell[3] for shard, _ in suite.training(TRAIN, "curved", 5)} == {"0.4", "0.7", "1"}
    assert (9, 1, 4, "single") in {shard.cell[:4] for shard, _ in suite.training(TRAIN, "base", 5)}
    bins = {shard.cell[1:3] for level in range(1, 9) for shard, _ in suite.training(TRAIN, "curved", level)}
    assert not bins & {tuple(pair) for pair in TRAIN.curved.skipped}


def test_the_checker_finds_what_is_wrong_with_a_drawing(items: list[list[dict]]) -> None:
    *sound, last = items[0]
    for change, fault in (
        ({"smoothness": 0.7}, "has 4 rows in 3 values of smoothness; need 4"),
        ({"pair_id": "curved-0"}, "in 3 values of smoothness; need 4"),
        ({"smoothness": 0.9}, "crossings must be where|values of smoothness"),
        ({"generator_family": "x"}, "must agree on .*generator_family"),
    ):
        judged = checker(HALF)
        faults = [line for row in (*sound, {**last, **change}) for line in judged.row("curved", row)]
        assert re.search(fault, "\n".join([*faults, *(line for _, line in judged.whole())]))


# --- the rules on the drawn line


def broken(line: np.ndarray, crossings: list | None = None, limits: Limits = LIMITS) -> set[str]:
    path = measure(line[::PIECES], line)
    wanted = path.crossings if crossings is None else crossings
    return {v.check for v in judge_bent(path, wanted, 2, limits, BINS) if not v.kept}


def test_crossings_of_bent_lines_are_those_of_exact_arithmetic(bent: Bent) -> None:
    for row, points, line in bent:
        again = bent_line(points, row["smoothness"])
        assert np.abs(line - again).max() <= 1 / 1024 and (line == again).mean() > 0.99
        assert curvature_of(again, points, row["glyph_radius"]) == pytest.approx(row["curvature"], abs=1e-6)
        exact = crossings_of((line * STEPS).astype(int).tolist())
        places = sorted((c["x"], c["y"]) for c in row["crossings"])
        wanted = sorted((c.x * LATTICE / STEPS, c.y * LATTICE / STEPS) for c in exact)
        assert len(places) == len(wanted) > 0 and np.allclose(places, wanted, atol=1e-5)
        assert row["tortuosity"] == pytest.approx(tortuosity_of((line * STEPS).astype(int).tolist()), abs=1e-8)


def arc(points: list, smoothness: float = 1.0) -> np.ndarray:
    return spline(np.array(points, float), smoothness)


BOW = [(120.0, 80.0), (540.0, 100.0), (540.0, 300.0), (140.0, 320.0), (140.0, 540.0), (540.0, 600.0)]
GRAZE = [(80.0, 300.0), (560.0, 340.0), (600.0, 500.0), (90.0, 250.0)]
THROUGH = [(80.0, 300.0), (300.0, 300.0), (500.0, 500.0), (310.0, 100.0), (295.0, 560.0)]
NEAR = [(80.0, 300.0), (560.0, 300.0), (560.0, 500.0), (300.0, 100.0), (270.0, 110.0), (290.0, 500.0)]


def test_a_bent_line_that_breaks_a_rule_is_caught_by_it() -> None:
    for rule, line, limits in (
        ("margin", arc([(60.0, 100.0), (610.0, 120.0), (610.0, 300.0), (60.0, 320.0)]), {}),
        ("extent", arc(BOW), {"margin_fraction": 0.02, "extent_fraction": 0.9}),
        ("segment clearance", arc([(80.0, 100.0), (560.0, 100.0), (560.0, 125.0), (80.0, 122.0)], 0.4), {}),
        ("vertex clearance", arc(THROUGH, 0.2), {}),
        ("neighbour clearance", arc([(80.0, 300.0), (560.0, 300.0), (82.0, 303.0), (200.0, 560.0)], 0.1), {}),
        ("crossing angle", arc(GRAZE, 0.2), {"crossing_angle": 60.0}),
        ("crossing clearance", arc(GRAZE, 0.2), {"glyph_pad": 180.0}),
        ("crossing gap", arc(NEAR, 0.1), {"crossing_gap": 200.0}),
        ("tortuosity bin", arc(BOW[:3]), {}),
    ):
        assert rule in broken(line, limits=replace(LIMITS, **limits))
        assert rule not in broken(arc(BOW))
    assert "same crossings" in broken(arc(BOW), [(0, 2)]) - broken(arc(BOW))
    assert "crossing gap" not in broken(arc(NEAR, 0.1), limits=replace(LIMITS, crossing_gap=1.0))


def test_loops_in_a_piece_and_touching_steps_are_found() -> None:
    line = arc(BOW)
    line[5:9] = [(200.0, 100.0), (260.0, 140.0), (200.0, 140.0), (260.0, 100.0)]
    assert (0, 0) in measure(BOW, line).crossings
    line[8] = (230.0, 120.0)
    assert "touching" in broken(line)
    line = arc(BOW)
    line[-1] = (line[-3] + line[-2]) / 2
    assert measure(BOW, line).touching == 1, "the last step folds back onto the one before it"


# --- the spline and its measure, the certificate and the scores


def test_a_spline_goes_through_its_vertices(bent: Bent) -> None:
    _, points, _ = bent[0]
    lines = [spline(points, s) for s in (0.0, 0.3, 0.6, 1.0, 1.5)]
    for line in lines:
        assert np.array_equal(line[::PIECES], points)
        assert np.array_equal(line * 1024, np.round(line * 1024))
    curvatures = [mean_curvature(line, points, 12.0) for line in lines]
    assert curvatures == sorted(curvatures) and curvatures[0] < 1e-4
    angles = np.linspace(0, 5, 400)
    circle = 300 + 200 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert mean_curvature(circle, circle[:1], 12.0) == pytest.approx(1 / 200, rel=1e-3)


def test_a_missing_stroke_is_not_followed_over(bent: Bent) -> None:
    row, _, line = bent[-1]
    start, n = row["markers"][0], row["n_points"]
    pixels = cv2.imdecode(np.frombuffer(row["image"]["bytes"], np.uint8), cv2.IMREAD_COLOR)
    for middle in line[PIECES // 2 :: PIECES][::3]:
        gap = cv2.circle(pixels.copy(), tuple(int(v) for v in middle), 9, (255, 255, 255), -1)
        assert certify(cv2.imencode(".png", gap)[1].tobytes(), start, n, curved=True).answer is None
    assert certify(row["image"]["bytes"], row["markers"][-1], n, curved=True).answer != row["answer"]
