"""The command `audit`: holds paths that exist already, a built dataset or released files, to the rules."""

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table

from planimeter.export.suites.traversal_audit import audit_files
from planimeter.filters.traversal.audit import ConfigAudit
from planimeter.flows.errors import PlanimeterError


def run(path: Path, out: Console, err: Console) -> None:
    """Audit ``path``, print the table rule x config, and each damaged line with its place and reason.

    ``path`` is a built dataset, a released JSONL file or a folder of them. Raises ``CurationError`` if it is
    neither, ``PlanimeterError`` if a rule is broken.
    """
    audits, files = audit_files(path)
    _print(audits, out)
    for name, audit in audits.items():
        for damage in audit.damaged:
            err.print(f"{files[name][0]}:{damage.line}: {damage.reason}", markup=False)
    lines = sum(len(audit.damaged) for audit in audits.values())
    violations = sum(audit.broken.total() for audit in audits.values())
    if violations or lines:
        raise PlanimeterError(f"{path}: {violations:,} violations, {lines:,} damaged lines")


def _print(audits: Mapping[str, ConfigAudit], out: Console) -> None:
    # A released file is named over as many lines as it has folders.
    names = (name.removeprefix("backbones_").replace("/", "\n") for name in audits)
    shown = Table("rule", *(Column(name, justify="right", overflow="fold") for name in names), box=None)
    shown.add_row("rows", *(f"{audit.seen:,}" for audit in audits.values()))
    for rule in dict.fromkeys(rule for audit in audits.values() for rule in audit.broken):
        counts = (audit.broken.get(rule) for audit in audits.values())
        shown.add_row(rule, *("-" if count is None else f"{count:,}" for count in counts))
    shown.add_row("damaged", *(f"{len(audit.damaged):,}" for audit in audits.values()))
    out.print(shown)
    for name, audit in audits.items():
        for rule, ids in audit.examples.items():
            out.print(f"{name}: {rule}, for example {', '.join(ids)}", markup=False)
