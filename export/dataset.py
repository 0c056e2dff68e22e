"""Writes the folder of a dataset from tables of rows: data files, manifest.json, card, report and croissant.json."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from planimeter.evals import question
from planimeter.export import croissant, manifest, parquet
from planimeter.export.atomic import write_file
from planimeter.export.canary import canary_of
from planimeter.export.columns import Schema
from planimeter.export.layout import axes_of
from planimeter.export.pages import card, report
from planimeter.export.pages.survey import Survey, survey
from planimeter.export.rejects import RejectExample
from planimeter.export.schema import schema_of
from planimeter.export.seal import SEAL_FILE, is_due, seal_of
from planimeter.export.texts import ConfigText, SuiteText, text_for, text_of
from planimeter.items.values import Recipe

#: Config -> split -> tables of rows.
Configs = Mapping[str, Mapping[str, Iterable[pa.Table]]]


def write_dataset(
    folder: Path, *, recipe: Recipe, configs: Configs, rejects: Iterable[RejectExample] = (), **named: Any
) -> manifest.Manifest:
    """Write the data files and all documents of a dataset to ``folder``; return its manifest.

    ``recipe`` is the recipe as plain JSON values, with at least suite, title, release_date, license and rows_per_file.
    The tables of ``configs`` have the columns of ``schema_of``; one at a time is in memory. ``named`` are further
    arguments of ``manifest.build``. ``folder`` must exist and be empty: use ``export.atomic.Staging``.

    Raises:
        ExportError: if a table has other columns than its schema, a value cannot be written, or the suite has no
            texts.
        LookupError: if the suite has no such config.
    """
    suite, rows, sealed = recipe["suite"], recipe["rows_per_file"], bool(named.get("seal"))
    owner = sample.parent if (sample := named.get("sample")) else None
    canary = canary_of(owner.dataset, owner.version) if owner else canary_of(named["dataset"], named["version"])
    files = {
        config: {
            split: parquet.write_split(
                folder, config, split, tables, _schema(suite, config, split, canary, sealed=sealed), rows
            )
            for split, tables in splits.items()
        }
        for config, splits in configs.items()
    }
    document = manifest.build(recipe=recipe, files=files, **named)
    describe(folder, document, rejects)
    return document


def _schema(suite: str, config: str, split: str, canary: str, *, sealed: bool) -> Schema:
    return replace(schema_of(suite, config, [split], sealed=sealed), canary=canary)


def describe(folder: Path, document: manifest.Manifest, rejects: Iterable[RejectExample] = ()) -> None:
    """Write ``manifest.json``, ``croissant.json``, ``report/`` and ``README.md`` of the dataset in ``folder``.

    ``document``, its manifest, lists the data files. A sealed edition, whose seed is secret at first, also
    gets ``seal.json``, unless it is a sample.

    Raises:
        ExportError: if a value cannot be written, or the suite has no texts for card and report.
    """
    text = text_for(document)
    write_file(folder / "manifest.json", document.to_json())
    write_file(folder / "croissant.json", manifest.canonical_json(croissant.build(document)))
    if is_due(document):
        write_file(folder / SEAL_FILE, manifest.canonical_json(seal_of(folder, document)))
    surveys = surveys_of(folder, document)
    heroes = report.write(folder, document, text, surveys, rejects)
    write_file(folder / "README.md", card.render(document, text, surveys, heroes).encode())


def surveys_of(folder: Path, document: manifest.Manifest) -> dict[str, Survey]:
    """Return config -> summary of its rows for card and report, read from the files that ``document`` lists."""
    suite, surveys = document.recipe["suite"], {}
    for config, test in document.tests.items():
        files = document.files_of(config)
        surveys[config] = survey(
            folder,
            [record.path for record, _ in files],
            _laid_out(document, text_of(suite), config),
            question=partial(question, suite=suite, config=config),
            asked={record.path for record, split in files if split == test != "train"},
        )
    return surveys


def _laid_out(document: manifest.Manifest, text: SuiteText, config: str) -> ConfigText:
    """Return the texts and layout of ``config`` for the report; training levels, if any, get a bar chart."""
    suite, found = document.recipe["suite"], text.configs[config]
    levels = [column for column in schema_of(suite, config, document.configs[config]).columns if column.trains]
    return replace(found, distributions=(*axes_of(levels).values(), *found.distributions))
