"""The differences of two versions of a dataset: rows, recipe, funnel.

Files that both versions have, by their SHA-256, hold the same rows and are not read. The rows of the others are known
by config and ``id``, and compared column by column through digests: a row group at a time, and 8 bytes a cell, so that
versions of any size fit into memory. Pictures are compared across ids too: a fresh edition shares neither an id nor a
picture with the old one.
"""

import json
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
import pandas as pd

from planimeter.export.atomic import ExportError
from planimeter.export.hub.faults import clear_faults
from planimeter.export.hub.versions import Version, row_groups
from planimeter.export.manifest import Funnel
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
                values |= {"image": [image["bytes"] for image in values["image"]], "split": [split] * len(group)}
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
