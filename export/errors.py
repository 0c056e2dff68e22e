"""The error for unusable input of a user to an import, a sample, an audit or a rebuild."""

from planimeter.export.atomic import ExportError


class CurationError(ExportError):
    """Input of a user cannot be used; the message is one line with reason and remedy, without secrets."""
