"""Digests of the source files that decide the bytes of shards and of dataset files.

They are part of the keys of cached results. So a changed comment voids the cache, but a build never reuses a
shard that other code made.
"""

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from planimeter.flows.errors import PlanimeterError
from planimeter.items import suites
from planimeter.items.declaration import OURS

#: The folder of Planimeter's packages: the checkout, or `planimeter/` in site-packages.
ROOT = Path(__file__).resolve().parents[2]

#: Files and whole folders below ``ROOT`` that decide rows; of `evals`, the modules that write the prompts.
MAKING = (
    *("generators", "filters", "rendering", "items", "suites/*.py", "suites/*/*.py"),
    *("flows/secret.py", "flows/shards.py", "flows/work.py", "flows/store/tables.py"),
    *("export/columns.py", "export/schema.py", "evals/*/prompt.py"),
)

#: Files and folders that decide, in addition, the bytes of data files and the results of their checks.
WRITING = ("export", "evals", "suites", "flows/parts.py", "flows/certifying.py")

#: Suffixes of compiled files that Python and numba write next to the sources.
LEFT = {".pyc", ".nbi", ".nbc"}


@cache
def code_digest(suite: str, *more: str) -> str:
    """Return the SHA-256 of all source files that decide rows of ``suite``, and of files that match ``more``.

    Patterns are relative to ``ROOT``. If another Python package provides ``suite``, all of its files are included.
    """
    packages = sorted(suites.declared(suite).packages - {OURS})
    found = [(path.relative_to(ROOT), path) for pattern in (*MAKING, *more) for path in _files(ROOT.glob(pattern))]
    found += [(path.relative_to(home.parent), path) for home in map(home, packages) for path in _files([home])]
    combined = hashlib.sha256()
    for name, path in sorted(set(found)):
        combined.update(f"\n{name} ".encode() + hashlib.sha256(path.read_bytes()).digest())
    return combined.hexdigest()


def _files(places: Iterable[Path]) -> Iterable[Path]:
    """Yield the files of ``places``, and all files below folders among them, without compiled ones."""
    for place in places:
        for path in place.rglob("*") if place.is_dir() else (place,):
            if path.is_file() and path.suffix not in LEFT:
                yield path


def home(package: str) -> Path:
    """Return the folder of ``package``, or its file if it is a module. Raises ``PlanimeterError`` if not found."""
    spec = find_spec(package)
    if spec is None or not (spec.submodule_search_locations or spec.origin):
        raise PlanimeterError(
            f"the sources of the package {package} cannot be found: it is neither a folder nor a file of Python code"
        )
    return Path(spec.submodule_search_locations[0] if spec.submodule_search_locations else str(spec.origin))
