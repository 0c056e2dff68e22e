"""A small dataset folder that keeps every promise, made of hand-made rows, and ways to damage it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from planimeter.export import croissant, manifest
from planimeter.export.columns import Column, Schema
from planimeter.export.dataset import write_dataset
from planimeter.export.pages.card import front_matter
from planimeter.export.parquet import row_table, write_split
from planimeter.export.rejects import RejectExample
from planimeter.export.schema import schema_of
from planimeter.export.texts.marvl_qa import TEXT
from planimeter.export.verify.problems import Problem
from planimeter.generators.marvl_qa.families import cone
from planimeter.items import OPTIONS, STYLES, TRANSFORMATIONS
from planimeter.rendering.png import IndexedImage, encode

Edit = Callable[[list[dict[str, Any]]], Any]

RECIPE: dict[str, Any] = {
    "dataset": "marvl-qa-mini",
    "version": "1.0.0",
    "suite": "marvl_qa",
    "title": "MaRVL-QA-Mini",
    "summary": "Count extrema, recognise transformations.",
    "release_date": "2026-11-20",
    "license": "CC-BY-4.0",
    "seed": 7,
    "scale": 1.0,
    "allow_shortfall": False,
    "rows_per_file": 12,
    "counting": {
        "count_bins": [[1, 5], [6, 10]],
        "questions": [1, 1],
        "maxima_share": 0.5,
        "curation": {"prominence": 0.12, "border": 0.02, "separation": 0.07},
    },
    "transformation": {
        "pairs": 4,
        "styles": "one-same-one-different",
        "shifts": {"smallest": 0.08, "largest": 0.25},
        "ambiguity": {"threshold": 0.07, "prominence": 0.1},
    },
}


def png(seed: int, width: int = 96, height: int = 64) -> bytes:
    """A small smooth picture of its own for each seed."""
    y, x = np.mgrid[0:height, 0:width]
    waves = np.sin(x / (5 + seed % 7) + seed) * np.cos(y / (4 + seed % 5))
    palette = np.stack([np.arange(256), np.arange(256)[::-1], np.full(256, 40 + seed % 160)], axis=1)
    return encode(IndexedImage(np.round((waves + 1) * 127).astype(np.uint8), palette.astype(np.uint8)))


def _surface(family: str) -> dict[str, Any]:
    return {
        "family": family,
        "tier": 4,
        "parameters": json.dumps({"a": 1.5}),
        "expression": "1.5*exp(-x**2 - y**2)",
        "x_min": -4.0,
        "x_max": 4.0,
        "y_min": -4.0,
        "y_max": 4.0,
    }


def _common(name: str, number: int, prompt: str, answer: str, certifier: str) -> dict[str, Any]:
    return {
        "id": name,
        "image": png(number),
        "system_prompt": "Reply inside <final_answer> tags.",
        "prompt": prompt,
        "answer": answer,
        "seed": 2**63 + number,
        "certified_by": certifier,
    }


def counting_rows() -> Iterator[dict[str, Any]]:
    """Two questions in nine styles each: 3 maxima, 7 minima."""
    for question, (family, feature, count) in enumerate(
        (("gaussian_mixture", "maxima", 3), ("wave_surface", "minima", 7))
    ):
        for variant, style in enumerate(STYLES):
            yield {
                **_common(
                    f"c{question}{variant}",
                    question * 9 + variant,
                    f"How many local {feature} are there?",
                    str(count),
                    "pixels/level-sets",
                ),
                **_surface(family),
                "feature": feature,
                "count": count,
                "extrema": [{"x": -3.0 + 0.8 * i, "y": 0.5 * (i % 3), "z": 1.0} for i in range(count)],
                # 60 px a unit, about the middle of the plot area.
                "extrema_px": [[146.0 + 48.0 * i, 290.0 - 30.0 * (i % 3)] for i in range(count)],
                "plot_type": style.plot_type,
                "colormap": style.colormap,
            }


#: The verifier computes the figures of a pair of plots anew, so that these must be those of a surface.
CONE = {
    "ux": -0.953,
    "uy": 0.633,
    "uc": 1.037,
    "vx": -0.341,
    "vy": -0.513,
    "vc": 0.785,
    "s": -1.0,
    "a": -0.159,
    "b": 0.213,
}
FIGURES = ((0.2351, 0.1517), (0.2095, 0.1767), (0.1338, 0.1028), (0.0988, 0.0774))


def transformation_rows() -> Iterator[dict[str, Any]]:
    """Four pairs of plots, one of each transformation, each in one style twice and in two styles."""
    for pair, transformation in enumerate(TRANSFORMATIONS):
        options = list(OPTIONS[pair:] + OPTIONS[:pair])
        for variant, (a, b) in enumerate(((STYLES[0], STYLES[0]), (STYLES[8], STYLES[5]))):
            yield {
                **_common(
                    f"t{pair}{variant}",
                    40 + pair * 2 + variant,
                    "Which transformation leads from A to B?",
                    str(options.index(transformation) + 1),
                    "pixels/registration",
                ),
                **_surface("cone"),
                "parameters": json.dumps(CONE),
                "expression": cone.FAMILY.expression(CONE),
                "transformation": transformation,
                "offset": 0.0 if transformation.startswith("rotate") else -1.2,
                "offset_px": {"translate_x": -72.0, "translate_y": 72.0}.get(transformation, 0.0),
                "options": options,
                "plot_type_a": a.plot_type,
                "colormap_a": a.colormap,
                "plot_type_b": b.plot_type,
                "colormap_b": b.colormap,
                "same_style": a == b,
                "nrmse_identity": FIGURES[pair][0],
                "nrmse_confusable": FIGURES[pair][1],
            }


COUNTING = schema_of("marvl_qa", "counting")
ROWS = {"counting": list(counting_rows()), "transformation": list(transformation_rows())}

FUNNEL: dict[str, Any] = {
    "counting": {
        "prominence": {
            "seen": 6,
            "kept": 3,
            "rejected": {"too weak": 2, "too near the frame": 1},
            "strata": {
                "gaussian_mixture": {"seen": 4, "kept": 2, "rejected": {"too weak": 2}},
                "wave_surface": {"seen": 2, "kept": 1, "rejected": {"too near the frame": 1}},
            },
        },
        "certify": {
            "seen": 27,
            "kept": 26,
            "rejected": {"reads another answer": 1},
            "strata": {
                "gaussian_mixture": {"seen": 18, "kept": 17, "rejected": {"reads another answer": 1}},
                "wave_surface": {"seen": 9, "kept": 9, "rejected": {}},
                "style=contour": {"seen": 3, "kept": 2, "rejected": {"reads another answer": 1}},
            },
        },
    },
    "transformation": {
        "certify": {"seen": 8, "kept": 8, "rejected": {}, "strata": {"plane": {"seen": 4, "kept": 4, "rejected": {}}}}
    },
}

REJECTS = (
    RejectExample(
        config="counting",
        stratum="gaussian_mixture",
        check="certify",
        reason="reads another answer",
        measured=0.02,
        limit=0.05,
        picture=png(99),
    ),
    RejectExample(
        config="counting",
        stratum="wave_surface",
        check="prominence",
        reason="too weak",
        measured=0.01,
        limit=0.12,
        picture=b"",
    ),
    RejectExample(
        config="transformation",
        stratum="cone",
        check="ambiguity",
        reason="looks like no_change",
        measured=0.01,
        limit=0.07,
        picture=png(98),
        answer="Translation along x",
        fits="No change; Translation along y",
    ),
)


def tables(rows: list[dict[str, Any]], schema: Schema, size: int) -> Iterator[pa.Table]:
    """The rows as tables of ``size`` rows, as shards would bring them."""
    for start in range(0, len(rows), size):
        yield row_table(rows[start : start + size], schema)


def write_sample(folder: Path, chunk: int = 5, recipe: dict[str, Any] = RECIPE) -> Path:
    """Write the sample dataset to ``folder`` and return it."""
    folder.mkdir(parents=True)
    counting, transformation = schema_of("marvl_qa", "counting"), schema_of("marvl_qa", "transformation")
    write_dataset(
        folder,
        recipe=recipe,
        dataset=recipe["dataset"],
        version=recipe["version"],
        seed=recipe["seed"],
        code_digest="0" * 64,
        configs={
            "counting": {"test": tables(list(counting_rows()), counting, chunk)},
            "transformation": {"test": tables(list(transformation_rows()), transformation, chunk)},
        },
        funnel=FUNNEL,
        rejects=REJECTS,
    )
    return folder


def any_row(schema: Schema, number: int) -> dict[str, Any]:
    """A row of any schema with a value of the right type in each column."""
    row = {column.name: _any_value(column, number) for column in schema.columns}
    return row | {"id": f"item-{number}"}


def _any_value(column: Column, number: int) -> Any:
    if column.is_image:
        return png(number)
    value: Any
    if pa.types.is_struct(column.element):
        value = {part.name: number + 1 for part in column.element}
    elif pa.types.is_string(column.element):
        value = f"{column.name} {number}"
    elif pa.types.is_boolean(column.element):
        value = number % 2 == 0
    elif pa.types.is_floating(column.element):
        value = number + 0.5
    else:
        value = number % 100
    for _ in range(column.dimensions):
        value = [value, value]
    return value


def edit_manifest(folder: Path, edit: Callable[[dict[str, Any]], Any]) -> None:
    path = folder / "manifest.json"
    document = json.loads(path.read_bytes())
    edit(document)
    path.write_bytes(manifest.canonical_json(document))


def edit_rows(folder: Path, config: str, edit: Edit) -> None:
    """Change rows and make manifest and Croissant agree, so that only the rows are wrong."""
    schema = schema_of("marvl_qa", config)
    paths = sorted((folder / "data" / config).iterdir())
    rows = [row for path in paths for row in pq.read_table(path).to_pylist()]
    edit(rows)
    for path in paths:
        path.unlink()
    rows_per_file = -(-len(rows) // len(paths))
    records = write_split(folder, config, "test", [row_table(rows, schema)], schema, rows_per_file)

    def relist(document: dict[str, Any]) -> None:
        others = [r for r in document["files"] if not r["path"].startswith(f"data/{config}/")]
        document["files"] = sorted([*others, *map(asdict, records)], key=lambda r: r["path"])
        document["configs"][config] = {"test": len(rows)}

    edit_manifest(folder, relist)
    document = json.loads((folder / "manifest.json").read_bytes())
    (folder / "croissant.json").write_bytes(manifest.canonical_json(croissant.build(manifest.Manifest.of(document))))
    readme = folder / "README.md"
    front = front_matter(manifest.Manifest.of(document), TEXT)
    readme.write_text(f"---\n{front}\n---\n" + readme.read_text().split("\n---\n", 1)[1])


def edit_text(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def said(problems: list[Problem]) -> str:
    return "\n".join(map(str, problems))
