"""Shows a build in Prefect's UI: its progress, its funnel, a few of its pictures.

Artifacts are for looking at, never the record of truth: whatever goes wrong with the server is logged and the build
goes on. Progress is reported from a separate thread, so that a server that hangs or dies cannot hold up the work.
"""

import contextvars
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import cast
from uuid import UUID

import httpx
from prefect.artifacts import (
    create_link_artifact,
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)
from prefect.exceptions import PrefectException
from prefect.logging import get_run_logger

from planimeter.export.atomic import ExportError
from planimeter.export.manifest import Manifest
from planimeter.export.pages.funnel_view import stages
from planimeter.export.pages.pictures import DATA_URL
from planimeter.export.texts import text_of
from planimeter.flows.display.bars import Line
from planimeter.flows.store.place import Place

#: What a server that is slow, dying or gone makes the client raise.
FAULTS = (PrefectException, httpx.HTTPError, OSError, RuntimeError)

#: Seconds between two reports, and to wait at the end for the last one to get through.
EVERY, PATIENCE = 1.0, 2.0

#: Pictures of the gallery artifact, and their total size in bytes at the most (the API takes a few MB).
GALLERY = 8
GALLERY_BYTES = 1_000_000


@contextmanager
def progress(dataset: str) -> Iterator[Callable[[float], None]]:
    """Yield a function that reports which share of the shards is done, 0 to 1; it returns at once."""
    done, ended = 0.0, threading.Event()

    def report(share: float) -> None:
        nonlocal done
        done = share

    def show() -> None:
        try:
            artifact = cast(
                "UUID",
                create_progress_artifact(progress=0.0, key=f"{dataset}-progress", description=f"Shards of {dataset}"),
            )
            is_last = False
            while not is_last:
                is_last = ended.wait(EVERY)
                update_progress_artifact(artifact, progress=100.0 * done)
        except FAULTS as error:
            get_run_logger().warning("progress could not be shown in Prefect: %s", error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(show,), daemon=True)
    thread.start()
    try:
        yield report
    finally:
        ended.set()
        thread.join(PATIENCE)


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
    """Publish the funnel of a finished dataset as a table, and a gallery of its pictures."""
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
            description=f"What each check saw, kept and rejected in {place.recipe.dataset} {place.recipe.version}.",
        )
        create_markdown_artifact(
            key=f"{place.recipe.dataset}-gallery",
            markdown=_gallery(place),
            description=f"Pictures of {place.recipe.dataset} {place.recipe.version}; the whole report: "
            f"{place.address}/report/index.html",
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
            table=[
                {"stage": line.path, "wall s": _seconds(line.wall), "CPU s of workers": _seconds(line.cpu)}
                for line in lines
            ],
            description=f"Where the time of {place.recipe.dataset} {place.recipe.version} went.",
        )
    except FAULTS as error:
        log.warning("the timings could not be shown in Prefect: %s", error)


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.1f}"


def _gallery(place: Place) -> str:
    pictures: list[str] = []
    budget = GALLERY_BYTES
    report = (place.folder / "report" / "index.html").read_text(encoding="utf-8")
    for url in re.findall(rf'src="({re.escape(DATA_URL)}[^"]+)"', report):
        if len(pictures) < GALLERY and len(url) <= budget:
            budget -= len(url)
            pictures.append(f"![an item]({url})")
    return "\n\n".join([f"# {place.recipe.title} {place.recipe.version}", *pictures])
