"""Reads a few pictures of a dataset by id: of the other rows their ids alone, and of these their row groups."""

import base64
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from planimeter.export.manifest import Manifest
from planimeter.export.pages.survey import Place, rows_at


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """A PNG as the page holds it, once for all replies to it; sides in px."""

    name: str
    width: int
    height: int
    url: str


def pictures(
    folder: Path, manifest: Manifest, wanted: Sequence[tuple[str, str]], budget: int
) -> Mapping[tuple[str, str], Picture]:
    """Return the pictures of ``wanted``, each (config, id) once in order of need, as far as they take ``budget`` bytes.

    One that does not fit is left out, and a smaller one may still fit.
    """
    places = _places(folder, manifest, set(wanted))
    rows = rows_at(folder, list(places.values()), ["image"])
    shown: dict[tuple[str, str], Picture] = {}
    for name in wanted:
        content = rows[places[name]]["image"]["bytes"] if name in places else b""
        url = f"data:image/png;base64,{base64.b64encode(content).decode()}"
        if content and len(url) <= budget:
            budget -= len(url)
            width, height = struct.unpack_from(">II", content, 16)
            shown[name] = Picture(name=f"picture-{len(shown)}", width=width, height=height, url=url)
    return shown


def _places(folder: Path, manifest: Manifest, wanted: set[tuple[str, str]]) -> dict[tuple[str, str], Place]:
    places: dict[tuple[str, str], Place] = {}
    files = [(config, record) for config in {of for of, _ in wanted} for record, _ in manifest.files_of(config)]
    for config, record in files:
        with pq.ParquetFile(folder / record.path) as file:
            group = start = 0
            for index, row_id in enumerate(file.read(columns=["id"])["id"].to_pylist()):
                while index - start == file.metadata.row_group(group).num_rows:
                    start, group = index, group + 1
                if (config, row_id) in wanted:
                    places[config, row_id] = Place(path=record.path, group=group, number=index - start)
    return places
