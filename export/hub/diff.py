"""The differences of two versions of a dataset: rows, recipe, funnel.

Files that both versions have, by their SHA-256, hold the same rows and are not read. The rows of the others are known
by config and ``id``, and compared column by column through digests: a row group at a time, and 16 bytes a cell, so that
versions of any size fit into memory. Pictures are compared across ids too: a fresh edition shares neither an id nor a
picture with the old one.
"""

import json
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from hashlib import blake2b

from planimeter.export.atomic import ExportError
from planimeter.export.hub.versions import Version, row_groups
from planimeter.export.manifest import Funnel
from planimeter.export.parquet import FileRecord

#: Keys of a recipe that differ between any two editions and do not affect their rows.
_IDENTITY = frozenset({"version", "release_date", "seed"})

#: Bytes of the digest of a cell.
_BYTES = 16


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


def diff(old: Version, new: Version) -> Difference:
    """Return what differs between the versions ``old`` and ``new``.

    Raises:
        ExportError: if the files of one of them cannot be read; and what reading a revision on the Hub raises.
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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Rows:
    """Digests of rows: ``cells`` has for each id 16 bytes of each column."""

    columns: tuple[str, ...]
    cells: Mapping[str, bytes]

    def cell(self, name: str, column: str) -> bytes:
        """Return the digest of a cell of the row ``name``; empty if there is no such column."""
        start = self.columns.index(column) * _BYTES if column in self.columns else len(self.cells[name])
        return self.cells[name][start : start + _BYTES]


def _read(version: Version, parts: Mapping[tuple[str, str], FileRecord], but: Set[tuple[str, str]]) -> _Rows:
    columns: tuple[str, ...] = ()
    cells: dict[str, bytes] = {}
    for (split, sha256), record in parts.items():
        for group in row_groups(version, record.path) if (split, sha256) not in but else ():
            try:
                values = {name: group[name].to_pylist() for name in sorted(group.column_names)}
                values |= {"image": [image["bytes"] for image in values["image"]], "split": [split] * len(group)}
                digests = zip(*(map(_digest, column) for column in values.values()), strict=True)
                cells.update(zip(values["id"], map(b"".join, digests), strict=True))
            except (KeyError, TypeError) as error:
                raise ExportError(f"{version.name}: {record.path} is not of our form ({error!r})") from error
            if columns and columns != tuple(values):
                raise ExportError(f"{version.name}: {record.path} has other columns than the files before it")
            columns = tuple(values)
    return _Rows(columns=columns, cells=cells)


def _digest(value: object) -> bytes:
    content = value if isinstance(value, bytes) else json.dumps(value, sort_keys=True).encode()
    return blake2b(content, digest_size=_BYTES).digest()


def _compare(old: _Rows, new: _Rows) -> RowChanges:
    both = [name for name in new.cells if name in old.cells]
    columns = sorted({*old.columns, *new.columns})
    differing = {
        name: tuple(column for column in columns if old.cell(name, column) != new.cell(name, column))
        for name in both
        if old.columns != new.columns or old.cells[name] != new.cells[name]
    }
    shown = {old.cell(name, "image") for name in old.cells}
    return RowChanges(
        added=tuple(sorted(new.cells.keys() - old.cells.keys())),
        removed=tuple(sorted(old.cells.keys() - new.cells.keys())),
        changed=differing,
        same=len(both) - len(differing),
        shared_pictures=sum(new.cell(name, "image") in shown for name in new.cells),
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
