"""A suite is registered in one place, and scoring decides no byte."""

from pathlib import Path

import command_line


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
