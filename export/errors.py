"""The error that the user of an import, a sample, an audit or a rebuild can cause."""

from planimeter.export.atomic import ExportError


class CurationError(ExportError):
    """Input of a user cannot be used; the message is one line with reason and remedy, without secrets."""
