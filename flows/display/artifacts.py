"""Shows a build in Prefect's UI: where its dataset stands, its funnel, where the time went.

Artifacts are for looking at, never the record of truth: whatever goes wrong with the server is logged and the build
goes on.
"""

from collections.abc import Sequence

import httpx
from prefect.artifacts import create_link_artifact, create_table_artifact
from prefect.exceptions import PrefectException
from prefect.logging import get_run_logger

from planimeter.export.atomic import ExportError
from planimeter.export.manifest import Manifest
from planimeter.export.pages.funnel_view import stages
from planimeter.export.texts import text_of
from planimeter.flows.display.bars import Line
from planimeter.flows.store.place import Place

#: What a server that is slow, dying or gone makes the client raise.
FAULTS = (PrefectException, httpx.HTTPError, OSError, RuntimeError)


def publish_address(place: Place, message: str) -> None:
    """Publish where the dataset stands as a link, with ``message`` as its description."""
    address = place.address if "://" in place.address else place.folder.as_uri()
    try:
        create_link_artifact(
            key=f"{place.recipe.dataset}-dataset", link=address, link_text=place.address, description=message
        )
    except FAULTS as error:
        get_run_logger().warning("the address could not be shown in Prefect: %s", error)


def publish_funnel(place: Place) -> None:
    """Publish the funnel of a finished dataset as a table."""
    try:
        manifest = Manifest.read(place.folder)
        meanings = text_of(manifest.recipe["suite"]).checks
        create_table_artifact(
            key=f"{place.recipe.dataset}-funnel",
            table=[
                {
                    "config": config,
                    "check": stage.check,
                    "seen": stage.seen,
                    "kept": stage.kept,
                    "rejected": ", ".join(f"{reason}: {number}" for reason, number in stage.main_reasons),
                }
                for config, checks in manifest.funnel.items()
                for stage in stages(checks, meanings)
            ],
            description=f"What each check saw, kept and rejected in {place.recipe.dataset} {place.recipe.version}; the "
            f"whole report: {place.address}/report/index.html",
        )
    except (*FAULTS, ExportError) as error:
        get_run_logger().warning("the funnel could not be shown in Prefect: %s", error)


def publish_timings(place: Place, lines: Sequence[Line]) -> None:
    """Publish where the time of the build went, as a table, and log it."""
    log = get_run_logger()
    for line in lines:
        log.info(str(line))
    try:
        create_table_artifact(
            key=f"{place.recipe.dataset}-timings",
            table=[{"stage": line.path, "wall s": line.wall, "CPU s of workers": line.cpu} for line in lines],
            description=f"Where the time of {place.recipe.dataset} {place.recipe.version} went.",
        )
    except FAULTS as error:
        log.warning("the timings could not be shown in Prefect: %s", error)
