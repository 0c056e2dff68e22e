"""CurveBench-Hard is four configs under one name: to load, to draw from, to answer and to score."""

import csv
from pathlib import Path

import datasets
import pytest
from command_line import here
from sample_folder import any_row, write_folder

from planimeter.evals.scores import dataset
from planimeter.export.atomic import ExportError
from planimeter.export.sampling import draw_of
from planimeter.export.schema import schema_of
from planimeter.flows.commands.score import configs_of
from planimeter.flows.errors import PlanimeterError
from planimeter.items.suites import SUITES, pooled
from planimeter.suites.loading import load

HARD = ("polygon", "topographical", "maze", "counting")
#: The same in all configs.
COLUMNS = schema_of("curves", "easy")


@pytest.fixture(scope="module")
def curves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    splits = {"easy": dict.fromkeys(("train", "validation", "test"), 2)}
    splits |= {config: {"test": number} for number, config in enumerate(HARD, start=1)}
    configs = {
        config: {
            split: [any_row(COLUMNS, k) | {"id": f"{config}-{split}-{k}"} for k in range(number)]
            for split, number in numbers.items()
        }
        for config, numbers in splits.items()
    }
    recipe = load("curves").model_dump(mode="json") | {"version": "1.0.0", "seed": 1}
    return write_folder(tmp_path_factory.mktemp("curves") / "1.0.0", recipe, configs)


def test_names_are_those_of_configs_or_of_pools_each_config_once() -> None:
    assert pooled("curves", ["hard"]) == list(HARD)
    assert pooled("curves", ["easy", "maze", "hard", "easy"]) == [
        "easy",
        "maze",
        "polygon",
        "topographical",
        "counting",
    ]
    assert pooled("traversal", ["hard", "base"]) == ["hard", "base"]
    for suite, pools in ((name, suite.pools) for name, suite in SUITES.items()):
        assert not set(pools) & {config for names in pools.values() for config in names}, suite


def test_the_pool_has_the_rows_of_its_configs(curves: Path, tmp_path: Path) -> None:
    loaded = datasets.load_dataset(str(curves), "hard", split="test", cache_dir=str(tmp_path))
    assert sorted(loaded["id"]) == sorted(f"{config}-test-{k}" for n, config in enumerate(HARD, 1) for k in range(n))
    assert datasets.get_dataset_split_names(str(curves), "hard") == ["test"]
    assert len(datasets.load_dataset(str(curves), "easy", split="train", cache_dir=str(tmp_path))) == 2
    assert "`hard` is `polygon`, `topographical`, `maze` and `counting` together." in (curves / "README.md").read_text()


def test_commands_take_the_pool_for_its_configs(tmp_path: Path, curves: Path) -> None:
    drawn = here("sheet", str(curves), "--config", "hard", "--rows", "4", "--out", str(tmp_path / "sheet"))
    assert drawn.code == 0, drawn.err
    with (tmp_path / "sheet" / "key.csv").open() as file:
        assert {row["config"] for row in csv.DictReader(file)} == set(HARD)
    assert set(draw_of(curves, 4, (), "equal", 0, ("hard",)).configs) == set(HARD)
    assert configs_of(dataset.load(curves), ["hard", "easy"]) == [*HARD, "easy"]
    with pytest.raises(PlanimeterError, match="has no config 'harder'"):
        configs_of(dataset.load(curves), ["harder"])
    with pytest.raises(ExportError, match="has no config 'harder'"):
        draw_of(curves, 4, (), "equal", 0, ("harder",))
