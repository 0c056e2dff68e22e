"""The base of every error that a user can cause: the command line and the flows report its message, without a trace."""


class PlanimeterError(Exception):
    """The message states what was wrong, where, and what to do."""
