"""The commands `publish` and `diff`: what they print."""

from importlib import import_module
from pathlib import Path

from rich.console import Console

from planimeter.export.hub.changelog import lines
from planimeter.flows.service import hub

#: Ids that are printed of each kind.
EXAMPLES = 5


def publish(folder: Path, repo: str, out: Console, err: Console, *, private: bool, dry_run: bool) -> None:
    """Publish ``folder`` and print its address and the line that loads it. A dry run needs no Prefect server."""

    def tell(line: str) -> None:
        err.print(line, markup=False)

    if dry_run:
        planned = hub.publish_folder(folder, repo, private=private, dry_run=True, tell=tell)
        for line in hub.plan(planned, repo):
            out.print(line, markup=False)
        return
    # Imported here: Prefect takes seconds, which what only looks need not spend.
    embedded, publishing = (
        import_module("planimeter.flows.service.run"),
        import_module("planimeter.flows.service.publish"),
    )
    with publishing.telling(tell):
        done = embedded.run_flow(publishing.publish_dataset, folder=str(folder), repo=repo, private=private)
    if not done["steps"]:
        out.print("nothing to do: it is published already, with this content", markup=False)
    out.print(f"{done['address']}\n{done['loader']}", markup=False)


def compare(old: str, new: str, out: Console, err: Console) -> None:
    """Print what differs between two versions."""
    found = hub.compare(old, new, lambda line: err.print(line, markup=False))
    out.print(f"{found.old} → {found.new}", markup=False)
    if found.is_empty:
        out.print("no difference in rows, recipe and funnel")
        return
    for line in lines(found):
        out.print(line, markup=False)
    for config, rows in found.rows.items():
        for what, ids in (("added", rows.added), ("removed", rows.removed), ("changed", tuple(rows.changed))):
            for name in ids[:EXAMPLES]:
                out.print(f"  {config} {what}: {name}", markup=False)
            if len(ids) > EXAMPLES:
                out.print(f"  {config} {what}: and {len(ids) - EXAMPLES:,} more", markup=False)
