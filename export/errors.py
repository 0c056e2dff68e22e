"""Errors that the user of an import, a sample, an audit or a rebuild can cause."""

from planimeter.export.atomic import ExportError


class CurationError(ExportError):
    """Unusable input; the message has reason and remedy in one line without secrets."""
