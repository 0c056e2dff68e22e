"""Publishes results of a build as artifacts in Prefect's UI: dataset address, counts of its checks, CPU time by stage.

Artifacts are for display only: if the server fails to store one, that is logged and the build continues.
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

#: Errors of Prefect's client if the server is slow, ending or lost, and of an unreadable manifest.
FAULTS = (PrefectException, httpx.HTTPError, OSError, RuntimeError, ExportError)


@contextmanager
def log_failure(what: str) -> Iterator[None]:
    """Log an error of this block as "the <what> could not be shown in Prefect", and continue after the block."""
    try:
        yield
    except FAULTS as error:
        get_run_logger().warning("the %s could not be shown in Prefect: %s", what, error)


def publish_address(place: Place, message: str) -> None:
    """Publish the address of the dataset as a link, with ``message`` as its description."""
    link = place.address if "://" in place.address else place.folder.as_uri()
    key = f"{place.recipe.dataset}-dataset"
    with log_failure("address"):
        create_link_artifact(key=key, link=link, link_text=place.address, description=message)


def publish_funnel(place: Place) -> None:
    """Publish a table for a finished dataset: the numbers of items that each check saw, kept and rejected (funnel)."""
    with log_failure("funnel"):
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
    """Publish a table of the CPU seconds that the workers spent on each stage (such as drawing) in all shards."""
    total: Counter[str] = Counter()
    for record in records:
        total.update(record.seconds)
    with log_failure("timings"):
        create_table_artifact(
            key=f"{place.recipe.dataset}-timings",
            table=[{"stage": stage, "CPU s of workers": round(seconds, 1)} for stage, seconds in total.items()],
            description=f"CPU time of the shards of {place.recipe.dataset} {place.recipe.version}, by stage.",
        )
