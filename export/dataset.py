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
from planimeter.export.sample import Sample
from planimeter.export.schema import schema_of
from planimeter.export.texts import text_of

Configs = Mapping[str, Mapping[str, Iterable[pa.Table]]]

#: The data files of each config and split, in their order.
Files = Mapping[str, Mapping[str, tuple[FileRecord, ...]]]


def write_dataset(folder: Path, *, recipe: Mapping[str, Any], configs: Configs, **more: Any) -> manifest.Manifest:
    """Write ``data/`` from tables, and ``describe`` it with ``more``; return the manifest.

    ``configs`` maps config -> split -> tables with the columns of ``schema_of``, which are drawn one at a time.
    ``folder`` must exist and be empty: use ``export.atomic.Staging``.

    Raises:
        ExportError: if a table does not fit its schema, a value cannot be written, or a config has no prose.
    """
    _refuse_unknown(recipe["suite"], configs)
    files = _write_data(folder, recipe["suite"], configs, recipe["rows_per_file"])
    return describe(folder, recipe=recipe, files=files, **more)


def describe(
    folder: Path,
    *,
    recipe: Mapping[str, Any],
    dataset: str,
    version: str,
    seed: int,
    code_digest: str,
    files: Files,
    funnel: Mapping[str, Mapping[str, object]],
    rejects: Iterable[RejectExample] = (),
    libraries: Mapping[str, str] | None = None,
    sample: Sample | None = None,
) -> manifest.Manifest:
    """Write ``manifest.json``, ``croissant.json``, ``report/`` and ``README.md`` beside ``data/``; return the manifest.

    ``recipe`` is the recipe as plain JSON values; it names suite, title, release_date, license and rows_per_file, and
    the same dataset, version and seed as are given; the recipe of a ``sample`` is that of its parent. ``files``
    lists what lies in ``data/``. ``libraries`` defaults to the installed versions of what decides bytes.

    Raises:
        ExportError: if a value cannot be written, or a config has no prose.
    """
    _refuse_unknown(recipe["suite"], files)
    text = text_of(recipe["suite"])
    document = manifest.build(
        recipe=recipe,
        dataset=dataset,
        version=version,
        seed=seed,
        code_digest=code_digest,
        libraries=manifest.library_versions() if libraries is None else libraries,
        files=files,
        funnel=funnel,
        sample=sample,
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


def _refuse_unknown(suite: str, configs: Iterable[str]) -> None:
    known, given = text_of(suite).configs, set(configs)
    unknown = sorted(given - set(known))
    if unknown or not given:
        raise ExportError(f"need some of the configs {', '.join(known)}, got {', '.join(unknown) or 'none'}")


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
