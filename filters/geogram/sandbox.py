"""Runs untrusted drawing code where it can harm nothing: in a subprocess that the kernel confines.

Two layers. ``check`` reads the syntax tree before anything runs, and names what a drawing has no use for (other
imports, ``open``, ``exec``, names with double underscores); its reasons go to the funnel. What passes it meets the
second layer: the child imports matplotlib, then gives up every system call beyond computing and answering on its
standard output (seccomp, Linux on x86-64 and ARM64), with limits on CPU time, wall time and memory, in an empty
environment. No file can then be opened, not even for reading, no socket or process made, no signal sent. Where the
kernel offers no seccomp nothing is run, and the outcome gives that reason.
"""

import ast
import json
import os
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from planimeter.filters.geogram.programs import syntax_fault

#: What drawing code may import; submodules included.
ALLOWED_IMPORTS: Final = (
    "cmath", "collections", "fractions", "functools", "itertools", "math", "matplotlib", "mpl_toolkits", "numpy",
)  # fmt: skip

_BANNED_NAMES: Final = (
    "open", "exec", "eval", "compile", "input", "breakpoint", "globals", "locals", "vars", "getattr", "setattr",
    "delattr", "help", "memoryview", "exit", "quit",
)  # fmt: skip
_BANNED_ATTRIBUTES: Final = (
    "load", "save", "savez", "savetxt", "loadtxt", "genfromtxt", "fromfile", "tofile", "memmap", "imread", "imsave",
    "ctypeslib", "f2py", "os", "sys", "subprocess", "system", "popen",
)  # fmt: skip

NO_PYTHON: Final = "the code is no Python"

_CHILD: Final = Path(__file__).with_name("sandbox_child.py")


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What one program may use. ``memory_bytes`` counts beyond what Python and matplotlib take themselves."""

    cpu_seconds: int = 10
    wall_seconds: float = 30.0
    memory_bytes: int = 512 * 2**20
    output_bytes: int = 16 * 2**20


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What a program drew, or why not.

    ``picture`` is uint8 (height, width, 3); ``lines`` are polylines and ``labels`` (text, x, y) in data units.
    ``reason`` is empty where there is a picture, and otherwise a short key; ``detail`` is the first line of the error.
    """

    picture: npt.NDArray[np.uint8] | None = None
    lines: tuple[tuple[tuple[float, float], ...], ...] = ()
    labels: tuple[tuple[str, float, float], ...] = ()
    reason: str = ""
    detail: str = ""


def check(code: str) -> str:
    """Return why ``code`` is no drawing, or an empty string."""
    if syntax_fault(code) is not None:
        return NO_PYTHON
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Import(names=names) if any(not _allowed(n.name) for n in names):
                return "the code imports what a drawing does not need"
            case ast.ImportFrom(module=module) if node.level or not _allowed(module or ""):
                return "the code imports what a drawing does not need"
            case ast.Name(id=name) if name in _BANNED_NAMES or name.startswith("__"):
                return "the code reaches outside of the drawing"
            case ast.Attribute(attr=name) if name in _BANNED_ATTRIBUTES or name.startswith("__"):
                return "the code reaches outside of the drawing"
    return ""


def _allowed(module: str) -> bool:
    return module.split(".")[0] in ALLOWED_IMPORTS


def run(code: str, limits: Limits | None = None, *, unchecked: bool = False) -> Outcome:
    """Return what ``code`` draws with matplotlib.

    ``unchecked`` skips ``check`` and relies on the kernel alone; tests use it to show that this is enough.
    """
    limits = limits or Limits()
    reason = "" if unchecked else check(code)
    if reason:
        return Outcome(reason=reason, detail=syntax_fault(code) or "")
    budget = {"cpu": limits.cpu_seconds, "memory": limits.memory_bytes, "output": limits.output_bytes + 1}
    order = json.dumps(budget | {"code": code}).encode()
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryFile() as answer:
        command = [sys.executable, "-I", "-B", str(_CHILD)]
        child = subprocess.Popen(  # noqa: S603 - our own child program
            command, stdin=subprocess.PIPE, stdout=answer, stderr=subprocess.DEVNULL, cwd=empty,
            env=_environment(), start_new_session=True, close_fds=True,
        )  # fmt: skip
        try:
            child.communicate(order, timeout=limits.wall_seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            return Outcome(reason="the code runs too long")
        size = answer.seek(0, os.SEEK_END)
        if size > limits.output_bytes:
            return Outcome(reason="the code writes too much")
        answer.seek(0)
        written = answer.read()
    return _read(written, child.returncode)


def _environment() -> Mapping[str, str]:
    """Return the child's whole environment: no secrets, one thread, and matplotlib's font cache where it is."""
    kept = {name: os.environ[name] for name in ("MPLCONFIGDIR", "HOME") if name in os.environ}
    return kept | {"MPLBACKEND": "Agg", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def _read(written: bytes, returncode: int) -> Outcome:
    head, _, body = written.partition(b"\n")
    try:
        reply = json.loads(head)
        if "reason" in reply:
            return Outcome(reason=str(reply["reason"]), detail=str(reply.get("detail", ""))[:200])
        shape = (int(reply["height"]), int(reply["width"]), 3)
        unpacked = zlib.decompressobj().decompress(body, shape[0] * shape[1] * 3 + 1)
        picture = np.frombuffer(unpacked, np.uint8).reshape(shape)
        lines = tuple(tuple((float(x), float(y)) for x, y in line) for line in reply["lines"])
        labels = tuple((str(text), float(x), float(y)) for text, x, y in reply["labels"])
    except (ValueError, KeyError, TypeError, zlib.error):
        # Killed by its limit on CPU time (SIGKILL, SIGXCPU), or an answer that the code made up.
        return Outcome(reason="the code runs too long" if returncode < 0 else "the code gives no picture")
    return Outcome(picture=picture, lines=lines, labels=labels)
