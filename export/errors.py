"""The error for a user's input that an import, a sample, an audit or a rebuild cannot use."""

from planimeter.export.atomic import ExportError


class CurationError(ExportError):
    """Input of a user cannot be used; the message is one line with reason and remedy, without secrets."""
