"""Runs all probes, which measure what a score is worth, on a built dataset, config by config; writes nothing."""

from pathlib import Path

import numpy as np
import pandas as pd

from planimeter.evals.probes import blind, readers
from planimeter.evals.probes.part import Begin, Floats, Part, parts_of
from planimeter.evals.probes.results import Probed, Probes, data_of, lines_of
from planimeter.evals.probes.sheets import sheet
from planimeter.evals.scores import dataset
from planimeter.export.built import Built


def run(folder: Path, begin: Begin) -> Probes:
    """Return the results of all probes on the dataset in ``folder``; equal data give equal results.

    ``begin`` is called with the name and number of steps of each stage; it returns a function to call after each step.

    Raises:
        NoDatasetError: if there is no dataset, or it cannot be read.
    """
    data, built = dataset.load(folder), Built.at(folder)
    parts = parts_of(data.suite)
    configs = {
        config: _probe(built, data, config, parts[config], begin) for config, rows in data.rows.items() if len(rows)
    }
    named = {"dataset": data.manifest.dataset, "version": data.manifest.version, "suite": data.suite}
    return Probes(**named, data=data_of(data.manifest), configs=configs)


def _probe(built: Built, data: dataset.Dataset, config: str, part: Part, begin: Begin) -> Probed:
    sample = sheet(data, config, part)
    models = readers.Looking(sample)
    sizes = [0] * len(sample.rows)
    looks: dict[str, dict[int, Floats]] = {}
    advance = begin(f"{config}: read", len(sample.rows))
    places = {row["id"]: place for place, row in enumerate(sample.rows)}
    for item, png in built.pictures(config, places):
        place = places[item]
        sizes[place] = len(png)
        for name, look in (part.looks(png) if part.looks else {}).items():
            looks.setdefault(name, {})[place] = look
        models.look(place, png)
        advance()
    count = len(sample.rows)
    whole = {name: np.array([views[k] for k in range(count)]) for name, views in looks.items() if len(views) == count}
    inputs = blind.seen(sample, sizes, whole)
    blind_probes, silent = blind.probe(sample, inputs, begin(f"{config}: blind", len(inputs) + bool(part.met)))
    floors = readers.floors(sheet(data, config, part, asked_of_models=True))
    return Probed(
        rows=len(sample.rows),
        questions=len(set(sample.questions.tolist())),
        headline=part.metrics[0],
        blind=tuple(blind_probes),
        silent=tuple(silent),
        readers=lines_of(pd.concat([floors, models.readers()], ignore_index=True)),
        strata=lines_of(models.steps()),
        shrunk=lines_of(models.shrunk()),
    )
