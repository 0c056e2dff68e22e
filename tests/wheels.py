"""The wheels of this repository, built from what git tracks, and environments to install them in."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import command_line
import pytest

#: Where each distribution is described.
PROJECTS = {"planimeter": Path(), "planimeter_evals": Path("distributions/evals")}


def tracked() -> list[str]:
    """The files that git tracks and that are there."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=command_line.ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("this is no git checkout")
    return [name for name in listed.stdout.split("\0") if (command_line.ROOT / name).is_file()]


def ran(*command: str | Path, cwd: Path, timeout: float = 300, **more: str) -> str:
    """Run ``command`` with nothing of this checkout on Python's path, and return what it printed."""
    environment = {**command_line.environment(cwd / "prefect"), **more}
    del environment["PYTHONPATH"]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(folder: Path) -> dict[str, Path]:
    """Build the wheels in ``folder``, of the files that git tracks, as they now are; by the names of distributions."""
    for name in tracked():
        copy = folder / "source" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((command_line.ROOT / name).read_bytes())
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    sources = [folder / "source" / place for place in PROJECTS.values()]
    ran(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, *sources, cwd=folder)
    return {path.name.split("-")[0]: path for path in folder.glob("*.whl")}


def uv(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run uv, or skip where there is none."""
    found = shutil.which("uv")
    if found is None:
        pytest.skip("uv, which resolves and makes environments, is not on the PATH")
    return subprocess.run([found, *arguments], capture_output=True, text=True, timeout=900, env=dict(os.environ))


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
