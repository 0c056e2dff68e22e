"""Errors that a user can cause. The command line prints only their message, which contains no secrets."""

from importlib.util import find_spec

from planimeter.items.errors import PlanimeterError
from planimeter.items.printing import redacted

__all__ = ["PlanimeterError", "redacted"]


class ShortfallError(PlanimeterError):
    """Fewer items were found than a quota of the recipe requires, and the recipe does not allow a shortfall."""


class BusyError(PlanimeterError):
    """Another build of the same dataset is running."""


class VersionExistsError(PlanimeterError):
    """The destination of a build contains something other than the dataset to be built; it is never overwritten."""


class StoppedError(PlanimeterError):
    """A function call in a worker was ended, or not begun, because the build is being stopped."""


class WorkerLostError(PlanimeterError):
    """A worker process died while it computed a call; the call can be repeated."""


class Terminated(BaseException):
    """The process received SIGTERM; like ``KeyboardInterrupt``, it is not an ``Exception``."""


class StoreError(PlanimeterError):
    """The store of shards and results cannot be reached or refuses access, or a file name would be outside of it."""


class DiskError(PlanimeterError):
    """A file or folder cannot be written, such as on a full disk; no half-written file is left."""


def require_module(module: str, extra: str, user: str) -> None:
    """Raise ``PlanimeterError``, with the command that installs ``module``, if ``module`` is not installed.

    ``extra`` is the extra of Planimeter that includes it, and ``user`` the feature that needs it, for the message.
    """
    if find_spec(module) is None:
        install = f'`pip install "planimeter[{extra}]"`, or `make dev` in a checkout'
        raise PlanimeterError(f"{user} needs the package {module}: run {install}")


def first_line(error: object) -> str:
    """Return the first line of the message of ``error`` without secrets, or the name of its type if it has no message.

    In errors of libraries, the further lines are links, or quote a whole request or response.
    """
    lines = (line.strip() for line in str(error).splitlines())
    return redacted(next(filter(None, lines), type(error).__name__))
