"""What one version of a dataset has that another has not: rows, recipe, funnel.

Rows are known by config and ``id``, and compared column by column through digests, so that two folders of any size fit
into memory. Pictures are compared across ids too: a fresh edition shares neither an id nor a picture with the old one.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from export.atomic import ExportError, clear_errors

#: Keys of a recipe that differ between any two editions and say nothing about what is in them.
_IDENTITY = frozenset({"version", "release_date", "seed"})

#: A row's digest by column; the split counts as a column.
Digests = Mapping[str, bytes]


@dataclass(frozen=True, kw_only=True, slots=True)
class RowChanges:
    """The rows of one config: ids that came, went, stayed, and the columns in which those that stayed differ."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: Mapping[str, tuple[str, ...]]
    same: int
    #: Pictures that both versions show, whatever the ids of their rows.
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


def diff(old: Path, new: Path) -> Difference:
    """Return what differs between the dataset folders ``old`` and ``new``.

    Raises:
        ExportError: if one of them is no dataset, or its files cannot be read.
    """
    before, after = read_manifest(old), read_manifest(new)
    configs = sorted({*before["configs"], *after["configs"]})
    return Difference(
        old=_name(before),
        new=_name(after),
        seeds=(before["seed"], after["seed"]),
        rows={config: _compare(_digests(old, before, config), _digests(new, after, config)) for config in configs},
        recipe=tuple(_changes(_flat(before["recipe"]), _flat(after["recipe"]))),
        funnel=tuple(_changes(_funnel(before["funnel"]), _funnel(after["funnel"]))),
    )


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of the dataset in ``folder``; ``ExportError`` if there is none that can be read."""
    path = folder / "manifest.json"
    try:
        manifest: dict[str, Any] = json.loads(path.read_bytes())
        _name(manifest)
    except FileNotFoundError:
        raise ExportError(f"{folder} holds no dataset: {path} is missing") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ExportError(f"{path} cannot be read ({error}); `planimeter verify {folder}` says more") from error
    return manifest


def _name(manifest: Mapping[str, Any]) -> str:
    return f"{manifest['dataset']} {manifest['version']}"


def _compare(old: Mapping[str, Digests], new: Mapping[str, Digests]) -> RowChanges:
    both = [name for name in new if name in old]
    changed = {
        name: tuple(sorted(c for c in {*old[name], *new[name]} if old[name].get(c, b"") != new[name].get(c, b"")))
        for name in both
    }
    changed = {name: columns for name, columns in changed.items() if columns}
    pictures = {row["image"] for row in old.values()}
    return RowChanges(
        added=tuple(sorted(name for name in new if name not in old)),
        removed=tuple(sorted(name for name in old if name not in new)),
        changed=changed,
        same=len(both) - len(changed),
        shared_pictures=len(pictures & {row["image"] for row in new.values()}),
    )


def _digests(folder: Path, manifest: Mapping[str, Any], config: str) -> dict[str, Digests]:
    found: dict[str, Digests] = {}
    for record in manifest["files"]:
        _, own, name = record["path"].split("/")
        if own == config:
            with clear_errors(folder / record["path"]):
                for row in _rows(folder / record["path"]):
                    split = name.rsplit("-of-", 1)[0].rsplit("-", 1)[0]
                    found[row["id"]] = {key: _digest(value) for key, value in {**row, "split": split}.items()}
    return found


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                for row in file.read_row_group(group).to_pylist():
                    yield row | {"image": row["image"]["bytes"]}
    except (pa.ArrowException, KeyError, TypeError) as error:
        raise ExportError(f"{path} cannot be read ({error}); `planimeter verify` says more") from error


def _digest(value: Any) -> bytes:
    content = value if isinstance(value, bytes) else json.dumps(value, sort_keys=True).encode()
    return blake2b(content, digest_size=16).digest()


def _flat(value: Any, path: str = "") -> dict[str, Any]:
    """Return the leaves of nested tables by their dotted path; a list is a leaf."""
    if not isinstance(value, dict):
        return {path: value}
    return {
        name: leaf
        for key in sorted(value)
        for name, leaf in _flat(value[key], f"{path}.{key}" if path else key).items()
    }


def _funnel(funnel: Mapping[str, Any]) -> dict[str, str]:
    return {
        f"{config}.{check}": f"{entry['kept']:,} of {entry['seen']:,}"
        for config, checks in sorted(funnel.items())
        for check, entry in sorted(checks.items())
    }


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for path in sorted({*old, *new}):
        if old.get(path) != new.get(path):
            yield Change(path=path, old=old.get(path), new=new.get(path))
