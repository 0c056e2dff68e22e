"""Probes a built dataset, config by config; writes nothing."""

from pathlib import Path
from typing import Any

import numpy as np

from planimeter.evals.probes import blind, readers
from planimeter.evals.probes.part import Begin, Part, parts_of
from planimeter.evals.probes.results import Probed, Probes, data_of
from planimeter.evals.probes.sheets import pictures, sheet
from planimeter.evals.scores import dataset


def run(folder: Path, begin: Begin) -> Probes:
    """Probe the dataset in ``folder``; equal data give equal figures.

    Raises:
        NoDatasetError: if there is none, or it cannot be read.
    """
    data = dataset.load(folder)
    parts = parts_of(data.suite)
    configs: dict[str, Probed] = {}
    for config in data.rows:
        if len(data.rows[config]):
            configs[config] = _probe(folder, data, config, parts[config], begin)
    manifest = data.manifest
    return Probes(
        dataset=manifest.dataset,
        version=manifest.version,
        suite=data.suite,
        data=data_of(manifest),
        configs=configs,
    )


def _probe(folder: Path, data: dataset.Dataset, config: str, part: Part, begin: Begin) -> Probed:
    given = sheet(data, config, part)
    asked = readers.models(given)
    sizes = [0] * len(given.rows)
    looks: dict[str, list[Any]] = {}
    advance = begin(f"{config}: read", len(given.rows))
    for place, png in pictures(folder, data.manifest, given):
        sizes[place] = len(png)
        for name, look in (part.looks(png) if part.looks else {}).items():
            looks.setdefault(name, [None] * len(given.rows))[place] = look
        readers.answer(asked, given, place, png)
        advance()
    whole = {name: np.array(found) for name, found in looks.items() if all(look is not None for look in found)}
    advance = begin(f"{config}: blind", blind.number(given, list(whole)))
    found, silent = blind.probe(given, blind.seen(given, sizes, whole), advance)
    half = [one for one in asked if one.name != "certifier"]
    scored = {one.name: readers.told(one, given) for one in asked}
    return Probed(
        rows=len(given.rows),
        questions=len(set(given.questions.tolist())),
        headline=part.metrics[0],
        floors=readers.floors(sheet(data, config, part, asked_of_models=True)),
        blind=tuple(found),
        silent=tuple(silent),
        readers=tuple(scored[one.name] for one in half),
        certifier=scored.get("certifier"),
        strata=tuple(readers.steps(given, half)),
    )
