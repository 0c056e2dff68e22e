"""Training rows: their levels and how hard these are, what a level's cells are, and that no test item is among them."""

import io
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from planimeter import evals
from planimeter.export.schema import checker
from planimeter.filters.verdict import Verdict
from planimeter.flows.shards import Shard
from planimeter.flows.store import keys
from planimeter.generators.geogram.plan import templates_at
from planimeter.generators.geogram.propose import propose, templates
from planimeter.generators.marvl_qa.curriculum import COUNTING, TRANSFORMATION, pair_of_styles, style_of
from planimeter.generators.seeding import item_seed, rng_of
from planimeter.items import STYLES
from planimeter.suites import editions
from planimeter.suites.base import Recipe
from planimeter.suites.editions import Likeness, likeness
from planimeter.suites.loading import load
from planimeter.suites.marvl_qa.probes import ThumbnailPair, ThumbnailPeaks
from planimeter.suites.pipeline import suite_of
from planimeter.suites.traversal.probes import Nearest

Row = dict[str, Any]

#: The ladders: recipe, config, the column that says the level.
LADDERS = [
    ("marvl-qa-train", "counting", "level"),
    ("marvl-qa-train", "transformation", "level"),
    ("marvl-qa-hard-train", "counting_hard", "level"),
    ("marvl-qa-hard-train", "transformation_hard", "level"),
    ("marvl-qa-hard-train", "surface", "level"),
    ("traversal-train", "base", "level"),
    ("curves-train", "curriculum", "level"),
    ("geogram-train", "geogram", "difficulty"),
]
OURS = [ladder for ladder in LADDERS if ladder[0] != "curves-train"]  # the curves' have tests of their own
ladders = pytest.mark.parametrize(("name", "config", "column"), OURS)


def recipe_of(name: str, **changes: object) -> Recipe:
    found = load(name, **changes)
    assert isinstance(found, Recipe)
    return found


def made(name: str, config: str, level: int, number: int) -> list[Row]:
    """``number`` rows of a level, its cells as often as they weigh."""
    recipe = recipe_of(name)
    suite = suite_of(recipe)
    cells = suite.training(recipe, config, level)
    weights = np.array([weight for _, weight in cells])
    drawn = Counter(np.random.default_rng(level).choice(len(cells), number, p=weights / weights.sum()).tolist())
    shards = [replace(cells[cell][0], count=count) for cell, count in sorted(drawn.items())]
    return [row for shard in shards for item in suite.make(recipe, shard).items for row in item[config]]


def faults(name: str, config: str, row: Row) -> list[str]:
    recipe = recipe_of(name)
    return list(checker(recipe.suite, recipe.model_dump(mode="json")).row(config, {**row, "split": "train"}))


@pytest.mark.parametrize(("name", "config", "column"), LADDERS)
def test_each_level_has_whole_cells_with_weights(name: str, config: str, column: str) -> None:
    recipe = recipe_of(name)
    suite = suite_of(recipe)
    assert 6 <= suite.levels[config] <= 8
    seen: set[tuple[object, ...]] = set()
    for level in range(1, suite.levels[config] + 1):
        cells = suite.training(recipe, config, level)
        assert cells
        assert all(weight > 0 and (cell.first, cell.count, cell.split) == (0, 0, "train") for cell, weight in cells)
        assert all(cell.cell[-1] == level for cell, _ in cells)
        seen.update(cell.cell for cell, _ in cells)
        assert len({cell.cell for cell, _ in cells}) == len(cells)
    for level in (0, suite.levels[config] + 1):
        with pytest.raises(LookupError, match=f"{config} has levels 1 to {suite.levels[config]}, got {level}"):
            suite.training(recipe, config, level)


@pytest.mark.parametrize(
    ("name", "config"),
    [("marvl-qa", "counting"), ("traversal", "base"), ("traversal", "reading_order"), ("geogram", "geogram")],
)
def test_a_recipe_that_does_not_train_has_no_cells_of_a_level(name: str, config: str) -> None:
    recipe = recipe_of(name)
    assert suite_of(recipe).training(recipe, config, 1) == ()


@pytest.mark.parametrize("name", ["marvl-qa-train", "marvl-qa-hard-train", "traversal-train", "geogram-train"])
@given(scale=st.floats(0.003, 3))
def test_the_levels_share_the_rows_evenly_whatever_the_scale(name: str, scale: float) -> None:
    recipe = recipe_of(name, scale=scale)
    found: dict[str, Counter[int]] = {}
    for cell, _ in suite_of(recipe).cells(recipe):
        found.setdefault(cell.config, Counter())[int(cell.cell[-1])] += cell.count
    for config, levels in found.items():
        assert levels.total() == max(1, int(recipe.model_dump()[config]["rows"] * scale + 0.5))
        least = min(levels.values()) if len(levels) == suite_of(recipe).levels[config] else 0
        assert max(levels.values()) - least <= 1


@ladders
def test_a_row_of_another_level_than_it_says_is_noticed(name: str, config: str, column: str) -> None:
    (row,) = made(name, config, 1, 1)
    last = suite_of(recipe_of(name)).levels[config]
    assert (row[column], evals.strata(row)[column]) == (1, "1")
    assert faults(name, config, row) == []
    for wrong in (last, 0, last + 1):
        assert any("level" in fault or column in fault for fault in faults(name, config, {**row, column: wrong})), wrong


@pytest.mark.parametrize("config", ["counting", "transformation"])
def test_a_training_question_is_shown_in_one_style(config: str) -> None:
    rows = made("marvl-qa-train", config, 2, 4)
    assert len(rows) == len({row["seed"] >> 8 for row in rows}) == 4


@given(st.integers(0, 2**32))
def test_styles_are_those_of_the_level(seed: int) -> None:
    for number, level in enumerate(COUNTING, start=1):
        kind = STYLES[style_of(number, np.random.default_rng(seed))].plot_type
        assert {"contour": level.contour, "heatmap-contour": level.lines}.get(kind, 1 - level.contour - level.lines) > 0
    for number, pair in enumerate(TRANSFORMATION, start=1):
        left, right = divmod(pair_of_styles(number, np.random.default_rng(seed)), len(STYLES))
        lines = [STYLES[side].plot_type for side in (left, right)].count("contour")
        assert (pair.same if left == right else 1 - pair.same) > 0
        assert (pair.contour if lines else 1 - pair.contour) > 0
        assert lines in ((0, 2) if left == right else (0, 1))


def test_shares_of_styles_are_the_levels() -> None:
    rng = np.random.default_rng(5)
    drawn = Counter(STYLES[style_of(6, rng)].plot_type for _ in range(4000))
    assert abs(drawn["contour"] / 4000 - COUNTING[5].contour) < 0.03
    assert abs(drawn["heatmap-contour"] / 4000 - COUNTING[5].lines) < 0.03
    pairs = [divmod(pair_of_styles(4, rng), len(STYLES)) for _ in range(4000)]
    assert abs(sum(a == b for a, b in pairs) / 4000 - TRANSFORMATION[3].same) < 0.03
    assert abs(sum(8 in pair for pair in pairs) / 4000 - TRANSFORMATION[3].contour) < 0.03


def test_each_template_is_in_one_level() -> None:
    names = [template.name for level in range(1, 9) for template in templates_at(level)]
    missing = {template.name for template in templates()}.difference(names)
    assert not missing, "add it to a level of generators/geogram/curriculum.py"
    assert sorted(names) == [template.name for template in templates()]


class _Refusing:
    """Refuses what it is first asked."""

    def __init__(self) -> None:
        self.asked: list[Likeness] = []

    def judge(self, item: Likeness) -> Verdict:
        self.asked.append(item)
        return editions.refusal(1.0, 0.0, refused=len(self.asked) == 1)


@ladders
def test_a_training_item_that_is_like_a_test_item_is_made_anew(name: str, config: str, column: str) -> None:
    recipe = recipe_of(name)
    suite = suite_of(recipe)
    shard = replace(suite.training(recipe, config, 1)[0][0], count=1)
    plain = suite.maker(recipe, shard).make()
    judge = _Refusing()
    found = suite.maker(recipe, shard).make(judge)
    rows = [m.items[0][config][0] for m in (plain, found)]
    assert judge.asked == [likeness(recipe.suite, config, row) for row in rows]
    assert rows[0]["id"] != rows[1]["id"]
    assert found.funnel[config][editions.CHECK]["seen"] == 2
    assert suite.tests(shard) is editions.judge_of(recipe.suite)
    assert suite.tests(replace(shard, split="test")) is None


def test_the_verifier_finds_a_published_test_item_among_training_rows() -> None:
    recipe = recipe_of("traversal")
    shard = next(shard for shard in suite_of(recipe).plan(recipe) if shard.config == "base")
    (row,) = suite_of(recipe).make(recipe, replace(shard, count=1)).items[0]["base"]
    found = faults("traversal-train", "base", {**row, "level": 1})
    assert any("like a published test item" in fault for fault in found)


def test_other_test_items_make_other_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = recipe_of("geogram-train")
    (shard, _), *_ = suite_of(recipe).training(recipe, "geogram", 1)
    before = keys.shard_key(recipe, shard)
    monkeypatch.setattr(keys, "_tests", lambda _: ["others"])
    assert keys.shard_key(recipe, shard) != before
    test = Shard(suite="geogram", config="geogram", cell=("primitive", "asymptote"), first=0, count=1)
    plain = keys.shard_key(recipe_of("geogram"), test)
    monkeypatch.undo()
    assert keys.shard_key(recipe_of("geogram"), test) == plain


def test_places_in_pixels_are_the_summits_of_the_picture() -> None:
    """In a heat map of greys that rise with the height, nothing near a counted maximum is lighter than it."""
    rows = [row for row in made("marvl-qa-train", "counting", 1, 6) if row["feature"] == "maxima"]
    seen = 0
    for row in rows:
        picture = np.array(Image.open(io.BytesIO(row["image"]["bytes"])).convert("L"), np.int64)
        for x, y in row["extrema_px"]:
            column, line = int(x), int(y)
            around = picture[max(line - 8, 50) : min(line + 9, 530), max(column - 8, 86) : min(column + 9, 566)]
            assert picture[line, column] >= around.max() - 3, row["id"]
            seen += 1
    assert seen >= 6


# How hard the levels are -------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def _of_two(a: float, b: float) -> Iterator[float]:
    yield from (a + b, abs(a - b), a * b, a * b / 2, math.hypot(a, b), math.sqrt(abs(a * a - b * b)), abs(180 - a - b))
    yield from (x / y for x, y in ((a, b), (b, a)) if y)


def _of_one(a: float) -> Iterator[float]:
    yield from (2 * a, a / 2, abs(180 - a), abs(90 - a), a * a, math.sqrt(a), math.pi * a * a)


def reached(statement: str, answer: float) -> bool:
    """Whether two steps of arithmetic lead from the numbers of a statement to its answer."""
    given = sorted({float(number) for number in _NUMBER.findall(statement)})
    once = {*given, *(x for a in given for x in _of_one(a))}
    once |= {x for a, b in itertools.combinations(given, 2) for x in _of_two(a, b)}
    twice = {x for a in once for b in given for x in _of_two(a, b)} | {x for a in once for x in _of_one(a)} | once
    return any(math.isclose(x, answer, rel_tol=1e-9) for x in twice)


def arithmetic(level: int, each: int) -> float:
    """The share of the answers of a level's templates that a reader of the statement's numbers reaches."""
    hits = []
    for template in templates_at(level):
        for k in range(each):
            seed = item_seed(7, ("arithmetic", template.name, k))
            try:
                item = propose(template, "asymptote", rng_of(seed), seed)
            except ValueError:
                continue
            hits.append(item.answer_value is not None and reached(item.problem, item.answer_value))
    return sum(hits) / len(hits)


def falls(scores: list[float], slack: float, least: float) -> bool:
    """Whether no level is easier than the one before by more than ``slack``, and the last is harder by ``least``."""
    return all(b <= a + slack for a, b in itertools.pairwise(scores)) and scores[0] - scores[-1] >= least


@pytest.mark.parametrize("each", [8, pytest.param(25, marks=pytest.mark.slow)])
def test_the_levels_of_problems_fall_in_the_score_of_arithmetic(each: int) -> None:
    scores = [arithmetic(level, each) for level in range(1, 9)]
    assert falls(scores, 0.02, 0.9), scores


@pytest.mark.parametrize(("rows", "slack"), [(16, 0.06), pytest.param(60, 0.02, marks=pytest.mark.slow)])
def test_the_levels_of_paths_fall_in_the_score_of_the_nearest_marker(rows: int, slack: float) -> None:
    reader, scores = Nearest("base", {}, 0), []
    for level in range(1, 9):
        grades = [evals.grade(row, reader.read(row)) for row in made("traversal-train", "base", level, rows)]
        scores.append(float(np.mean([grade.metrics["token_accuracy"] for grade in grades])))
    assert falls(scores, slack, 0.7), scores


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "reader", "least"),
    [
        ("counting", ThumbnailPeaks("counting", {}, 12), 0.6),
        ("transformation", ThumbnailPair("transformation", {}, 4), 0.5),
    ],
)
def test_the_levels_of_plots_fall_in_the_score_of_a_reader_of_thumbnails(
    config: str, reader: Any, least: float
) -> None:
    scores = []
    for level in range(1, suite_of(recipe_of("marvl-qa-train")).levels[config] + 1):
        rows = made("marvl-qa-train", config, level, 120)
        scores.append(sum(evals.grade(row, reader.read(row)).value for row in rows) / len(rows))
    assert falls(scores, 0.05, least), scores
