"""The commands `serve` and `deploy`: every flow, registered with a running Prefect server."""

from typing import Annotated

import typer

from planimeter.flows.commands.options import err, out
from planimeter.flows.commands.prefect_mode import importing_prefect


def serve() -> None:
    """Serve every flow to Prefect without work pool or worker (needs a running server: `prefect server start`)."""
    with importing_prefect():
        from planimeter.flows.service import serve as service
    service.serve()


def deploy(
    pool: Annotated[
        str, typer.Option(help="Work pool whose workers run the flows; they need Planimeter, no checkout.")
    ],
    image: Annotated[str | None, typer.Option(help="Image of the containers, where the pool runs containers.")] = None,
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
