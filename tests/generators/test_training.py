"""Training rows: their levels and how hard these are, what a level's cells are, and that no test item is among them."""

import itertools
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planimeter import evals
from planimeter.export.schema import checker
from planimeter.filters.verdict import Verdict
from planimeter.generators.geogram.plan import templates_at
from planimeter.generators.geogram.propose import templates
from planimeter.suites import editions
from planimeter.suites.base import Recipe
from planimeter.suites.editions import Likeness, likeness
from planimeter.suites.loading import load
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
    ("marvl-qa-hard-train", "surface_transformation", "level"),
    ("traversal-train", "base", "level"),
    ("curves-train", "curriculum", "level"),
    ("geogram-train", "geogram", "difficulty"),
]
ladders = pytest.mark.parametrize(("name", "config", "column"), LADDERS)


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


@ladders
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


@pytest.mark.parametrize("name", dict.fromkeys(name for name, _, _ in LADDERS))
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
    assert suite.contamination_filter(shard) is editions.judge_of(recipe.suite)
    assert suite.contamination_filter(replace(shard, split="test")) is None


@pytest.mark.parametrize(("rows", "slack"), [(16, 0.06), pytest.param(60, 0.02, marks=pytest.mark.slow)])
def test_levels_of_paths_get_harder_for_the_nearest_marker(rows: int, slack: float) -> None:
    reader, scores = Nearest("base", {}, 0), []
    for level in range(1, 9):
        grades = [evals.grade(row, reader.read(row)) for row in made("traversal-train", "base", level, rows)]
        scores.append(float(np.mean([grade.metrics["token_accuracy"] for grade in grades])))
    assert all(b <= a + slack for a, b in itertools.pairwise(scores)), scores
    assert scores[0] - scores[-1] >= 0.7, scores
