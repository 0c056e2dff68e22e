"""`make` makes an environment that works out of one that does not, with a stand-in for Python that notes its calls."""

import shutil
import subprocess
from pathlib import Path

import command_line
import pytest

#: Knows its version by the file beside it, and has pip if there is one of that name.
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


def python(folder: Path, version: str) -> None:
    folder.mkdir(parents=True)
    (folder / "version").write_text(f"{version}\n")
    (folder / "python").write_text(PYTHON)
    (folder / "python").chmod(0o755)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copy(command_line.ROOT / "Makefile", tmp_path)
    for name in ("requirements.lock", "requirements-dev.lock", "pyproject.toml", "distributions/evals/pyproject.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for version in ("3.10", "3.11", "3.13"):
        python(tmp_path / version, version)
    return tmp_path


def make(project: Path, version: str, target: str = ".venv/.ready") -> tuple[int, str, list[str]]:
    """Make the environment with a named Python; the exit code, what was said, and what the Pythons were asked."""
    calls = project / "calls"
    calls.write_text("")
    command = ["make", target, f"PYTHON={project / version / 'python'}"]
    environment = {"PATH": "/usr/bin:/bin", "CALLS": str(calls)}
    ended = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)
    return ended.returncode, ended.stderr, calls.read_text().splitlines()


def test_an_environment_without_pip_is_made_anew(project: Path) -> None:
    python(project / ".venv/bin", "3.11")
    code, message, calls = make(project, "3.11")
    assert (code, message) == (0, "")
    assert "3.11 -m venv --clear .venv" in calls


def test_only_another_python_that_is_named_and_new_enough_takes_the_place_of_a_ready_environment(project: Path) -> None:
    assert make(project, "3.11")[0] == 0
    code, _, calls = make(project, "3.11")
    assert code == 0
    assert not any("-m" in call for call in calls)
    code, message, _ = make(project, "3.10")
    assert code != 0
    assert "need Python 3.11, 3.12 or 3.13" in message
    assert (project / ".venv/bin/version").read_text() == "3.11\n"
    code, message, calls = make(project, "3.13")
    assert (code, message) == (0, "")
    assert (project / ".venv/bin/version").read_text() == "3.13\n"
    assert any(call.startswith("3.13 -m pip install") for call in calls)
    assert (project / ".venv/.ready").exists()


def test_builds_do_not_install_what_tests_need(project: Path) -> None:
    _, _, calls = make(project, "3.11", ".venv/.core")
    assert any("-r requirements.lock" in call for call in calls)
    assert not any("requirements-dev.lock" in call for call in calls)
    _, _, calls = make(project, "3.11")
    assert not any("--clear" in call or "-r requirements.lock" in call for call in calls)
    assert any("-r requirements-dev.lock" in call for call in calls)


@pytest.mark.parametrize(("target", "whole"), [("mini", 0), ("smoke", 0), ("test", 1), ("check", 1), ("dev", 1)])
def test_a_command_waits_for_no_environment_but_its_own(target: str, whole: int, project: Path) -> None:
    planned = subprocess.run(["make", "-n", target], cwd=project, capture_output=True, text=True, check=True).stdout
    assert " -r requirements.lock" in planned
    assert planned.count("-r requirements-dev.lock") == whole
