"""The locks are whole, for `--no-deps` asks nothing else: `pip check` neither looks at extras nor at other Pythons."""

import functools
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
from tools.map import imports_of

PROJECT, EVALS = (
    tomllib.loads((command_line.ROOT / folder / "pyproject.toml").read_text()) for folder in ("", "distributions/evals")
)


def group(name: str) -> list[Requirement]:
    """Return the requirements of a dependency group, with those of the groups that it includes."""
    entries = PROJECT["dependency-groups"][name]
    each = ([Requirement(entry)] if isinstance(entry, str) else group(entry["include-group"]) for entry in entries)
    return [*chain.from_iterable(each)]


#: What is to be installed from the first lock, and from both.
BUILDS = [Requirement("planimeter"), *group("build")]
TESTS = [Requirement("planimeter[dask,inspect,probe,s3]"), *group("build"), *group("dev")]


@functools.cache
def required_by(name: str) -> list[Requirement]:
    try:
        return [*map(Requirement, importlib.metadata.requires(name) or [])]
    except importlib.metadata.PackageNotFoundError:  # another Python's or another system's
        return []


def holds(marker: Marker | None, surroundings: dict[str, str], extra: str = "") -> bool:
    return marker is None or marker.evaluate({**surroundings, "extra": extra})


def missing(surroundings: dict[str, Any], lock: list[Requirement], roots: Iterable[Requirement]) -> Iterator[str]:
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
            waiting += [(name, more, child) for child in required_by(name) if holds(child.marker, surroundings, more)]


@pytest.mark.parametrize("version", ["3.11", *(pytest.param(v, marks=pytest.mark.slow) for v in ("3.12", "3.13"))])
def test_the_locks_name_all_that_is_required(version: str) -> None:
    python = {"python_version": version}
    python |= dict.fromkeys(("python_full_version", "implementation_version"), f"{version}.7")
    for system in ("linux", "darwin"):
        there = {**default_environment(), **python, "sys_platform": system, "platform_system": system.capitalize()}
        assert [*missing(there, CORE, BUILDS), *missing(there, LOCK, TESTS)] == []
    lines = missing(there, [line for line in CORE if line.name != "cachetools"], BUILDS)
    assert any("py-key-value-aio[memory] requires cachetools" in line for line in lines), "only an extra wants it"


def test_each_lock_pins_what_is_its_own_and_no_extra_for_developers_is_published() -> None:
    assert all([pin.operator for pin in line.specifier] == ["=="] for line in LOCK)
    core, beside = ({line.name for line in lock} for lock in (CORE, BESIDE))
    # Builds need nothing that tests or extras need.
    tools = {"pytest", "mypy", "ruff", "moto", "datasets", "distributed", "inspect-ai", "s3fs", "scikit-learn"}
    assert not core & beside and tools <= beside
    assert set(PROJECT["project"]["optional-dependencies"]) == {"dask", "inspect", "probe", "s3", "verifiers"}


#: Imported, and there because a package that we declare is made of it.
BROUGHT = {"markupsafe": "jinja2", "pydantic-core": "pydantic", "threadpoolctl": "scikit-learn", "uvicorn": "prefect"}
#: Declared, and not imported by that name: a bound on what Prefect needs, time zones, and what fsspec loads for s3://.
UNIMPORTED = {"fastapi", "tzdata", "s3fs", "openai"}
#: Imported only where a user has it beside us.
OPTIONAL = {"datasets"}
DISTRIBUTIONS = {"cv2": "opencv-python-headless", "dask": "distributed", "math_verify": "math-verify", "PIL": "pillow"}
DISTRIBUTIONS |= {"skimage": "scikit-image", "sklearn": "scikit-learn", "yaml": "pyyaml"}


def imported() -> set[str]:
    """The distributions that our packages import, in the modules or within functions."""
    # The environment of verifiers lies with its distribution.
    packages = PROJECT["tool"]["mypy"]["packages"]
    tops = [top.removeprefix("planimeter.") if "." in top else f"distributions/evals/{top}" for top in packages]
    files = (path for top in tops for path in (command_line.ROOT / top).rglob("*.py"))
    names = {module.split(".")[0] for path in files for module in imports_of(path)}
    return {str(canonicalize_name(DISTRIBUTIONS.get(name, name))) for name in names - sys.stdlib_module_names}


def test_every_import_is_declared_and_every_declaration_is_imported() -> None:
    lines = chain.from_iterable(
        (*described["project"]["dependencies"], *chain(*described["project"]["optional-dependencies"].values()))
        for described in (PROJECT, EVALS)
    )
    ours = {"planimeter", "planimeter-evals", "planimeter-env"}
    declared = {str(canonicalize_name(Requirement(line).name)) for line in lines} - ours
    third = imported() - ours
    assert third - declared - OPTIONAL == BROUGHT.keys()
    assert declared - third == UNIMPORTED
    assert set(BROUGHT.values()) <= declared


def test_an_installation_without_the_lock_cannot_take_a_release_that_makes_other_bytes() -> None:
    bounds = {line.name: line.specifier for line in map(Requirement, PROJECT["project"]["dependencies"])}
    pins = {line.name: pin.version for line in CORE for pin in line.specifier}
    for name in DECIDING_LIBRARIES:
        major, minor, *_ = map(int, pins[name].split("."))
        versions = (pins[name], f"{major}.{minor + 1}.0", f"{major + 1}.0.0")
        allowed = [bounds[name].contains(version) for version in versions]
        assert allowed == [True, False, False], name
