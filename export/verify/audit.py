"""Reads paths that already exist, a built dataset or the released JSONL of TraversalBench, and audits them.

A built dataset is held to the rules of its own recipe, which stands in its manifest; released files, which carry none,
to the paper's. Each released file is a config of its own.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from planimeter.export.errors import CurationError
from planimeter.filters.traversal.audit import AuditRules, AuditTable, Damage, Row, audit, parse_lines
from planimeter.recipes.loading import RecipeError, parse
from planimeter.recipes.traversal import SuiteRecipe

RELEASED = "backbones.jsonl"


def audit_files(path: Path) -> tuple[AuditTable, dict[str, list[Path]]]:
    """Return the table rule x config of ``path``, and the files of each config.

    Raises:
        CurationError: if ``path`` is neither a built dataset nor a released JSONL file nor a folder of them.
    """
    built = (path / "manifest.json").exists()
    files = _built(path) if built else _released(path)
    rules = _rules(path) if built else AuditRules()
    try:
        return audit({name: _rows(file) for name, file in files.items()}, rules), files
    except (OSError, pa.ArrowInvalid) as error:
        raise CurationError(f"{path} cannot be read ({error})") from error


def _built(folder: Path) -> dict[str, list[Path]]:
    """Return the files of each config of a built dataset."""
    files: dict[str, list[Path]] = {}
    for file in sorted((folder / "data").glob("*/*.parquet")):
        files.setdefault(file.parent.name, []).append(file)
    if not files:
        raise CurationError(f"{folder} has a manifest and no data; `planimeter verify {folder}` says more")
    return files


def _released(path: Path) -> dict[str, list[Path]]:
    """Return each released file under a name that is as short as can be and still its own."""
    if path.is_file():
        return {path.stem: [path]}
    files = sorted(path.rglob(RELEASED))
    if not files:
        raise CurationError(
            f"{path} is neither a built dataset (manifest.json) nor a {RELEASED} nor a folder that holds one"
        )
    return {str(file.relative_to(path).parent): [file] for file in files}


def _rules(folder: Path) -> AuditRules:
    """Return the rules that the dataset in ``folder`` was built under."""
    source = folder / "manifest.json"
    try:
        recipe = parse(json.loads(source.read_text(encoding="utf-8"))["recipe"], source=str(source))
    except (OSError, ValueError, KeyError, TypeError, RecipeError) as error:
        raise CurationError(f"{source} cannot be read ({error})") from error
    if not isinstance(recipe, SuiteRecipe):
        raise CurationError(f"{folder} holds no paths: its recipe is not of the suite traversal")
    return AuditRules(
        limits=recipe.rules,
        bins=recipe.bins,
        spurs=recipe.spurs,
        duplicate_distance=recipe.rules.duplicate_distance,
    )


def _rows(files: list[Path]) -> Iterator[tuple[int, Row | Damage]]:
    """Yield (1-based number, row or damage) of all ``files``, whose numbers run on."""
    number = 0
    for file in files:
        if file.suffix == ".parquet":
            with pq.ParquetFile(file) as rows:
                names = [name for name in rows.schema_arrow.names if name != "image"]
                for batch in rows.iter_batches(batch_size=512, columns=names):
                    for row in batch.to_pylist():
                        number += 1
                        yield number, row
        else:
            with file.open(encoding="utf-8", errors="replace") as lines:
                yield from parse_lines(lines)
