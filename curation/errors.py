"""What the user of an import, a sample or an audit can cause."""


class CurationError(Exception):
    """What was given cannot be used; the message says why and what to do, in one line without secrets."""
