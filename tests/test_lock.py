"""The lock is whole, for `--no-deps` asks nothing else: `pip check` neither looks at extras nor at other Pythons."""

import importlib.metadata
from collections.abc import Iterator

import command_line
import pytest
from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCK = [
    Requirement(line.removesuffix("\\"))
    for line in (command_line.ROOT / "requirements.lock").read_text().splitlines()
    if line and not line.startswith((" ", "#"))
]


def holds(marker: Marker | None, surroundings: dict[str, str], extra: str = "") -> bool:
    return marker is None or marker.evaluate({**surroundings, "extra": extra})


def missing(surroundings: dict[str, str]) -> Iterator[str]:
    """What the project with its extra `dev`, or a package that it needs, requires there and the lock does not give."""
    locked = {canonicalize_name(line.name): line for line in LOCK if holds(line.marker, surroundings)}
    waiting, seen = [("planimeter", "dev")], set()
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        try:
            requires = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:  # another Python's or another system's
            continue
        for needed in map(Requirement, requires):
            if not holds(needed.marker, surroundings, extra):
                continue
            wanted = canonicalize_name(needed.name)
            given = locked.get(wanted)
            if wanted not in ("planimeter", "planimeter-evals") and (
                given is None or not all(needed.specifier.contains(pin.version) for pin in given.specifier)
            ):
                yield f"{name}[{extra}] requires {needed}, the lock has {given}"
            waiting += [(wanted, more) for more in ("", *needed.extras)]


@pytest.mark.parametrize("system", ["linux", "darwin"])
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_the_lock_names_all_that_is_required(version: str, system: str) -> None:
    here = {name: str(value) for name, value in default_environment().items()}
    there = {
        "python_version": version,
        "python_full_version": f"{version}.7",
        "implementation_version": f"{version}.7",
        "sys_platform": system,
        "platform_system": system.capitalize(),
    }
    assert list(missing({**here, **there})) == []


def test_a_package_that_only_an_extra_wants_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("test_lock.LOCK", [line for line in LOCK if line.name != "cachetools"])
    here = {name: str(value) for name, value in default_environment().items()}
    assert any("py-key-value-aio[memory] requires cachetools" in line for line in missing(here))


def test_each_line_of_the_lock_is_one_version() -> None:
    assert all([pin.operator for pin in line.specifier] == ["=="] for line in LOCK)
