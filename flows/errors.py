"""Errors that a user can cause: one clear line (or a list), an exit code, no traceback, and no secret."""

from importlib.util import find_spec

from planimeter.items.errors import PlanimeterError
from planimeter.items.printing import redacted

__all__ = ["PlanimeterError", "redacted"]


class ShortfallError(PlanimeterError):
    """A quota was not filled within its budget of attempts, and the recipe does not allow a shortfall."""


class BusyError(PlanimeterError):
    """Another build of the same dataset is running."""


class VersionExistsError(PlanimeterError):
    """The folder of the version to be built has other content, which is never replaced."""


class StoppedError(PlanimeterError):
    """The build is stopping, so that the call was ended or gets no worker."""


class WorkerLostError(PlanimeterError):
    """A worker died during a call; the call can be repeated."""


class Terminated(BaseException):
    """The process received SIGTERM; like ``KeyboardInterrupt``, it is not an ``Exception``."""


class StoreError(PlanimeterError):
    """The store cannot be reached or refuses access, or a name leads out of it."""


class DiskError(PlanimeterError):
    """A file could not be written; the part that was written is removed."""


def require_module(module: str, extra: str, user: str) -> None:
    """Raise ``PlanimeterError`` if ``module``, which ``user`` needs and the ``extra`` brings, is not installed."""
    if find_spec(module) is None:
        install = f'`pip install "planimeter[{extra}]"`, or `make dev` in a checkout'
        raise PlanimeterError(f"{user} needs the package {module}: run {install}")


def first_line(error: object) -> str:
    """Return the first line of the message of ``error`` without secrets, or the name of its type if it has no message.

    The other lines of errors of libraries are links, or quote a whole request or answer.
    """
    lines = (line.strip() for line in str(error).splitlines())
    return redacted(next(filter(None, lines), type(error).__name__))
