"""The directions in which our packages may import one another, and the size and places of files."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("benchmarks", "evals", "export", "filters", "flows", "generators", "recipes", "rendering", "tests")
#: What each room may import of ours, itself aside; the most particular prefix of a module's name decides.
ALLOWED: dict[str, tuple[str, ...]] = {
    "generators": (),
    "recipes": ("generators",),
    "rendering": ("generators",),
    "filters": ("generators",),
    "filters.certify": ("filters.certify", "generators.items"),
    "evals": ("generators.items",),
    "export": ("evals", "generators", "recipes"),
    "flows": ("evals", "export", "filters", "generators", "recipes", "rendering"),
}
PURE = ("evals", "export", "filters", "generators", "rendering")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MODULES = [path for path in SOURCES if path.relative_to(ROOT).parts[0] not in ("benchmarks", "tests")]


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path, source: str | None = None) -> Iterator[str]:
    """Yield the modules that a file imports; ``from a import b`` counts as ``a.b``, relative ones are made absolute."""
    package = name_of(path) if path.name == "__init__.py" else name_of(path).rpartition(".")[0]
    for node in ast.walk(ast.parse(source or path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            stem = ".".join(part for part in (base, node.module) if part)
            yield from (f"{stem}.{alias.name}" for alias in node.names)


def within(module: str, prefix: str) -> bool:
    return module == prefix or module.startswith(prefix + ".")


def wrong_imports(path: Path, source: str | None = None) -> list[str]:
    room = max((room for room in ALLOWED if within(name_of(path), room)), key=len)
    allowed = ALLOWED[room] if room == "filters.certify" else (room, *ALLOWED[room])
    ours = [module for module in imports(path, source) if module.split(".")[0] in PACKAGES]
    foreign = [module for module in imports(path, source) if within(module, "prefect") and room != "flows"]
    return foreign + [module for module in ours if not any(within(module, prefix) for prefix in allowed)]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_one_way(path):
    assert wrong_imports(path) == []


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("filters/certify/x.py", "from filters import nrmse"),
        ("generators/x.py", "import filters"),
        ("evals/x.py", "from generators import seeding"),
        ("export/x.py", "from prefect.artifacts import create_markdown_artifact"),
        ("evals/x.py", "from ..flows import build"),
        ("rendering/x.py", "from filters.verdict import Verdict"),
    ],
)
def test_a_wrong_import_is_noticed(file, line):
    assert wrong_imports(ROOT / file, line)


@pytest.mark.parametrize("package", PURE)
def test_pure_packages_import_without_prefect(package):
    names = [name_of(path) for path in MODULES if within(name_of(path), package)]
    script = (
        "import importlib, sys\n"
        "sys.modules['prefect'] = None\n"  # makes every import of it fail
        f"for name in {names!r}: importlib.import_module(name)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_no_file_of_flows_shadows_a_package():
    # A path entry point puts flows/ first on sys.path, where flows/export.py would be `export`.
    shadows = [path.name for path in (ROOT / "flows").iterdir() if path.stem in PACKAGES or path.stem == "prefect"]
    assert shadows == []


def test_no_file_is_too_long_to_read():
    assert [f"{name_of(path)}: {n}" for path in SOURCES if (n := len(path.read_text().splitlines())) > 400] == []


def test_tests_are_flat_files_and_no_package():
    assert not list((ROOT / "tests").rglob("__init__.py"))
