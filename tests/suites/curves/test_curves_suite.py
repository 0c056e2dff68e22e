"""Nested curves from plan to verifier: what the plan deals, where rows are made, and what the verifier catches."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_datasets import written

from planimeter.flows.shards import Made, Shard
from planimeter.generators.curves.plan import category_cells, shapes
from planimeter.suites.curves.checks import checker
from planimeter.suites.curves.recipe import SuiteRecipe
from planimeter.suites.editions import likeness
from planimeter.suites.loading import load
from planimeter.suites.pipeline import suite_of
from planimeter.suites.write_signatures import of_dataset

RECIPE, TRAINING = load("curves"), load("curves-train")
suite = suite_of(RECIPE)
EASY = RECIPE.categories()["easy"]
SHARDS = (
    Shard(suite="curves", config="easy", cell=("(()())", "validation", 2, 2), first=0, count=2, split="validation"),
    Shard(suite="curves", config="topographical", cell=("  6 to 13 curves", "test", 6, 13), first=0, count=1),
)
Row = dict[str, Any]


def faults(config: str, row: Row, recipe: SuiteRecipe = RECIPE) -> str:
    return " / ".join(checker(recipe.model_dump(mode="json")).row(config, row))


@pytest.fixture(scope="module")
def made() -> dict[str, Made]:
    return {shard.config: suite.make(RECIPE, shard) for shard in SHARDS}


@pytest.fixture
def easy(made: dict[str, Made]) -> Row:
    return {**made["easy"].items[0]["easy"][0], "split": "train"}


# --- the plan


def test_at_full_scale_the_quotas_are_the_papers() -> None:
    dealt: Counter[tuple[str, str]] = Counter()
    drawn: Counter[str] = Counter()
    trained: Counter[str] = Counter()
    shards = suite.plan(RECIPE)
    for shard in shards:
        dealt[shard.config, shard.split] += shard.count
        if shard.config == "easy":
            drawn[str(shard.cell[0])] += shard.count
            trained[str(shard.cell[0])] += shard.count * (shard.split == "train")
    others = {"polygon": 199, "topographical": 100, "maze": 100, "counting": 57}
    easy = {("easy", split): rows for split, rows in {"train": 210, "validation": 45, "test": 45}.items()}
    assert dealt == {**easy, **{(name, "test"): rows for name, rows in others.items()}}
    assert len(drawn) == len(shapes(EASY.sizes)) == 36
    assert Counter(map(len, shapes(EASY.sizes).values())) == {1: 1, 2: 2, 3: 4, 4: 9, 5: 20}
    assert min(drawn.values()) >= 8 and min(trained.values()) >= 5


@given(st.floats(0.004, 12))
def test_the_plan_deals_every_row_evenly_whatever_the_scale(scale: float) -> None:
    cells = category_cells([(1, 5), (6, 8), (9, 12)], [("train", 90), ("test", 60)], 5, scale)
    assert sum(cell.quota for cell in cells) == int(150 * scale + 0.5)
    by_size = Counter(dict.fromkeys(((1, 5), (6, 8), (9, 12)), 0))
    trees: Counter[str] = Counter()
    for cell in cells:
        assert bool(cell.shape) == (cell.sizes[1] <= 5)
        by_size[(1, 5) if cell.shape else cell.sizes] += cell.quota
        if cell.shape and cell.quota:
            trees[str(cell.shape)] += cell.quota
    # A row may be lost to rounding in each of the splits.
    assert max(by_size.values()) - min(by_size.values()) <= 2
    assert max(trees.values(), default=0) - min(trees.values(), default=0) <= 1
    easy = category_cells(EASY.sizes, tuple(EASY.splits.items()), EASY.trees_to, scale)
    assert sum(cell.quota for cell in easy) == max(1, int(300 * scale + 0.5))


def test_training_rows_and_test_rows_share_no_address(easy: Row) -> None:
    assert "is like a published test item" in faults("curriculum", {**easy, "level": 2}, TRAINING)
    assert "is like a published test item" in faults("easy", easy)
    assert faults("easy", {**easy, "split": "validation"}) == ""

    def seeds(recipe: SuiteRecipe) -> set[int]:
        rooted = recipe.model_copy(update={"seed": 1})
        indices = ((shard, shard.first + index) for shard in suite.plan(rooted) for index in range(2 * shard.count))
        return {seed for shard, index in indices for seed in suite.maker(rooted, shard).seeds(index)}

    assert not seeds(RECIPE) & seeds(TRAINING), "even with one root seed"


# --- what the verifier catches


def test_curves_that_cross_or_are_swapped_are_noticed(easy: Row) -> None:
    """The verifier finds tree, distances and side by another program: a fault that both shared would be published."""
    first, second = easy["curves"]
    left, top = np.min(first, axis=0).tolist()
    beside = [first, [[left - 60.0, top], [left - 8.0, top], [left - 8.0, top + 900.0]]]
    for curves, said in (
        ([first, [[x + 3.0, y] for x, y in first]], "nesting: curves show another tree"),
        ([second, first], "order of their nodes"),
        ([[[x - 5000.0, y] for x, y in first], second], "must be on the canvas of"),
        ([first], "one curve of points"),
        (beside, "gap: strokes too near: "),
    ):
        assert said in faults("easy", {**easy, "curves": curves})
    # The first to begin ends last, on either axis.
    cup = [[100, 100], [150, 100], [150, 800], [450, 800], [450, 100], [500, 100], [500, 900], [100, 900]]
    within = [[250, 100], [350, 100], [350, 600], [250, 600]]
    assert "order of their nodes" not in faults("easy", {**easy, "curves": [cup, within]})


def test_missing_rows_and_trees_are_noticed() -> None:
    # Of another seed, so that they are like no published test item.
    items = [item["easy"][0] for item in suite.make(RECIPE.model_copy(update={"seed": 5}), SHARDS[0]).items]

    def said(*rows: Row) -> list[str]:
        check = checker(RECIPE.model_dump(mode="json"))
        assert [line for row in rows for line in check.row("easy", row)] == []
        return [f"{config}: {line}" for config, line in check.whole()]

    for splits in (("train", "test"), ("validation", "test")):
        lines = said(*({**row, "split": split} for row, split in zip(items, splits, strict=True)))
        assert "maze: the recipe promises 100 rows, found 0" in lines
        promised = [line for line in lines if line.startswith("easy: ") and "rows of split train, canonical " in line]
        assert len(promised) > 5, "each tree is promised in train"


def test_signatures_are_of_validation_and_test_rows(small: Any, tmp_path: Path) -> None:
    rows = small("curves").rows
    built = written(tmp_path / "1.0.0", RECIPE.model_dump(mode="json"), rows, ("train", "validation", "test"))
    held_out = {likeness("curves", config, row) for config in rows for k, row in enumerate(rows[config]) if k % 3}
    assert {*of_dataset(built.folder)} == held_out
