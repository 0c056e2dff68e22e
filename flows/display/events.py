"""Reports built and published datasets to Prefect's server: as an event for automations, and an asset for lineage.

Prefect sends both in the background, so that a fault of the server does not fail a run.
"""

import hashlib
import re
from pathlib import Path

from prefect.assets import Asset
from prefect.context import AssetContext
from prefect.events import emit_event

from planimeter.export.manifest import Manifest

#: Characters that Prefect refuses in the key of an asset, and the greatest length of a key.
RESTRICTED, LENGTH = re.compile(r"[^\w./:@=+-]"), 512


def emit(verb: str, folder: Path, place: str) -> None:
    """Send the event `planimeter.dataset.<verb>` for the dataset in ``folder``; ``place`` is its path or address."""
    payload = _summary(folder) | {"place": place}
    resource = {"prefect.resource.id": f"planimeter.dataset.{payload['dataset']}"}
    emit_event(event=f"planimeter.dataset.{verb}", resource=resource, payload=payload)


def asset_at(place: str) -> Asset:
    """Return the asset at ``place``, a path or an address; characters that Prefect refuses in a key become ``_``."""
    address = place if "://" in place else f"file://{Path(place).absolute()}"
    return Asset(key=RESTRICTED.sub("_", address)[:LENGTH])


def describe_asset(asset: Asset, folder: Path) -> None:
    """Add name, version, rows and digest of the dataset in ``folder`` to ``asset``, if the running task makes it."""
    context = AssetContext.get()
    if context and asset in context.downstream_assets:
        asset.add_metadata(_summary(folder))


def _summary(folder: Path) -> dict[str, object]:
    """Return name, version, number of rows, and SHA-256 of the manifest of the dataset in ``folder``."""
    manifest = Manifest.read(folder)
    return {
        "dataset": manifest.dataset,
        "version": manifest.version,
        "rows": sum(record.rows for record in manifest.files),
        "sha256": hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest(),
    }
