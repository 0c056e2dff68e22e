"""The real Makefile, two locks and an index that has moved on since: what is installed is what the locks name."""

import importlib.metadata
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import command_line
import package_index
import pytest
from package_index import Index

pytestmark = pytest.mark.slow

SETUPTOOLS = f"setuptools-{importlib.metadata.version('setuptools')}-py3-none-any.whl"

PYPROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "small"
version = "1.0"
dependencies = ["alpha", "smaller==1.0"]

[tool.setuptools]
py-modules = []
"""

#: What the other needs and no index has.
PART = PYPROJECT.replace('"small"', '"smaller"').replace('"alpha", "smaller==1.0"', "")

#: Stands for a Python that brings another pip.
PYTHON = """#!/bin/sh
{python} "$@" || exit
case "$*" in "-m venv "*) .venv/bin/python -m pip install --quiet --no-index {wheel} ;; esac
"""


@pytest.fixture
def index() -> Iterator[Index]:
    with package_index.started() as found:
        yield found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copy(command_line.ROOT / "Makefile", tmp_path)
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    part = tmp_path / "distributions/evals/pyproject.toml"
    part.parent.mkdir(parents=True)
    part.write_text(PART)
    (tmp_path / "requirements-dev.lock").touch()
    return tmp_path


@pytest.fixture(scope="session")
def pip(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """The wheel of a pip, from the index that this machine uses; None is the one that Python brings."""
    if request.param == "bundled":
        return None
    if request.param == "pip==22.3" and sys.version_info >= (3, 12):
        pytest.skip("pip 22.3 does not run on Python 3.12 and later, which bring 23.2 at least")
    folder = tmp_path_factory.mktemp("pip")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries", "0", "--dest", str(folder)]
    fetched = subprocess.run([*command, request.param], capture_output=True, text=True)
    if fetched.returncode:
        pytest.skip(f"{request.param} cannot be fetched here: {fetched.stderr.strip().splitlines()[-1]}")
    return next(folder.glob("*.whl"))


def make(project: Path, index: Index, python: Path | str = sys.executable, target: str = "core") -> str:
    """Make an environment from this index alone, whatever this machine's settings of pip are; return its errors."""
    surrounding = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON", "MAKE"))}
    own = {"HOME": str(project), "XDG_CACHE_HOME": str(project), "PIP_CONFIG_FILE": os.devnull}
    made = subprocess.run(
        ["make", f".venv/.{target}", f"PYTHON={python}"],
        cwd=project,
        env={**surrounding, **own, "PIP_INDEX_URL": index.url, "no_proxy": "127.0.0.1"},
        capture_output=True,
        text=True,
    )
    assert (project / ".venv" / f".{target}").exists() == (made.returncode == 0), made.stderr
    return made.stderr if made.returncode else ""


def lock(project: Path, *lines: str, dev: bool = False) -> None:
    (project / f"requirements{'-dev' if dev else ''}.lock").write_text("".join(lines))


def versions(project: Path) -> dict[str, str]:
    command = [".venv/bin/python", "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"]
    listed = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    return dict(line.split("==") for line in listed.stdout.splitlines())


@pytest.mark.parametrize("pip", ["bundled", "pip==22.3", "pip==23.2.1", "pip"], indirect=True)
def test_no_later_release_breaks_the_set_up(project: Path, index: Index, pip: Path | None) -> None:
    lock(
        project,
        index.wheel("alpha", "1.0", "Requires-Dist: beta[more]>=1.0"),
        index.wheel("beta", "1.0", "Provides-Extra: more", 'Requires-Dist: gamma>=1; extra == "more"'),
        index.wheel("gamma", "1.0"),
        index.source("built", "1.0"),
        index.wheel("elsewhere", "1.0").replace(" --hash", " ; sys_platform == 'win32' --hash"),
        index.installed("setuptools"),
    )
    lock(project, index.wheel("tool", "1.0", "Requires-Dist: gamma>=1"), dev=True)
    # What has appeared since: it wants more, and what is wanted is missing or builds nothing.
    index.wheel("alpha", "2.0", "Requires-Dist: missing")
    extra = ("Provides-Extra: more", 'Requires-Dist: delta; extra == "more"')
    index.wheel("beta", "2.0", *extra, "Requires-Dist: gamma>=2")
    index.wheel("gamma", "2.0", "Requires-Dist: missing")
    index.wheel("delta", "1.0")
    index.wheel("tool", "2.0", "Requires-Dist: gamma>=2")
    for name in ("setuptools", "wheel"):
        index.wheel(name, "999")

    python = project / "python"
    with_pip, plain = PYTHON.format(python=sys.executable, wheel=pip), f'#!/bin/sh\nexec {sys.executable} "$@"'
    python.write_text(with_pip if pip else plain)
    python.chmod(0o755)
    assert make(project, index, python) == ""
    named = dict.fromkeys(("alpha", "beta", "gamma", "built", "small", "smaller"), "1.0")
    core = versions(project)
    if pip:
        assert core["pip"] == pip.name.split("-")[1]
    del core["pip"]
    assert core == {**named, "setuptools": importlib.metadata.version("setuptools")}
    pages = {"alpha", "beta", "gamma", "built", "setuptools"}
    files = {f"{name}-1.0-py3-none-any.whl" for name in ("alpha", "beta", "gamma")} | {"built-1.0.tar.gz", SETUPTOOLS}
    assert set(index.asked) == pages | files

    # The tests' environment is this one and what the second lock names; nothing is fetched again.
    index.asked.clear()
    assert make(project, index, python, "ready") == ""
    assert versions(project).items() - core.items() >= {("tool", "1.0")}
    assert versions(project).keys() - core.keys() <= {"tool", "pip"}
    assert set(index.asked) == {"tool", "tool-1.0-py3-none-any.whl"}


def test_a_lock_that_does_not_hold_together_is_named_and_can_be_mended(project: Path, index: Index) -> None:
    alpha = index.wheel("alpha", "1.0", "Requires-Dist: beta>=1.0")
    setuptools = index.installed("setuptools")
    lock(project, alpha, setuptools, index.wheel("beta", "0.9"))
    assert [line for line in make(project, index).splitlines() if "***" not in line] == [
        "make: requirements.lock and pyproject.toml do not fit together: alpha 1.0 has requirement beta>=1.0, but you "
        "have beta 0.9. Take them from one commit, or fit the locks to pyproject.toml with `make lock`; then run make "
        "again."
    ]
    lock(project, alpha, setuptools, index.wheel("beta", "1.0"))
    assert make(project, index) == ""
    assert versions(project)["beta"] == "1.0"

    # What the lock no longer names goes.
    (project / "pyproject.toml").write_text(PYPROJECT.replace('"alpha"', '"beta"'))
    lock(project, setuptools, index.wheel("beta", "1.0"))
    assert make(project, index) == ""
    assert "alpha" not in versions(project)


def test_what_the_second_lock_no_longer_names_goes(project: Path, index: Index) -> None:
    lock(project, index.wheel("alpha", "1.0"), index.wheel("beta", "1.0"), index.installed("setuptools"))
    old = index.wheel("tool", "1.0") + index.wheel("old", "1.0")
    # Once broken off after a part of it was installed, once finished.
    lock(project, old, "missing==1.0 --hash=sha256:00\n", dev=True)
    assert make(project, index, target="ready") != ""
    lock(project, old, dev=True)
    assert make(project, index, target="ready") == ""
    assert versions(project)["old"] == "1.0"

    lock(project, index.wheel("tool", "1.1"), dev=True)
    assert make(project, index, target="ready") == ""
    assert versions(project)["tool"] == "1.1"
    assert "old" not in versions(project)

    lock(project, index.wheel("tool", "1.2", "Requires-Dist: beta>=2"), dev=True)
    message = "make: requirements-dev.lock and pyproject.toml do not fit together: tool 1.2 has"
    assert message in make(project, index, target="ready")
    assert (project / ".venv/.core").exists()


def test_a_change_of_the_metadata_alone_installs_nothing_anew(project: Path, index: Index) -> None:
    lock(project, index.wheel("alpha", "1.0"), index.installed("setuptools"))
    lock(project, index.wheel("tool", "1.0"), dev=True)
    assert make(project, index, target="ready") == ""
    index.asked.clear()
    os.utime(project / "pyproject.toml")
    assert make(project, index, target="ready") == ""
    assert index.asked == []
    assert versions(project)["tool"] == "1.0"
