"""The base of every error that a user can cause: the command line and the flows report its message, without a trace."""

from planimeter.items.printing import printable, redacted


class PlanimeterError(Exception):
    """An error whose message names the fault, its place and the remedy.

    The message may quote foreign files and addresses: its text has no credentials and no terminal control characters.
    """

    def __str__(self) -> str:
        return printable(redacted(super().__str__()))
