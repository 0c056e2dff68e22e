"""What rows, recipes and other objects of JSON are in plain Python (what a value is, its name decides), and pictures
in a page."""

import base64
from collections.abc import Mapping
from typing import Any

#: The values of a row by its columns, or of another object of JSON by its keys.
Row = Mapping[str, Any]

#: The same where it is made, and may still change.
Record = dict[str, Any]

#: What a manifest quotes of a dataset's recipe.
Recipe = Mapping[str, Any]

#: How the address of a PNG begins that a page or a message holds instead of referring to it.
DATA_URL = "data:image/png;base64,"


def data_url(png: bytes) -> str:
    """Return ``png`` as such an address."""
    return f"{DATA_URL}{base64.b64encode(png).decode()}"
