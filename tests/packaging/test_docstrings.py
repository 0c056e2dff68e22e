"""The form of docstrings in production code (`make check` runs it)."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("evals", "export", "filters", "flows", "generators", "items", "rendering", "streams", "suites")
QUESTION = re.compile(r"(What|How|Why|Where|Whether)\b")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def questions(path: Path) -> list[str]:
    """Return the place and first line of each docstring of a module that begins like a question."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        text = (ast.get_docstring(node) or "") if isinstance(node, DOCUMENTED) else ""
        if QUESTION.match(text):
            found.append(f"{path}:{node.body[0].lineno}: {text.splitlines()[0]}")
    return found


@pytest.mark.parametrize("package", (*PACKAGES, "distributions"))
def test_no_docstring_begins_like_a_question(package: str) -> None:
    modules = sorted((ROOT / package).rglob("*.py"))
    faults = "\n".join(fault for path in modules for fault in questions(path))
    assert modules and not faults, f"begin with a noun or a verb, not with What, How, Why, Where, Whether:\n{faults}"


@pytest.mark.parametrize("text", ["What it does.", "How to do it.", "\n    Whether it is so."])
def test_a_docstring_that_begins_like_a_question_is_found(text: str, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(f'"""Whatever."""\n\n\ndef f() -> None:\n    """{text}"""\n')
    assert len(questions(path)) == 1
