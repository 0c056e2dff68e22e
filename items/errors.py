"""The base class of all errors that a user can cause; commands and flows print its message without a traceback."""

from planimeter.items.printing import printable, redacted


class PlanimeterError(Exception):
    """An error whose message names the fault, its place and the remedy.

    Messages may quote foreign files and addresses; credentials and terminal control characters are removed.
    """

    def __str__(self) -> str:
        return printable(redacted(super().__str__()))
