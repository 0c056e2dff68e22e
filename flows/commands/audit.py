"""The command `audit`: holds paths that already exist to the rules: a built dataset, or the released JSONL of
TraversalBench.
"""

from pathlib import Path

from rich.console import Console
from rich.table import Column, Table

from planimeter.curation.audit import audit_files
from planimeter.curation.errors import CurationError
from planimeter.filters.traversal.audit import AuditTable
from planimeter.flows.errors import PlanimeterError


def run(path: Path, out: Console, err: Console) -> None:
    """Audit ``path``, print the table rule x config, and each damaged line with its place and reason.

    ``path`` is a built dataset, a released JSONL file or a folder of them. Raises ``PlanimeterError`` if it is neither,
    or if a rule is broken.
    """
    try:
        table, files = audit_files(path)
    except CurationError as error:
        raise PlanimeterError(str(error)) from error
    _print(table, out)
    for name, damaged in table.damaged.items():
        for damage in damaged:
            err.print(f"{files[name][0]}:{damage.line}: {damage.reason}", markup=False)
    if table.violations:
        lines = sum(map(len, table.damaged.values()))
        raise PlanimeterError(f"{path}: {table.violations - lines:,} violations, {lines:,} damaged lines")


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
