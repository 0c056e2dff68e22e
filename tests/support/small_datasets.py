"""Small datasets of every suite, as far as `planimeter solve` reads one, and their replies with scores."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planimeter.evals import grade
from planimeter.evals.probes.results import FILE, Probes, data_of, probes_folder
from planimeter.export import manifest, parquet
from planimeter.export.dataset import write_dataset
from planimeter.export.manifest import Manifest
from planimeter.export.parquet import row_table
from planimeter.export.schema import schema_of
from planimeter.flows.commands.solve import solve
from planimeter.flows.shards import Shard
from planimeter.generators.seeding import without_variant
from planimeter.suites.base import Recipe
from planimeter.suites.loading import load
from planimeter.suites.pipeline import suite_of

#: Dataset -> the cells that its small edition holds, with the rows (or paths, or questions) of each.
CELLS: dict[str, list[tuple[str, tuple[str | int, ...], int]]] = {
    "marvl-qa-mini": [
        ("counting", ("gabor_function", "minima", 6, 10), 2),
        ("transformation", ("windowed_waves", "rotate_180"), 2),
        ("transformation", ("astroidal_bowl", "rotate_90_clockwise"), 1),
    ],
    "traversal": [
        ("base", (9, 0, 2, "paired"), 2),
        ("base", (13, 3, 1, "single"), 1),
        ("reading_order", ("ttb_rl", 3, 11), 2),
    ],
    "curves": [("easy", ("(()())", "validation", 2, 2), 2), ("polygon", ("  5 to 8 curves", "test", 5, 8), 3)],
    "curves-train": [("curriculum", ("level 1", "easy", 1), 2), ("curriculum", ("level 2", "easy", 2), 2)],
    "curves-looks": [("easy", ("  2 to 5 curves", "test", 2, 5), 2)],
    "curves-polygons": [("polygon", ("(()())", "test", 2, 2), 2)],
    "curves-maps": [("planar_map", ("  3 to 4 curves", "test", 3, 4), 3)],
    "geogram": [("geogram", ("primitive", "asymptote"), 2), ("geogram", ("abstract", "matplotlib"), 2)],
    "geogram-paired": [("asymptote", (level, "paired"), 2) for level in ("primitive", "compositional")],
}


#: Splits of configs whose rows are not for testing.
SPLITS = {("curves", "easy"): "validation"}

Rows = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Small:
    """A small dataset: its folder, its suite, and its rows by config."""

    folder: Path
    suite: str
    rows: Rows


def written(folder: Path, recipe: dict[str, Any], rows: Rows, splits: Sequence[str] = ("test",)) -> Small:
    """Write data and manifest of a dataset, which is all that ``solve`` reads; rows go to ``splits`` in turn."""
    files = {
        config: {
            split: parquet.write_split(folder, config, split, [row_table(found[k :: len(splits)], schema)], schema, 4)
            for k, split in enumerate(splits)
        }
        for config, found in rows.items()
        for schema in [schema_of(recipe["suite"], config)]
    }
    named = {name: recipe[name] for name in ("dataset", "version", "seed")}
    said = manifest.build(recipe=recipe, **named, code_digest="0" * 64, libraries={}, files=files, funnel={})
    (folder / "manifest.json").write_bytes(said.to_json())
    return Small(folder, recipe["suite"], rows)


def whole(folder: Path, small: Small, rows: Rows) -> Path:
    """Write ``rows`` as version 1.0.0 of a dataset with every document, whose recipe promises no numbers of them."""
    recipe = Manifest.read(small.folder).recipe
    folder.mkdir(parents=True)
    funnel = {
        config: {"seen": len(found), "kept": len(found), "rejected": {}, "strata": {}} for config, found in rows.items()
    }
    write_dataset(
        folder,
        recipe={**recipe, "version": "1.0.0", "scale": 0.01, "allow_shortfall": True},
        dataset=recipe["dataset"],
        version="1.0.0",
        seed=recipe["seed"],
        code_digest="0" * 64,
        configs={
            config: {
                SPLITS.get((recipe["dataset"], config), "test"): [row_table(found, schema_of(small.suite, config))]
            }
            for config, found in rows.items()
        },
        funnel={config: {"certify": entry} for config, entry in funnel.items()},
    )
    return folder


def probe(folder: Path) -> Path:
    """Note beside ``folder`` that it was probed and that nothing was found; return it."""
    read = Manifest.read(folder)
    probes = Probes(
        dataset=read.dataset, version=read.version, suite=read.recipe["suite"], data=data_of(read), configs={}
    )
    probes_folder(folder).mkdir()
    (probes_folder(folder) / FILE).write_bytes(probes.to_json())
    return folder


def make(name: str, folder: Path) -> Small:
    """Make the small edition of the dataset ``name`` in ``folder``."""
    recipe = load(name)
    assert isinstance(recipe, Recipe)
    rows: Rows = {}
    for config, cell, count in CELLS[name]:
        shard = Shard(suite=recipe.suite, config=config, cell=cell, first=0, count=count)
        for item in suite_of(recipe).make(recipe, shard).items:
            for part, found in item.items():
                rows.setdefault(part, []).extend(found)
    for found in rows.values():
        found.sort(key=lambda row: without_variant(row["seed"]))
    return written(folder, recipe.model_dump(mode="json"), rows)


def solved(small: Small, names: str, target: Path, **options: Any) -> list[dict[str, Any]]:
    solve(small.folder, by=names, file=target, **{"workers": 1, **options})
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


def scores(small: Small, replies: list[dict[str, Any]]) -> dict[str, list[float]]:
    """The headline score of each reply by config: the lower one of both readings."""
    where = {row["id"]: (config, row) for config, rows in small.rows.items() for row in rows}
    found: dict[str, list[float]] = {}
    for reply in replies:
        config, row = where[reply["id"]]
        both = [grade(row, reply["reply"], suite=small.suite, config=config, strict=s).value for s in (True, False)]
        found.setdefault(config, []).append(min(both))
    return found
