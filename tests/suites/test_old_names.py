"""A suite that `planimeter new` of 1.x wrote works unchanged: its file names are found, and its imports."""

import importlib
from pathlib import Path

import pytest

from planimeter.items.suites import Suite
from planimeter.suites import base, editions, loading, pipeline

OLD = {
    "__init__.py": "from planimeter.items.suites import Suite\n\nSUITE = Suite.of('old_dots')\n",
    "making.py": """
from planimeter.flows.suites import suite_of
from planimeter.flows.suites.pipeline import Found, Maker, Pipeline
from planimeter.recipes.base import Positive, Recipe, Table
from planimeter.recipes.editions import Likeness, Near
from planimeter.recipes.loading import load


class SuiteRecipe(Recipe):
    rows: Positive


BUILD = Pipeline
""",
}


def write(folder: Path, name: str, files: dict[str, str]) -> None:
    (folder / name).mkdir()
    for file, text in files.items():
        (folder / name / file).write_text(text)


def test_the_files_of_an_old_suite_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "old_dots", OLD)
    monkeypatch.syspath_prepend(tmp_path)
    suite = importlib.import_module("old_dots").SUITE
    assert (suite.recipe, suite.build) == ("old_dots.making:SuiteRecipe", "old_dots.making:BUILD")
    assert suite.load("recipe").__mro__[1] is base.Recipe and suite.load("build") is pipeline.Pipeline


def test_the_files_of_a_new_suite_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "new_dots", {"__init__.py": ""})
    monkeypatch.syspath_prepend(tmp_path)
    suite = Suite.of("new_dots")
    assert (suite.recipe, suite.build) == ("new_dots.recipe:SuiteRecipe", "new_dots.pipeline:PIPELINE")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("planimeter.recipes.base", base),
        ("planimeter.recipes.editions", editions),
        ("planimeter.recipes.loading", loading),
        ("planimeter.flows.suites.pipeline", pipeline),
    ],
)
def test_an_old_module_is_the_new_one(old: str, new: object) -> None:
    assert importlib.import_module(old) is new
