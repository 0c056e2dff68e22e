"""The differences of two versions of a dataset: rows, recipe, funnel.

Files that both versions have, by their SHA-256, hold the same rows and are not read. The rows of the others are known
by config and ``id``, and compared column by column through digests: a row group at a time, and 8 bytes a cell, so that
versions of any size fit into memory. Pictures are compared across ids too: a fresh edition shares neither an id nor a
picture with the old one.
"""

import json
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
import pandas as pd

from planimeter.export.atomic import ExportError
from planimeter.export.hub.faults import clear_faults
from planimeter.export.hub.versions import Version, row_groups
from planimeter.export.manifest import Funnel
from planimeter.export.pages.sections import replaced, section
from planimeter.export.parquet import FileRecord

#: Keys of a recipe that differ between any two editions and do not affect their rows.
_IDENTITY = frozenset({"version", "release_date", "seed"})


@dataclass(frozen=True, kw_only=True, slots=True)
class RowChanges:
    """The rows of one config: ids that came, went, stayed, and the columns in which those that stayed differ."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: Mapping[str, tuple[str, ...]]
    same: int
    #: Rows of the new version whose picture the old one shows too, whatever the ids. Of a version that shows a picture
    #: twice, in a file that is in both versions and in one that is not, the latter is not counted.
    shared_pictures: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns in which some row differs, sorted."""
        return tuple(sorted({column for columns in self.changed.values() for column in columns}))


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A figure or setting that differs; ``None`` where one side has none."""

    path: str
    old: object
    new: object


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """All that differs between two versions, from ``old`` to ``new`` (each "<dataset> <version>")."""

    old: str
    new: str
    seeds: tuple[int, int]
    rows: Mapping[str, RowChanges]
    recipe: tuple[Change, ...]
    funnel: tuple[Change, ...]

    @property
    def is_empty(self) -> bool:
        """Whether both hold the same rows by the same recipe with the same funnel."""
        rows = any(config.added or config.removed or config.changed for config in self.rows.values())
        return not (rows or self.recipe or self.funnel)

    @property
    def is_fresh_edition(self) -> bool:
        """Whether only the seed decides between the two, and they share neither an item nor a picture."""
        disjoint = all(not (config.changed or config.same or config.shared_pictures) for config in self.rows.values())
        return self.seeds[0] != self.seeds[1] and disjoint and all(change.path in _IDENTITY for change in self.recipe)


@clear_faults()
def diff(old: Version, new: Version) -> Difference:
    """Return what differs between the versions ``old`` and ``new``.

    Raises:
        ExportError: if the files of one of them cannot be read; ``HubError`` if the Hub fails.
    """
    before, after = old.manifest, new.manifest
    configs = sorted({*before.configs, *after.configs})
    return Difference(
        old=f"{before.dataset} {before.version}",
        new=f"{after.dataset} {after.version}",
        seeds=(before.seed, after.seed),
        rows={config: _row_changes(old, new, config) for config in configs},
        recipe=tuple(_changes(_flat(before.recipe), _flat(after.recipe))),
        funnel=tuple(_changes(_funnel(before.funnel), _funnel(after.funnel))),
    )


def _row_changes(old: Version, new: Version, config: str) -> RowChanges:
    """Compare the rows of ``config``. Files that both versions have hold the same rows and are not read."""
    before, after = _parts(old, config), _parts(new, config)
    shared = {
        key
        for key in before.keys() & after.keys()
        if all(version.sha256(parts[key].path) == key[1] for version, parts in ((old, before), (new, after)))
    }
    untouched = sum(after[key].rows for key in shared)
    changes = _compare(_read(old, before, shared), _read(new, after, shared))
    return replace(changes, same=changes.same + untouched, shared_pictures=changes.shared_pictures + untouched)


def _parts(version: Version, config: str) -> dict[tuple[str, str], FileRecord]:
    """Return the data files by split and SHA-256."""
    return {(split, record.sha256): record for record, split in version.manifest.files_of(config)}


def _read(version: Version, parts: Mapping[tuple[str, str], FileRecord], but: Set[tuple[str, str]]) -> pd.DataFrame:
    """Return the digest of each cell, by id and column, of the files but those."""
    frames = []
    for (split, _), record in ((key, record) for key, record in parts.items() if key not in but):
        for group in row_groups(version, record.path):
            try:
                values = {name: group[name].to_pylist() for name in sorted(group.column_names)}
                pictures = [(image or {}).get("bytes") for image in values["image"]]
                values |= {"image": pictures, "split": [split] * len(group)}
                digests = {name: np.array([*map(_digest, column)], np.uint64) for name, column in values.items()}
                frames.append(pd.DataFrame(digests, index=values["id"]))
            except (KeyError, TypeError) as error:
                raise ExportError(f"{version.name}: {record.path} is not of our form ({error!r})") from error
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
    columns_of = zip(changed.index, changed.to_numpy(), strict=True)
    return RowChanges(
        added=tuple(sorted(new.index.difference(old.index))),
        removed=tuple(sorted(old.index.difference(new.index))),
        changed={name: tuple(differing.columns[row]) for name, row in columns_of},
        same=len(both) - len(changed),
        shared_pictures=int(new["image"].isin(old["image"]).sum()),
    )


def _flat(value: object, path: str = "") -> dict[str, object]:
    """Return the leaves of nested tables by their dotted path; a list is a leaf."""
    if not isinstance(value, dict):
        return {path: value}
    return {
        name: leaf
        for key in sorted(value)
        for name, leaf in _flat(value[key], f"{path}.{key}" if path else key).items()
    }


def _funnel(funnel: Funnel) -> dict[str, str]:
    return {
        f"{config}.{check}": f"{entry.kept:,} of {entry.seen:,}"
        for config, checks in sorted(funnel.items())
        for check, entry in sorted(checks.items())
    }


def _changes(old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[Change]:
    for path in sorted({*old, *new}):
        if old.get(path) != new.get(path):
            yield Change(path=path, old=old.get(path), new=new.get(path))


# --- the changelog of a card: what each version changed. A build knows nothing of earlier versions, so its card lists
# itself alone; ``planimeter publish`` compares the folder with the version before it on the Hub and puts the entry,
# followed by that version's own changelog, into the card. The text is a function of the two versions: publishing again
# changes nothing


#: The heading of the changelog in a card.
CHANGELOG = "Changelog"

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
    old = [m.group(0) for m in _ENTRY.finditer(section(earlier, CHANGELOG)) if version is None or m[1] != version[1]]
    return replaced(card, CHANGELOG, "## Changelog\n\n" + "".join(f"{part.rstrip()}\n\n" for part in (new_entry, *old)))


def _named(kind: str, changes: list[Change] | tuple[Change, ...]) -> Iterator[str]:
    for change in changes[:SHOWN]:
        yield f"{kind}: {change.path} {_shown(change.old)} → {_shown(change.new)}"
    if len(changes) > SHOWN:
        yield f"{kind}: and {len(changes) - SHOWN} more"


def _shown(value: object) -> str:
    text = "–" if value is None else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
