"""A dry run of make leaves the environment as it is."""

import os
import shutil
import subprocess
from pathlib import Path

import command_line


def test_a_dry_run_after_a_change_of_the_locks_removes_nothing(tmp_path: Path) -> None:
    shutil.copy(command_line.ROOT / "Makefile", tmp_path)
    made = (".venv/.core", ".venv/.ready", ".venv/.begun")
    sources = ("requirements.lock", "pyproject.toml", "distributions/evals/pyproject.toml")
    files = (*sources, *made, "requirements-dev.lock")
    for at, name in enumerate(files):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (at, at))
    # Without the variables of the `make test` that runs this: its VENV is another environment.
    given = {"cwd": tmp_path, "env": {"PATH": os.environ["PATH"]}, "capture_output": True, "text": True}
    planned = subprocess.run(["make", "-n", "dev"], check=True, **given)
    assert "-r requirements-dev.lock" in planned.stdout and (tmp_path / made[0]).exists()
