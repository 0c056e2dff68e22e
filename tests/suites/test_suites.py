"""A suite is registered in one place, and scoring decides no byte."""

import sys
from pathlib import Path

import command_line
import pytest

from planimeter.export.schema import checker
from planimeter.suites.base import Recipe
from planimeter.suites.loading import available, load

BUILT = [recipe for name in available() if isinstance(recipe := load(name), Recipe)]


def test_what_a_part_cannot_import_is_not_taken_for_a_part_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "planimeter.suites.curves_maps.checks", raising=False)
    monkeypatch.setitem(sys.modules, "planimeter.suites.drawing.checks", None)
    with pytest.raises(ModuleNotFoundError, match=r"planimeter\.suites\.drawing\.checks"):
        checker("curves_maps", {})


def test_wording_a_question_loads_no_scoring_and_evals_load_nothing_but_a_list(tmp_path: Path) -> None:
    script = (
        "import sys, planimeter.evals\n"
        "assert not {'numpy', 'pydantic', 'pyarrow', 'numba'} & set(sys.modules), 'evals'\n"
        "for suite in planimeter.evals.SUITES[:-1]: __import__(f'planimeter.evals.{suite}.prompt')\n"
        "read = [name for name in sys.modules if name.endswith(('.grader', '.answers', '.scoring', '.numbers'))]\n"
        "assert not [name for name in read if name.startswith('planimeter')], read\n"
    )
    ended = command_line.python(script, tmp_path)
    assert ended.code == 0, ended.err
