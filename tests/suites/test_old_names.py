"""A suite that `planimeter new` of 1.x wrote works unchanged: its file names are found, and its imports."""

import importlib
import sys
from pathlib import Path

import pytest

from planimeter import streams
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


class Build(Pipeline):
    apart = True

    def room(self, recipe, shard):
        return 2 * shard.count, 1000


BUILD = Build
""",
}


def write(folder: Path, name: str, files: dict[str, str]) -> None:
    (folder / name).mkdir()
    for file, text in files.items():
        (folder / name / file).write_text(text)


def test_the_files_and_hooks_of_an_old_suite_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "old_dots", OLD)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.warns(DeprecationWarning, match="Build.room is named estimate_size"):
        build = importlib.import_module("old_dots.making").BUILD
    assert build.exclude_test_items and build.estimate_size is build.room
    suite = importlib.import_module("old_dots").SUITE
    assert (suite.recipe, suite.build) == ("old_dots.making:SuiteRecipe", "old_dots.making:BUILD")
    assert suite.load("recipe").__mro__[1] is base.Recipe and issubclass(suite.load("build"), pipeline.Pipeline)


def test_the_files_of_a_new_suite_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "new_dots", {"__init__.py": ""})
    monkeypatch.syspath_prepend(tmp_path)
    suite = Suite.of("new_dots")
    assert (suite.recipe, suite.build) == ("new_dots.recipe:SuiteRecipe", "new_dots.pipeline:PIPELINE")


@pytest.mark.parametrize(
    ("old", "module", "new"),
    [
        ("planimeter.recipes", "base", base),
        ("planimeter.recipes", "editions", editions),
        ("planimeter.recipes", "loading", loading),
        ("planimeter.flows.suites", "pipeline", pipeline),
    ],
)
def test_an_old_module_warns_and_is_the_new_one(
    old: str, module: str, new: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, old, raising=False)
    with pytest.warns(DeprecationWarning, match="2.1 removes"):
        importlib.import_module(old)
    assert importlib.import_module(f"{old}.{module}") is new


def test_the_old_name_of_a_stream_function_warns() -> None:
    with pytest.warns(DeprecationWarning, match="row_at"):
        assert streams.again is streams.row_at
