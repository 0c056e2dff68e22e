"""Errors that a user can cause: one clear line (or a list), an exit code, no traceback, and no secret."""

from planimeter.items.errors import PlanimeterError
from planimeter.items.printing import redacted

__all__ = ["PlanimeterError", "redacted"]


class ShortfallError(PlanimeterError):
    """A cell could not be filled within its budget of attempts, and the recipe does not allow that."""


class BusyError(PlanimeterError):
    """Another build of the same dataset is running."""


class VersionExistsError(PlanimeterError):
    """The folder of this version has other content, which is never replaced."""


class StoppedError(PlanimeterError):
    """The build is stopping: waiting calls get no worker."""


class WorkerLostError(PlanimeterError):
    """A worker died during a call; the call can be repeated."""


class Terminated(BaseException):
    """SIGTERM reached the build: like Ctrl-C, but from a program."""


class StoreError(PlanimeterError):
    """The store is unreachable or refuses, or a name leads out of it."""


class DiskError(PlanimeterError):
    """A file could not be written; its written part is removed."""


def first_line(error: object) -> str:
    """Return the first line of the message of ``error``, ``redacted``, or the name of its type if there is none.

    Libraries add lines with links, or quote the whole request or answer.
    """
    lines = (line.strip() for line in str(error).splitlines())
    return redacted(next(filter(None, lines), type(error).__name__))
