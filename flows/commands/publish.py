"""The command `publish`: publishes a built dataset to the Hugging Face Hub."""

import logging
from pathlib import Path
from typing import Annotated, Any

import typer

from planimeter.flows.commands.options import Folder, err, out
from planimeter.flows.errors import PlanimeterError
from planimeter.flows.service.prefect_mode import importing_prefect


class Printing(logging.Handler):
    """A log handler that prints each message on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the message of ``record``."""
        err.print(record.getMessage())


def publish(
    folder: Folder,
    repo: Annotated[str, typer.Option(help="Repository on the Hub, as owner/name; created if there is none.")],
    private: Annotated[bool, typer.Option("--private", help="Make a new repository private.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the changes.")] = False,
    space: Annotated[bool, typer.Option(help="Publish the report, too, as a static Space of the same name.")] = True,
    inspect: Annotated[
        bool, typer.Option("--inspect", help="Add a copy of the rows for `inspect eval hf/OWNER/NAME`; twice the size.")
    ] = False,
    only_seal: Annotated[
        bool,
        typer.Option("--only-seal", help="Publish only the seal of a sealed edition, before its rows are published."),
    ] = False,
    seed: Annotated[
        Path | None,
        typer.Option(help="Publish this seed file of a sealed edition, after its rows; the seed is then public."),
    ] = None,
) -> None:
    """Publish a built dataset to the Hugging Face Hub, tagged with its version. Publishing it again changes nothing."""
    from planimeter.flows.service import hub

    if only_seal and seed:
        raise PlanimeterError(
            "--only-seal and --seed exclude each other: the seal is published before the rows, the seed after them"
        )
    if dry_run:
        # A dry run needs no Prefect.
        given: dict[str, Any] = {"private": private, "dry_run": True, "log": err.print}
        if only_seal or seed:
            planned = hub.sealed_publication(folder, repo, seed=str(seed) if seed else None, **given)()
        else:
            planned = hub.publication(folder, repo, space=space, inspect=inspect, **given)()
        for line in hub.plan(planned, repo):
            out.print(line)
        return
    with importing_prefect():
        from planimeter.flows.service.publish import publish_dataset
        from planimeter.flows.service.run import run_flow
    hub.LINES.addHandler(Printing())
    hub.LINES.setLevel(logging.INFO)
    published = run_flow(
        publish_dataset,
        folder=str(folder),
        repo=repo,
        private=private,
        space=space,
        inspect=inspect,
        only_seal=only_seal,
        seed=str(seed.absolute()) if seed else None,
    )
    if not published["steps"]:
        out.print(f"nothing to do: {repo} has this version with this content")
    out.print(f"{published['address']}\n{published['loader']}")
