"""The locks are whole, for `--no-deps` asks nothing else: `pip check` neither looks at extras nor at other Pythons."""

import ast
import importlib.metadata
import sys
import tomllib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import command_line
import pytest
from locks import BESIDE, CORE, LOCK
from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from planimeter.export.manifest import DECIDING_LIBRARIES

PROJECT: dict[str, Any] = tomllib.loads((command_line.ROOT / "pyproject.toml").read_text())


def group(name: str) -> list[Requirement]:
    """Return the requirements of a dependency group, with those of the groups that it includes."""
    entries = PROJECT["dependency-groups"][name]
    return [
        requirement
        for entry in entries
        for requirement in ([Requirement(entry)] if isinstance(entry, str) else group(entry["include-group"]))
    ]


#: What each environment holds: the lines of its lock, and what is to be installed from them.
ENVIRONMENTS = {
    "core": (CORE, [Requirement("planimeter"), *group("build")]),
    "dev": (LOCK, [Requirement("planimeter[dask,inspect,probe,s3]"), *group("build"), *group("dev")]),
}


def holds(marker: Marker | None, surroundings: dict[str, str], extra: str = "") -> bool:
    return marker is None or marker.evaluate({**surroundings, "extra": extra})


def missing(surroundings: dict[str, str], lock: list[Requirement], roots: Iterable[Requirement]) -> Iterator[str]:
    """What ``roots``, or a package that they need, require there and the lock does not give."""
    locked = {canonicalize_name(line.name): line for line in lock if holds(line.marker, surroundings)}
    waiting = [("the project", "", requirement) for requirement in roots]
    seen = set()
    while waiting:
        parent, extra, needed = waiting.pop()
        name = canonicalize_name(needed.name)
        given = locked.get(name)
        if name not in ("planimeter", "planimeter-evals") and (
            given is None or not all(needed.specifier.contains(pin.version) for pin in given.specifier)
        ):
            yield f"{parent}[{extra}] requires {needed}, the lock has {given}"
        for more in {"", *needed.extras} - {known for package, known in seen if package == name}:
            seen.add((name, more))
            try:
                requires = importlib.metadata.requires(name) or []
            except importlib.metadata.PackageNotFoundError:  # another Python's or another system's
                continue
            children = [Requirement(line) for line in requires]
            waiting += [(name, more, child) for child in children if holds(child.marker, surroundings, more)]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("system", ["linux", "darwin"])
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_the_locks_name_all_that_is_required(version: str, system: str, environment: str) -> None:
    here = {name: str(value) for name, value in default_environment().items()}
    there = {
        "python_version": version,
        "python_full_version": f"{version}.7",
        "implementation_version": f"{version}.7",
        "sys_platform": system,
        "platform_system": system.capitalize(),
    }
    assert list(missing({**here, **there}, *ENVIRONMENTS[environment])) == []


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_package_that_only_an_extra_wants_is_missed(environment: str) -> None:
    lock, roots = ENVIRONMENTS[environment]
    without = [line for line in lock if line.name != "cachetools"]
    here = {name: str(value) for name, value in default_environment().items()}
    assert any("py-key-value-aio[memory] requires cachetools" in line for line in missing(here, without, roots))


def test_each_line_of_a_lock_is_one_version() -> None:
    assert all([pin.operator for pin in line.specifier] == ["=="] for line in LOCK)


def test_no_package_is_named_by_both_locks() -> None:
    assert not {line.name for line in CORE} & {line.name for line in BESIDE}


def test_builds_need_nothing_that_tests_or_extras_need() -> None:
    tools = {"pytest", "mypy", "ruff", "moto", "datasets", "distributed", "inspect-ai", "s3fs", "scikit-learn"}
    assert tools <= {line.name for line in BESIDE}


def test_no_extra_for_developers_is_published() -> None:
    assert set(PROJECT["project"]["optional-dependencies"]) == {"dask", "inspect", "probe", "s3", "verifiers"}


#: Imported, and there because a package that we declare is made of it.
BROUGHT = {"markupsafe": "jinja2", "pydantic-core": "pydantic", "threadpoolctl": "scikit-learn", "uvicorn": "prefect"}
#: Declared, and not imported by that name: a bound on what Prefect needs, time zones, and what fsspec loads for s3://.
UNIMPORTED = {"fastapi", "tzdata", "s3fs", "openai"}
#: Imported only where a user has it beside us.
OPTIONAL = {"datasets"}
DISTRIBUTIONS = {
    "cv2": "opencv-python-headless",
    "dask": "distributed",
    "math_verify": "math-verify",
    "PIL": "pillow",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}


def imported() -> set[str]:
    """The distributions that our packages import, in the modules or within functions."""
    names = set()
    for top in PROJECT["tool"]["mypy"]["packages"]:
        for path in (command_line.ROOT / top.removeprefix("planimeter.")).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    names |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    names.add(node.module.split(".")[0])
    return {str(canonicalize_name(DISTRIBUTIONS.get(name, name))) for name in names}


def declared() -> dict[str, Requirement]:
    evals = tomllib.loads((command_line.ROOT / "distributions/evals/pyproject.toml").read_text())
    lines = chain.from_iterable(
        (*described["project"]["dependencies"], *chain(*described["project"]["optional-dependencies"].values()))
        for described in (PROJECT, evals)
    )
    return {str(canonicalize_name(line.name)): line for line in map(Requirement, lines)}


def test_every_import_is_declared_and_every_declaration_is_imported() -> None:
    ours = {"planimeter", "planimeter-evals", "planimeter-env"}
    third = {name for name in imported() if name.replace("-", "_") not in sys.stdlib_module_names} - ours
    assert third - declared().keys() - OPTIONAL == BROUGHT.keys()
    assert declared().keys() - ours - third == UNIMPORTED
    assert set(BROUGHT.values()) <= declared().keys()


@pytest.mark.parametrize("name", DECIDING_LIBRARIES)
def test_an_installation_without_the_lock_cannot_take_a_release_that_makes_other_bytes(name: str) -> None:
    """A library that decides bytes is bounded to the series that the lock has."""
    (pin,) = [pin for line in CORE if line.name == name for pin in line.specifier]
    major, minor, *_ = pin.version.split(".")
    specifier = Requirement(next(line for line in PROJECT["project"]["dependencies"] if Requirement(line).name == name))
    assert specifier.specifier.contains(pin.version)
    assert not specifier.specifier.contains(f"{major}.{int(minor) + 1}.0")
    assert not specifier.specifier.contains(f"{int(major) + 1}.0.0")
