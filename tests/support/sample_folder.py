"""A small dataset folder that keeps every promise, made of hand-made rows, and ways to damage it."""

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
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
from planimeter.export.sampling import draw_of, read, write
from planimeter.export.schema import schema_of
from planimeter.export.texts import text_of
from planimeter.export.verify.folder import verify
from planimeter.export.verify.problems import Problem
from planimeter.generators.marvl_qa import plan
from planimeter.items import OPTIONS, STYLES, TRANSFORMATIONS
from planimeter.rendering.png import IndexedImage, encode

TEXT = text_of("marvl_qa")

Rows = list[dict[str, Any]]
Edit = Callable[[Rows], Any]

RECIPE: dict[str, Any] = (
    {"dataset": "marvl-qa-mini", "version": "1.0.0", "suite": "marvl_qa", "title": "MaRVL-QA-Mini"}
    | {"summary": "Count extrema, recognise transformations.", "release_date": "2026-11-20", "license": "CC-BY-4.0"}
    | {"seed": 7, "scale": 1.0, "allow_shortfall": False, "rows_per_file": 12}
)
_KEPT = {"prominence": 0.12, "border": 0.02, "separation": 0.07}
RECIPE["counting"] = {"count_bins": [[1, 5], [6, 10]], "questions": [1, 1], "maxima_share": 0.5, "curation": _KEPT}
_SHIFTS, _AMBIGUITY = {"smallest": 0.08, "largest": 0.25}, {"threshold": 0.07, "prominence": 0.1}
RECIPE["transformation"] = {"pairs": 4, "styles": "one-same-one-different", "shifts": _SHIFTS, "ambiguity": _AMBIGUITY}


def png(seed: int, width: int = 96, height: int = 64) -> bytes:
    y, x = np.mgrid[0:height, 0:width]
    waves = np.sin(x / (5 + seed % 7) + seed) * np.cos(y / (4 + seed % 5))
    palette = np.stack([np.arange(256), np.arange(256)[::-1], np.full(256, 40 + seed % 160)], axis=1)
    return encode(IndexedImage(np.round((waves + 1) * 127).astype(np.uint8), palette.astype(np.uint8)))


def _common(name: str, number: int, family: str) -> dict[str, Any]:
    window = {"x_min": -4.0, "x_max": 4.0, "y_min": -4.0, "y_max": 4.0}
    surface = {"parameters": json.dumps({"a": 1.5}), "expression": "1.5*exp(-x**2 - y**2)", **window}
    asked = {"system_prompt": "Reply inside <final_answer> tags.", "seed": 2**63 + number}
    return {"id": name, "image": png(number), **asked, "family": family, "tier": 4, **surface}


def counting_rows() -> Iterator[dict[str, Any]]:
    """Two questions in nine styles each: 3 maxima, 7 minima."""
    asked_of = (("gaussian_mixture", "maxima", 3), ("wave_surface", "minima", 7))
    for question, (family, feature, count) in enumerate(asked_of):
        extrema = [{"x": -3.0 + 0.8 * i, "y": 0.5 * (i % 3), "z": 1.0} for i in range(count)]
        # 60 px a unit, about the middle of the plot area.
        places = [[146.0 + 48.0 * i, 290.0 - 30.0 * (i % 3)] for i in range(count)]
        asked = {"prompt": f"How many local {feature} are there?", "answer": str(count)}
        answered = {"feature": feature, "count": count, "extrema": extrema, "extrema_px": places}
        for variant, style in enumerate(STYLES):
            yield (
                _common(f"c{question}{variant}", question * 9 + variant, family)
                | copy.deepcopy(asked | answered)
                | {"certified_by": "pixels/level-sets", "plot_type": style.plot_type, "colormap": style.colormap}
            )


#: The verifier computes the figures of a pair of plots anew, so that these must be those of a surface.
CONE = {"ux": -0.953, "uy": 0.633, "uc": 1.037} | {"vx": -0.341, "vy": -0.513, "vc": 0.785}
CONE |= {"s": -1.0, "a": -0.159, "b": 0.213}
FIGURES = ((0.2351, 0.1517), (0.2095, 0.1767), (0.1338, 0.1028), (0.0988, 0.0774))


def transformation_rows() -> Iterator[dict[str, Any]]:
    """Four pairs of plots, one of each transformation, each in one style twice and in two styles."""
    for pair, transformation in enumerate(TRANSFORMATIONS):
        options = list(OPTIONS[pair:] + OPTIONS[:pair])
        asked = {"prompt": "Which transformation leads from A to B?", "options": options}
        offset = 0.0 if transformation.startswith("rotate") else -1.2
        pixels = {"translate_x": -72.0, "translate_y": 72.0}.get(transformation, 0.0)
        for variant, (a, b) in enumerate(((STYLES[0], STYLES[0]), (STYLES[8], STYLES[5]))):
            yield (
                _common(f"t{pair}{variant}", 40 + pair * 2 + variant, "cone")
                | {"parameters": json.dumps(CONE), "expression": plan.family("cone").expression(CONE)}
                | copy.deepcopy(asked)
                | {"answer": str(options.index(transformation) + 1), "certified_by": "pixels/registration"}
                | {"transformation": transformation, "offset": offset, "offset_px": pixels, "same_style": a == b}
                | {"plot_type_a": a.plot_type, "colormap_a": a.colormap}
                | {"plot_type_b": b.plot_type, "colormap_b": b.colormap}
                | dict(zip(("nrmse_identity", "nrmse_confusable"), FIGURES[pair], strict=True))
            )


COUNTING = schema_of("marvl_qa", "counting")
ROWS = {"counting": list(counting_rows()), "transformation": list(transformation_rows())}


def _check(seen: int, rejected: dict[str, int], **strata: tuple[int, dict[str, int]]) -> dict[str, Any]:
    account = {"seen": seen, "kept": seen - sum(rejected.values()), "rejected": rejected}
    parts = {name.replace("style_", "style="): _check(n, reasons) for name, (n, reasons) in strata.items()}
    return account | ({"strata": parts} if strata else {})


_WEAK, _NEAR, _MISREAD = {"too weak": 2}, {"too near the frame": 1}, {"reads another answer": 1}
_CERTIFIED = {"gaussian_mixture": (18, _MISREAD), "wave_surface": (9, {}), "style_contour": (3, _MISREAD)}
FUNNEL: dict[str, Any] = {
    "counting": {
        "prominence": _check(6, _WEAK | _NEAR, gaussian_mixture=(4, _WEAK), wave_surface=(2, _NEAR)),
        "certify": _check(27, _MISREAD, **_CERTIFIED),
    },
    "transformation": {"certify": _check(8, {}, plane=(4, {}))},
}


def reject(
    config: str, stratum: str, check: str, reason: str, measured: float, limit: float, picture: bytes, **more: str
) -> RejectExample:
    named = {"config": config, "stratum": stratum, "check": check, "reason": reason}
    return RejectExample(**named, measured=measured, limit=limit, picture=picture, **more)


_FITS = {"answer": "Translation along x", "fits": "No change; Translation along y"}
REJECTS = (
    reject("counting", "gaussian_mixture", "certify", "reads another answer", 0.02, 0.05, png(99)),
    reject("counting", "wave_surface", "prominence", "too weak", 0.01, 0.12, b""),
    reject("transformation", "cone", "ambiguity", "looks like no_change", 0.01, 0.07, png(98), **_FITS),
)


def tables(rows: Rows, schema: Schema, size: int) -> Iterator[pa.Table]:
    for start in range(0, len(rows), size):
        yield row_table(rows[start : start + size], schema)


def write_folder(
    folder: Path,
    recipe: dict[str, Any],
    configs: dict[str, dict[str, Rows]],
    funnel: dict[str, Any] | None = None,
    rejects: tuple[RejectExample, ...] = (),
    chunk: int = 5,
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    suite, named = recipe["suite"], {name: recipe[name] for name in ("dataset", "version", "seed")}
    parts = {
        config: {split: tables(rows, schema_of(suite, config, [split]), chunk) for split, rows in splits.items()}
        for config, splits in configs.items()
    }
    more: dict[str, Any] = {"code_digest": "0" * 64, "funnel": funnel or {}, "rejects": rejects}
    write_dataset(folder, recipe=recipe, **named, configs=parts, **more)
    return folder


def write_sample(folder: Path, chunk: int = 5, recipe: dict[str, Any] = RECIPE) -> Path:
    return write_folder(folder, recipe, {name: {"test": rows} for name, rows in ROWS.items()}, FUNNEL, REJECTS, chunk)


def drawn(parent: Path, out: Path, rows: int, *by: str, shares: Any = "equal", seed: int = 0, configs: Any = ()) -> Any:
    out.mkdir(parents=True)
    draw = draw_of(parent, rows, by, shares, seed, configs)
    write(out, draw, read(draw), "a-sample", "2.0.0")
    return out


def any_row(schema: Schema, number: int) -> dict[str, Any]:
    """A row of any schema with a value of the right type in each column."""
    return {column.name: _any_value(column, number) for column in schema.columns} | {"id": f"item-{number}"}


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


def rows_of(folder: Path, config: str) -> Rows:
    return [row for path in sorted((folder / "data" / config).iterdir()) for row in pq.read_table(path).to_pylist()]


def edit_manifest(folder: Path, edit: Callable[[dict[str, Any]], Any]) -> None:
    path = folder / "manifest.json"
    document = json.loads(path.read_bytes())
    edit(document)
    path.write_bytes(manifest.canonical_json(document))


def edit_rows(folder: Path, config: str, edit: Edit) -> None:
    """Change rows and make manifest and Croissant agree, so that only the rows are wrong."""
    schema, rows = schema_of("marvl_qa", config), rows_of(folder, config)
    schema = replace(schema, canary=manifest.Manifest.read(folder).canary)
    edit(rows)
    paths = list((folder / "data" / config).iterdir())
    for path in paths:
        path.unlink()
    rows_per_file = -(-len(rows) // len(paths))
    records = write_split(folder, config, "test", [row_table(rows, schema)], schema, rows_per_file)

    def relist(document: dict[str, Any]) -> None:
        others = [r for r in document["files"] if not r["path"].startswith(f"data/{config}/")]
        document["files"] = sorted([*others, *map(asdict, records)], key=lambda r: r["path"])
        document["configs"][config] = {"test": len(rows)}

    edit_manifest(folder, relist)
    edited = manifest.Manifest.read(folder)
    (folder / "croissant.json").write_bytes(manifest.canonical_json(croissant.build(edited)))
    body = (folder / "README.md").read_text().split("\n---\n", 1)[1]
    (folder / "README.md").write_text(f"---\n{front_matter(edited, TEXT)}\n---\n{body}")


def edit_text(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def said(problems: list[Problem]) -> str:
    return "\n".join(map(str, problems))


def problems(folder: Path) -> str:
    return said(verify(folder))
