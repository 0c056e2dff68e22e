"""Environments that hold a trainer and nothing of this one, and what runs in them.

They need uv, an index of packages, and some 2 GB of disk each. They stay in the user's cache under a name that tells
their contents, so that only the first run installs anything.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import command_line
import pytest
from filelock import FileLock

#: Without a device, torch is some 200 MB instead of 4 GB; such wheels are in an index of their own.
TORCH = "torch==2.13.0+cpu"
CPU_WHEELS = "https://download.pytorch.org/whl/cpu"
#: What our graders need.
OURS = ("math-verify", "pyarrow")
TRAINERS = {
    "trl": ("trl==1.16.0", "peft", "pillow", "antlr4-python3-runtime==4.13.2"),
    "verl": ("verl==0.9.1",),
    "swift": ("ms-swift==4.6.0", "antlr4-python3-runtime==4.13.2"),
}
SCRIPTS = Path(__file__).parent / "trainers"


def python_of(name: str) -> Path:
    """Return the Python of the trainer's environment, which is made if there is none; skip where it cannot be had."""
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv, which makes the trainers' environments, is not on the PATH")
    wanted = (f"{sys.version_info.major}.{sys.version_info.minor}", TORCH, *OURS, *TRAINERS[name])
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "planimeter" / "trainers"
    folder = cache / f"{name}-{hashlib.sha256(json.dumps(wanted).encode()).hexdigest()[:12]}"
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not (folder / ".ready").exists():
            links, python = os.environ.get("PIP_FIND_LINKS"), folder / "bin" / "python"
            index = ("--index", CPU_WHEELS, "--index-strategy", "unsafe-best-match")
            where = ("--find-links", links) if links else index
            install = ("pip", "install", "--python", python, *where, *wanted[1:])
            for command in (("venv", "--clear", "--python", sys.executable, folder), install):
                ended = subprocess.run([uv, *command], capture_output=True, text=True)
                if ended.returncode != 0:
                    pytest.skip(f"{name} cannot be installed here: {ended.stderr.strip().splitlines()[-1]}")
            (folder / ".ready").touch()
    return folder / "bin" / "python"


def call(name: str, calls: Iterable[tuple[str, dict[str, Any]]], home: Path, *more: object) -> Any:
    """Call functions of ``in_<name>`` where that trainer is installed, and return what they return."""
    given, result = home / "calls.json", home / "result.json"
    given.write_text(json.dumps(list(calls)))
    run(python_of(name), SCRIPTS / "calling.py", f"in_{name}", given, result, *more, home=home)
    return json.loads(result.read_text())


def run(python: Path | str, script: Path, *arguments: object, home: Path) -> None:
    """Run ``script`` with our graders importable, and ``home`` for whatever it keeps."""
    link = home / "ours" / "planimeter"
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.exists():
        link.symlink_to(command_line.ROOT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(link.parent), str(SCRIPTS)])}
    environment |= {"HF_HOME": str(home / "hf"), "MODELSCOPE_CACHE": str(home / "modelscope")}
    environment |= {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
    command = [python, script, *map(str, arguments)]
    given: Any = {"env": environment, "cwd": home, "timeout": command_line.PATIENCE}
    ended = subprocess.run(command, capture_output=True, text=True, **given)
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-6000:]
