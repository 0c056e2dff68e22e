"""Puts distributions with suites on the path, as pip leaves them, and takes them off again."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from planimeter.export.texts import text_of
from planimeter.flows.store import sources
from planimeter.items import suites

#: A suite of dots, and one that cannot be imported.
FOLDER = Path(__file__).parent / "outside"


def forget() -> None:
    """Let go of what is known of installed suites."""
    for cached in (suites.installed, suites._registered, sources._imports, sources._content, sources.digest, text_of):
        cached.cache_clear()


@contextmanager
def installed(folder: Path = FOLDER, *packages: str) -> Iterator[Path]:
    """Install the distributions in ``folder``, of ``packages``, within; by default those of the outside suite."""
    forget()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] in (*packages, "dots")]:
        del sys.modules[name]
    forget()
