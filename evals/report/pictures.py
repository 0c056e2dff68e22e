"""Reads a few pictures of a dataset by id, a row group at a time."""

import base64
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from planimeter.export.built import Built


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """A PNG as the page holds it, once for all replies to it; sides in px."""

    name: str
    width: int
    height: int
    url: str


def pictures(folder: Path, wanted: Sequence[tuple[str, str]], budget: int) -> Mapping[tuple[str, str], Picture]:
    """Return the pictures of ``wanted``, each (config, id) once in order of need, as far as they take ``budget`` bytes.

    One that does not fit is left out, and a smaller one may still fit.
    """
    built, places, content = Built.at(folder), set(wanted), dict[tuple[str, str], bytes]()
    for config in {config for config, _ in wanted}:
        for group in built.groups(config):
            if any((config, row["id"]) in places for row in group.rows(["id"])):
                rows = [row for row in group.rows(["id", "image"]) if (config, row["id"]) in places]
                content |= {(config, row["id"]): row["image"]["bytes"] for row in rows}
    shown: dict[tuple[str, str], Picture] = {}
    for name in wanted:
        picture = content.get(name, b"")
        url = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
        if picture and len(url) <= budget:
            budget -= len(url)
            width, height = struct.unpack_from(">II", picture, 16)
            shown[name] = Picture(name=f"picture-{len(shown)}", width=width, height=height, url=url)
    return shown
