"""Shows a build in Prefect's UI: where its dataset stands, its funnel, where the time went.

Artifacts are for looking at, never the record of truth: whatever goes wrong with the server is logged and the build
goes on.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import httpx
from prefect.artifacts import create_link_artifact, create_table_artifact
from prefect.exceptions import PrefectException
from prefect.logging import get_run_logger

from planimeter.export.atomic import ExportError
from planimeter.export.manifest import Manifest
from planimeter.export.pages.funnel_view import stages
from planimeter.export.texts import text_of
from planimeter.flows.shards import ShardRecord
from planimeter.flows.store.place import Place

#: What a server that is slow, dying or gone makes the client raise, and a manifest that cannot be read.
FAULTS = (PrefectException, httpx.HTTPError, OSError, RuntimeError, ExportError)


@contextmanager
def shown(what: str) -> Iterator[None]:
    """Log that ``what`` could not be shown where that goes wrong within this block."""
    try:
        yield
    except FAULTS as error:
        get_run_logger().warning("the %s could not be shown in Prefect: %s", what, error)


def publish_address(place: Place, message: str) -> None:
    """Publish where the dataset stands as a link, with ``message`` as its description."""
    link = place.address if "://" in place.address else place.folder.as_uri()
    key = f"{place.recipe.dataset}-dataset"
    with shown("address"):
        create_link_artifact(key=key, link=link, link_text=place.address, description=message)


def publish_funnel(place: Place) -> None:
    """Publish the funnel of a finished dataset as a table."""
    with shown("funnel"):
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


def publish_timings(place: Place, records: Sequence[ShardRecord]) -> None:
    """Publish how many CPU seconds the workers spent on each stage of all shards, as a table."""
    total: Counter[str] = Counter()
    for record in records:
        total.update(record.seconds)
    with shown("timings"):
        create_table_artifact(
            key=f"{place.recipe.dataset}-timings",
            table=[{"stage": stage, "CPU s of workers": round(seconds, 1)} for stage, seconds in total.items()],
            description=f"Where the time of the shards of {place.recipe.dataset} {place.recipe.version} went.",
        )
