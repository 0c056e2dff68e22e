"""Digests of our own code, by its files: the possible dependencies of the bytes of a shard. A comment may void the
cache; a stale shard is never found.
"""

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from planimeter.flows.errors import PlanimeterError
from planimeter.items import suites
from planimeter.items.declaration import OURS

#: The folder of the packages: the checkout, or `planimeter/` among the installed packages.
ROOT = Path(__file__).resolve().parents[2]

#: Files and whole folders below ``ROOT`` that decide rows. Of the evaluation, these are the texts of the questions.
MAKING = (
    *("generators", "filters", "rendering", "items", "suites/*.py", "suites/*/*.py"),
    *("flows/secret.py", "flows/shards.py", "flows/work.py", "flows/store/tables.py"),
    *("export/columns.py", "export/schema.py", "evals/*/prompt.py"),
)

#: Files and folders that decide the bytes of files of these rows, and the results of their checks.
WRITING = ("export", "evals", "suites", "flows/parts.py", "flows/certifying.py")

#: Files that Python and its libraries write next to the sources.
LEFT = {".pyc", ".nbi", ".nbc"}


@cache
def code_digest(suite: str, *more: str) -> str:
    """Return a digest of every file that decides rows of ``suite``, those of its own distribution, and ``more`` of our
    files and folders; computed once in a process.
    """
    packages = sorted(suites.declared(suite).packages - {OURS})
    found = [(path.relative_to(ROOT), path) for pattern in (*MAKING, *more) for path in _files(ROOT.glob(pattern))]
    found += [(path.relative_to(home.parent), path) for home in map(home, packages) for path in _files([home])]
    combined = hashlib.sha256()
    for name, path in sorted(set(found)):
        combined.update(f"\n{name} ".encode() + hashlib.sha256(path.read_bytes()).digest())
    return combined.hexdigest()


def _files(places: Iterable[Path]) -> Iterable[Path]:
    for place in places:
        for path in place.rglob("*") if place.is_dir() else (place,):
            if path.is_file() and path.suffix not in LEFT:
                yield path


def home(package: str) -> Path:
    """Return the folder, or the one file, of the top-level package of another distribution."""
    spec = find_spec(package)
    if spec is None or not (spec.submodule_search_locations or spec.origin):
        raise PlanimeterError(f"the suites of the package {package} cannot be found: it is not a folder of modules")
    return Path(spec.submodule_search_locations[0] if spec.submodule_search_locations else str(spec.origin))
