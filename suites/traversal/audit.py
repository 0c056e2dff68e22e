"""The command `planimeter audit`: checks paths of a built dataset, or of the JSONL files that TraversalBench released.

A built dataset must obey the rules of its own recipe, which is in its manifest; released files, which have no recipe,
must obey those of the recipe `traversal`. Each released file counts as a separate config.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table

from planimeter.export.built import Built
from planimeter.export.errors import CurationError
from planimeter.export.foreign import files_below, lines_of, open_file
from planimeter.filters.traversal.audit import AuditRules, ConfigAudit, Damage, audit, parse_lines
from planimeter.flows.errors import PlanimeterError
from planimeter.items.values import Row
from planimeter.suites.traversal.recipe import SuiteRecipe

RELEASED = "backbones.jsonl"


def run(path: Path, out: Console, err: Console) -> None:
    """Audit ``path``; print to ``out`` a table of violations by rule and config, and to ``err`` each damaged line.

    ``path``: a built dataset, a released JSONL file, or a folder of released files.

    Raises:
        CurationError: if ``path`` is none of these.
        PlanimeterError: if a rule is broken or a line is damaged.
    """
    audits, files = audit_files(path)
    _print(audits, out)
    for name, audited in audits.items():
        for damage in audited.damaged:
            err.print(f"{files[name][0]}:{damage.line}: {damage.reason}", markup=False)
    lines = sum(len(audited.damaged) for audited in audits.values())
    violations = sum(audited.broken.total() for audited in audits.values())
    if violations or lines:
        raise PlanimeterError(f"{path}: {violations:,} violations, {lines:,} damaged lines")


def _print(audits: Mapping[str, ConfigAudit], out: Console) -> None:
    # The name of a released file has a line for each folder.
    names = (name.removeprefix("backbones_").replace("/", "\n") for name in audits)
    table = Table("rule", *(Column(name, justify="right", overflow="fold") for name in names), box=None)
    table.add_row("rows", *(f"{audited.seen:,}" for audited in audits.values()))
    for rule in dict.fromkeys(rule for audited in audits.values() for rule in audited.broken):
        counts = (audited.broken.get(rule) for audited in audits.values())
        table.add_row(rule, *("-" if count is None else f"{count:,}" for count in counts))
    table.add_row("damaged", *(f"{len(audited.damaged):,}" for audited in audits.values()))
    out.print(table)
    for name, audited in audits.items():
        for rule, ids in audited.examples.items():
            out.print(f"{name}: {rule}, for example {', '.join(ids)}", markup=False)


def audit_files(path: Path) -> tuple[dict[str, ConfigAudit], dict[str, list[Path]]]:
    """Return the audit (counts of violations) of each config of ``path``, and the files of each config.

    Raises:
        ExportError: if ``path`` is not a built dataset, a released JSONL file or a folder of such files.
    """
    if not (path / "manifest.json").exists():
        released = _released(path)
        try:
            audits = audit({name: _lines(file) for name, file in released.items()}, AuditRules())
        except OSError as error:
            raise CurationError(f"{path} cannot be read ({error})") from error
        return audits, {name: [file] for name, file in released.items()}
    built = Built.at(path)
    recipe = built.recipe
    if not isinstance(recipe, SuiteRecipe):
        raise CurationError(f"{path} contains no paths: it is a dataset of the suite {recipe.suite}, not traversal")
    rules = AuditRules(limits=recipe.rules, bins=recipe.bins, spurs=recipe.spurs)
    configs = built.manifest.configs
    with built.reading():
        audits = audit({name: enumerate(built.rows(name, pictures=False), start=1) for name in configs}, rules)
    return audits, {name: built.files(name) for name in configs}


def _released(path: Path) -> dict[str, Path]:
    """Return the released files below ``path`` by the relative path of their folder, a single file by its stem."""
    if path.exists() and not path.is_dir():
        open_file(path).close()
        return {path.stem: path}
    files = [file for file in files_below(path) if file.name == RELEASED] if path.is_dir() else []
    if not files:
        raise CurationError(
            f"{path} is neither a built dataset (manifest.json) nor a {RELEASED} nor a folder that contains one"
        )
    return {str(file.relative_to(path).parent): file for file in files}


def _lines(path: Path) -> Iterator[tuple[int, Row | Damage]]:
    with path.open(encoding="utf-8", errors="replace") as lines:
        # None stands for a line that is too long; "{" makes it count as damaged.
        yield from parse_lines("{" if line is None else line for line in lines_of(lines))
