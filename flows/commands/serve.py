"""The commands `serve` and `deploy`: register every flow with a running Prefect server."""

from typing import Annotated

import typer

from planimeter.flows.commands.options import err, out
from planimeter.flows.service.prefect_mode import importing_prefect


def serve() -> None:
    """Register every flow with a running Prefect server, and run them here, without work pool and worker."""
    with importing_prefect():
        from planimeter.flows.service import serve as service
    service.serve()


def deploy(
    pool: Annotated[
        str, typer.Option(help="Work pool whose workers run the flows; Planimeter must be installed there.")
    ],
    image: Annotated[str | None, typer.Option(help="Container image of the runs, if the pool runs containers.")] = None,
) -> None:
    """Deploy every flow to a work pool of a running Prefect server, from the installed package."""
    with importing_prefect():
        from planimeter.flows.service import serve as service
    for name in service.deploy(pool, image):
        out.print(name)
    service.enable_bare_names()
    err.print(
        "set PREFECT_PLUGINS_ENABLED=true in Prefect's profile: `prefect deployment run build-marvl-mini` needs it"
    )
