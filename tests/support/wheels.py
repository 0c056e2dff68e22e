"""The wheels of this repository, built from what git tracks, and environments to install them in."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import command_line
import pytest

#: Where each distribution is described.
PROJECTS = {"planimeter": Path(), "planimeter_evals": Path("distributions/evals")}


def tracked() -> list[str]:
    """The files that git tracks and that are there, links among them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=command_line.ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    return [name for name in listed.stdout.split("\0") if name and (command_line.ROOT / name).exists()]


def ran(*command: str | Path, cwd: Path, fails: bool = False, **more: str) -> str:
    """Run ``command`` with nothing of this checkout on Python's path; returns what it printed, or why it failed."""
    environment = command_line.environment(cwd / "prefect")
    del environment["PYTHONPATH"]
    given: Any = {"cwd": cwd, "env": environment | more, "timeout": command_line.PATIENCE}
    done = subprocess.run(command, capture_output=True, text=True, **given)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stderr if fails else done.stdout


def copied(folder: Path) -> list[Path]:
    """Copy the files that git tracks, as they now are, to ``folder``; returns where each distribution is described."""
    for name in tracked():
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(command_line.ROOT / name, copy, follow_symlinks=False)
    return [folder / place for place in PROJECTS.values()]


def built(folder: Path, sources: Sequence[Path] = ()) -> dict[str, Path]:
    """Build the wheels in ``folder``, of ``sources`` or of the files that git tracks; by the names of distributions."""
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    folder.mkdir(parents=True, exist_ok=True)
    sources = sources or copied(folder / "source")
    ran(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, *sources, cwd=folder)
    return {path.name.split("-")[0]: path for path in folder.glob("*.whl")}


def uv(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run uv, or skip where there is none."""
    found = shutil.which("uv")
    if found is None:
        pytest.skip("uv, which resolves and makes environments, is not on the PATH")
    given: Any = {"env": dict(os.environ), "timeout": command_line.PATIENCE}
    return subprocess.run([found, *arguments], capture_output=True, text=True, **given)


def environment(folder: Path, *requirements: str) -> Path:
    """Make an environment in ``folder`` from the index that this machine uses; returns its ``bin``. Or skip."""
    for arguments in (
        ("venv", "--quiet", "--python", sys.executable, folder),
        ("pip", "install", "--quiet", "--python", folder / "bin/python", *requirements),
    ):
        done = uv(*arguments)
        if done.returncode != 0:
            pytest.skip(f"{', '.join(requirements)} cannot be installed here: {done.stderr.strip().splitlines()[-1]}")
    return folder / "bin"
