"""What is reported to Prefect's server where a dataset is built or published: an event for automations, an asset for
lineage. Neither is the record of truth, and neither can fail a run: Prefect sends them beside the work.
"""

import hashlib
import re
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

from prefect.assets import Asset
from prefect.events import emit_event

from planimeter.export.manifest import Manifest

#: The address of the embedded server, where that is the one in use: it keeps no events.
EMBEDDED: ContextVar[str] = ContextVar("embedded", default="")

#: What the key of an asset may not hold, and its length at the most.
RESTRICTED, LENGTH = re.compile(r"[^\w./:@=+-]"), 512

Result = TypeVar("Result")


def emit(verb: str, folder: Path, place: str) -> None:
    """Emit `planimeter.dataset.<verb>` of the dataset in ``folder``, which stands at ``place``: a path or address."""
    if EMBEDDED.get():
        return
    payload = _summary(folder) | {"place": place}
    resource = {"prefect.resource.id": f"planimeter.dataset.{payload['dataset']}"}
    emit_event(event=f"planimeter.dataset.{verb}", resource=resource, payload=payload)


def asset_at(place: str) -> Asset:
    """Return the asset at ``place``, a path or an address; characters that Prefect refuses in a key become ``_``."""
    address = place if "://" in place else f"file://{Path(place).absolute()}"
    return Asset(key=RESTRICTED.sub("_", address)[:LENGTH])


def materializing(asset: Asset, folder: Path, function: Callable[[], Result]) -> Callable[[], Result]:
    """Return ``function`` for a task that makes ``asset`` of the dataset in ``folder``, which describes the asset."""

    def described() -> Result:
        result = function()
        asset.add_metadata(_summary(folder))
        return result

    return described


def _summary(folder: Path) -> dict[str, object]:
    manifest = Manifest.read(folder)
    return {
        "dataset": manifest.dataset,
        "version": manifest.version,
        "rows": sum(record.rows for record in manifest.files),
        "sha256": hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest(),
    }
