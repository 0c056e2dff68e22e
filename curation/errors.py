"""What the user of an import can cause."""


class CurationError(Exception):
    """A corpus, a review or a judge cannot be used; the message says why, in one line without secrets."""
