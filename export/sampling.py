"""Draws a stratified sample of a built dataset.

The requested number of rows is that of all configs together. Each config is a stratum, divided further by the given
columns; with equal shares, each stratum of any config gets the same number of rows. Rows keep their order and
all columns. A sample is a function of parent dataset, number of rows, columns, shares, configs and seed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa

from planimeter.export.built import Built
from planimeter.export.dataset import write_dataset
from planimeter.export.errors import CurationError
from planimeter.export.manifest import Manifest, library_versions
from planimeter.export.parquet import sha256_of
from planimeter.export.promises import MISSHAPEN
from planimeter.export.sample import Parent, Sample, SampledStratum, Shares
from planimeter.export.strata import chosen_rows, population
from planimeter.filters.strata import Population, Stratum, chosen, priority, shares
from planimeter.items.printing import command


@dataclass(frozen=True, kw_only=True)
class Draw:
    """The description of a sample to draw from the dataset in ``folder``, whose manifest is ``parent``.

    ``asked`` is the future entry `sample` in the manifest of the sample, still without the strata.
    """

    folder: Path
    parent: Manifest
    configs: tuple[str, ...]
    asked: Sample

    def gave(self, manifest: Manifest) -> bool:
        """True if ``manifest`` is that of a sample from the same parent with the same options."""
        there = manifest.sample
        same = there is not None and there.model_copy(update={"strata": ()}) == self.asked
        return same and tuple(manifest.configs) == self.configs


def draw_of(folder: Path, rows: int, by: Sequence[str], kind: Shares, seed: int, configs: Sequence[str]) -> Draw:
    """Return the description of a sample to draw from the dataset in ``folder``; no row is read yet.

    ``by`` names the columns that divide rows into strata. ``kind`` tells if they get equally many rows, or in
    proportion to their sizes. Raises ``ExportError`` if ``folder`` has no dataset or a sample, or a config is unknown.
    """
    parent = Manifest.read(folder)
    if parent.lacking:
        verify = command("planimeter", "verify", folder)
        raise CurationError(f"{folder / 'manifest.json'} lacks {parent.lacking[0]!r}; `{verify}` shows the details")
    earlier = parent.sample
    if earlier is not None:
        raise CurationError(
            f"{folder} is itself a sample of {earlier.parent.dataset} {earlier.parent.version}; draw from that dataset"
        )
    digest = sha256_of(folder / "manifest.json")
    asked = Sample(
        parent=Parent(dataset=parent.dataset, version=parent.version, manifest_sha256=digest),
        rows=rows,
        by=tuple(name for name in dict.fromkeys(by) if name != "config"),
        shares=kind,
        seed=seed,
        strata=(),
    )
    return Draw(
        folder=folder, parent=parent, configs=tuple(Built(folder=folder, manifest=parent).chosen(configs)), asked=asked
    )


def read(draw: Draw) -> Population:
    """Return the rows of the parent dataset, divided into strata and into units of rows that are drawn together.

    Files are first compared with the parent's manifest. Raises ``CurationError`` if one differs or cannot be read, or
    if the requested number of rows is larger than the dataset, or too small for one unit of each stratum.
    """
    folder = draw.folder
    try:
        for record in (record for config in draw.configs for record, _ in draw.parent.files_of(config)):
            path = folder / record.path
            if sha256_of(path) != record.sha256:
                raise CurationError(f"{path} differs from its entry in manifest.json; `planimeter verify` shows more")
        found = population(folder, draw.parent, draw.configs, draw.asked.by, partial(priority, draw.asked.seed))
    except (OSError, pa.ArrowException, ValueError, KeyError) as error:
        verify = command("planimeter", "verify", folder)
        raise CurationError(f"{folder} cannot be read ({error}); `{verify}` shows the details") from error
    there = sum(size * units for size, units in zip(found.sizes, found.counts, strict=True))
    least = sum(found.sizes)
    if not least <= draw.asked.rows <= there:
        raise CurationError(
            f"--rows: need {least:,} (one row or group of each of {len(found.sizes)} strata) to {there:,} (all rows), "
            f"got {draw.asked.rows:,}"
        )
    return found


def write(folder: Path, draw: Draw, found: Population, dataset: str, version: str) -> None:
    """Draw the sample from ``found``, the result of ``read``, and write it to the empty ``folder``.

    The sample is ``version`` of ``dataset``. Only one row group of the parent and one of the sample are in memory.
    Raises ``CurationError`` if the parent cannot be read.
    """
    strata = [Stratum(units, size) for units, size in zip(found.counts, found.sizes, strict=True)]
    taken = shares(draw.asked.rows, strata, equal=draw.asked.shares == "equal")
    is_chosen = chosen(found.strata, found.priorities, taken)
    sample = draw.asked.model_copy(
        update={
            "strata": tuple(
                SampledStratum(stratum=label, rows=number * size, of=units * size)
                for label, number, (units, size) in zip(found.labels, taken, strata, strict=True)
            )
        }
    )
    parent = draw.parent

    def tables(config: str, split: str) -> Iterator[pa.Table]:
        for record, part in parent.files_of(config):
            if part == split:
                yield from chosen_rows(draw.folder, record.path, is_chosen[found.units[record.path]])

    try:
        write_dataset(
            folder,
            recipe=parent.recipe,
            dataset=dataset,
            version=version,
            seed=parent.seed,
            seal=parent.seal,
            code_digest=parent.code,
            configs={
                config: {split: tables(config, split) for split in parent.configs[config]} for config in draw.configs
            },
            funnel={config: checks for config, checks in parent.funnel.items() if config in draw.configs},
            # The rows are those of the parent, but the files are written by this version of pyarrow.
            libraries={**parent.libraries, **library_versions(("pyarrow",))},
            sample=sample,
        )
    except (pa.ArrowException, *MISSHAPEN) as error:
        raise CurationError(f"{draw.folder} cannot be read ({error!r}); see `planimeter verify`") from error
