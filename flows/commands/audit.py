"""The command `audit`: holds paths that already exist to the rules: a built dataset, or the released JSONL of
TraversalBench.

A built dataset is held to the rules of its own recipe, which stands in its manifest; released files, which carry none,
to the paper's. Each released file is a config of its own.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Column, Table

from planimeter.filters.traversal.audit import AuditRules, AuditTable, Damage, audit, parse_lines
from planimeter.flows.errors import PlanimeterError
from planimeter.recipes.loading import RecipeError, parse
from planimeter.recipes.traversal import SuiteRecipe

RELEASED = "backbones.jsonl"

_Rows = Iterator[tuple[int, dict[str, Any] | Damage]]


def run(path: Path, out: Console, err: Console) -> None:
    """Audit ``path``, print the table rule x config, and each damaged line with its place and reason.

    ``path`` is a built dataset, a released JSONL file or a folder of them. Raises ``PlanimeterError`` if it is neither,
    or if a rule is broken.
    """
    built = (path / "manifest.json").exists()
    files = _built(path) if built else _released(path)
    rules = _rules(path) if built else AuditRules()
    try:
        table = audit({name: _rows(file) for name, file in files.items()}, rules)
    except (OSError, pa.ArrowInvalid) as error:
        raise PlanimeterError(f"{path} cannot be read ({error})") from error
    _print(table, out)
    for name, damaged in table.damaged.items():
        for damage in damaged:
            err.print(f"{files[name][0]}:{damage.line}: {damage.reason}", markup=False)
    if table.violations:
        lines = sum(map(len, table.damaged.values()))
        raise PlanimeterError(f"{path}: {table.violations - lines:,} violations, {lines:,} damaged lines")


def _built(folder: Path) -> dict[str, list[Path]]:
    """Return the files of each config of a built dataset."""
    files: dict[str, list[Path]] = {}
    for file in sorted((folder / "data").glob("*/*.parquet")):
        files.setdefault(file.parent.name, []).append(file)
    if not files:
        raise PlanimeterError(f"{folder} has a manifest and no data; `planimeter verify {folder}` says more")
    return files


def _released(path: Path) -> dict[str, list[Path]]:
    """Return each released file under a name that is as short as can be and still its own."""
    if path.is_file():
        return {path.stem: [path]}
    files = sorted(path.rglob(RELEASED))
    if not files:
        raise PlanimeterError(
            f"{path} is neither a built dataset (manifest.json) nor a {RELEASED} nor a folder that holds one"
        )
    return {str(file.relative_to(path).parent): [file] for file in files}


def _rules(folder: Path) -> AuditRules:
    """Return the rules that the dataset in ``folder`` was built under."""
    source = folder / "manifest.json"
    try:
        recipe = parse(json.loads(source.read_text(encoding="utf-8"))["recipe"], source=str(source))
    except (OSError, ValueError, KeyError, TypeError, RecipeError) as error:
        raise PlanimeterError(f"{source} cannot be read ({error})") from error
    if not isinstance(recipe, SuiteRecipe):
        raise PlanimeterError(f"{folder} holds no paths: its recipe is not of the suite traversal")
    return AuditRules(
        limits=recipe.rules.limits(),
        bins=recipe.bins.bins(),
        spurs=recipe.confounded.spurs(),
        duplicate_distance=recipe.rules.duplicate_distance,
    )


def _rows(files: list[Path]) -> _Rows:
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
                for place, line in parse_lines(lines):
                    yield place, line if isinstance(line, Damage) else dict(line)


def _print(table: AuditTable, out: Console) -> None:
    shown = Table("rule", *(Column(_heading(name), justify="right", overflow="fold") for name in table.seen), box=None)
    shown.add_row("rows", *(f"{number:,}" for number in table.seen.values()))
    for rule in dict.fromkeys(rule for broken in table.broken.values() for rule in broken):
        counts = (broken.get(rule) for broken in table.broken.values())
        shown.add_row(rule, *("-" if count is None else f"{count:,}" for count in counts))
    shown.add_row("damaged", *(f"{len(damaged):,}" for damaged in table.damaged.values()))
    out.print(shown)
    for (name, rule), ids in table.examples.items():
        out.print(f"{name}: {rule}, for example {', '.join(ids)}", markup=False)


def _heading(name: str) -> str:
    """Return the name of a config or of a released file over as many lines as it has folders."""
    return name.removeprefix("backbones_").replace("/", "\n")
