"""Types of plain Python values in rows, recipes and other JSON objects, and data URLs of pictures."""

import base64
from collections.abc import Mapping
from typing import Any

#: The values of a row by its columns, or of another object of JSON by its keys.
Row = Mapping[str, Any]

#: A mutable row or object.
Record = dict[str, Any]

#: The recipe of a dataset as its manifest quotes it.
Recipe = Mapping[str, Any]

#: The prefix of the data URL of a PNG.
DATA_URL = "data:image/png;base64,"


def data_url(png: bytes) -> str:
    """Return the PNG bytes ``png`` as a data URL, for HTML pages and requests to models."""
    return f"{DATA_URL}{base64.b64encode(png).decode()}"
