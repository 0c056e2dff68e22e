"""Folders that look like a built dataset of any suite to what reads only its rows; nothing in them is certified."""

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from graded_rows import EXAMPLES
from PIL import Image

#: Columns that strata and questions need beside those of ``EXAMPLES``.
_MORE: dict[tuple[str, str], dict[str, Any]] = {
    ("traversal", "base"): {"tortuosity_bin": 1, "self_intersection_bin": 2, "n_points": 9}
    | {"self_intersections": 2, "glyph_radius": 12.0, "points": [[0.0, 9.0 * place] for place in range(9)]}
    | {"crossings": [{"x": 1.0, "y": 2.0, "first_segment": 0, "second_segment": 5}]},
    ("curves", "easy"): {"category": "easy", "num_nodes": 5},
    ("curves_maps", "planar_map"): {"num_curves": 2, "num_crossings": 2, "num_faces": 3},
    ("geogram", "geogram"): {"level": "primitive", "language": "asymptote", "template": "circle", "givens": "{}"}
    | {"problem": "How long?"},
}
ROWS = 6

SUITES = sorted({suite for suite, _ in _MORE})


def _png(shade: int) -> bytes:
    file = io.BytesIO()
    Image.new("L", (8, 8), shade % 256).save(file, "PNG")
    return file.getvalue()


def write_small(folder: Path, suite: str, splits: Mapping[str, int] = MappingProxyType({"test": ROWS})) -> Path:
    """Write so many rows of ``suite`` in each split, which differ in pictures and prompts, and return the folder."""
    (config,) = [name for owner, name in _MORE if owner == suite]
    example = {**EXAMPLES[suite, config], **_MORE[suite, config]}
    files, first = [], 0
    for split, count in splits.items():
        rows = [
            {**example, "id": f"{config}-{number:016x}", "prompt": f"{example['prompt']}\n({number})"}
            | {"image": {"bytes": _png(number), "path": None}}
            for number in range(first, first + count)
        ]
        first += count
        path = folder / "data" / config / f"{split}-00000-of-00001.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows), path)
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        named = {"path": str(path.relative_to(folder)), "sha256": digest}
        files.append({**named, "rows": count, "bytes": len(content)})
    recipe = {"suite": suite, "title": f"Small {suite}", "summary": "A few rows."}
    manifest = {
        "dataset": f"small-{suite.replace('_', '-')}",
        "version": "1.0.0",
        "seed": 1,
        "recipe": recipe,
        "files": files,
    }
    (folder / "manifest.json").write_text(json.dumps({**manifest, "configs": {config: dict(splits)}, "funnel": {}}))
    return folder
