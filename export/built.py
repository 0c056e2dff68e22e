"""Reads a built dataset: its configs, the row groups of its files, and their rows."""

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from planimeter.export.atomic import ExportError
from planimeter.export.errors import CurationError
from planimeter.export.manifest import Manifest
from planimeter.export.promises import MISSHAPEN
from planimeter.items.printing import command
from planimeter.items.suites import declared, pooled
from planimeter.items.values import Record
from planimeter.suites.base import Recipe
from planimeter.suites.loading import Collection, RecipeError, parse


@dataclass(frozen=True, kw_only=True)
class RowGroup:
    """A reference to one row group of a Parquet file: group ``number`` of the file ``path``, with ``size`` rows."""

    path: Path
    number: int
    size: int

    def rows(self, columns: Sequence[str] | None = None) -> list[Record]:
        """Read and return the rows of this group, with these ``columns``, by default all."""
        with pq.ParquetFile(self.path) as file:
            rows: list[Record] = file.read_row_group(self.number, columns=columns).to_pylist()
        return rows


@dataclass(frozen=True, kw_only=True)
class Built:
    """A built dataset: its folder on this machine, and its manifest."""

    folder: Path
    manifest: Manifest

    @classmethod
    def at(cls, folder: Path) -> Self:
        """Return the dataset in ``folder``. Raises ``NoDatasetError`` if there is none."""
        return cls(folder=folder, manifest=Manifest.read(folder))

    @property
    def suite(self) -> str:
        """The name of the dataset's suite."""
        return str(self.manifest.recipe["suite"])

    @property
    def shows_pictures(self) -> bool:
        """True if a model gets the picture of a row with the prompt, by the protocol of the suite."""
        return declared(self.suite).pictures

    @property
    def tests(self) -> dict[str, str]:
        """Config -> the split on which models are tested: `test`, or the first split if the config has no `test`."""
        return self.manifest.tests

    def chosen(self, names: Iterable[str]) -> list[str]:
        """Return the configs that ``names`` selects, in the order of the dataset; all configs if ``names`` is empty.

        Each name is that of a config, or of a pool: a group of configs that the suite declares.

        Raises:
            ExportError: for an unknown config; the message lists the known ones.
        """
        wanted = pooled(self.suite, names) or list(self.manifest.configs)
        for config in wanted:
            if config not in self.manifest.configs:
                known = ", ".join(self.manifest.configs)
                raise ExportError(f"{self.folder} has no config {config!r}; it has {known}")
        return [config for config in self.manifest.configs if config in wanted]

    def files(self, config: str, split: str = "") -> list[Path]:
        """Return the paths of the data files of ``config`` in ``split``, by default in all splits, in order.

        Raises:
            ExportError: for an unknown config or split; the message lists the known ones.
        """
        splits = self.manifest.configs.get(config, {})
        if not splits or split not in ("", *splits):
            known = ", ".join(f"{name}/{part}" for name, parts in self.manifest.configs.items() for part in parts)
            raise ExportError(f"{self.folder} has no {config}/{split}; it has: {known}")
        return [self.folder / record.path for record, part in self.manifest.files_of(config) if split in ("", part)]

    def groups(self, config: str, split: str = "") -> Iterator[RowGroup]:
        """Yield the row groups of ``config`` in ``split``, by default in all splits.

        Raises:
            ExportError: for an unknown config or split, like ``files``.
        """
        for path in self.files(config, split):
            with pq.ParquetFile(path) as file:
                sizes = [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]
            yield from (RowGroup(path=path, number=number, size=size) for number, size in enumerate(sizes))

    def rows(self, config: str, split: str = "", *, pictures: bool = True) -> Iterator[Record]:
        """Yield the rows of ``config`` in ``split``, by default in all splits.

        ``image`` is the PNG as bytes, or None for a row without one; if ``pictures`` is false, the rows lack ``image``.

        Raises:
            ExportError: for an unknown config or split, like ``files``.
        """
        for group in self.groups(config, split):
            columns = [name for name in pq.read_schema(group.path).names if pictures or name != "image"]
            for row in group.rows(columns):
                yield {**row, "image": (row["image"] or {}).get("bytes")} if pictures else row

    def pictures(self, config: str, ids: Container[str]) -> Iterator[tuple[str, bytes]]:
        """Yield (id, PNG) of each row of ``config`` with a picture and an id in ``ids``, one row group at a time."""
        for group in self.groups(config):
            if any(row["id"] in ids for row in group.rows(["id"])):
                rows = group.rows(["id", "image"])
                yield from ((row["id"], row["image"]["bytes"]) for row in rows if row["id"] in ids and row["image"])

    def row(self, item: str) -> Record:
        """Return the row with the id ``item``. Raises ``CurationError`` for an unknown id."""
        for path in (path for config in self.manifest.configs for path in self.files(config)):
            # Only ids are read first, so that pictures of files without this id are not read.
            if pc.index(pq.read_table(path, columns=["id"])["id"], item).as_py() >= 0:
                found: Record = pq.read_table(path, filters=pc.field("id") == item).to_pylist()[0]
                return found
        raise CurationError(f"{self.folder} has no row with the id {item!r}; its column `id` lists all ids")

    @property
    def recipe(self) -> Recipe:
        """The recipe, with scale and seed of the build. Raises ``CurationError`` if it cannot be read."""
        path = self.folder / "manifest.json"
        try:
            recipe = parse(self.manifest.recipe, source=str(path))
        except RecipeError as error:
            raise CurationError(f"{path} cannot be read ({error})") from error
        if isinstance(recipe, Collection):
            raise CurationError(f"{path} is the recipe of a collection, not of a dataset")
        return recipe

    @contextmanager
    def reading(self, *, writes: bool = False) -> Iterator[None]:
        """Turn an error of the ``with`` block into an ``ExportError`` if it is due to an unreadable or malformed file.

        If ``writes`` is true, the block also writes files; then an ``OSError``, perhaps from writing, is not changed.
        """
        try:
            yield
        except (OSError, pa.ArrowException, *MISSHAPEN) as error:
            if writes and isinstance(error, OSError):
                raise
            verify = command("planimeter", "verify", self.folder)
            raise ExportError(f"{self.folder} cannot be read ({error!r}); `{verify}` shows the details") from error
