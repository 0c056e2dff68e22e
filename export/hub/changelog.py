"""The changelog of a card: what each version changed, in the words of ``export.hub.diff``.

A build knows nothing of earlier versions, so its card lists itself alone. ``planimeter publish`` compares the folder
with the version before it on the Hub and puts the entry, followed by that version's own changelog, into the card. The
text is a function of the two versions, so that publishing again changes nothing.
"""

import re
from collections.abc import Iterator

from planimeter.export.hub.diff import Change, Difference
from planimeter.export.pages.sections import replaced, section

HEADING = "Changelog"

_ENTRY = re.compile(r"^### (\S+) .*?(?=^### |\Z)", flags=re.MULTILINE | re.DOTALL)

#: Changes of the recipe that every new version has.
_EXPECTED = ("version", "release_date", "seed")

#: Changes of one kind that are named; a reader finds the rest with `planimeter diff`.
SHOWN = 12


def lines(difference: Difference) -> Iterator[str]:
    """Yield what differs, a line each, without a mark of a list."""
    if difference.seeds[0] != difference.seeds[1]:
        yield f"seed: {difference.seeds[0]} → {difference.seeds[1]}" + (
            "; a fresh edition by the same recipe, which shares no item and no picture"
            if difference.is_fresh_edition
            else ""
        )
    for config, rows in difference.rows.items():
        counts = f"{len(rows.added):,} added, {len(rows.removed):,} removed, {len(rows.changed):,} changed"
        columns = f" (in {', '.join(rows.columns)})" if rows.columns else ""
        shared = f"; {rows.shared_pictures:,} pictures in both" if rows.shared_pictures else ""
        yield f"rows of {config}: {counts}{columns}, {rows.same:,} as before{shared}"
    recipe = [change for change in difference.recipe if change.path not in _EXPECTED]
    yield from _named("recipe", recipe)
    yield from _named("funnel", difference.funnel)


def entry(difference: Difference, version: str, date: str) -> str:
    """Return the entry of ``version``, compared with the one before it."""
    listed = "".join(f"- {line}\n" for line in lines(difference))
    return f"### {version} ({date})\n\nSince {difference.old.split()[-1]}:\n\n{listed}\n"


def amended(card: str, new_entry: str, earlier: str) -> str:
    """Return ``card`` with ``new_entry`` and below it the entries of the card ``earlier``, but for the same version."""
    version = _ENTRY.match(new_entry)
    old = [m.group(0) for m in _ENTRY.finditer(section(earlier, HEADING)) if version is None or m[1] != version[1]]
    return replaced(card, HEADING, "## Changelog\n\n" + "".join(f"{part.rstrip()}\n\n" for part in (new_entry, *old)))


def _named(kind: str, changes: list[Change] | tuple[Change, ...]) -> Iterator[str]:
    for change in changes[:SHOWN]:
        yield f"{kind}: {change.path} {_shown(change.old)} → {_shown(change.new)}"
    if len(changes) > SHOWN:
        yield f"{kind}: and {len(changes) - SHOWN} more"


def _shown(value: object) -> str:
    text = "–" if value is None else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
