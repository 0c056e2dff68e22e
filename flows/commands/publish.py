"""The command `publish`: a built dataset to the Hugging Face Hub."""

from contextvars import copy_context
from pathlib import Path

from rich.console import Console

from planimeter.flows.commands.prefect_mode import importing_prefect
from planimeter.flows.service import hub


def run(folder: Path, repo: str, out: Console, err: Console, *, private: bool, dry_run: bool, space: bool) -> None:
    """Publish ``folder`` and print its address and the line that loads it. A dry run needs no Prefect."""

    def log(line: str) -> None:
        err.print(line, markup=False)

    if dry_run:
        planned = hub.publication(folder, repo, private=private, dry_run=True, log=log, space=space)()
        for line in hub.plan(planned, repo):
            out.print(line, markup=False)
        return
    with importing_prefect():
        from planimeter.flows.service.publish import LISTENER, publish_dataset
        from planimeter.flows.service.run import run_flow
    context = copy_context()
    context.run(LISTENER.set, log)
    published = context.run(run_flow, publish_dataset, folder=str(folder), repo=repo, private=private, space=space)
    if not published["steps"]:
        out.print("nothing to do: it is published already, with this content", markup=False)
    out.print(f"{published['address']}\n{published['loader']}", markup=False)
