"""The form of docstrings in production code (`make check` runs it)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("evals", "export", "filters", "flows", "generators", "items", "rendering", "streams", "suites")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

#: A docstring begins with a noun or a verb, and names the thing that is returned.
QUESTION = re.compile(r"((Returns?|Yields?) )?(what|how|why|where|whether)\b", re.IGNORECASE)
#: Old words, and negations of nouns in place of verbs.
IDIOM = re.compile(r"\b(anew|seldom|hence|thereby|till|whatsoever|(that|which) (is|are) (no|none))\b", re.IGNORECASE)


def faults(path: Path) -> Iterator[str]:
    """Yield the place of each docstring of a module that breaks a rule, and the rule."""
    module = ast.parse(path.read_text())
    for node in ast.walk(module):
        text = (ast.get_docstring(node) or "") if isinstance(node, DOCUMENTED) else ""
        place = f"{path}:{node.body[0].lineno}: {text.partition(chr(10))[0]}" if text else ""
        if QUESTION.match(text):
            yield f"{place}: begins like a question; begin with a noun or a verb"
        if word := IDIOM.search(text):
            yield f"{place}: write plain words for {word[0]!r}"
        if isinstance(node, ast.ClassDef) and text.startswith("Return "):
            yield f"{place}: a class is a thing; begin with a noun"
    for node in module.body:
        if isinstance(node, FUNCTIONS) and not node.name.startswith("_") and not ast.get_docstring(node):
            yield f"{path}:{node.lineno}: {node.name} has no docstring"


@pytest.mark.parametrize("package", (*PACKAGES, "distributions"))
def test_docstrings_are_plain(package: str) -> None:
    modules = sorted((ROOT / package).rglob("*.py"))
    found = "\n".join(fault for path in modules for fault in faults(path))
    assert modules and not found, f"see docs/contributing/testing.md:\n{found}"


@pytest.mark.parametrize(
    "code",
    [
        'def f() -> None:\n    """What it does."""\n',
        'def f() -> int:\n    """Return how many there are."""\n',
        'def f() -> int:\n    """\n    Whether it is so.\n    """\n',
        'def f() -> int:\n    """Count the marks anew."""\n',
        'def f() -> str:\n    """Return a text that is no number."""\n',
        'class C:\n    """Return a thing."""\n',
        "def f() -> None:\n    pass\n",
    ],
)
def test_a_docstring_that_is_not_plain_is_found(code: str, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(f'"""Whatever is right."""\n\n\n{code}')
    assert len([*faults(path)]) == 1
