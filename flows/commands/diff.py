"""The command `diff`: prints the differences of two versions of a dataset."""

from typing import Annotated

import typer

from planimeter.flows.commands.options import out

#: The most ids that are printed of added, removed and changed rows of a config each.
EXAMPLES = 5


def diff(
    old: Annotated[str, typer.Argument(help="Folder of a built dataset, or owner/name@tag on the Hub.")],
    new: Annotated[str, typer.Argument(help="The version to compare with OLD, in the same form.")],
) -> None:
    """Show what differs between two versions of a dataset: rows, recipe, and counts of rejected items (funnel)."""
    from planimeter.export.hub.diff import lines
    from planimeter.flows.service import hub

    difference = hub.compare(old, new)
    out.print(f"{difference.old} → {difference.new}")
    if difference.is_empty:
        out.print("no difference in rows, recipe and funnel")
        return
    for line in lines(difference):
        out.print(line)
    for config, rows in difference.rows.items():
        for kind, ids in (("added", rows.added), ("removed", rows.removed), ("changed", tuple(rows.changed))):
            for name in ids[:EXAMPLES]:
                out.print(f"  {config} {kind}: {name}")
            if len(ids) > EXAMPLES:
                out.print(f"  {config} {kind}: and {len(ids) - EXAMPLES:,} more")
