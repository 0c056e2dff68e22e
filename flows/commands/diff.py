"""The command `diff`: what two versions of a dataset differ in."""

from rich.console import Console

from planimeter.export.hub.changelog import lines
from planimeter.flows.service import hub

#: Ids that are printed of each kind.
EXAMPLES = 5


def run(old: str, new: str, out: Console) -> None:
    """Print what differs between two versions, each a folder or ``owner/name@tag``."""
    difference = hub.compare(old, new)
    out.print(f"{difference.old} → {difference.new}", markup=False)
    if difference.is_empty:
        out.print("no difference in rows, recipe and funnel")
        return
    for line in lines(difference):
        out.print(line, markup=False)
    for config, rows in difference.rows.items():
        for kind, ids in (("added", rows.added), ("removed", rows.removed), ("changed", tuple(rows.changed))):
            for name in ids[:EXAMPLES]:
                out.print(f"  {config} {kind}: {name}", markup=False)
            if len(ids) > EXAMPLES:
                out.print(f"  {config} {kind}: and {len(ids) - EXAMPLES:,} more", markup=False)
