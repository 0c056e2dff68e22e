"""Makes the parts of a row that all suites share: the common columns, and the id of an item.

An id is a digest of the content of an item (such as its surface, question and style), not of its seed or picture. So
equal items have equal ids for all seeds, and a changed drawing of the same item has the same id.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b

from planimeter.items import Reading
from planimeter.items.values import Record

Row = Record


def item_id(config: str, content: Mapping[str, object]) -> str:
    """Return ``<config>-<16 hex digits>``, a digest of ``content`` independent of the order of its keys."""
    text = json.dumps({"config": config, **content}, sort_keys=True, separators=(",", ":"))
    return f"{config}-{blake2b(text.encode(), digest_size=8).hexdigest()}"


def fields(item: object, *names: str) -> Row:
    """Return the attributes ``names`` of ``item`` as columns of the same names."""
    return {name: getattr(item, name) for name in names}


def common(row_id: str, png: bytes, system_prompt: str, prompt: str, answer: str, seed: int, reading: Reading) -> Row:
    """Return the columns that every config has; ``reading`` names the certifier for the column `certified_by`."""
    return {
        "id": row_id,
        "image": {"bytes": png, "path": f"{row_id}.png"},
        "system_prompt": system_prompt,
        "prompt": prompt,
        "answer": answer,
        "seed": seed,
        "certified_by": reading.certifier,
    }
