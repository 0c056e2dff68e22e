"""Everything that a user can cause: one clear line (or a list), an exit code, no traceback."""


class PlanimeterError(Exception):
    """Says what was wrong, where, and what to do."""


class ShortfallError(PlanimeterError):
    """A cell could not be filled within its budget of attempts, and the recipe does not allow that."""


class BusyError(PlanimeterError):
    """Another build of the same dataset is at work."""


class VersionExistsError(PlanimeterError):
    """The folder of this version holds other content, which is never replaced."""


class Terminated(BaseException):
    """SIGTERM reached the build: like Ctrl-C, but asked for by a program."""


class DiskError(PlanimeterError):
    """A file could not be written; nothing half-written is left."""
