"""What the user of an import, a sample, an audit or a rebuild can cause."""

from planimeter.export.atomic import ExportError


class CurationError(ExportError):
    """What was given cannot be used; the message says why and what to do, in one line without secrets."""
