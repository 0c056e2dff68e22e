"""Puts distributions with suites on the path, as pip leaves them, and takes them off again."""

import atexit
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from planimeter.export.texts import text_of
from planimeter.flows.commands import new
from planimeter.flows.store import sources
from planimeter.items import suites

#: The suite of `planimeter new dots`, and one that cannot be imported; of this process.
FOLDER = Path(tempfile.mkdtemp(prefix="outside-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def _write(distribution: str, suite: str, module: str) -> None:
    """Write what an installer records of the ``distribution``, a name and a version."""
    name, version = distribution.split()
    folder = FOLDER / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (folder / "entry_points.txt").write_text(f"[planimeter.suites]\n{suite} = {module}:SUITE\n")


_write("dots-bench 0.3", "dots", "dots")
_write("broken-bench 9.9", "broken", "broken_suite")
for path, text in new.files("dots", "dots"):
    if path.parts[0] == "dots":
        (FOLDER / path).parent.mkdir(exist_ok=True)
        (FOLDER / path).write_text(text)


def forget() -> None:
    """Let go of what is known of installed suites."""
    for cached in (suites.installed, suites._registered, sources.code_digest, text_of):
        cached.cache_clear()


@contextmanager
def installed(folder: Path = FOLDER, *packages: str) -> Iterator[Path]:
    """Install the distributions in ``folder``, of ``packages``, within; by default those of the outside suite."""
    forget()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(str(folder))
            yield folder
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] in (*packages, "dots")]:
            del sys.modules[name]
        forget()
