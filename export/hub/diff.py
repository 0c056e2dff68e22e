"""Compares two versions of a dataset: rows, recipe, and counts of the checks.

Files that both versions list with equal SHA-256 have equal rows and are not read. Other rows are identified by config
and ``id``, and compared column by column, by an 8-byte digest of each value, so that large versions fit into memory.
Pictures are also compared across ids: a fresh edition shares neither an id nor a picture with the old one.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
import pandas as pd

from planimeter.export.atomic import ExportError
from planimeter.export.hub.faults import explain_hub_errors
from planimeter.export.hub.versions import Version
from planimeter.export.manifest import Funnel, Manifest
from planimeter.export.pages.sections import section
from planimeter.export.parquet import FileRecord

#: Keys of a recipe that are not listed as differences, since they differ between any two editions.
_IDENTITY = frozenset({"version", "release_date", "seed"})

#: The heading of the changelog in a card.
CHANGELOG = "Changelog"

_ENTRY = re.compile(r"^### (\S+) .*?(?=^### |\Z)", flags=re.MULTILINE | re.DOTALL)

#: The most differences of recipe and of counts each that a changelog lists.
SHOWN = 12

#: Dotted path of a value that differs -> (old value, new value); None for a missing value.
Changed = Mapping[str, tuple[object, object]]


@dataclass(frozen=True, kw_only=True, slots=True)
class RowChanges:
    """The differences of the rows of one config: ids only in the new version, only in the old one, or changed.

    ``same`` is the number of rows that are equal in both versions.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    #: Id of a row in both versions -> its columns that differ.
    changed: Mapping[str, tuple[str, ...]]
    same: int
    #: The number of rows of the new version whose picture is also in the old one, under any id. Files in both versions
    #: are not compared with other files.
    shared_pictures: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """The differences between the versions ``old`` and ``new``, each "<dataset> <version>"."""

    old: str
    new: str
    seeds: tuple[object, object]
    rows: Mapping[str, RowChanges]
    recipe: Changed
    funnel: Changed

    @property
    def is_empty(self) -> bool:
        """True if both versions have equal rows, recipes and counts of the checks."""
        rows = any(config.added or config.removed or config.changed for config in self.rows.values())
        return not (rows or self.recipe or self.funnel)

    @property
    def is_fresh_edition(self) -> bool:
        """True if the recipes differ only in seed, version and date, and the versions share no item and no picture."""
        disjoint = all(not (config.changed or config.same or config.shared_pictures) for config in self.rows.values())
        return self.seeds[0] != self.seeds[1] and disjoint and self.recipe.keys() <= _IDENTITY


@explain_hub_errors()
def diff(old: Version, new: Version) -> Difference:
    """Return the differences between the versions ``old`` and ``new``.

    Raises:
        ExportError: if the files of one of them cannot be read; ``HubError`` if the Hub fails.
    """
    before, after = old.manifest, new.manifest
    return Difference(
        old=f"{before.dataset} {before.version}",
        new=f"{after.dataset} {after.version}",
        seeds=(_seed(before), _seed(after)),
        rows={config: _row_changes(old, new, config) for config in sorted({*before.configs, *after.configs})},
        recipe=_changed(_leaves(before.recipe), _leaves(after.recipe)),
        funnel=_changed(_funnel(before.funnel), _funnel(after.funnel)),
    )


def _seed(manifest: Manifest) -> object:
    return f"sealed {manifest.seal}" if manifest.seed is None else manifest.seed


def _row_changes(old: Version, new: Version, config: str) -> RowChanges:
    """Return the differences of the rows of ``config``; files with equal SHA-256 in both versions are not read."""
    before, after = (
        {(split, record.sha256): record for record, split in version.manifest.files_of(config)}
        for version in (old, new)
    )
    shared = before.keys() & after.keys()
    untouched = sum(after[key].rows for key in shared)
    changes = _compare(
        _digests(old, {key: record for key, record in before.items() if key not in shared}),
        _digests(new, {key: record for key, record in after.items() if key not in shared}),
    )
    return replace(changes, same=changes.same + untouched, shared_pictures=changes.shared_pictures + untouched)


def _digests(version: Version, files: Mapping[tuple[str, str], FileRecord]) -> pd.DataFrame:
    """Return a table with the rows of ``files`` in which each value is an 8-byte digest, indexed by the ids of rows.

    Keys of ``files`` are (split, SHA-256).
    """
    frames = []
    for (split, _), record in files.items():
        for group in version.row_groups(record.path):
            try:
                values = {name: group[name].to_pylist() for name in sorted(group.column_names)}
                pictures = [(image or {}).get("bytes") for image in values["image"]]
                values |= {"image": pictures, "split": [split] * len(group)}
                digests = {name: np.array([*map(_digest, column)], np.uint64) for name, column in values.items()}
                frames.append(pd.DataFrame(digests, index=values["id"]))
            except (KeyError, TypeError) as error:
                raise ExportError(
                    f"{version.name}: {record.path} is not a data file of Planimeter ({error!r})"
                ) from error
            if [*frames[-1]] != [*frames[0]]:
                raise ExportError(f"{version.name}: {record.path} has other columns than the files before it")
    rows = pd.concat(frames) if frames else pd.DataFrame()
    return rows[~rows.index.duplicated()]


def _digest(value: object) -> int:
    content = value if isinstance(value, bytes) else json.dumps(value, sort_keys=True).encode()
    return int.from_bytes(blake2b(content, digest_size=8).digest())


def _compare(old: pd.DataFrame, new: pd.DataFrame) -> RowChanges:
    columns = sorted({"image", *old, *new})
    old, new = (rows.reindex(columns=columns, fill_value=0) for rows in (old, new))
    both = new.index[new.index.isin(old.index)]
    differing = new.loc[both] != old.loc[both]
    changed = differing[differing.any(axis=1)]
    return RowChanges(
        added=tuple(sorted(new.index.difference(old.index))),
        removed=tuple(sorted(old.index.difference(new.index))),
        changed={
            name: tuple(differing.columns[row]) for name, row in zip(changed.index, changed.to_numpy(), strict=True)
        },
        same=len(both) - len(changed),
        shared_pictures=int(new["image"].isin(old["image"]).sum()),
    )


def _leaves(recipe: Mapping[str, object]) -> dict[str, object]:
    """Return the values in nested tables of ``recipe`` by their dotted path; a list is one value."""
    (leaves,) = pd.json_normalize(dict(recipe)).to_dict("records")
    return {str(path): value for path, value in leaves.items()}


def _funnel(funnel: Funnel) -> dict[str, object]:
    return {
        f"{config}.{check}": f"{entry.kept:,} of {entry.seen:,}"
        for config, checks in funnel.items()
        for check, entry in checks.items()
    }


def _changed(old: Mapping[str, object], new: Mapping[str, object]) -> Changed:
    pairs = {path: (old.get(path), new.get(path)) for path in sorted({*old, *new})}
    return {path: (before, after) for path, (before, after) in pairs.items() if before != after}


# --- the changelog of a card. A build does not know earlier versions, so its card lists only itself. ``planimeter
# publish`` compares the folder with the version before it on the Hub, and puts the entry and the changelog of that
# version into the card. The text is a function of the two versions, so that publishing again changes nothing


def lines(difference: Difference) -> Iterator[str]:
    """Yield a line of text for each difference."""
    if difference.seeds[0] != difference.seeds[1]:
        fresh = "; a fresh edition by the same recipe, which shares no item and no picture"
        yield f"seed: {difference.seeds[0]} → {difference.seeds[1]}{fresh if difference.is_fresh_edition else ''}"
    for config, rows in difference.rows.items():
        counts = f"{len(rows.added):,} added, {len(rows.removed):,} removed, {len(rows.changed):,} changed"
        names = sorted({column for columns in rows.changed.values() for column in columns})
        columns = f" (in {', '.join(names)})" if names else ""
        shared = f"; {rows.shared_pictures:,} pictures in both" if rows.shared_pictures else ""
        yield f"rows of {config}: {counts}{columns}, {rows.same:,} as before{shared}"
    recipe = {path: pair for path, pair in difference.recipe.items() if path not in _IDENTITY}
    for kind, changes in (("recipe", recipe), ("funnel", difference.funnel)):
        for path, (old, new) in list(changes.items())[:SHOWN]:
            yield f"{kind}: {path} {_short(old)} → {_short(new)}"
        if len(changes) > SHOWN:
            yield f"{kind}: and {len(changes) - SHOWN} more"


def changelog(difference: Difference, version: str, date: str, earlier: str) -> str:
    """Return the section Changelog of a card: an entry for ``version``, released on ``date``, then older entries.

    The older entries are copied from ``earlier``, the card of the previous version.
    """
    listed = "".join(f"- {line}\n" for line in lines(difference))
    new = f"### {version} ({date})\n\nSince {difference.old.split()[-1]}:\n\n{listed}"
    old = [entry[0] for entry in _ENTRY.finditer(section(earlier, CHANGELOG)) if entry[1] != version]
    return f"## {CHANGELOG}\n\n" + "".join(f"{entry.rstrip()}\n\n" for entry in (new, *old))


def _short(value: object) -> str:
    text = "–" if value is None else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
