"""`planimeter list` says how many rows there will be, and about how long they take on how much disk."""

from pathlib import Path

import pytest
from command_line import run

from planimeter.flows.commands import list_datasets
from planimeter.flows.suites import suite_of
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import available, load

RECIPES = [recipe for name in available() if isinstance(recipe := load(name), Recipe)]


def test_rows_time_and_disk_of_every_dataset_are_told(tmp_path: Path) -> None:
    told = run("list", home=tmp_path, COLUMNS="300")
    assert told.code == 0, told.err
    lines = {line.split()[0]: line for line in told.out.splitlines()}
    for name, rows in {"marvl-qa": "81,090", "traversal": "16,200", "curves": "756", "all": "101,294"}.items():
        assert f" {rows} " in lines[name]
    assert all(" min " in lines[name] and " MB " in lines[name] for name in available())
    assert "curves-looks" in lines["smoke"]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.dataset)
def test_what_a_row_takes_was_measured_for_every_config(recipe: Recipe) -> None:
    measured = list_datasets.ROW_SECONDS[recipe.dataset]
    assert {shard.config for shard in suite_of(recipe).plan(recipe)} == set(measured)
    assert all(0 < seconds < 5 for seconds in measured.values())


def test_more_cores_take_less_time_and_more_rows_take_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def seconds(cores: int, scale: float) -> float:
        monkeypatch.setattr(list_datasets, "cores", lambda: cores)
        recipe = load("curves", scale=scale)
        assert isinstance(recipe, Recipe)
        return list_datasets.need_of(recipe).seconds - list_datasets.STARTED

    assert seconds(1, 1) == pytest.approx(4 * seconds(4, 1))
    assert seconds(2, 10) == pytest.approx(10 * seconds(2, 1))


def test_a_dataset_that_nobody_measured_has_no_time() -> None:
    mine = load("geogram")
    assert isinstance(mine, Recipe)
    need = list_datasets.need_of(mine.model_copy(update={"dataset": "mine"}))
    assert need.rows == 500
    assert need.seconds != need.seconds
