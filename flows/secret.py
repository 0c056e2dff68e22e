"""The seed of a sealed edition, a dataset whose seed is secret at first. Each worker reads it from a file.

A seed file is one line of two random numbers, seed and salt, each of 32 to 64 hexadecimal digits. The seal is the
SHA-256 of this line, so that `sha256sum FILE` prints it. Parameters, results, logs and messages contain the path of the
file and the seal, never the line.
"""

import hashlib
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Self

from planimeter.export.atomic import ExportError
from planimeter.export.foreign import read_file
from planimeter.flows.errors import PlanimeterError
from planimeter.suites.base import Recipe

_LINE = re.compile(r"([0-9a-f]{32,64}) ([0-9a-f]{32,64})\n")

#: The greatest size of a seed file in bytes.
_MOST = 130

#: The command that makes a seed file.
MAKE = """python -c "import secrets; print(secrets.token_hex(16), secrets.token_hex(16))" > FILE"""


@dataclass(frozen=True)
class Secret:
    """The content of a seed file: one ``line`` with seed and salt, which is never printed."""

    line: str = field(repr=False)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Return the secret in the file ``path``. Raises ``PlanimeterError`` if that is a link, or not a seed file."""
        if Path(path).is_symlink():
            raise PlanimeterError(f"{path} is a link; give the path of the seed file itself")
        try:
            line = read_file(Path(path), _MOST).decode("ascii")
        except (OSError, ValueError, ExportError) as error:
            why = getattr(error, "strerror", None) or "its content is not that of a seed file"
            raise PlanimeterError(f"the seed file {path} cannot be read: {why}; make one with `{MAKE}`") from None
        if not _LINE.fullmatch(line) or len(set(line)) < len(" \n") + 8:
            raise PlanimeterError(
                f"{path} is not a seed file: need one line of two random numbers, seed and salt, of 32 to 64 "
                f"hexadecimal digits each; make one with `{MAKE}`"
            )
        return cls(line)

    @property
    def seed(self) -> int:
        """The root seed: the first number of the line."""
        return int(self.line.split()[0], 16)

    @property
    def seal(self) -> str:
        """The SHA-256 of the line in hexadecimal digits, which is published before the line."""
        return hashlib.sha256(self.line.encode()).hexdigest()

    @property
    def store_key(self) -> str:
        """The digest that replaces the seed in cache keys of shards; unlike the seal, it is never published."""
        return hashlib.sha256(f"planimeter store {self.line}".encode()).hexdigest()

    def is_in(self, text: str) -> bool:
        """True if ``text`` contains the seed in decimal or hexadecimal digits."""
        return str(self.seed) in text or f"{self.seed:x}" in text.lower()

    def opened(self, recipe: Recipe) -> Recipe:
        """Return a copy of ``recipe`` with the secret seed as its seed."""
        return recipe.model_copy(update={"seed": self.seed})


class Sealed(NamedTuple):
    """The seed file of a sealed edition: its path, the same on each machine, and its seal (SHA-256)."""

    path: str
    seal: str

    @classmethod
    def at(cls, path: str | Path) -> Self:
        """Return path and seal of the seed file at ``path``. Raises ``PlanimeterError`` like ``Secret.read``."""
        return cls(str(Path(path).absolute()), Secret.read(path).seal)

    def open(self) -> Secret:
        """Read the seed file and return its content. Raises ``PlanimeterError`` if its SHA-256 is not ``seal``."""
        secret = Secret.read(self.path)
        if secret.seal != self.seal:
            raise PlanimeterError(
                f"{self.path} has another seed than the edition with the seal {self.seal}; give the right seed file"
            )
        return secret


def is_exposed(path: str | Path) -> bool:
    """True if the permissions of the file at ``path`` let other users of this machine read it."""
    return bool(Path(path).stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))


@contextmanager
def kept_from_messages(secret: Secret | None, doing: str) -> Iterator[None]:
    """Raise ``PlanimeterError("<doing> failed; ...")`` in place of an error of this block that contains the seed."""
    try:
        yield
    except Exception as error:
        if secret and secret.is_in(repr(error)):
            raise PlanimeterError(f"{doing} failed; the message is left out, since it states the secret seed") from None
        raise
