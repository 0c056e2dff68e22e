"""What users import keeps its names and signatures: public_api.txt lists them, and `make api` renews the list."""

import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

STORED = Path(__file__).with_name("public_api.txt")

#: The modules whose ``__all__`` is promised; whatever else of planimeter may change with any release.
MODULES = ("planimeter.evals", "planimeter.evals.rewards", "planimeter.suites.loading", "planimeter.streams")


def signature(of: Any) -> str:
    """Return the parameters and the result of ``of``, types without the modules that they come from."""
    return re.sub(r"\b(?:[A-Za-z_]\w*\.)+", "", str(inspect.signature(of)))


def members(owner: type) -> Iterator[str]:
    """Yield what a class or its bases of ours let users call or read."""
    ours = [base for base in owner.__mro__ if base.__module__.startswith("planimeter.")]
    for name in sorted({name for base in ours for name in vars(base) if not name.startswith("_")}):
        value = inspect.getattr_static(owner, name)
        if isinstance(value, (classmethod, staticmethod)):
            value = value.__func__
        yield f"{name}{signature(value)}" if inspect.isfunction(value) else name


def lines(module: str) -> Iterator[str]:
    """Yield a line for each name that ``module`` declares, and for each member of its classes."""
    names = import_module(module)
    for name in sorted(names.__all__):
        value = getattr(names, name)
        exception = inspect.isclass(value) and issubclass(value, BaseException)
        yield f"{module}.{name}{signature(value) if callable(value) and not exception else ''}"
        if inspect.isclass(value):
            yield from (f"{module}.{name}.{member}" for member in members(value))


def snapshot() -> str:
    return "".join(f"{line}\n" for module in MODULES for line in lines(module))


def test_no_name_or_signature_that_users_import_changes_unnoticed() -> None:
    assert snapshot() == STORED.read_text(), "if this change is meant, name it in CHANGELOG.md and run `make api`"
    public = [getattr(names, name) for names in map(import_module, MODULES) for name in names.__all__]
    assert [value for value in public if callable(value) and not value.__doc__] == []


if __name__ == "__main__":
    sys.stdout.write(snapshot())
