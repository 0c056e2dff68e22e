"""`make` makes the environment that two locks name out of one that does not work, whatever an index has moved on to."""

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

#: A stand-in that notes its calls, knows its version by the file beside it, and has pip if there is one of that name.
PYTHON = """#!/bin/sh
here=$(dirname "$0")
echo "$(cat "$here/version") $*" >> "$CALLS"
case "$*" in
    "-m venv --clear "*)
        rm -rf "$4"; mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; cp "$here/version" "$4/bin"; touch "$4/bin/pip" ;;
    "-m pip "*) test -e "$here/pip" ;;
    *version_info*print*|*print*version_info*) cat "$here/version" ;;
    *version_info*) case "$(cat "$here/version")" in 3.1[123]) ;; *) exit 1 ;; esac ;;
esac
"""

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


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copy(command_line.ROOT / "Makefile", tmp_path)
    (tmp_path / "distributions/evals").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "distributions/evals/pyproject.toml").write_text(PART)
    for name in ("requirements.lock", "requirements-dev.lock"):
        (tmp_path / name).touch()
    return tmp_path


def python(folder: Path, version: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "version").write_text(f"{version}\n")
    (folder / "python").write_text(PYTHON)
    (folder / "python").chmod(0o755)
    return folder / "python"


def noted(project: Path, version: str, target: str = ".venv/.ready") -> tuple[int, str, list[str]]:
    """Make the environment with a stand-in; returns the exit code, the errors, and what the stand-ins were asked."""
    calls, named = project / "calls", project / version / "python"
    calls.write_text("")
    command = ["make", target, f"PYTHON={named if named.exists() else python(project / version, version)}"]
    environment = {"PATH": "/usr/bin:/bin", "CALLS": str(calls)}
    ended = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)
    return ended.returncode, ended.stderr, calls.read_text().splitlines()


def test_only_another_python_that_is_new_enough_takes_the_place_of_a_ready_environment(project: Path) -> None:
    python(project / ".venv/bin", "3.11")
    code, message, calls = noted(project, "3.11")
    assert (code, message, "3.11 -m venv --clear .venv" in calls) == (0, "", True), "an environment without pip"
    code, _, calls = noted(project, "3.11")
    assert (code, [call for call in calls if "-m" in call]) == (0, [])
    code, message, _ = noted(project, "3.10")
    assert code != 0 and "need Python 3.11, 3.12 or 3.13" in message
    assert (project / ".venv/bin/version").read_text() == "3.11\n"
    code, message, calls = noted(project, "3.13")
    assert (code, message, (project / ".venv/bin/version").read_text()) == (0, "", "3.13\n")
    assert any(call.startswith("3.13 -m pip install") for call in calls) and (project / ".venv/.ready").exists()


def test_builds_do_not_install_what_tests_need_nor_wait_for_it(project: Path) -> None:
    for target, whole in (("mini", 0), ("test", 1), ("check", 1)):
        planned = subprocess.run(["make", "-n", target], cwd=project, capture_output=True, text=True, check=True).stdout
        assert " -r requirements.lock" in planned and planned.count("-r requirements-dev.lock") == whole
    _, _, calls = noted(project, "3.11", ".venv/.core")
    assert any("-r requirements.lock" in call for call in calls)
    assert not any("requirements-dev.lock" in call for call in calls)
    _, _, calls = noted(project, "3.11")
    assert not any("--clear" in call or "-r requirements.lock" in call for call in calls)
    assert any("-r requirements-dev.lock" in call for call in calls)


@pytest.fixture
def index() -> Iterator[Index]:
    with package_index.started() as index:
        yield index


def make(project: Path, index: Index, target: str = "ready") -> str:
    """Make an environment from this index alone, whatever this machine's settings of pip are; return its errors."""
    surrounding = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON", "MAKE"))}
    home = {"HOME": str(project), "XDG_CACHE_HOME": str(project), "PIP_CONFIG_FILE": os.devnull}
    there = {**surrounding, **home, "PIP_INDEX_URL": index.url, "no_proxy": "127.0.0.1"}
    command = ["make", f".venv/.{target}", f"PYTHON={sys.executable}"]
    made = subprocess.run(command, cwd=project, env=there, capture_output=True, text=True)
    assert (project / ".venv" / f".{target}").exists() == (made.returncode == 0), made.stderr
    return made.stderr if made.returncode else ""


def lock(project: Path, *lines: str, dev: bool = False) -> None:
    (project / f"requirements{'-dev' if dev else ''}.lock").write_text("".join(lines))


def versions(project: Path) -> dict[str, str]:
    command = [".venv/bin/python", "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"]
    listed = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    return dict(line.split("==") for line in listed.stdout.splitlines())


@pytest.mark.slow
def test_no_later_release_breaks_the_set_up(project: Path, index: Index) -> None:
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

    assert make(project, index, "core") == ""
    setuptools = importlib.metadata.version("setuptools")
    core = versions(project)
    named = dict.fromkeys(("alpha", "beta", "gamma", "built", "small", "smaller"), "1.0")
    assert core == {**named, "setuptools": setuptools, "pip": core["pip"]}
    files = {f"{name}-1.0-py3-none-any.whl" for name in ("alpha", "beta", "gamma")} | {"built-1.0.tar.gz"}
    pages = {"alpha", "beta", "gamma", "built", "setuptools"}
    assert set(index.asked) == pages | files | {f"setuptools-{setuptools}-py3-none-any.whl"}

    # The tests' environment is this one and what the second lock names; nothing is fetched again.
    index.asked.clear()
    assert make(project, index) == ""
    assert versions(project) == {**core, "tool": "1.0"}
    assert set(index.asked) == {"tool", "tool-1.0-py3-none-any.whl"}
    index.asked.clear()
    os.utime(project / "pyproject.toml")
    assert (make(project, index), index.asked) == ("", []), "a change of the metadata alone installs nothing anew"


@pytest.mark.slow
def test_a_lock_that_does_not_hold_together_is_named_and_what_it_no_longer_names_goes(
    project: Path, index: Index
) -> None:
    alpha, setuptools = index.wheel("alpha", "1.0", "Requires-Dist: beta>=1.0"), index.installed("setuptools")
    lock(project, alpha, setuptools, index.wheel("beta", "0.9"))
    assert [line for line in make(project, index, "core").splitlines() if "***" not in line] == [
        "make: requirements.lock and pyproject.toml do not fit together: alpha 1.0 has requirement beta>=1.0, but you "
        "have beta 0.9. Take them from one commit, or fit the locks to pyproject.toml with `make lock`; then run make "
        "again."
    ]
    lock(project, alpha, setuptools, index.wheel("beta", "1.0"))
    old = index.wheel("tool", "1.0") + index.wheel("old", "1.0")
    # Once broken off after a part of it was installed, once finished.
    lock(project, old, "missing==1.0 --hash=sha256:00\n", dev=True)
    assert make(project, index) != ""
    lock(project, old, dev=True)
    assert make(project, index) == ""
    assert versions(project).items() >= {("beta", "1.0"), ("old", "1.0")}
    lock(project, index.wheel("tool", "1.1"), dev=True)
    assert make(project, index) == ""
    assert versions(project)["tool"] == "1.1" and "old" not in versions(project)
    (project / "pyproject.toml").write_text(PYPROJECT.replace('"alpha"', '"beta"'))
    lock(project, setuptools, index.wheel("beta", "1.0"))
    assert make(project, index) == "" and "alpha" not in versions(project)
    lock(project, index.wheel("tool", "1.2", "Requires-Dist: beta>=2"), dev=True)
    assert "make: requirements-dev.lock and pyproject.toml do not fit together: tool 1.2 has" in make(project, index)
    assert (project / ".venv/.core").exists()
