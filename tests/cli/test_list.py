"""`planimeter list` says how many rows there will be, and about how long they take on how much disk."""

from collections import Counter
from pathlib import Path

import pytest
from command_line import run

from planimeter.flows.commands import list_datasets
from planimeter.flows.suites import suite_of
from planimeter.recipes.base import Recipe
from planimeter.recipes.loading import Collection, available, load


def test_rows_time_and_disk_of_every_dataset_are_told(tmp_path: Path) -> None:
    told = run("list", home=tmp_path, COLUMNS="300")
    assert told.code == 0, told.err
    lines = {line.split()[0]: line for line in told.out.splitlines()}
    for name, rows in {"marvl-qa": "81,090", "traversal": "16,200", "curves": "756", "all": "101,294"}.items():
        assert f" {rows} " in lines[name]
    assert all(" min " in lines[name] and " MB " in lines[name] for name in available())
    assert "curves-looks" in lines["smoke"]


@pytest.mark.parametrize("name", [name for name in available() if isinstance(load(name), Recipe)])
def test_the_listed_rows_and_bytes_are_those_of_the_plan(name: str) -> None:
    recipe = load(name)
    assert isinstance(recipe, Recipe)
    rows, size = planned(recipe)
    listed = list_datasets.PLANNED[name]
    assert {config: (share.rows, share.rows * share.row_bytes) for config, share in listed.items()} == {
        config: (rows[config], size[config]) for config in rows
    }
    assert all(0 < share.row_seconds < 5 for share in listed.values())


def test_the_listed_rows_and_bytes_of_a_collection_are_those_of_the_plans() -> None:
    for name, loaded in {name: load(name) for name in available()}.items():
        if isinstance(loaded, Collection):
            rows, size = Counter[str](), Counter[str]()
            for part in loaded.datasets:
                recipe = load(part, scale=loaded.scale)
                assert isinstance(recipe, Recipe)
                more_rows, more_bytes = planned(recipe)
                rows.update(more_rows)
                size.update(more_bytes)
            need = list_datasets.need_of(name)
            assert need.rows == rows.total()
            assert need.size == pytest.approx(list_datasets.COPIES * size.total(), rel=1e-3)


def planned(recipe: Recipe) -> tuple[Counter[str], Counter[str]]:
    """The rows of each config in the plan of ``recipe``, and their bytes."""
    rows, size = Counter[str](), Counter[str]()
    for shard in suite_of(recipe).plan(recipe):
        number, row_bytes = suite_of(recipe).room(recipe, shard)
        rows[shard.config] += number
        size[shard.config] += number * row_bytes
    return rows, size


def test_more_cores_take_less_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def seconds(cores: int) -> float:
        monkeypatch.setattr(list_datasets, "cores", lambda: cores)
        return list_datasets.need_of("curves").seconds - list_datasets.STARTED

    assert seconds(1) == pytest.approx(4 * seconds(4))
