"""`make` makes an environment that works out of one that does not, with a stand-in for Python that notes its calls."""

import os
import shutil
import subprocess
from pathlib import Path

import command_line
import pytest

#: Knows its version by the file beside it, has pip if there is one of that name, and conflicts if the project has some.
PYTHON = """#!/bin/sh
here=$(dirname "$0")
echo "$(cat "$here/version") $*" >> "$CALLS"
case "$*" in
    "-m venv --clear "*)
        rm -rf "$4"; mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; cp "$here/version" "$4/bin"; touch "$4/bin/pip" ;;
    "-m pip check") if test -e conflicts; then cat conflicts; exit 1; fi ;;
    *"-r /dev/stdin") cat >> "$CALLS" ;;
    "-m pip "*) test -e "$here/pip" ;;
    *version_info*print*|*print*version_info*) cat "$here/version" ;;
    *version_info*) case "$(cat "$here/version")" in 3.1[123]) ;; *) exit 1 ;; esac ;;
esac
"""
LOCKS = {"core": "requirements.lock", "ready": "requirements-dev.lock"}
CLEAR = "3.11 -m venv --clear .venv"


def python(folder: Path, version: str) -> None:
    folder.mkdir(parents=True)
    (folder / "version").write_text(f"{version}\n")
    (folder / "python").write_text(PYTHON)
    (folder / "python").chmod(0o755)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copy(command_line.ROOT / "Makefile", tmp_path)
    for name in (*LOCKS.values(), "pyproject.toml", "distributions/evals/pyproject.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / LOCKS["core"]).write_text("alpha==1.0\nsetuptools==1.0 \\\n    --hash=sha256:00\nzeta==1.0\n")
    for version in ("3.10", "3.11", "3.13"):
        python(tmp_path / version, version)
    return tmp_path


def make(project: Path, version: str = "3.11", target: str = "ready") -> tuple[int, str, list[str]]:
    """Make the environment with a named Python; the exit code, the errors, and what the Pythons were asked."""
    calls = project / "calls"
    calls.write_text("")
    command = ["make", f".venv/.{target}", f"PYTHON={project / version / 'python'}"]
    environment = {"PATH": "/usr/bin:/bin", "CALLS": str(calls)}
    ended = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)
    assert (project / ".venv" / f".{target}").exists() or ended.returncode
    return ended.returncode, ended.stderr, calls.read_text().splitlines()


def test_the_locks_alone_decide_what_is_installed_and_builds_need_the_first_alone(project: Path) -> None:
    for target, whole in (("mini", 0), ("test", 1)):
        command = ["make", "-n", target]
        # Without the variables of the `make test` that runs this: its VENV is another environment.
        environment = {"PATH": os.environ["PATH"]}
        planned = subprocess.run(
            command, cwd=project, env=environment, capture_output=True, text=True, check=True
        ).stdout
        assert " -r requirements.lock" in planned and planned.count("-r requirements-dev.lock") == whole
    code, message, calls = make(project, target="core")
    assert (code, message, CLEAR in calls) == (0, "", True)
    installs = [call for call in calls if "pip install" in call]
    assert all({"--no-deps", "--no-build-isolation"} <= {*call.split()} for call in installs)
    assert [call.split("--use-pep517 ")[1] for call in installs] == [
        *("--require-hashes -r /dev/stdin", "--require-hashes -r requirements.lock", "-e distributions/evals -e .")
    ]
    at = calls.index(installs[0])
    assert calls[at + 1 : at + 3] == ["setuptools==1.0 \\", "    --hash=sha256:00"], "it builds the others"
    _, _, calls = make(project)
    assert not any("--clear" in call or "-r requirements.lock" in call for call in calls)
    assert any("--require-hashes -r requirements-dev.lock" in call for call in calls)


def test_a_dry_run_after_a_change_of_the_locks_removes_nothing(project: Path) -> None:
    assert make(project)[0] == 0
    os.utime(project / LOCKS["ready"], (2e9, 2e9))
    subprocess.run(["make", "-n", "dev"], cwd=project, env={"PATH": "/usr/bin:/bin"}, capture_output=True, check=True)
    assert (project / ".venv/.core").exists()


def test_only_another_python_that_is_new_enough_takes_the_place_of_a_ready_environment(project: Path) -> None:
    python(project / ".venv/bin", "3.11")
    assert CLEAR in make(project)[2], "an environment without pip"
    code, _, calls = make(project)
    assert (code, [call for call in calls if "-m" in call]) == (0, [])
    code, message, _ = make(project, "3.10")
    assert code != 0 and "need Python 3.11, 3.12 or 3.13" in message
    assert (project / ".venv/bin/version").read_text() == "3.11\n"
    code, message, calls = make(project, "3.13")
    assert (code, message, (project / ".venv/bin/version").read_text()) == (0, "", "3.13\n")
    assert any(call.startswith("3.13 -m pip install") for call in calls)


def test_what_a_lock_no_longer_names_goes_and_a_change_of_the_metadata_alone_clears_nothing(project: Path) -> None:
    assert make(project)[0] == 0
    made = (*LOCKS.values(), "pyproject.toml", "distributions/evals/pyproject.toml", ".venv/.core", ".venv/.ready")
    for changed, cleared in ((LOCKS["core"], True), (LOCKS["ready"], True), ("pyproject.toml", False)):
        for at, name in enumerate((*made, changed)):
            os.utime(project / name, (at, at))
        code, _, calls = make(project)
        assert (code, CLEAR in calls) == (0, cleared), changed


@pytest.mark.parametrize("target", LOCKS)
def test_locks_that_do_not_hold_together_are_named_and_can_be_mended(project: Path, target: str) -> None:
    assert target == "core" or make(project, target="core")[0] == 0
    (project / "conflicts").write_text("alpha 1.0 has requirement beta>=1.0, but you have beta 0.9.\n")
    code, message, _ = make(project, target=target)
    assert code != 0 and not (project / f".venv/.{target}").exists()
    (line,) = [line for line in message.splitlines() if "***" not in line]
    conflict = "alpha 1.0 has requirement beta>=1.0, but you have beta 0.9."
    assert line.startswith(f"make: {LOCKS[target]} and pyproject.toml do not fit together: {conflict} Take them")
    assert line.endswith("or fit the locks to pyproject.toml with `make lock`; then run make again.")
    (project / "conflicts").unlink()
    assert make(project, target=target)[0] == 0
