"""A suite is registered in one place, and scoring decides no byte."""

import importlib
from pathlib import Path

import command_line
import pytest

from planimeter.items.suites import Suite
from planimeter.suites import base, editions, loading, pipeline


def test_wording_a_question_loads_no_scoring(tmp_path: Path) -> None:
    script = (
        "import sys, planimeter.evals\n"
        "assert not {'numpy', 'pydantic', 'pyarrow', 'numba'} & set(sys.modules), 'evals'\n"
        "for suite in planimeter.evals.SUITES[:-1]: __import__(f'planimeter.evals.{suite}.prompt')\n"
        "read = [name for name in sys.modules if name.endswith(('.grader', '.answers', '.scoring', '.numbers'))]\n"
        "assert not [name for name in read if name.startswith('planimeter')], read\n"
    )
    ended = command_line.python(script, tmp_path)
    assert ended.code == 0, ended.err


MAKING = """
from planimeter.flows.suites import suite_of
from planimeter.flows.suites.pipeline import Found, Maker, Pipeline as BUILD
from planimeter.recipes.base import Positive, Recipe as SuiteRecipe, Table
from planimeter.recipes.editions import Likeness, Near
from planimeter.recipes.loading import load
"""


@pytest.mark.parametrize(("name", "files"), [("old_dots", {"making.py": MAKING}), ("new_dots", {})])
def test_the_files_of_a_suite_are_found(
    name: str, files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).mkdir()
    for file, text in {"__init__.py": "", **files}.items():
        (tmp_path / name / file).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    suite = Suite.of(name)
    if not files:
        assert (suite.recipe, suite.build) == ("new_dots.recipe:SuiteRecipe", "new_dots.pipeline:PIPELINE")
        return
    assert (suite.recipe, suite.build) == ("old_dots.making:SuiteRecipe", "old_dots.making:BUILD")
    assert (suite.load("recipe"), suite.load("build")) == (base.Recipe, pipeline.Pipeline)
    assert importlib.import_module("planimeter.recipes.editions") is editions
    assert importlib.import_module("planimeter.recipes.loading") is loading
