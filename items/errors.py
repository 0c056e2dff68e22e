"""The base of every error that a user can cause: the command line and the flows report its message, without a trace."""

from planimeter.items.printing import printable, redacted


class PlanimeterError(Exception):
    """The message states what was wrong, where, and what to do.

    It may quote foreign files and addresses: as text it has no credentials, and no character that a terminal obeys.
    """

    def __str__(self) -> str:
        return printable(redacted(super().__str__()))
