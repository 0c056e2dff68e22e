"""The one entry point of the flows: writes a dataset's folder, and decides nothing about what is in it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from planimeter.export import croissant, manifest, parquet
from planimeter.export.atomic import ExportError, write_file
from planimeter.export.pages import card, report
from planimeter.export.pages.survey import survey
from planimeter.export.parquet import FileRecord
from planimeter.export.rejects import RejectExample
from planimeter.export.schema import schema_of
from planimeter.export.texts import text_of

Configs = Mapping[str, Mapping[str, Iterable[pa.Table]]]


def write_dataset(
    folder: Path,
    *,
    recipe: Mapping[str, Any],
    dataset: str,
    version: str,
    seed: int,
    code_digest: str,
    configs: Configs,
    funnel: Mapping[str, Mapping[str, object]],
    rejects: Iterable[RejectExample] = (),
    libraries: Mapping[str, str] | None = None,
) -> manifest.Manifest:
    """Write ``data/``, ``manifest.json``, ``croissant.json``, ``report/`` and ``README.md``; return the manifest.

    ``recipe`` is the recipe as plain JSON values; it names suite, title, release_date, license and rows_per_file, and
    the same dataset, version and seed as are given. ``configs`` maps config -> split -> tables with the columns of
    ``schema_of``, which are drawn one at a time. ``libraries`` defaults to the installed versions of what decides
    bytes. ``folder`` must exist and be empty: use ``export.atomic.Staging``.

    Raises:
        ExportError: if a table does not fit its schema, a value cannot be written, or a config has no prose.
    """
    suite = recipe["suite"]
    text = text_of(suite)
    unknown = sorted(set(configs) - set(text.configs))
    if unknown or not configs:
        raise ExportError(f"need some of the configs {', '.join(text.configs)}, got {', '.join(unknown) or 'none'}")
    files = _write_data(folder, suite, configs, recipe["rows_per_file"])
    document = manifest.build(
        recipe=recipe,
        dataset=dataset,
        version=version,
        seed=seed,
        code_digest=code_digest,
        libraries=manifest.library_versions() if libraries is None else libraries,
        files=files,
        funnel=funnel,
    )
    write_file(folder / "manifest.json", document.to_json())
    write_file(folder / "croissant.json", manifest.canonical_json(croissant.build(document)))
    surveys = {
        config: survey(folder, [record.path for records in splits.values() for record in records], text.configs[config])
        for config, splits in files.items()
    }
    heroes = report.write(folder, document, text, surveys, rejects)
    write_file(folder / "README.md", card.render(document, text, surveys, heroes).encode())
    return document


def _write_data(
    folder: Path, suite: str, configs: Configs, rows_per_file: int
) -> dict[str, dict[str, tuple[FileRecord, ...]]]:
    return {
        config: {
            split: parquet.write_split(folder, config, split, tables, schema_of(suite, config), rows_per_file)
            for split, tables in splits.items()
        }
        for config, splits in configs.items()
    }
