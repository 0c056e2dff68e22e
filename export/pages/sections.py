"""Sections of a card, each from its heading "## ..." to the next."""

import re

from planimeter.export.atomic import ExportError


def section(card: str, heading: str) -> str:
    """Return the section under ``heading``, with it; empty if the card has none."""
    found = _pattern(heading).search(card)
    return found.group(0) if found else ""


def replaced(card: str, heading: str, new: str) -> str:
    """Return ``card`` with ``new`` in place of the section under ``heading``. Raises ``ExportError`` if it has none."""
    if not section(card, heading):
        raise ExportError(f"README.md has no section {heading}; build the dataset again")
    return _pattern(heading).sub(lambda _: new, card, count=1)


def adopted(card: str, heading: str, published: str) -> str:
    """Return ``card`` with the section that the card ``published`` has, if both have it."""
    theirs = section(published, heading)
    return replaced(card, heading, theirs) if theirs and section(card, heading) else card


def _pattern(heading: str) -> re.Pattern[str]:
    return re.compile(rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)", flags=re.MULTILINE | re.DOTALL)
