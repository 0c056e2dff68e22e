"""The command `new`: writes a Python package with a small suite (generator, certifier, grader) to build on."""

import keyword
import re
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from planimeter.flows.commands.options import out
from planimeter.flows.errors import PlanimeterError

TEMPLATE = Path(__file__).with_name("template")

#: The pattern of valid names; a valid name is one component of a path.
_NAME = re.compile(r"[a-z][a-z0-9]{0,30}(-[a-z0-9]{1,30}){0,4}")


def new(
    name: Annotated[str, typer.Argument(help="Lower-case words joined by hyphens, such as ropes or tangled-ropes.")],
) -> None:
    """Write a Python package NAME with a small suite, which builds and passes its tests, into a new folder NAME."""
    from planimeter.export.atomic import Staging

    suite = _suite_of(name)
    target = Path(name)
    if target.exists() or target.is_symlink():
        raise PlanimeterError(f"{name}: already exists; choose another name or another folder")
    with Staging(target) as staging:
        for path, text in files(name, suite):
            (staging.path / path).parent.mkdir(parents=True, exist_ok=True)
            (staging.path / path).write_text(text, encoding="utf-8")
        staging.commit()
    out.print(
        f"{name}: written\n  cd {name} && pip install --no-deps --no-build-isolation -e . && planimeter check {suite}"
    )


def _suite_of(name: str) -> str:
    """Return ``name`` with underscores, the name of suite and module. Raises ``PlanimeterError`` if it is not valid."""
    from planimeter.items import suites
    from planimeter.suites.loading import available

    if not _NAME.fullmatch(name):
        raise PlanimeterError(f"NAME: need lower-case words joined by hyphens, such as tangled-ropes, got {name!r}")
    suite = name.replace("-", "_")
    if keyword.iskeyword(suite) or suite in sys.stdlib_module_names:
        raise PlanimeterError(f"NAME: {suite} is a Python keyword or standard module; choose another name")
    if suite in suites.names() or name in available():
        raise PlanimeterError(f"NAME: there is a suite or dataset {name} already; choose another name")
    if find_spec(suite) is not None:
        raise PlanimeterError(f"NAME: a module {suite} is installed already; choose another name")
    return suite


def files(name: str, suite: str) -> Iterator[tuple[Path, str]]:
    """Yield relative path and text of each file of the Python package ``name`` with the suite ``suite``."""
    for source in sorted(TEMPLATE.rglob("*.txt")):
        parts = list(source.relative_to(TEMPLATE).with_suffix("").parts)
        if parts[0] == "package":
            parts[0] = suite
        parts[-1] = {"recipe.toml": f"{name}.toml", "test_suite.py": f"test_{suite}.py"}.get(parts[-1], parts[-1])
        yield Path(*parts), source.read_text(encoding="utf-8").replace("@suite@", suite).replace("@dataset@", name)
