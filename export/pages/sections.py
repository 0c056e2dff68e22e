"""Sections of a card, each from its heading "## ..." to the next."""

import re


def section(card: str, heading: str) -> str:
    """Return the section under ``heading``, with it; empty if the card has none."""
    match = _pattern(heading).search(card)
    return match.group(0) if match else ""


def replaced(card: str, heading: str, new: str) -> str:
    """Return ``card`` with ``new`` in place of the section under ``heading``; as it is if it has none."""
    return _pattern(heading).sub(lambda _: new, card, count=1)


def put(card: str, new: str, before: str) -> str:
    """Return ``card`` with the section ``new`` before the one under ``before``, and without the one it has so far.

    A card without ``before`` stays as it is.
    """
    heading = new.partition("\n")[0].removeprefix("## ")
    return _pattern(before).sub(lambda found: new + found.group(0), replaced(card, heading, ""), count=1)


def adopted(card: str, heading: str, published: str) -> str:
    """Return ``card`` with the section that the card ``published`` has, if both have it."""
    theirs = section(published, heading)
    return replaced(card, heading, theirs) if theirs else card


def _pattern(heading: str) -> re.Pattern[str]:
    return re.compile(rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)", flags=re.MULTILINE | re.DOTALL)
