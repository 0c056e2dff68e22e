"""What one version of a dataset has that another has not: rows, recipe, funnel.

Files that both versions have, by their SHA-256, hold the same rows and are not read. The rows of the others are known
by config and ``id``, and compared column by column through digests: a row group at a time, and 16 bytes a cell, so that
versions of any size fit into memory. Pictures are compared across ids too: a fresh edition shares neither an id nor a
picture with the old one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from planimeter.export.atomic import ExportError
from planimeter.export.hub.versions import Version, row_groups
from planimeter.export.manifest import Funnel, Manifest

#: Keys of a recipe that differ between any two editions and say nothing about what is in them.
_IDENTITY = frozenset({"version", "release_date", "seed"})

_DIGEST = np.dtype("V16")


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
    old: Any
    new: Any


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
        apart = all(not (config.changed or config.same or config.shared_pictures) for config in self.rows.values())
        return self.seeds[0] != self.seeds[1] and apart and all(change.path in _IDENTITY for change in self.recipe)


def diff(old: Version, new: Version) -> Difference:
    """Return what differs between the versions ``old`` and ``new``.

    Raises:
        ExportError: if the files of one of them cannot be read; and what reading a revision on the Hub raises.
    """
    before, after = old.manifest, new.manifest
    configs = sorted({*before.configs, *after.configs})
    return Difference(
        old=_name(before),
        new=_name(after),
        seeds=(before.seed, after.seed),
        rows={config: _row_changes(old, new, config) for config in configs},
        recipe=tuple(_changes(_flat(before.recipe), _flat(after.recipe))),
        funnel=tuple(_changes(_funnel(before.funnel), _funnel(after.funnel))),
    )


def _name(manifest: Manifest) -> str:
    return f"{manifest.dataset} {manifest.version}"


def _row_changes(old: Version, new: Version, config: str) -> RowChanges:
    """Compare the rows of ``config``. Files that both versions have hold the same rows and are not read."""
    before, after = _parts(old, config), _parts(new, config)
    claimed = {part.key for part in before} & {part.key for part in after}
    shared = {part.key for part in before if part.key in claimed and old.sha256(part.path) == part.sha256}
    shared &= {part.key for part in after if part.key in claimed and new.sha256(part.path) == part.sha256}
    untouched = sum(part.rows for part in after if part.key in shared)
    found = _compare(
        _digests(old, [part for part in before if part.key not in shared]),
        _digests(new, [part for part in after if part.key not in shared]),
    )
    return replace(found, same=found.same + untouched, shared_pictures=found.shared_pictures + untouched)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Part:
    """A data file as the manifest lists it."""

    path: str
    split: str
    sha256: str
    rows: int

    @property
    def key(self) -> tuple[str, str]:
        return self.split, self.sha256


def _parts(version: Version, config: str) -> list[_Part]:
    found = []
    for record in version.manifest.files:
        _, own, name = record.path.split("/")
        if own == config:
            split = name.rsplit("-of-", 1)[0].rsplit("-", 1)[0]
            found.append(_Part(path=record.path, split=split, sha256=record.sha256, rows=record.rows))
    return found


@dataclass(frozen=True, kw_only=True, slots=True)
class _Rows:
    """Digests of rows: ``place`` is a row's index by its id, ``cells`` (rows, columns) has 16 bytes each."""

    place: Mapping[str, int]
    columns: tuple[str, ...]
    cells: npt.NDArray[np.void]


def _digests(version: Version, parts: Sequence[_Part]) -> _Rows:
    names: list[str] = []
    columns: tuple[str, ...] = ()
    blocks: list[npt.NDArray[np.void]] = []
    for part in parts:
        for group in row_groups(version, part.path):
            try:
                values = {name: group[name].to_pylist() for name in sorted(group.column_names)}
                values |= {"image": [image["bytes"] for image in values["image"]], "split": [part.split] * len(group)}
                names += values["id"]
            except (KeyError, TypeError) as error:
                raise ExportError(f"{version.name}: {part.path} is not of our form ({error!r})") from error
            if columns and columns != tuple(values):
                raise ExportError(f"{version.name}: {part.path} has other columns than the files before it")
            columns = tuple(values)
            blocks.append(np.stack([_column(values[name]) for name in columns], axis=1))
    place = {name: index for index, name in enumerate(names)}
    cells = np.concatenate(blocks) if blocks else np.empty((0, len(columns)), _DIGEST)
    return _Rows(place=place, columns=columns, cells=cells)


def _column(values: Sequence[Any]) -> npt.NDArray[np.void]:
    return np.frombuffer(b"".join(map(_digest, values)), _DIGEST)


def _digest(value: Any) -> bytes:
    content = value if isinstance(value, bytes) else json.dumps(value, sort_keys=True).encode()
    return blake2b(content, digest_size=_DIGEST.itemsize).digest()


def _compare(old: _Rows, new: _Rows) -> RowChanges:
    both = [name for name in new.place if name in old.place]
    columns = sorted({*old.columns, *new.columns})
    differs = np.ones((len(both), len(columns)), np.bool_)
    rows_before, rows_after = ([side.place[name] for name in both] for side in (old, new))
    for number, column in enumerate(columns):
        if column in old.columns and column in new.columns:
            before = old.cells[rows_before, old.columns.index(column)]
            differs[:, number] = before != new.cells[rows_after, new.columns.index(column)]
    shown = set(_pictures(old))
    touched = np.flatnonzero(differs.any(axis=1))
    changed = {both[row]: tuple(columns[number] for number in np.flatnonzero(differs[row])) for row in touched}
    return RowChanges(
        added=tuple(sorted(name for name in new.place if name not in old.place)),
        removed=tuple(sorted(name for name in old.place if name not in new.place)),
        changed=changed,
        same=len(both) - len(changed),
        shared_pictures=sum(picture in shown for picture in _pictures(new)),
    )


def _pictures(rows: _Rows) -> list[bytes]:
    return [cell.tobytes() for cell in rows.cells[:, rows.columns.index("image")]] if rows.place else []


def _flat(value: Any, path: str = "") -> dict[str, Any]:
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


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for path in sorted({*old, *new}):
        if old.get(path) != new.get(path):
            yield Change(path=path, old=old.get(path), new=new.get(path))
