"""The command `audit`: holds paths that exist already, a built dataset or released files, to the rules."""

from pathlib import Path

from rich.console import Console
from rich.table import Column, Table

from planimeter.export.verify.audit import audit_files
from planimeter.filters.traversal.audit import AuditTable
from planimeter.flows.errors import PlanimeterError


def run(path: Path, out: Console, err: Console) -> None:
    """Audit ``path``, print the table rule x config, and each damaged line with its place and reason.

    ``path`` is a built dataset, a released JSONL file or a folder of them. Raises ``CurationError`` if it is
    neither, ``PlanimeterError`` if a rule is broken.
    """
    table, files = audit_files(path)
    _print(table, out)
    for name, damaged in table.damaged.items():
        for damage in damaged:
            err.print(f"{files[name][0]}:{damage.line}: {damage.reason}", markup=False)
    if table.violations:
        lines = sum(map(len, table.damaged.values()))
        raise PlanimeterError(f"{path}: {table.violations - lines:,} violations, {lines:,} damaged lines")


def _print(table: AuditTable, out: Console) -> None:
    # A released file is named over as many lines as it has folders.
    names = (name.removeprefix("backbones_").replace("/", "\n") for name in table.seen)
    shown = Table("rule", *(Column(name, justify="right", overflow="fold") for name in names), box=None)
    shown.add_row("rows", *(f"{number:,}" for number in table.seen.values()))
    for rule in dict.fromkeys(rule for broken in table.broken.values() for rule in broken):
        counts = (broken.get(rule) for broken in table.broken.values())
        shown.add_row(rule, *("-" if count is None else f"{count:,}" for count in counts))
    shown.add_row("damaged", *(f"{len(damaged):,}" for damaged in table.damaged.values()))
    out.print(shown)
    for (name, rule), ids in table.examples.items():
        out.print(f"{name}: {rule}, for example {', '.join(ids)}", markup=False)
