"""Reads paths that already exist, a built dataset or the released JSONL of TraversalBench, and audits them.

A built dataset is held to the rules of its own recipe, which stands in its manifest; released files, which carry none,
to the paper's. Each released file is a config of its own.
"""

from collections.abc import Iterator
from pathlib import Path

from planimeter.export.built import Built
from planimeter.export.errors import CurationError
from planimeter.filters.traversal.audit import AuditRules, AuditTable, Damage, Row, audit, parse_lines
from planimeter.recipes.traversal import SuiteRecipe

RELEASED = "backbones.jsonl"


def audit_files(path: Path) -> tuple[AuditTable, dict[str, list[Path]]]:
    """Return the table rule x config of ``path``, and the files of each config.

    Raises:
        ExportError: if ``path`` is neither a built dataset nor a released JSONL file nor a folder of them.
    """
    if not (path / "manifest.json").exists():
        released = _released(path)
        try:
            table = audit({name: _lines(file) for name, file in released.items()}, AuditRules())
        except OSError as error:
            raise CurationError(f"{path} cannot be read ({error})") from error
        return table, {name: [file] for name, file in released.items()}
    built = Built.at(path)
    recipe = built.recipe
    if not isinstance(recipe, SuiteRecipe):
        raise CurationError(f"{path} holds no paths: its recipe is not of the suite traversal")
    distance = recipe.rules.duplicate_distance
    rules = AuditRules(limits=recipe.rules, bins=recipe.bins, spurs=recipe.spurs, duplicate_distance=distance)
    configs = built.manifest.configs
    with built.reading():
        table = audit({name: enumerate(built.rows(name, pictures=False), start=1) for name in configs}, rules)
    return table, {name: built.files(name) for name in configs}


def _released(path: Path) -> dict[str, Path]:
    """Return each released file under a name that is as short as can be and still its own."""
    if path.is_file():
        return {path.stem: path}
    files = sorted(path.rglob(RELEASED))
    if not files:
        raise CurationError(
            f"{path} is neither a built dataset (manifest.json) nor a {RELEASED} nor a folder that holds one"
        )
    return {str(file.relative_to(path).parent): file for file in files}


def _lines(path: Path) -> Iterator[tuple[int, Row | Damage]]:
    with path.open(encoding="utf-8", errors="replace") as lines:
        yield from parse_lines(lines)
